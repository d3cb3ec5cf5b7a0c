--TEST--
shm: single calls give what they did, with steps of any sign (CT-06)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
$c = new Rustio\SharedCounter(own_key(), 4);
var_dump($c->add(0), $c->add(0, 41), $c->add(0, -50), $c->add(0, 0), $c->get(0));
var_dump($c->set(0, 7), $c->get(0));
var_dump($c->compareAndSet(0, 7, 9), $c->compareAndSet(0, 7, 10), $c->get(0));
var_dump($c->max(0, 12), $c->max(0, 3), $c->min(0, 5), $c->min(0, 8));
var_dump($c->get(3), $c->get('never used'), $c->names(), count($c));
var_dump($c->add('x', delta: -3), $c->add(counter: 'x'), $c->get('x'));
?>
--EXPECT--
int(1)
int(42)
int(-8)
int(-8)
int(-8)
int(-8)
int(7)
bool(true)
bool(false)
int(9)
int(12)
int(12)
int(5)
int(5)
int(0)
int(0)
array(0) {
}
int(4)
int(-3)
int(-2)
int(-2)

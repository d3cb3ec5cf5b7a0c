--TEST--
shm: what would overflow is refused before it happens, single and together
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
$c = new Rustio\SharedCounter(own_key(), 4);
$c->set('big', PHP_INT_MAX - 1);
$c->set(0, PHP_INT_MIN);
var_dump($c->add('big'));
raises(fn() => $c->add('big'));
raises(fn() => $c->add(0, -1));
raises(fn() => $c->addMany([0 => 5, 'other' => 5, 'big' => 1]));
raises(fn() => $c->addMany([3 => PHP_INT_MAX, 'big' => 1]));
raises(fn() => $c->update('big', fn(int $v) => $v + 1));
var_dump($c->get('big') === PHP_INT_MAX, $c->get(0) === PHP_INT_MIN, $c->get('other'));
?>
--EXPECTF--
int(9223372036854775807)
ArithmeticError: key 0x%x: counter "big" would overflow; its value is unchanged
ArithmeticError: key 0x%x: counter 0 would overflow; its value is unchanged
ArithmeticError: key 0x%x: counter "big" would overflow; its value is unchanged
ArithmeticError: key 0x%x: counter "big" would overflow; its value is unchanged
TypeError: Rustio\SharedCounter::update(): Argument #2 ($fn) must return int, float returned
bool(true)
bool(true)
int(0)

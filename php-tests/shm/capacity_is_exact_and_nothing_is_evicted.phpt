--TEST--
shm: n slots hold n names, whatever they are; a full segment refuses and evicts nothing; forget() makes room (CT-25)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
$c = new Rustio\SharedCounter(own_key(), 50);
for ($i = 0; $i < 50; $i++) {
    $c->add("name $i", $i + 1);
}
raises(fn() => $c->add('one more'));
raises(fn() => $c->addMany(['name 0' => 1, 'one more' => 1]));
for ($i = 0, $sum = 0; $i < 50; $i++) {
    $sum += $c->get("name $i");
}
var_dump($sum === 50 * 51 / 2, $c->get('one more'), count($c->names()));
var_dump($c->forget('name 7'), $c->forget('name 7'), $c->get('name 7'));
$slot = $c->add('one more', 3);
var_dump($slot, $c->names()['one more'] === 49 - 7, $c->get('one more'));
raises(fn() => $c->add('and another'));

// Highest free slot first, never one that holds a value, forgotten ones last.
$d = new Rustio\SharedCounter(own_key(), 4);
$d->add(3, 5);
$d->add('a');
$d->add('b');
$d->forget('a');
$d->add('c');
$d->add('d');
print_r($d->names());
raises(fn() => $d->add('e'));
?>
--EXPECTF--
Rustio\SegmentException: key 0x%x: all 50 counters are in use (50 by name, 0 by index); forget() a name, or create a segment with more slots
Rustio\SegmentException: key 0x%x: all 50 counters are in use (50 by name, 0 by index); forget() a name, or create a segment with more slots
bool(true)
int(0)
int(50)
bool(true)
bool(false)
int(0)
int(3)
bool(true)
int(3)
Rustio\SegmentException: key 0x%x: all 50 counters are in use (50 by name, 0 by index); forget() a name, or create a segment with more slots
Array
(
    [c] => 0
    [b] => 1
    [d] => 2
)
Rustio\SegmentException: key 0x%x: all 4 counters are in use (3 by name, 1 by index); forget() a name, or create a segment with more slots

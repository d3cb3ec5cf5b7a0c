--TEST--
shm: addMany(), snapshot() and drain() take names and indexes; clearing one segment leaves others alone (CT-29)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
$c = new Rustio\SharedCounter(own_key(), 6);
$other = new Rustio\SharedCounter(own_key(), 6);
$other->add('requests', 3);
$three = 3;
$c->addMany(['requests' => 1, 'bytes' => 500, 0 => -2, 'byref' => &$three]);
$c->addMany([]);
$c->addMany(['requests' => 1, $c->names()['requests'] => 10]); // the same counter, twice
$c->add('idle', 0);
print_r($c->snapshot());
raises(fn() => $c->addMany(['requests' => 1, 'bytes' => '5']));
raises(fn() => $c->addMany([1.5]));
raises(fn() => $c->addMany([6 => 1]));
raises(fn() => $c->addMany(['requests' => 1, 'a' => 1, 'b' => 1, 'c' => 1]));
print_r($c->drain());
print_r($c->snapshot());
print_r($other->snapshot());
?>
--EXPECTF--
Array
(
    [0] => -2
    [idle] => 0
    [byref] => 3
    [bytes] => 500
    [requests] => 12
)
TypeError: Rustio\SharedCounter::addMany(): Argument #1 ($deltas) must be an array of int, string given
TypeError: Rustio\SharedCounter::addMany(): Argument #1 ($deltas) must be an array of int, float given
ValueError: Rustio\SharedCounter::addMany(): Argument #1 ($deltas) must not have the key %i: it must be between 0 and 5, the last counter of the segment
Rustio\SegmentException: key 0x%x: 3 new names, and 5 of 6 counters are in use (4 by name, 1 by index); forget() a name, or create a segment with more slots
Array
(
    [0] => -2
    [idle] => 0
    [byref] => 3
    [bytes] => 500
    [requests] => 12
)
Array
(
    [idle] => 0
    [byref] => 0
    [bytes] => 0
    [requests] => 0
)
Array
(
    [requests] => 3
)

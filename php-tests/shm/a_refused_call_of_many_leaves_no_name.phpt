--TEST--
shm: addMany() and restore() that are refused leave no name and no value behind (CT-06, CT-20, CT-25)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
$c = new Rustio\SharedCounter(own_key(), 4);
$c->set('most', PHP_INT_MAX);
raises(fn() => $c->addMany(['a' => 1, 'b' => 1, 'most' => 1]));
raises(fn() => $c->addMany(['a' => 1, 'b' => 1, 'c' => 1, 'd' => 1]));
raises(fn() => $c->addMany([0 => 1, 1 => 1, 'a' => 1, 'b' => 1]));
var_dump($c->snapshot() === ['most' => PHP_INT_MAX], array_keys($c->names()), $c->info()['used']);

$file = tempnam(sys_get_temp_dir(), 'rustio-save-');
$big = new Rustio\SharedCounter(own_key(), 8);
$big->addMany(['a' => 1, 'b' => 2, 'c' => 3, 'd' => 4]);
$big->save($file);
raises(fn() => $c->restore($file));
var_dump($c->snapshot() === ['most' => PHP_INT_MAX]);

// An index of the call is no free slot for a name of it.
$c->addMany(['a' => 1, 2 => 10, 'b' => 3]);
var_dump($c->get('a'), $c->get(2), $c->get('b'), $c->names());
unlink($file);
?>
--EXPECTF--
ArithmeticError: key 0x%x: counter "most" would overflow; its value is unchanged
Rustio\SegmentException: key 0x%x: 4 new names, and 1 of 4 counters are in use (1 by name, 0 by index); forget() a name, or create a segment with more slots
Rustio\SegmentException: key 0x%x: 2 new names, and 3 of 4 counters are in use (1 by name, 2 by index); forget() a name, or create a segment with more slots
bool(true)
array(1) {
  [0]=>
  string(4) "most"
}
int(1)
Rustio\SegmentException: key 0x%x: 4 new names, and 1 of 4 counters are in use (1 by name, 0 by index); forget() a name, or create a segment with more slots
bool(true)
int(1)
int(10)
int(3)
array(3) {
  ["b"]=>
  int(0)
  ["a"]=>
  int(1)
  ["most"]=>
  int(3)
}

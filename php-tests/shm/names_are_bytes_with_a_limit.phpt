--TEST--
shm: names are byte strings of 1 to 240 bytes; texts of integers are refused (CT-35)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
$c = new Rustio\SharedCounter(own_key(), 16);
foreach (['a', str_repeat('x', 240), "nul\0inside", "\xff\xfe", "e\u{301}", "\u{e9}", '01', '-0', '+1', '1.5', ' 1', '9223372036854775808'] as $i => $name) {
    $c->add($name, $i + 1);
}
foreach (['a', "nul\0inside", "\xff\xfe", "e\u{301}", "\u{e9}", '01', '1.5'] as $name) {
    echo $c->get($name), ' ';
}
echo "\n", count($c->names()), "\n";
foreach (['', str_repeat('x', 241), str_repeat('y', 10240), '7', '-7', '0', '9223372036854775807', '-9223372036854775808'] as $name) {
    raises(fn() => $c->add($name));
}
raises(fn() => $c->add(16));
raises(fn() => $c->get(-1));
raises(fn() => $c->forget('7'));
raises(fn() => $c->forget(''));
raises(fn() => $c->addMany(['' => 1]));
raises(fn() => $c->addMany(['a' => 1, str_repeat('x', 300) => 1]));
raises(fn() => $c->addMany(['a' => 1, 100 => 1]));
// PHP's arrays make integers of such keys: they are indexes.
$c->addMany(['2' => 5]);
var_dump($c->get(2));
// The longest name that exists is one that no other name can be mistaken for.
var_dump($c->get(str_repeat('x', 239)), $c->get(str_repeat('x', 240)));
?>
--EXPECT--
1 3 4 5 6 7 10 
12
ValueError: Rustio\SharedCounter::add(): Argument #1 ($counter) must be a name of 1 to 240 bytes or an index
ValueError: Rustio\SharedCounter::add(): Argument #1 ($counter) must be a name of 1 to 240 bytes or an index
ValueError: Rustio\SharedCounter::add(): Argument #1 ($counter) must be a name of 1 to 240 bytes or an index
ValueError: Rustio\SharedCounter::add(): Argument #1 ($counter) must not be a string that is an integer, for PHP's arrays make an index of it: pass an int
ValueError: Rustio\SharedCounter::add(): Argument #1 ($counter) must not be a string that is an integer, for PHP's arrays make an index of it: pass an int
ValueError: Rustio\SharedCounter::add(): Argument #1 ($counter) must not be a string that is an integer, for PHP's arrays make an index of it: pass an int
ValueError: Rustio\SharedCounter::add(): Argument #1 ($counter) must not be a string that is an integer, for PHP's arrays make an index of it: pass an int
ValueError: Rustio\SharedCounter::add(): Argument #1 ($counter) must not be a string that is an integer, for PHP's arrays make an index of it: pass an int
ValueError: Rustio\SharedCounter::add(): Argument #1 ($counter) must be between 0 and 15, the last counter of the segment
ValueError: Rustio\SharedCounter::get(): Argument #1 ($counter) must be between 0 and 15, the last counter of the segment
ValueError: Rustio\SharedCounter::forget(): Argument #1 ($name) must be a name of 1 to 240 bytes that is no integer
ValueError: Rustio\SharedCounter::forget(): Argument #1 ($name) must be a name of 1 to 240 bytes that is no integer
ValueError: Rustio\SharedCounter::addMany(): Argument #1 ($deltas) must not have the key "": it must be a name of 1 to 240 bytes or an index
ValueError: Rustio\SharedCounter::addMany(): Argument #1 ($deltas) must not have the key "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..." of 300 bytes: it must be a name of 1 to 240 bytes or an index
ValueError: Rustio\SharedCounter::addMany(): Argument #1 ($deltas) must not have the key 100: it must be between 0 and 15, the last counter of the segment
int(5)
int(0)
int(2)

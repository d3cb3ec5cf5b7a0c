--TEST--
shm: SharedSegment: bytes from offset 0, ranges checked, shmop_open() sees them
--EXTENSIONS--
shmop
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
use Rustio\SharedSegment;
$key = own_key();
$s = new SharedSegment($key, 100);
var_dump($s->read() === str_repeat("\0", 100), $s->size());
$s->write("hello\0world", 3);
$s->write('!', 99);
$s->write('');
$s->write('', 100);
var_dump($s->read(3, 11), $s->read(offset: 99), $s->read(100), $s->read(0, 0), $s->read(length: 4));
$shm = shmop_open($key, 'w', 0, 0);
var_dump(shmop_read($shm, 3, 5));
shmop_write($shm, 'HELLO', 3);
var_dump($s->read(3, 5));
foreach ([fn() => $s->read(-1), fn() => $s->read(101), fn() => $s->read(0, 101), fn() => $s->read(50, 51), fn() => $s->read(0, -1),
    fn() => $s->write('x', -1), fn() => $s->write('x', 100), fn() => $s->write(str_repeat('x', 101)), fn() => $s->read(PHP_INT_MAX, PHP_INT_MAX)] as $call) {
    raises($call);
}
raises(fn() => new SharedSegment($key, 99));
raises(fn() => new SharedSegment($key, 0));
raises(fn() => new SharedSegment($key, 1 << 41));
raises(fn() => clone $s);
raises(fn() => serialize($s));
raises(fn() => $s->__construct($key, 100));
raises(fn() => (new ReflectionClass('Rustio\SharedSegment'))->newInstanceWithoutConstructor()->read());
foreach ([1, 7, 4096, 3_000_001] as $size) {
    $k = own_key();
    $one = new SharedSegment($k, $size);
    $data = random_bytes($size);
    $one->write($data);
    echo $one->read() === $data && shmop_read(shmop_open($k, 'a', 0, 0), 0, $size) === $data ? "same\n" : "different\n";
}
$s->destroy();
raises(fn() => $s->read());
raises(fn() => $s->write('x'));
?>
--EXPECTF--
bool(true)
int(100)
string(11) "hello%0world"
string(1) "!"
string(0) ""
string(0) ""
string(4) "%0%0%0h"
string(5) "hello"
string(5) "HELLO"
ValueError: Rustio\SharedSegment::read(): Argument #1 ($offset) must be between 0 and 100, the number of bytes of the segment
ValueError: Rustio\SharedSegment::read(): Argument #1 ($offset) must be between 0 and 100, the number of bytes of the segment
ValueError: Rustio\SharedSegment::read(): Argument #2 ($length) must be between 0 and 100, the number of bytes from the offset to the end of the segment
ValueError: Rustio\SharedSegment::read(): Argument #2 ($length) must be between 0 and 50, the number of bytes from the offset to the end of the segment
ValueError: Rustio\SharedSegment::read(): Argument #2 ($length) must be between 0 and 100, the number of bytes from the offset to the end of the segment
ValueError: Rustio\SharedSegment::write(): Argument #2 ($offset) must be between 0 and 100, the number of bytes of the segment
ValueError: Rustio\SharedSegment::write(): Argument #1 ($data) must be at most 0 bytes long, which is what the segment has from the offset to its end
ValueError: Rustio\SharedSegment::write(): Argument #1 ($data) must be at most 100 bytes long, which is what the segment has from the offset to its end
ValueError: Rustio\SharedSegment::read(): Argument #1 ($offset) must be between 0 and 100, the number of bytes of the segment
Rustio\SegmentException: key 0x%x: has 100 bytes, not 99. Open it with the number it was created with, or destroy() it first
ValueError: Rustio\SharedSegment::__construct(): Argument #2 ($size) must be between 1 and 1099511627776
ValueError: Rustio\SharedSegment::__construct(): Argument #2 ($size) must be between 1 and 1099511627776
Error: Trying to clone an uncloneable object of class Rustio\SharedSegment
Exception: Serialization of 'Rustio\SharedSegment' is not allowed
Error: Cannot call Rustio\SharedSegment::__construct() twice
ReflectionException: Class Rustio\SharedSegment is an internal class marked as final that cannot be instantiated without invoking its constructor
same
same
same
same
Rustio\SegmentException: key 0x%x: the segment of generation %d has been removed (destroy(), ipcrm, or systemd's RemoveIPC); make a new object to use the key's new segment
Rustio\SegmentException: key 0x%x: the segment of generation %d has been removed (destroy(), ipcrm, or systemd's RemoveIPC); make a new object to use the key's new segment

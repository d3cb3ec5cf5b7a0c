--TEST--
shm: another size, another class, a foreign segment, a hash collision: raised with both sides named, never written to (CT-10, CT-11, CT-12)
--EXTENSIONS--
shmop
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
use Rustio\{SharedCounter, SharedSegment};
$key = own_key();
$c = new SharedCounter($key, 64);
raises(fn() => new SharedCounter($key, 128));
raises(fn() => new SharedCounter($key, 16));
raises(fn() => new SharedCounter($key, 0));
raises(fn() => new SharedCounter($key, -1));
raises(fn() => new SharedCounter($key, 16777217));
raises(fn() => new SharedSegment($key, 64));
var_dump(count(SharedCounter::open($key)));

$foreign = own_key();
$shm = shmop_open($foreign, 'c', 0600, 4096);
shmop_write($shm, str_repeat('secret! ', 512), 0);
raises(fn() => new SharedCounter($foreign, 16));
raises(fn() => SharedCounter::open($foreign));
raises(fn() => new SharedSegment($foreign, 4096));
var_dump(shmop_read($shm, 0, 4096) === str_repeat('secret! ', 512));
$tiny = own_key();
shmop_open($tiny, 'c', 0600, 1);
raises(fn() => new SharedCounter($tiny, 16));

// The key that a name gives belongs to the name.
$name = 'phpt ' . $key;
$named = new SharedCounter($name, 4);
raises(fn() => new SharedCounter($named->info()['key'], 4));
$named->destroy();
raises(fn() => SharedCounter::open($name));
?>
--EXPECTF--
Rustio\SegmentException: key 0x%x: has 64 counters, not 128. Open it with the number it was created with, or destroy() it first
Rustio\SegmentException: key 0x%x: has 64 counters, not 16. Open it with the number it was created with, or destroy() it first
ValueError: Rustio\SharedCounter::__construct(): Argument #2 ($slots) must be between 1 and 16777216
ValueError: Rustio\SharedCounter::__construct(): Argument #2 ($slots) must be between 1 and 16777216
ValueError: Rustio\SharedCounter::__construct(): Argument #2 ($slots) must be between 1 and 16777216
Rustio\SegmentException: key 0x%x: holds a SharedCounter, not a SharedSegment
int(64)
Rustio\SegmentException: key 0x%x: a segment of 4096 bytes that rustio did not create; it was left as it is. Use another key, or remove it (ipcrm -m %d) and let rustio create it first
Rustio\SegmentException: key 0x%x: a segment of 4096 bytes that rustio did not create; it was left as it is. Use another key, or remove it (ipcrm -m %d) and let rustio create it first
Rustio\SegmentException: key 0x%x: a segment of 4096 bytes that rustio did not create; it was left as it is. Use another key, or remove it (ipcrm -m %d) and let rustio create it first
bool(true)
Rustio\SegmentException: key 0x%x: a segment of 1 bytes that rustio did not create; it was left as it is. Use another key, or remove it (ipcrm -m %d) and let rustio create it first
Rustio\SegmentException: key 0x%x: this key belongs to key 0x%x ("phpt %i"); choose another name or number
Rustio\SegmentException: key 0x%x ("phpt %i"): there is no such segment

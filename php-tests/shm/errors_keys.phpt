--TEST--
shm: keys that would be cut, shared by accident or private are refused with the reason (CT-07, CT-09)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
use Rustio\SharedCounter;
foreach ([0, -1, 2 ** 32, 2 ** 32 + 1, 0x200000001, -(2 ** 31) - 1, PHP_INT_MAX, 0x80000000, 0xffffffff, '', str_repeat('k', 256)] as $key) {
    raises(fn() => new SharedCounter($key));
}
// ftok() of a missing file (it warns) and a bad project give -1.
raises(fn() => new SharedCounter(@ftok('/nope', 'a')));
raises(fn() => new Rustio\SharedSegment(0, 10));
raises(fn() => new Rustio\SharedSegment('x', 10, semKey: -1));
raises(fn() => SharedCounter::open(0));
raises(fn() => new SharedCounter([]));
// Other negative keys are keys like any other.
$negative = -2147483648 + random_int(1000, 2000000000);
$c = new SharedCounter($negative, 1);
var_dump($c->info()['key'] === $negative);
$c->destroy();
?>
--EXPECT--
ValueError: Rustio\SharedCounter::__construct(): Argument #1 ($key) must not be 0 (IPC_PRIVATE), which makes a new segment at each call
ValueError: Rustio\SharedCounter::__construct(): Argument #1 ($key) must not be -1, which is what ftok() returns when it fails
ValueError: Rustio\SharedCounter::__construct(): Argument #1 ($key) must be between -2147483648 and 2147483647, for the kernel would cut it to 32 bits (0x80000000 to 0xfffffffe are written as the negative number of the same bits)
ValueError: Rustio\SharedCounter::__construct(): Argument #1 ($key) must be between -2147483648 and 2147483647, for the kernel would cut it to 32 bits (0x80000000 to 0xfffffffe are written as the negative number of the same bits)
ValueError: Rustio\SharedCounter::__construct(): Argument #1 ($key) must be between -2147483648 and 2147483647, for the kernel would cut it to 32 bits (0x80000000 to 0xfffffffe are written as the negative number of the same bits)
ValueError: Rustio\SharedCounter::__construct(): Argument #1 ($key) must be between -2147483648 and 2147483647, for the kernel would cut it to 32 bits (0x80000000 to 0xfffffffe are written as the negative number of the same bits)
ValueError: Rustio\SharedCounter::__construct(): Argument #1 ($key) must be between -2147483648 and 2147483647, for the kernel would cut it to 32 bits (0x80000000 to 0xfffffffe are written as the negative number of the same bits)
ValueError: Rustio\SharedCounter::__construct(): Argument #1 ($key) must be between -2147483648 and 2147483647, for the kernel would cut it to 32 bits (0x80000000 to 0xfffffffe are written as the negative number of the same bits)
ValueError: Rustio\SharedCounter::__construct(): Argument #1 ($key) must be between -2147483648 and 2147483647, for the kernel would cut it to 32 bits (0x80000000 to 0xfffffffe are written as the negative number of the same bits)
ValueError: Rustio\SharedCounter::__construct(): Argument #1 ($key) must be a name of 1 to 255 bytes or an integer
ValueError: Rustio\SharedCounter::__construct(): Argument #1 ($key) must be a name of 1 to 255 bytes or an integer
ValueError: Rustio\SharedCounter::__construct(): Argument #1 ($key) must not be -1, which is what ftok() returns when it fails
ValueError: Rustio\SharedSegment::__construct(): Argument #1 ($key) must not be 0 (IPC_PRIVATE), which makes a new segment at each call
ValueError: Rustio\SharedSegment::__construct(): Argument #4 ($semKey) must not be -1, which is what ftok() returns when it fails
ValueError: Rustio\SharedCounter::open(): Argument #1 ($key) must not be 0 (IPC_PRIVATE), which makes a new segment at each call
TypeError: Rustio\SharedCounter::__construct(): Argument #1 ($key) must be of type string|int, array given
bool(true)

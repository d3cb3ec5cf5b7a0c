--TEST--
log: bad arguments are refused in PHP's own words, a mode written as decimal with a hint (LG-16)
--EXTENSIONS--
rustio
--INI--
error_log=/dev/null
--FILE--
<?php
function attempt(callable $work): void
{
    try {
        $work();
        echo "accepted\n";
    } catch (Throwable $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
}
$new = fn(...$arguments) => new Rustio\BatchLogger('/nonexistent/log', ...$arguments);
attempt(fn() => new Rustio\BatchLogger(''));
attempt(fn() => new Rustio\BatchLogger("a\0b"));
attempt(fn() => new Rustio\BatchLogger());
attempt(fn() => $new(batchBytes: -1));
attempt(fn() => $new(batchRecords: -1));
attempt(fn() => $new(batchSeconds: -0.1));
attempt(fn() => $new(batchSeconds: NAN));
attempt(fn() => $new(mode: 755));
attempt(fn() => $new(mode: -1));
attempt(fn() => $new(mode: '0755'));
attempt(fn() => $new(sync: 'record'));
attempt(fn() => $new(maxPendingBytes: -1));
attempt(fn() => $new()->append([]));
attempt(fn() => $new()->appendAll('x'));
attempt(fn() => $new()->appendAll(['x', []]));
attempt(fn() => $new()->append());
attempt(fn() => clone $new());
attempt(fn() => serialize($new()));
attempt(function () use ($new) { $log = $new(); $log->__construct('/x'); });
?>
--EXPECT--
ValueError: Rustio\BatchLogger::__construct(): Argument #1 ($path) cannot be empty
ValueError: Rustio\BatchLogger::__construct(): Argument #1 ($path) must not contain any null bytes
ArgumentCountError: Rustio\BatchLogger::__construct() expects at least 1 argument, 0 given
ValueError: Rustio\BatchLogger::__construct(): Argument #2 ($batchBytes) must be greater than or equal to 0
ValueError: Rustio\BatchLogger::__construct(): Argument #3 ($batchRecords) must be greater than or equal to 0
ValueError: Rustio\BatchLogger::__construct(): Argument #4 ($batchSeconds) must be greater than or equal to 0
ValueError: Rustio\BatchLogger::__construct(): Argument #4 ($batchSeconds) must be greater than or equal to 0
ValueError: Rustio\BatchLogger::__construct(): Argument #6 ($mode) must be between 0 and 0777 (octal, written with a leading 0)
ValueError: Rustio\BatchLogger::__construct(): Argument #6 ($mode) must be between 0 and 0777 (octal, written with a leading 0)
ValueError: Rustio\BatchLogger::__construct(): Argument #6 ($mode) must be between 0 and 0777 (octal, written with a leading 0)
TypeError: Rustio\BatchLogger::__construct(): Argument #5 ($sync) must be of type Rustio\Sync, string given
ValueError: Rustio\BatchLogger::__construct(): Argument #10 ($maxPendingBytes) must be greater than or equal to 0
TypeError: Rustio\BatchLogger::append(): Argument #1 ($record) must be of type string, array given
TypeError: Rustio\BatchLogger::appendAll(): Argument #1 ($records) must be of type iterable, string given
TypeError: Rustio\BatchLogger::appendAll(): Argument #1 ($records) must be an iterable of strings, array in it
ArgumentCountError: Rustio\BatchLogger::append() expects exactly 1 argument, 0 given
Error: Trying to clone an uncloneable object of class Rustio\BatchLogger
Exception: Serialization of 'Rustio\BatchLogger' is not allowed
Error: Cannot call Rustio\BatchLogger::__construct() twice

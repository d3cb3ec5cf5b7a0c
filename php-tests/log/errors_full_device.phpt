--TEST--
log: a failed write names call, path and errno; records wait, beyond maxPendingBytes the newest is refused (LG-04)
--EXTENSIONS--
rustio
--FILE--
<?php
function attempt(callable $work): void
{
    try {
        $work();
        echo "accepted\n";
    } catch (Rustio\IoException $e) {
        echo $e->getCode(), ' ', $e->getMessage(), " [$e->operation] [$e->path]\n";
    }
}
$log = new Rustio\BatchLogger('/dev/full', batchBytes: 10, maxPendingBytes: 30);
attempt(fn() => $log->append('1234'));
attempt(fn() => $log->append('123456789'));
attempt(fn() => $log->append('1234'));
attempt(fn() => $log->append('1234567890123456789'));
attempt(fn() => $log->flush());
$stats = $log->stats();
echo "$stats[pending_records] wait, $stats[pending_bytes] bytes, $stats[refused] refused, $stats[errors] errors\n";
attempt(fn() => $log->close());
attempt(fn() => $log->append('late'));
?>
--EXPECT--
accepted
28 write /dev/full: No space left on device [write] [/dev/full]
accepted
105 append /dev/full: No buffer space available (20 bytes are waiting to be written) [append] [/dev/full]
28 write /dev/full: No space left on device [write] [/dev/full]
3 wait, 20 bytes, 1 refused, 3 errors
28 write /dev/full: No space left on device [write] [/dev/full]
9 append /dev/full: the logger is closed [append] [/dev/full]
Rustio\BatchLogger: write /dev/full: No space left on device (3 records not written)

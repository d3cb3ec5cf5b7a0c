--TEST--
lines: a handler that throws leaves the line to the next step (LN-33)
--EXTENSIONS--
rustio
pcntl
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
watchdog();
pcntl_async_signals(true);
pcntl_signal(SIGALRM, function () { throw new RuntimeException('too slow'); }, false);
$lines = new LineIterator(slow_writer(["one\ntw", "o\nthree\n"], 1500));
for ($i = 0; $i < 8; $i++) {
    pcntl_alarm(1);
    try {
        foreach (new NoRewindIterator($lines) as $key => $line) {
            pcntl_alarm(0);
            echo "$key:$line ";
            pcntl_alarm(1);
        }
        break;
    } catch (RuntimeException $e) {
        $caught = ($caught ?? 0) + 1;
    }
}
pcntl_alarm(0);
echo "\n", ($caught ?? 0) > 0 ? "caught\n" : "nothing caught\n";
?>
--EXPECT--
0:one 1:two 2:three 
caught

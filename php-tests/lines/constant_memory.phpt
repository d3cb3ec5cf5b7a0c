--TEST--
lines: memory does not grow with the file (LN-11)
--EXTENSIONS--
rustio
--SKIPIF--
<?php
if (getenv('USE_ZEND_ALLOC') === '0') die('skip memory is not measured under valgrind');
?>
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
watchdog();
$line = str_repeat('abcdefgh', 10) . "\n";
$small = text(str_repeat($line, 10_000));
$large = text(str_repeat(str_repeat($line, 1000), 400));
$run = static function (string $file) {
    $n = 0;
    foreach (new LineIterator($file) as $line) {
        $n++;
    }
    return $n;
};
$resident = static fn () => (int) preg_replace('/.*VmHWM:\s+(\d+).*/s', '$1', file_get_contents('/proc/self/status'));
memory_reset_peak_usage();
echo $run($small), "\n";
$peak = memory_get_peak_usage();
$before = $resident();
echo $run($large), "\n";
echo memory_get_peak_usage() - $peak < 100_000 ? "PHP's peak is the same\n" : "PHP's peak grew\n";
echo $resident() - $before < 1024 ? "resident set is the same\n" : 'resident set grew by ' . ($resident() - $before) . " KiB\n";
?>
--EXPECT--
10000
400000
PHP's peak is the same
resident set is the same

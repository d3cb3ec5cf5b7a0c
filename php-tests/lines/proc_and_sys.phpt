--TEST--
lines: files of /proc and /sys, whose size is no size
--EXTENSIONS--
rustio
--SKIPIF--
<?php
is_readable('/sys/kernel/mm/transparent_hugepage/enabled') || die('skip no such file of /sys');
?>
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$status = iterator_to_array(new LineIterator('/proc/self/status'));
echo str_starts_with($status[0], 'Name:') && count($status) > 20 ? "status\n" : "no status\n";
echo count_lines('/proc/self/status') === count($status) ? "counted\n" : "not counted\n";
echo count(tail('/proc/self/status', 3)) === 3 && tail('/proc/self/status', 3) == array_slice($status, -3) || count(tail('/proc/self/status', 3)) === 3 ? "tail\n" : "no tail\n";
echo trim(file_get_contents('/sys/kernel/mm/transparent_hugepage/enabled')) === lines('/sys/kernel/mm/transparent_hugepage/enabled')->current() ? "sys\n" : "no sys\n";
foreach (range(1, 200) as $i) {
    $n = iterator_count(new LineIterator('/proc/self/maps', chunkSize: 512)); // other each time, and cut never
}
echo $n > 10 ? "maps\n" : "no maps\n";
raises(fn () => split_ranges('/proc/self/status', 2));
raises(fn () => iterator_to_array(new LineIterator('/dev/zero', maxLineLength: 100)));
?>
--EXPECT--
status
counted
tail
sys
maps
Rustio\IoException(29): split_ranges /proc/self/status: Illegal seek
Rustio\LineTooLongException(0): /dev/zero: line 0 at byte 0 is longer than 100 bytes

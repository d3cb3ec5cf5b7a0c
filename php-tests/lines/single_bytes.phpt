--TEST--
lines: single bytes with pauses between them make one line (LN-34)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
watchdog();
show(new LineIterator(slow_writer(['1', '2', '3', "\n", "4\r", "\n", '5'], 3)));
show(new LineIterator(slow_writer(["1\r", "\n2\r", '3'], 3), newline: Newline::Any));
?>
--EXPECT--
0:123 | 1:4 | 2:5
0:1 | 1:2 | 2:3

--TEST--
lines: a lone CR ends a line only with Newline::Any (LN-05)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$file = text("a\rb\rc");
show(new LineIterator($file));
show(new LineIterator($file, newline: Newline::Any));
// A file without LF is bounded by maxLineLength, not by memory.
$file = text(str_repeat("0123456\r", 100_000));
raises(fn () => iterator_to_array(new LineIterator($file, maxLineLength: 1000)));
echo count_lines($file), ' ', count_lines($file, Newline::Any), "\n";
?>
--EXPECT--
0:a\x0Db\x0Dc
0:a | 1:b | 2:c
Rustio\LineTooLongException(0): FILE: line 0 at byte 0 is longer than 1000 bytes
1 100000

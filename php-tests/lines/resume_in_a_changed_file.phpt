--TEST--
lines: an offset behind the end of a replaced file raises, one inside a line is aligned (LN-36)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$file = text(implode('', array_map(fn ($n) => "line $n\n", range(1, 20))));
$lines = new LineIterator($file);
$lines->batch(10);
$at = $lines->nextOffset();
file_put_contents($file, "new\n");
raises(fn () => iterator_to_array(new LineIterator($file, offset: $at)));
file_put_contents($file, str_repeat('y', $at - 3) . "\nabc\nnext\n");
show(new LineIterator($file, offset: $at));
?>
--EXPECT--
Rustio\FileTruncatedException(0): FILE: the file is shorter than it was: it ends before byte 71, up to which it had been read
0:next

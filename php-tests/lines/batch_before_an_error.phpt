--TEST--
lines: batch() gives what it has before it raises, and goes on behind (LN-32)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$lines = new LineIterator(text("a\nb\nxxxxxxxxx\nc\n"), maxLineLength: 3);
for ($i = 0; $i < 4; $i++) {
    try {
        echo json_encode($lines->batch()), ' resume at ', $lines->nextOffset(), "\n";
    } catch (LineTooLongException $e) {
        echo "line $e->lineNumber at $e->offset, resume at ", $lines->nextOffset(), "\n";
    }
}
// The put off error belongs to the place: going back forgets it.
$lines->rewind();
echo json_encode($lines->batch(2)), "\n";
$lines->rewind();
echo json_encode($lines->batch(10)), ' ';
$lines->rewind();
echo $lines->current(), "\n";
// current() raises it, too.
echo json_encode($lines->batch(10)), ' ';
raises(fn () => $lines->current());
$lines->next();
echo $lines->current(), "\n";
?>
--EXPECT--
["a","b"] resume at 4
line 2 at 4, resume at 4
["c"] resume at 16
[] resume at 16
["a","b"]
["a","b"] a
["a","b"] Rustio\LineTooLongException(0): FILE: line 2 at byte 4 is longer than 3 bytes
c

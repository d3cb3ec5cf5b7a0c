--TEST--
lines: one UTF-8 byte order mark is left out at the start of the file alone (LN-07)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$bom = "\xEF\xBB\xBF";
$file = text("{$bom}id\n{$bom}1\n");
foreach ([1, 2, 3, 65536] as $chunk) {
    show(new LineIterator($file, chunkSize: $chunk));
}
show(new LineIterator($file, stripBom: false));
show(new LineIterator(text("$bom$bom\n")));
show(new LineIterator(text($bom)));
show(new LineIterator(text($bom), stripBom: false));
show(new LineIterator(text("\xEF\xBB")));
$lines = new LineIterator($file);
echo $lines->current(), ' at ', $lines->offset(), ', next at ', $lines->nextOffset(), "\n";
show(new LineIterator($file, offset: 6));
// A stream handed over behind its start is not at a file's start.
$stream = fopen($file, 'r');
fseek($stream, 6);
show(new LineIterator($stream));
?>
--EXPECT--
0:id | 1:\xEF\xBB\xBF1
0:id | 1:\xEF\xBB\xBF1
0:id | 1:\xEF\xBB\xBF1
0:id | 1:\xEF\xBB\xBF1
0:\xEF\xBB\xBFid | 1:\xEF\xBB\xBF1
0:\xEF\xBB\xBF
(none)
0:\xEF\xBB\xBF
0:\xEF\xBB
id at 0, next at 6
0:\xEF\xBB\xBF1
0:\xEF\xBB\xBF1

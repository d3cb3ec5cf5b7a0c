--TEST--
lines: mixed newlines in one file (LN-06)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$file = text("a\r\nb\nc\rd\ne\r\r\nf");
foreach ([1, 2, 3, 65536] as $chunk) {
    show(new LineIterator($file, chunkSize: $chunk));
    show(new LineIterator($file, chunkSize: $chunk, newline: Newline::Any));
}
show(new LineIterator($file, keepNewline: true));
show(new LineIterator($file, newline: Newline::Any, keepNewline: true));
?>
--EXPECT--
0:a | 1:b | 2:c\x0Dd | 3:e\x0D | 4:f
0:a | 1:b | 2:c | 3:d | 4:e | 5: | 6:f
0:a | 1:b | 2:c\x0Dd | 3:e\x0D | 4:f
0:a | 1:b | 2:c | 3:d | 4:e | 5: | 6:f
0:a | 1:b | 2:c\x0Dd | 3:e\x0D | 4:f
0:a | 1:b | 2:c | 3:d | 4:e | 5: | 6:f
0:a | 1:b | 2:c\x0Dd | 3:e\x0D | 4:f
0:a | 1:b | 2:c | 3:d | 4:e | 5: | 6:f
0:a\x0D\x0A | 1:b\x0A | 2:c\x0Dd\x0A | 3:e\x0D\x0D\x0A | 4:f
0:a\x0D\x0A | 1:b\x0A | 2:c\x0D | 3:d\x0A | 4:e\x0D | 5:\x0D\x0A | 6:f

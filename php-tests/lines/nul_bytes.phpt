--TEST--
lines: NUL bytes are bytes like any other (LN-04)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
show(new LineIterator(text("a\0b\r\nc\0\n")));
foreach (new LineIterator(text(str_repeat("\0", 10_000) . "\nend")) as $line) {
    echo strlen($line), ' ', trim($line, "\0"), "\n";
}
show(new LineIterator(text("a\0b\nc\nd\0\n"), contains: "\0"));
?>
--EXPECT--
0:a\x00b | 1:c\x00
10000 
3 end
0:a\x00b | 2:d\x00

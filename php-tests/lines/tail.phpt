--TEST--
lines: tail() gives the last lines of files, pipes and growing logs
--EXTENSIONS--
rustio
posix
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$file = text(implode("\n", range(1, 100_000)) . "\nlast");
echo json_encode(tail($file, 3)), ' ', json_encode(tail($file)), ' ', count(tail($file, 50_000)), "\n";
echo json_encode(tail(text("a\n\n\n"), 2)), json_encode(tail(text("\n"), 5)), json_encode(tail(text("a\r\nb\r\n"), 1)), "\n";
echo json_encode(tail(text("a\rb\r\nc\r"), 2, Newline::Any)), json_encode(tail(text("a\rb\r\nc\r"), 2)), "\n";
$fifo = folder() . '/fifo';
posix_mkfifo($fifo, 0o600);
slow_writer(["a\nb\n", "c\nd"], 5, $fifo);
echo json_encode(tail($fifo, 2)), "\n";
echo strlen(tail(text("x\n" . str_repeat('y', 1_000_000) . "\n" . str_repeat('z', 200_000)), 2)[0]), "\n";
raises(fn () => tail(text(str_repeat('y', 17_000_000)), 1));
raises(fn () => tail('/nonexistent'));
raises(fn () => tail('data:,a'));
raises(fn () => split_ranges('compress.zlib://x', 2));
raises(fn () => page_cache_ratio('file:///etc/passwd'));
?>
--EXPECT--
["99999","100000","last"] ["99992","99993","99994","99995","99996","99997","99998","99999","100000","last"] 50000
["",""][""]["b"]
["b","c"]["a\rb","c\r"]
["c","d"]
1000000
Rustio\LineTooLongException(0): FILE: line 0 at byte 0 is longer than 16777216 bytes
Rustio\IoException(2): open /nonexistent: No such file or directory
ValueError(0): Rustio\tail(): Argument #1 ($path) must be the path of a file, not of a stream
ValueError(0): Rustio\split_ranges(): Argument #1 ($path) must be the path of a file, not of a stream
ValueError(0): Rustio\page_cache_ratio(): Argument #1 ($path) must be the path of a file, not of a stream

--TEST--
lines: a stream closed by others is an exception, never another file's bytes (LN-28)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$stream = fopen(text(str_repeat("mine\n", 10)), 'r');
$lines = new LineIterator($stream, chunkSize: 8);
echo $lines->current(), "\n";
fclose($stream);
// The descriptor's number is taken by another file.
$others = [];
for ($i = 0; $i < 5; $i++) {
    $others[] = fopen(text(str_repeat("foreign\n", 10)), 'r');
}
$seen = 0;
try {
    while ($lines->valid()) {
        $seen += $lines->current() !== 'mine' && $lines->current() !== '';
        $lines->next();
    }
    echo "no exception\n";
} catch (IoException $e) {
    echo $e->getCode(), ' ', $e->operation, ' ', $e->path, ', foreign: ', $seen, "\n";
}
raises(fn () => $lines->rewind());
raises(fn () => new LineIterator($stream));
// The other way round: the iterator goes first.
$stream = fopen('php://memory', 'r+');
fwrite($stream, "a\nb\n");
rewind($stream);
$lines = new LineIterator($stream);
unset($lines);
echo fgets($stream);
?>
--EXPECT--
mine
9 read stream, foreign: 0
Rustio\IoException(9): seek stream at byte 8, line 1: Bad file descriptor
TypeError(0): Rustio\LineIterator::__construct(): supplied resource is not a valid stream resource
a

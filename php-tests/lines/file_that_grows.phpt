--TEST--
lines: a tail that grows is read again whole from nextOffset (LN-15)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$file = text("a\nb");
$read = static function (int $from) use ($file): int {
    $lines = new LineIterator($file, offset: $from);
    foreach ($lines as $line) {
        echo $line, $lines->isComplete() ? '' : ' (unfinished)', ' ';
        $from = $lines->nextOffset();
    }
    echo "-> $from\n";
    return $from;
};
$at = $read(0);
file_put_contents($file, "c\nd\n", FILE_APPEND);
$at = $read($at);
$at = $read($at);
// What is added before the end is reached belongs to the same loop.
foreach (new LineIterator($file, chunkSize: 1) as $key => $line) {
    if ($key === 0) {
        file_put_contents($file, "e\n", FILE_APPEND);
    }
    echo $line, ' ';
}
echo "\n";
?>
--EXPECT--
a b (unfinished) -> 2
bc d -> 7
-> 7
a bc d e 

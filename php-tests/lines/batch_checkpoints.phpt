--TEST--
lines: batch() and nextOffset() make checkpoints that lose and double nothing (LN-15)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$text = implode("\n", range(1, 25));
$file = text($text);
$got = [];
$at = 0;
while (true) {
    // Each time another process.
    $lines = new LineIterator($file, offset: $at, chunkSize: 8);
    $batch = $lines->batch(4);
    if ($batch === [] || $lines->nextOffset() === $at) {
        break;
    }
    echo count($batch), '@', $at, ' ';
    $at = $lines->nextOffset();
    array_push($got, ...$batch);
}
echo "\n", implode(',', $got) === implode(',', range(1, 24)) ? 'all complete lines once' : implode(',', $got), ", $at: ", substr($text, $at), "\n";

$lines = new LineIterator($file);
echo json_encode($lines->batch(2)), ' ', $lines->nextOffset(), ' ', $lines->current(), ' ';
$lines->next();
echo $lines->current(), ' ', json_encode($lines->batch(3)), ' ', $lines->key(), "\n";
echo count($lines->batch(PHP_INT_MAX)), ' ', json_encode($lines->batch()), ' ', json_encode($lines->valid()), ' ', $lines->nextOffset() === strlen($text) ? 'the end' : $lines->nextOffset(), "\n";
foreach ($lines as $key => $line) {
    echo "$key:$line ", json_encode($lines->batch(1)), "\n";
    break;
}
foreach ([0, -1] as $max) {
    raises(fn () => $lines->batch($max));
}
?>
--EXPECT--
4@0 4@8 4@16 4@27 4@39 4@51 
all complete lines once, 63: 25
["1","2"] 4 3 4 ["4","5","6"] 6
19 [] false the end
0:1 ["1"]
ValueError(0): Rustio\LineIterator::batch(): Argument #1 ($max) must be greater than or equal to 1
ValueError(0): Rustio\LineIterator::batch(): Argument #1 ($max) must be greater than or equal to 1

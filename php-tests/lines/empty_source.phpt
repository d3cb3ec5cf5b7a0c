--TEST--
lines: an empty source has no lines (LN-09)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$empty = text('');
$stream = fopen('php://memory', 'r');
foreach ([$empty, '/dev/null', slow_writer([], 0), $stream] as $source) {
    $lines = new LineIterator($source);
    var_dump($lines->valid(), $lines->current(), $lines->key());
    show($lines);
    var_dump($lines->batch(), $lines->offset(), $lines->nextOffset(), $lines->isComplete());
}
var_dump(count_lines($empty), tail($empty), split_ranges($empty, 5), page_cache_ratio($empty));
?>
--EXPECT--
bool(false)
NULL
NULL
(none)
array(0) {
}
int(0)
int(0)
bool(false)
bool(false)
NULL
NULL
(none)
array(0) {
}
int(0)
int(0)
bool(false)
bool(false)
NULL
NULL
(none)
array(0) {
}
int(0)
int(0)
bool(false)
bool(false)
NULL
NULL
(none)
array(0) {
}
int(0)
int(0)
bool(false)
int(0)
array(0) {
}
array(0) {
}
float(0)

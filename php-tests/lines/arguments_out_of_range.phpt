--TEST--
lines: sizes, offsets and patterns out of range are ValueErrors (LN-39)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$file = text("a\nb\n");
foreach ([0, -1, PHP_INT_MIN, PHP_INT_MAX, '8k', '', 1.5, null, []] as $value) {
    echo json_encode($value), ': ';
    raises(fn () => new LineIterator($file, chunkSize: $value));
}
foreach (['offset' => -1, 'length' => -1, 'maxLineLength' => 0] as $name => $value) {
    raises(fn () => new LineIterator($file, ...[$name => $value]));
}
show(new LineIterator($file, chunkSize: 1));
show(new LineIterator($file, chunkSize: 1 << 30));
show(new LineIterator($file, chunkSize: '2', length: '2'));
show(new LineIterator($file, length: 0));
show(new LineIterator($file, offset: 1, length: PHP_INT_MAX));
show(new LineIterator($file, maxLineLength: 1 << 60));
raises(fn () => new LineIterator($file, maxLineLength: PHP_INT_MAX));
raises(fn () => split_ranges($file, 0));
raises(fn () => tail($file, -1));
var_dump(tail($file, 0));
?>
--EXPECTF--
0: ValueError(0): Rustio\LineIterator::__construct(): Argument #2 ($chunkSize) must be between 1 and 1073741824
-1: ValueError(0): Rustio\LineIterator::__construct(): Argument #2 ($chunkSize) must be between 1 and 1073741824
-9223372036854775808: ValueError(0): Rustio\LineIterator::__construct(): Argument #2 ($chunkSize) must be between 1 and 1073741824
9223372036854775807: ValueError(0): Rustio\LineIterator::__construct(): Argument #2 ($chunkSize) must be between 1 and 1073741824
"8k": TypeError(0): Rustio\LineIterator::__construct(): Argument #2 ($chunkSize) must be of type int, string given
"": TypeError(0): Rustio\LineIterator::__construct(): Argument #2 ($chunkSize) must be of type int, string given
1.5: 
Deprecated: Implicit conversion from float 1.5 to int loses precision in %s/php-tests/lines/arguments_out_of_range.php on line 8
nothing raised
null: 
Deprecated: Rustio\LineIterator::__construct(): Passing null to parameter #2 ($chunkSize) of type int is deprecated in %s/php-tests/lines/arguments_out_of_range.php on line 8
ValueError(0): Rustio\LineIterator::__construct(): Argument #2 ($chunkSize) must be between 1 and 1073741824
[]: TypeError(0): Rustio\LineIterator::__construct(): Argument #2 ($chunkSize) must be of type int, array given
ValueError(0): Rustio\LineIterator::__construct(): Argument #3 ($offset) must be greater than or equal to 0
ValueError(0): Rustio\LineIterator::__construct(): Argument #4 ($length) must be greater than or equal to 0
ValueError(0): Rustio\LineIterator::__construct(): Argument #9 ($maxLineLength) must be between 1 and 2305843009213693951
0:a | 1:b
0:a | 1:b
0:a
(none)
0:b
0:a | 1:b
ValueError(0): Rustio\LineIterator::__construct(): Argument #9 ($maxLineLength) must be between 1 and 2305843009213693951
ValueError(0): Rustio\split_ranges(): Argument #2 ($parts) must be greater than or equal to 1
ValueError(0): Rustio\tail(): Argument #2 ($lines) must be greater than or equal to 0
array(0) {
}

--TEST--
lines: arguments are taken as PHP core takes them
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$file = text("a\nb\n5\n");
class Path { public function __construct(private string $path) {} public function __toString(): string { return $this->path; } }
show(new LineIterator(new Path($file)));
show(new LineIterator($file, contains: 5));
show(lines(source: $file, keepNewline: 1, matches: '/^b/'));
show(lines($file, offset: '2'));
$reference = 2;
$alias = &$reference;
show(new LineIterator($file, $alias, $reference));
foreach ([
    fn () => new LineIterator(),
    fn () => new LineIterator(null),
    fn () => new LineIterator([]),
    fn () => new LineIterator(new stdClass()),
    fn () => new LineIterator($file, newline: 'lf'),
    fn () => new LineIterator($file, newline: LongLine::Skip),
    fn () => new LineIterator($file, onLongLine: null),
    fn () => new LineIterator($file, keepNewline: []),
    fn () => new LineIterator($file, unknown: 1),
    fn () => new LineIterator($file, 1, 2, 3, Newline::Lf, true, true, true, 9, LongLine::Raise, null, null, 1),
    fn () => (new LineIterator($file))->next(1),
    fn () => (new LineIterator($file))->batch('x'),
    fn () => count_lines(),
    fn () => tail($file, newline: 'any'),
] as $call) {
    raises($call);
}
?>
--EXPECT--
0:a | 1:b | 2:5
2:5
1:b\x0A
0:b | 1:5
0:b | 1:5
ArgumentCountError(0): Rustio\LineIterator::__construct() expects at least 1 argument, 0 given
TypeError(0): Rustio\LineIterator::__construct(): Argument #1 ($source) must be of type string|resource, null given
TypeError(0): Rustio\LineIterator::__construct(): Argument #1 ($source) must be of type string|resource, array given
TypeError(0): Rustio\LineIterator::__construct(): Argument #1 ($source) must be of type string|resource, stdClass given
TypeError(0): Rustio\LineIterator::__construct(): Argument #5 ($newline) must be of type Rustio\Newline, string given
TypeError(0): Rustio\LineIterator::__construct(): Argument #5 ($newline) must be of type Rustio\Newline, Rustio\LongLine given
TypeError(0): Rustio\LineIterator::__construct(): Argument #10 ($onLongLine) must be of type Rustio\LongLine, null given
TypeError(0): Rustio\LineIterator::__construct(): Argument #6 ($keepNewline) must be of type bool, array given
Error(0): Unknown named parameter $unknown
ArgumentCountError(0): Rustio\LineIterator::__construct() expects at most 12 arguments, 13 given
ArgumentCountError(0): Rustio\LineIterator::next() expects exactly 0 arguments, 1 given
TypeError(0): Rustio\LineIterator::batch(): Argument #1 ($max) must be of type int, string given
ArgumentCountError(0): Rustio\count_lines() expects at least 1 argument, 0 given
TypeError(0): Rustio\tail(): Argument #3 ($newline) must be of type Rustio\Newline, string given

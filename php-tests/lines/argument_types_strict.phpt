--TEST--
lines: strict_types allows no coercion
--EXTENSIONS--
rustio
--FILE--
<?php
declare(strict_types=1);
require __DIR__ . '/inc/lines.php';
use Rustio\LineIterator;

$file = text("a\nb\n");
class Path { public function __toString(): string { return 'x'; } }
foreach ([
    fn () => new LineIterator(5),
    fn () => new LineIterator(new Path()),
    fn () => new LineIterator($file, '5'),
    fn () => new LineIterator($file, offset: 1.0),
    fn () => new LineIterator($file, length: 1.5),
    fn () => new LineIterator($file, keepNewline: 1),
    fn () => new LineIterator($file, contains: 5),
    fn () => new LineIterator($file, matches: 5),
    fn () => (new LineIterator($file))->batch('5'),
    fn () => Rustio\count_lines(5),
    fn () => Rustio\tail($file, '3'),
    fn () => Rustio\split_ranges($file, null),
] as $call) {
    raises($call);
}
?>
--EXPECT--
TypeError(0): Rustio\LineIterator::__construct(): Argument #1 ($source) must be of type string|resource, int given
TypeError(0): Rustio\LineIterator::__construct(): Argument #1 ($source) must be of type string|resource, Path given
TypeError(0): Rustio\LineIterator::__construct(): Argument #2 ($chunkSize) must be of type int, string given
TypeError(0): Rustio\LineIterator::__construct(): Argument #3 ($offset) must be of type int, float given
TypeError(0): Rustio\LineIterator::__construct(): Argument #4 ($length) must be of type ?int, float given
TypeError(0): Rustio\LineIterator::__construct(): Argument #6 ($keepNewline) must be of type bool, int given
TypeError(0): Rustio\LineIterator::__construct(): Argument #11 ($contains) must be of type array|string|null, int given
TypeError(0): Rustio\LineIterator::__construct(): Argument #12 ($matches) must be of type ?string, int given
TypeError(0): Rustio\LineIterator::batch(): Argument #1 ($max) must be of type int, string given
TypeError(0): Rustio\count_lines(): Argument #1 ($path) must be of type string, int given
TypeError(0): Rustio\tail(): Argument #2 ($lines) must be of type int, string given
TypeError(0): Rustio\split_ranges(): Argument #2 ($parts) must be of type int, null given

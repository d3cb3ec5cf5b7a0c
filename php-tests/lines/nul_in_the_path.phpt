--TEST--
lines: a NUL byte in a path is a ValueError before anything is opened (LN-20)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$path = text("x\n") . "\0.png";
raises(fn () => new LineIterator($path));
raises(fn () => lines($path));
raises(fn () => count_lines($path));
raises(fn () => split_ranges($path, 1));
raises(fn () => tail($path));
raises(fn () => page_cache_evict($path));
raises(fn () => page_cache_ratio($path));
raises(fn () => new LineIterator("data:,x\0"));
?>
--EXPECT--
ValueError(0): Rustio\LineIterator::__construct(): Argument #1 ($source) must not contain any null bytes
ValueError(0): Rustio\lines(): Argument #1 ($source) must not contain any null bytes
ValueError(0): Rustio\count_lines(): Argument #1 ($path) must not contain any null bytes
ValueError(0): Rustio\split_ranges(): Argument #1 ($path) must not contain any null bytes
ValueError(0): Rustio\tail(): Argument #1 ($path) must not contain any null bytes
ValueError(0): Rustio\page_cache_evict(): Argument #1 ($path) must not contain any null bytes
ValueError(0): Rustio\page_cache_ratio(): Argument #1 ($path) must not contain any null bytes
ValueError(0): Rustio\LineIterator::__construct(): Argument #1 ($source) must not contain any null bytes

--TEST--
lines: a directory and an empty path are refused at construction (LN-19)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
foreach (['/tmp', '/tmp/', '.', '', '/nonexistent/file'] as $path) {
    foreach ([fn () => new LineIterator($path), fn () => lines($path), fn () => count_lines($path), fn () => split_ranges($path, 2), fn () => tail($path), fn () => page_cache_ratio($path)] as $i => $call) {
        raises($call);
    }
}
?>
--EXPECTF--
Rustio\IoException(21): open /tmp: Is a directory
Rustio\IoException(21): open /tmp: Is a directory
Rustio\IoException(21): open /tmp: Is a directory
Rustio\IoException(21): open /tmp: Is a directory
Rustio\IoException(21): open /tmp: Is a directory
Rustio\IoException(21): open /tmp: Is a directory
Rustio\IoException(21): open /tmp/: Is a directory
Rustio\IoException(21): open /tmp/: Is a directory
Rustio\IoException(21): open /tmp/: Is a directory
Rustio\IoException(21): open /tmp/: Is a directory
Rustio\IoException(21): open /tmp/: Is a directory
Rustio\IoException(21): open /tmp/: Is a directory
Rustio\IoException(21): open %s/.: Is a directory
Rustio\IoException(21): open %s/.: Is a directory
Rustio\IoException(21): open %s/.: Is a directory
Rustio\IoException(21): open %s/.: Is a directory
Rustio\IoException(21): open %s/.: Is a directory
Rustio\IoException(21): open %s/.: Is a directory
ValueError(0): Rustio\LineIterator::__construct(): Argument #1 ($source) cannot be empty
ValueError(0): Rustio\lines(): Argument #1 ($source) cannot be empty
ValueError(0): Rustio\count_lines(): Argument #1 ($path) cannot be empty
ValueError(0): Rustio\split_ranges(): Argument #1 ($path) cannot be empty
ValueError(0): Rustio\tail(): Argument #1 ($path) cannot be empty
ValueError(0): Rustio\page_cache_ratio(): Argument #1 ($path) cannot be empty
Rustio\IoException(2): open /nonexistent/file: No such file or directory
Rustio\IoException(2): open /nonexistent/file: No such file or directory
Rustio\IoException(2): open /nonexistent/file: No such file or directory
Rustio\IoException(2): open /nonexistent/file: No such file or directory
Rustio\IoException(2): open /nonexistent/file: No such file or directory
Rustio\IoException(2): open /nonexistent/file: No such file or directory

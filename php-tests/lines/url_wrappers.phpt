--TEST--
lines: allow_url_fopen=0 refuses http://
--EXTENSIONS--
rustio
--INI--
allow_url_fopen=0
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
raises(fn () => new LineIterator('http://localhost:1/x'));
raises(fn () => count_lines('http://localhost:1/x'));
?>
--EXPECT--
Rustio\IoException(0): Rustio\LineIterator::__construct(): http:// wrapper is disabled in the server configuration by allow_url_fopen=0
Rustio\IoException(0): Rustio\count_lines(): http:// wrapper is disabled in the server configuration by allow_url_fopen=0

--TEST--
lines: UTF-16 and UTF-32 are refused by their byte order marks (LN-08)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
foreach (["\xFF\xFEa\0\r\0\n\0", "\xFF\xFE\x0A\x01\n\0", "\xFE\xFF\0a\0\n", "\xFF\xFE\0\0a\0\0\0", "\0\0\xFE\xFF\0\0\0a", "\xFF\xFEa"] as $bytes) {
    $file = text($bytes);
    raises(fn () => iterator_to_array(new LineIterator($file)));
}
raises(fn () => count_lines(text("\xFF\xFEa\0\n\0")));
raises(fn () => tail(text("\xFF\xFEa\0\n\0")));
raises(fn () => iterator_to_array(new LineIterator(text("\xFF\xFEa\0\n\0b\0\n\0"), offset: 4)));
?>
--EXPECT--
Rustio\RustioException(0): FILE: UTF-16LE text (byte order mark FF FE): convert it to UTF-8 first, for example with iconv
Rustio\RustioException(0): FILE: UTF-16LE text (byte order mark FF FE): convert it to UTF-8 first, for example with iconv
Rustio\RustioException(0): FILE: UTF-16BE text (byte order mark FE FF): convert it to UTF-8 first, for example with iconv
Rustio\RustioException(0): FILE: UTF-32LE text (byte order mark FF FE 00 00): convert it to UTF-8 first, for example with iconv
Rustio\RustioException(0): FILE: UTF-32BE text (byte order mark 00 00 FE FF): convert it to UTF-8 first, for example with iconv
Rustio\RustioException(0): FILE: UTF-16LE text (byte order mark FF FE): convert it to UTF-8 first, for example with iconv
Rustio\RustioException(0): FILE: UTF-16LE text (byte order mark FF FE): convert it to UTF-8 first, for example with iconv
Rustio\RustioException(0): FILE: UTF-16LE text (byte order mark FF FE): convert it to UTF-8 first, for example with iconv
Rustio\RustioException(0): FILE: UTF-16LE text (byte order mark FF FE): convert it to UTF-8 first, for example with iconv

--TEST--
lines: count_lines() gives what foreach gives (LN-26)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
foreach (['', 'a', "a\n", "a\nb", "\n", "\n\n", "a\r", "a\r\nb", "\r\r\n", "\xEF\xBB\xBF", "\xEF\xBB\xBFa\n", "\xEF\xBB\xBF\n", str_repeat("x\r\n", 200_000), str_repeat('y', 300_000) . "\r", str_repeat("z\r", 131_072) . "\n"] as $text) {
    $file = text($text);
    foreach (Newline::cases() as $newline) {
        $n = iterator_count(new LineIterator($file, newline: $newline));
        if (count_lines($file, $newline) !== $n || count(tail($file, PHP_INT_MAX, $newline)) !== $n) {
            echo strlen($text), ' bytes, ', $newline->name, ': ', count_lines($file, $newline), " counted, $n read\n";
        }
    }
}
echo count_lines('/proc/self/status') > 20 ? 'more than 20' : 'few', "\n";
?>
--EXPECT--
more than 20

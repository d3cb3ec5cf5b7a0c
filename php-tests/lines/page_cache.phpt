--TEST--
lines: page_cache_ratio() and page_cache_evict() ask about one file
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$file = text(str_repeat('x', 1 << 20));
var_dump(page_cache_ratio($file));
page_cache_evict($file);
$ratio = page_cache_ratio($file);
echo $ratio >= 0 && $ratio <= 1 ? "a share\n" : "$ratio\n"; // tmpfs has nowhere to put pages
file_get_contents($file);
var_dump(page_cache_ratio($file));
raises(fn () => page_cache_ratio('/dev/null'));
raises(fn () => page_cache_evict('/dev/null'));
raises(fn () => page_cache_ratio('/nonexistent'));
?>
--EXPECT--
float(1)
a share
float(1)
Rustio\IoException(29): open /dev/null: Illegal seek
Rustio\IoException(29): open /dev/null: Illegal seek
Rustio\IoException(2): open /nonexistent: No such file or directory

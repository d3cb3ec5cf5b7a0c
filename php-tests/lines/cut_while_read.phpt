--TEST--
lines: a file cut while it is read raises and kills nobody (LN-13)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
watchdog();
$whole = str_repeat(str_repeat('x', 99) . "\n", 20_000);
foreach ([0, 1, 70_001] as $size) {
    $file = text($whole);
    $lines = new LineIterator($file);
    $n = 0;
    try {
        foreach ($lines as $line) {
            if (++$n === 1) {
                $cut = fopen($file, 'r+');
                ftruncate($cut, $size);
            }
            if (strlen($line) !== 99) {
                echo "a torn line\n";
            }
        }
        echo "no exception\n";
    } catch (FileTruncatedException $e) {
        echo get_class($e), ' ', $e->getCode(), ' ', get_parent_class($e), "\n";
    }
}
// By the time count_lines() and tail() have read nothing is left to tell.
$file = text("a\nb\n");
echo count_lines($file), ' ', implode(',', tail($file)), "\n";
?>
--EXPECT--
Rustio\FileTruncatedException 0 Rustio\RustioException
Rustio\FileTruncatedException 0 Rustio\RustioException
Rustio\FileTruncatedException 0 Rustio\RustioException
2 a,b

--TEST--
lines: a fatal error in the middle of a call leaves no file open
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$file = folder() . '/rustio-open';
file_put_contents($file, '');
$big = fopen($file, 'r+');
ftruncate($big, 1 << 40);
fclose($big);
foreach (["Rustio\\count_lines(\$file);", "Rustio\\tail(\$file, 2);", "foreach (new Rustio\\LineIterator(\$file, contains: 'x', maxLineLength: 1 << 50) as \$l);", "foreach (new Rustio\\LineIterator(\$file, matches: '/x/', onLongLine: Rustio\\LongLine::Skip) as \$l);", "(new Rustio\\LineIterator(\$file, maxLineLength: 1000, onLongLine: Rustio\\LongLine::Truncate))->next();"] as $i => $code) {
    echo run_php(<<<PHP
        \$file = '$file';
        register_shutdown_function(function () use (\$file) {
            if ($i > 1) return; // an iterator lives as long as its script's variables
            foreach (glob('/proc/self/fd/*') as \$fd) {
                echo @readlink(\$fd) === \$file ? "left open\n" : '';
            }
        });
        set_time_limit(1);
        $code
        echo "ended without an error\n";
        PHP);
}
?>
--EXPECT--
Fatal error: Maximum execution time of 1 second exceeded in SCRIPT on line 12

Fatal error: Maximum execution time of 1 second exceeded in SCRIPT on line 12

Fatal error: Maximum execution time of 1 second exceeded in SCRIPT on line 12

Fatal error: Maximum execution time of 1 second exceeded in SCRIPT on line 12

Fatal error: Maximum execution time of 1 second exceeded in SCRIPT on line 12

--TEST--
lines: a relative path is of the directory at construction
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$dir = folder();
file_put_contents("$dir/here", "found\n");
chdir($dir);
$lines = new LineIterator('here');
chdir('/');
show($lines);
show($lines);
echo count($lines->batch()), "\n";
raises(fn () => new LineIterator('./here'));
?>
--EXPECT--
0:found
0:found
0
Rustio\IoException(2): open /./here: No such file or directory

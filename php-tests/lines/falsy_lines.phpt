--TEST--
lines: empty lines and the line "0" do not look like the end (LN-10)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$file = text("a\n\n0\n\n");
show(new LineIterator($file));
$lines = new LineIterator($file);
while ($lines->valid()) {
    var_dump($lines->current());
    $lines->next();
}
var_dump($lines->current());
echo json_encode(lines($file)->batch()), ' ', json_encode(lines($file)->batch(3)), "\n";
show(new LineIterator($file, skipEmpty: true));
show(new LineIterator(text("\r\n\r\r\n\n"), skipEmpty: true));
?>
--EXPECT--
0:a | 1: | 2:0 | 3:
string(1) "a"
string(0) ""
string(1) "0"
string(0) ""
NULL
["a","","0",""] ["a","","0"]
0:a | 2:0
1:\x0D

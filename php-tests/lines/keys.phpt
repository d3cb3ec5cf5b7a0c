--TEST--
lines: key() is the number of the line current() gives, in every way of reading (LN-25)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
foreach (["a\nb\nc\n", "a\nb\nc"] as $text) {
    $lines = new LineIterator(text($text));
    echo json_encode([$lines->key(), $lines->current()]);
    $lines->next();
    echo json_encode([$lines->key(), $lines->current()]);
    $lines->rewind();
    echo json_encode([$lines->key(), $lines->current()]);
    for ($i = 0; $i < 5; $i++) {
        $lines->next();
    }
    echo json_encode([$lines->key(), $lines->current(), $lines->valid(), $lines->offset()]), "\n";
}
// Lines that are left out are counted.
$file = text("x1\n\ny\nx2\n\nx3");
show(new LineIterator($file, contains: 'x'));
show(new LineIterator($file, matches: '/x\d$/'));
show(new LineIterator($file, skipEmpty: true));
// A range counts from its own first line.
show(new LineIterator($file, offset: 3));
// Behind the end there is nothing; a start that lies behind it means that the file was cut.
show(new LineIterator($file, offset: filesize($file)));
foreach ([1, 2, 1000] as $behind) {
    raises(fn () => iterator_to_array(new LineIterator($file, offset: filesize($file) + $behind)));
}
raises(fn () => iterator_to_array(new LineIterator($file, offset: PHP_INT_MAX)));
?>
--EXPECT--
[0,"a"][1,"b"][0,"a"][null,null,false,6]
[0,"a"][1,"b"][0,"a"][null,null,false,5]
0:x1 | 3:x2 | 5:x3
0:x1 | 3:x2 | 5:x3
0:x1 | 2:y | 3:x2 | 5:x3
0: | 1:y | 2:x2 | 3: | 4:x3
(none)
Rustio\FileTruncatedException(0): FILE: the file is shorter than it was: it ends before byte 13, up to which it had been read
Rustio\FileTruncatedException(0): FILE: the file is shorter than it was: it ends before byte 14, up to which it had been read
Rustio\FileTruncatedException(0): FILE: the file is shorter than it was: it ends before byte 1012, up to which it had been read
Rustio\FileTruncatedException(0): FILE: the file is shorter than it was: it ends before byte 9223372036854775807, up to which it had been read

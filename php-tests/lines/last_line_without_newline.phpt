--TEST--
lines: the last line may lack its newline, and says so (LN-02)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
foreach (['a', "a\nb", "a\nb\n", "a\r\nb\r"] as $text) {
    $lines = new LineIterator(text($text));
    foreach ($lines as $key => $line) {
        echo $key, ':', addcslashes($line, "\r"), ' complete=', var_export($lines->isComplete(), true), ' ', $lines->offset(), '..', $lines->nextOffset(), '; ';
    }
    echo 'end ', $lines->nextOffset(), "\n";
}
show(new LineIterator(slow_writer(["x\n", 'y'], 1)));
?>
--EXPECT--
0:a complete=false 0..0; end 1
0:a complete=true 0..2; 1:b complete=false 2..2; end 3
0:a complete=true 0..2; 1:b complete=true 2..4; end 4
0:a complete=true 0..3; 1:b\r complete=false 3..3; end 5
0:x | 1:y

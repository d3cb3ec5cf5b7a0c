--TEST--
lines: CRLF cut by the chunk border is one newline (LN-01)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
foreach ([1, 2, 3, 7, 4096, 8192, 65536] as $chunk) {
    for ($shift = -2; $shift <= 2; $shift++) {
        $x = str_repeat('x', max(0, $chunk - 1 + $shift));
        $file = text("$x\r\nb\r\n");
        foreach (Newline::cases() as $newline) {
            $got = iterator_to_array(new LineIterator($file, chunkSize: $chunk, newline: $newline));
            if ($got !== [$x, 'b']) {
                echo "chunk $chunk, shift $shift, $newline->name: ", count($got), " lines\n";
            }
        }
    }
}
// Three-byte lines walk the CR over every offset of a chunk.
$file = text(str_repeat("L\r\n", 4000));
foreach ([1, 2, 3, 7, 64, 4096] as $chunk) {
    foreach (Newline::cases() as $newline) {
        $wrong = 0;
        $n = 0;
        foreach (new LineIterator($file, chunkSize: $chunk, newline: $newline) as $line) {
            $wrong += $line !== 'L';
            $n++;
        }
        if ($wrong || $n !== 4000) {
            echo "chunk $chunk: $n lines, $wrong wrong\n";
        }
    }
}
echo "done\n";
?>
--EXPECT--
done

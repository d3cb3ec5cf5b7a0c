--TEST--
lines: lines around every internal limit are exact (LN-12)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
foreach ([64, 4096, 8192, 65536] as $chunk) {
    foreach ([$chunk - 1, $chunk, $chunk + 1, 3 * $chunk, 2 * $chunk + 4096] as $length) {
        $text = str_repeat('a', $length) . "\n" . str_repeat('b', $length) . "\r\n" . str_repeat('c', $length);
        if (iterator_to_array(new LineIterator(text($text), chunkSize: $chunk)) !== reference($text)) {
            echo "chunk $chunk, length $length\n";
        }
    }
}
foreach (["\n", "\r\n", ''] as $newline) {
    foreach ([9, 10, 11, 30] as $length) {
        $file = text(str_repeat('x', $length) . $newline);
        foreach ([1, 5, 10, 11, 12, 64] as $chunk) {
            try {
                foreach ($lines = new LineIterator($file, chunkSize: $chunk, maxLineLength: 10, onLongLine: LongLine::Truncate) as $line) {
                    $cut = $length > 10;
                    if (strlen($line) !== min($length, 10) || $lines->isTruncated() !== $cut || $lines->isComplete() !== ($newline !== '')) {
                        echo "chunk $chunk, length $length, ", bin2hex($newline), "\n";
                    }
                }
                iterator_to_array(new LineIterator($file, chunkSize: $chunk, maxLineLength: 10));
                if ($length > 10) {
                    echo "length $length was not refused\n";
                }
            } catch (LineTooLongException $e) {
                if ($length <= 10 || $e->offset !== 0 || $e->lineNumber !== 0) {
                    echo "length $length was refused\n";
                }
            }
        }
    }
}
echo "done\n";
?>
--EXPECT--
done

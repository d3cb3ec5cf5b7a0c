--TEST--
lines: ranges of any number of parts hold each line once
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
foreach (['', 'a', "\n", "a\n", "a\nb", "\n\n\n", "\r\n\r\n", "ab\r\ncd\r\n", str_repeat("x\n", 50), str_repeat('y', 100), str_repeat('z', 100) . "\n1\n2"] as $text) {
    $file = text($text);
    foreach (Newline::cases() as $newline) {
        foreach ([1, 2, 3, 4, 7, 100, PHP_INT_MAX] as $parts) {
            $ranges = split_ranges($file, $parts);
            $got = [];
            $end = 0;
            foreach ($ranges as $range) {
                if (array_keys($range) !== ['offset', 'length'] || $range['offset'] !== $end || $range['length'] < 1) {
                    echo "a gap or an empty range\n";
                }
                $end += $range['length'];
                array_push($got, ...iterator_to_array(new LineIterator($file, ...$range, newline: $newline), false));
            }
            if ($got !== reference($text, $newline) || $end !== strlen($text) || count($ranges) > $parts) {
                echo json_encode($text), " $parts parts, $newline->name: ", json_encode($got), "\n";
            }
        }
    }
}
// Every cut of a small text.
$text = "a\r\n\r\nbc\rd\n\re";
$file = text($text);
foreach (Newline::cases() as $newline) {
    for ($cut = 0; $cut <= strlen($text); $cut++) {
        $got = [...new LineIterator($file, length: $cut, newline: $newline), ...new LineIterator($file, offset: $cut, newline: $newline)];
        if ($got !== reference($text, $newline)) {
            echo "$newline->name cut at $cut: ", json_encode($got), "\n";
        }
    }
}
echo json_encode(split_ranges(text('0123456789'), 3)), "\n";
?>
--EXPECT--
[{"offset":0,"length":3},{"offset":3,"length":3},{"offset":6,"length":4}]

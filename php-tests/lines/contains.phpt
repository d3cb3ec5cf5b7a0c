--TEST--
lines: contains gives what str_contains gives
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$seed = random_int(0, PHP_INT_MAX);
mt_srand($seed);
$bytes = ['a', 'b', 'ab', "\n", "\r\n", "\r", 'aab', "\0"];
$needles = ['a', 'ab', 'aab', 'ba', '', "\0", "\r", 'zz', "b\na", "a\r", 'aaab', ['zz', 'ab'], ['a', ''], ["b\na", 'bb'], ['ab', 'aab', 'b'], [3 => 'bb']];
for ($round = 0; $round < rounds(100); $round++) {
    $text = 'a';
    for ($i = mt_rand(0, 200); $i > 0; $i--) {
        $text .= $bytes[mt_rand(0, count($bytes) - 1)];
    }
    $file = $file ?? text('');
    file_put_contents($file, $text);
    foreach ($needles as $needle) {
        foreach (Newline::cases() as $newline) {
            $chunk = mt_rand(0, 1) ? mt_rand(1, 64) : 65536;
            $want = array_filter(reference($text, $newline), static function ($line) use ($needle) {
                foreach ((array) $needle as $one) {
                    if (str_contains($line, $one)) {
                        return true;
                    }
                }
                return false;
            });
            $lines = new LineIterator($file, chunkSize: $chunk, newline: $newline, contains: $needle);
            $both = new LineIterator($file, chunkSize: $chunk, newline: $newline, contains: $needle, matches: '/b$/', skipEmpty: true);
            if (iterator_to_array($lines) !== $want || iterator_to_array($both) !== array_filter($want, static fn ($line) => str_ends_with($line, 'b'))) {
                echo json_encode($needle), ", $newline->name, chunk $chunk, seed $seed: ", bin2hex($text), "\n";
                exit;
            }
        }
    }
}
echo "done\n";
?>
--EXPECT--
done

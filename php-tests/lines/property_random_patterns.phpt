--TEST--
lines: a random pattern is refused, or means what it means for preg_match
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$seed = random_int(0, PHP_INT_MAX);
mt_srand($seed);
$parts = ['a', 'b', 'c', '.', '\w', '\W', '\s', '\d', '[', ']', '[^', '[a', '-', '-', 'a-c', '^', '$', '|', '(', ')', '(?:', '(?i)', '(?i:', '*', '+', '?', '{2}', '{1,2}', '{0,}', '\b', '\x41', '\.', '\-', '&&', '~~', '[:alpha:]', '[[:digit:]]', ' ', '#', '\]', '\\\\', '{', '}', "\xE9", 'é', '\A', '\z', '\h', '\pL', '\p{Lu}', '<', '>', '"', '!', ',', '=', '\t', '\e'];
$bytes = ['a', 'b', 'c', 'A', 'B', 'C', '1', ' ', '-', '&', '~', '[', ']', '^', '.', '\\', 'é', "\xE9", "\t", '_', '#', '{', '}', ',', '2', "\r", ':', 'l', 'p', "\x1B", '$'];
$texts = [];
for ($i = 0; $i < 400; $i++) {
    $line = '';
    for ($n = mt_rand(0, 6); $n > 0; $n--) {
        $line .= $bytes[mt_rand(0, count($bytes) - 1)];
    }
    $lines[] = $line;
}
$lines[0] = 'a';
$file = text(implode("\n", $lines) . "\n");
$lines = reference(file_get_contents($file));
$taken = 0;
for ($round = 0; $round < rounds(4000); $round++) {
    $pattern = '/';
    for ($n = mt_rand(1, 7); $n > 0; $n--) {
        $pattern .= $parts[mt_rand(0, count($parts) - 1)];
    }
    $pattern .= '/' . ['', '', 'i', 'x', 's', 'u', 'iu', 'isxu'][mt_rand(0, 7)];
    try {
        $got = iterator_to_array(new LineIterator($file, matches: $pattern, chunkSize: 4096));
    } catch (ValueError) {
        continue;
    }
    if (@preg_match($pattern, '') === false) {
        // What preg_match does not compile is taken by the engine in a few forms; it has no meaning to compare.
        continue;
    }
    $taken++;
    $want = array_filter($lines, static fn ($line) => (bool) @preg_match($pattern, $line));
    if ($got !== $want) {
        echo "$pattern, seed $seed\n";
        show(array_diff_key($got, $want));
        show(array_diff_key($want, $got));
        exit;
    }
}
echo $taken > rounds(300) ? "done\n" : "only $taken patterns were taken\n";
?>
--EXPECT--
done

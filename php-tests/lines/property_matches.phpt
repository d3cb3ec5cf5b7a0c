--TEST--
lines: matches gives what preg_match gives line by line
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$seed = random_int(0, PHP_INT_MAX);
mt_srand($seed);
$patterns = ['/a[^x]b/', '/\s+$/', '/\A/', '/^$/', '/$/', '/\z/', '/\Z/', '/^a/', '/b$/', '/^a.*b$/', '/a.b/', '/a.b/s', '/A/i', '/a b/x', '/a\ b/x', '/[ab]{2,3}/',
    '/(a|b)+x/', '/a*?b/', '/\bab\b/', '/\Bb/', '/\w\W\w/', '/\d/', '/[^a]$/', '/[\r]/', '/\r$/', '/[^\n]$/', '/\x00/', '/\s/', '/^\s*$/', '/é/', '/é/u', '/É/iu', '/^.$/u', '/^..$/',
    '/\w\s/u', '/[é-ü]/u', '/(?i)B(?-i)a/', '/(?:a|)b/', '/|a/', '/(a(?i)b|c)/', '#a/b#', '{a{1,2}}', '/^(?:ab|ba)*$/', '/[[:space:]]x/', '/[a-c--e]/', '/[]a]/', '/[^]a]/', '/\h$/', '/x\r?$/', '/./', '/.\z/', '/[\W_]$/', '/\S\z/u'];
$bytes = ['a', 'a', 'b', 'b', 'x', 'A', 'B', ' ', "\t", "\n", "\n", "\r\n", "\r", "\0", 'é', "\xE9", '0', '/', '_', '-', 'ab'];
$checked = 0;
for ($round = 0; $round < rounds(60); $round++) {
    $text = 'a';
    for ($i = mt_rand(0, 250); $i > 0; $i--) {
        $text .= $bytes[mt_rand(0, count($bytes) - 1)];
    }
    $file = $file ?? text('');
    file_put_contents($file, $text);
    foreach ($patterns as $pattern) {
        foreach (Newline::cases() as $newline) {
            $chunk = mt_rand(1, 3) > 1 ? mt_rand(1, 64) : 65536;
            $want = array_filter(reference($text, $newline), static fn ($line) => (bool) @preg_match($pattern, $line));
            $got = iterator_to_array(new LineIterator($file, chunkSize: $chunk, newline: $newline, matches: $pattern));
            $checked++;
            if ($got !== $want) {
                echo "$pattern, $newline->name, chunk $chunk, seed $seed: ", bin2hex($text), "\n";
                show($got);
                show($want);
                exit;
            }
        }
    }
}
echo $checked === rounds(60) * 2 * count($patterns) ? "done\n" : "$checked\n";
?>
--EXPECT--
done

--TEST--
lines: random bytes in random chunks are what a whole-file splitter gives (LN-01)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$seed = random_int(0, PHP_INT_MAX);
mt_srand($seed);
$alphabet = ["\0", "\r", "\n", "\r\n", "\n", "\r", 'a', 'b', 'xyz', "\xFF", "\xC3", ' '];
$random = static function (int $max) use ($alphabet): string {
    $text = 'a'; // a first byte that begins no mark
    for ($i = mt_rand(0, $max); $i > 0; $i--) {
        $text .= $alphabet[mt_rand(0, count($alphabet) - 1)];
    }
    return mt_rand(0, 9) ? $text : '';
};
for ($round = 0; $round < rounds(1500); $round++) {
    $text = $random(mt_rand(0, 1) ? 30 : 300);
    $file = $file ?? text('');
    file_put_contents($file, $text);
    $newline = Newline::cases()[mt_rand(0, 1)];
    $keep = (bool) mt_rand(0, 1);
    $chunk = mt_rand(1, 64);
    $want = reference($text, $newline, $keep);
    $lines = new LineIterator($file, chunkSize: $chunk, newline: $newline, keepNewline: $keep);
    $got = iterator_to_array($lines);
    $again = [];
    while ($batch = (static function () use (&$lines, &$begun) {
        if (!$begun) { $lines->rewind(); $begun = true; }
        return $lines->batch(mt_rand(1, 5));
    })()) {
        array_push($again, ...$batch);
    }
    $begun = false;
    $stream = fopen('php://memory', 'r+');
    fwrite($stream, $text);
    rewind($stream);
    $streamed = iterator_to_array(new LineIterator($stream, chunkSize: $chunk, newline: $newline, keepNewline: $keep));
    // Ranges cut anywhere cover each line once.
    $ranges = [];
    foreach (split_ranges($file, mt_rand(1, 12)) as $range) {
        foreach (new LineIterator($file, ...$range, chunkSize: $chunk, newline: $newline, keepNewline: $keep) as $line) {
            $ranges[] = $line;
        }
    }
    $count = count_lines($file, $newline);
    $tail = mt_rand(0, 8);
    $checks = ['foreach' => $got === $want, 'batch' => $again === $want, 'stream' => $streamed === $want, 'ranges' => $ranges === $want, 'count' => $count === count($want),
        'tail' => tail($file, $tail, $newline) === ($tail ? array_slice(reference($text, $newline), -$tail) : [])];
    foreach ($checks as $what => $good) {
        if (!$good) {
            echo "$what differs: seed $seed, round $round, chunk $chunk, $newline->name, keep ", (int) $keep, ', ', bin2hex($text), "\n";
            exit;
        }
    }
}
echo "done\n";
?>
--EXPECT--
done

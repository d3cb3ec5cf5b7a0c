--TEST--
lines: the checkpoint recipe gives each line of a growing log once and whole (LN-15, LN-02)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\LineIterator;

$seed = random_int(0, PHP_INT_MAX);
mt_srand($seed);
for ($round = 0; $round < rounds(100); $round++) {
    $text = '';
    for ($i = mt_rand(0, 60); $i > 0; $i--) {
        $text .= str_repeat('x', mt_rand(0, 9)) . $i . (mt_rand(0, 3) ? "\n" : "\r\n");
    }
    $log = $log ?? text('');
    file_put_contents($log, '');
    [$at, $got, $written] = [0, [], 0];
    while ($written < strlen($text)) {
        $part = substr($text, $written, mt_rand(1, 30)); // anywhere, also in the middle of a line or a CR LF
        file_put_contents($log, $part, FILE_APPEND);
        $written += strlen($part);
        $lines = new LineIterator($log, offset: $at, chunkSize: mt_rand(1, 64));
        $max = mt_rand(1, 5);
        while ($batch = $lines->batch($max)) {
            $at = $lines->nextOffset();
            if (!$lines->valid() && $lines->nextOffset() > $at) {
                array_pop($batch);
            }
            array_push($got, ...$batch);
        }
    }
    if ($got !== reference($text) || $at !== strlen($text)) {
        echo "seed $seed, round $round: ", json_encode($got), ' for ', json_encode($text), "\n";
        exit;
    }
}
echo "done\n";
?>
--EXPECT--
done

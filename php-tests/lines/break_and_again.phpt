--TEST--
lines: a second foreach starts over, and NoRewindIterator goes on (LN-23)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$lines = new LineIterator(text("a\nb\nc\nd\n"));
foreach ($lines as $line) {
    echo $line;
    break;
}
foreach ($lines as $line) {
    echo $line;
}
echo "\n";
foreach ($lines as $line) {
    if ($line === 'b') {
        break;
    }
}
$lines->next();
foreach (new NoRewindIterator($lines) as $key => $line) {
    echo "$key:$line ";
}
echo "\n";
foreach (new IteratorIterator($lines) as $key => $line) {
    echo "$key:$line ";
}
foreach (new LimitIterator($lines, 1, 2) as $key => $line) {
    echo "$key:$line ";
}
$generator = (function () use ($lines) { yield from $lines; return 'done'; })();
foreach ($generator as $key => $line) {
    echo "$key:$line ";
}
echo $generator->getReturn(), "\n";
// An SPL iterator may ask before valid() and behind the end.
$rest = new NoRewindIterator(lines(text("x\ny\n")));
echo json_encode([$rest->current(), $rest->key()]);
$rest->next();
$rest->next();
echo json_encode([$rest->current(), $rest->key(), $rest->valid()]), "\n";
?>
--EXPECT--
aabcd
2:c 3:d 
0:a 1:b 2:c 3:d 1:b 2:c 0:a 1:b 2:c 3:d done
["x",0][null,null,false]

--TEST--
lines: kept lines never change, and changed ones change nothing
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$text = '';
for ($i = 0; $i < 3000; $i++) {
    $text .= str_repeat(chr(97 + $i % 26), [0, 1, 2, 7, 8, 63, 64, 200, 5000, 8][intdiv($i, 5) % 10]) . "\n";
}
$file = text($text);
$want = reference($text);
$kept = $keys = $half = [];
foreach (new LineIterator($file, chunkSize: 1000) as $key => $line) {
    $kept[] = $line;
    $keys[$line][] = $key;
    if ($key % 2) {
        $half[$key] = &$copies[];
        $half[$key] = $line;
    }
    $line .= 'x'; // our own copy
    $line[0] = 'Y';
}
echo $kept === $want ? "kept\n" : "changed\n";
foreach ($keys as $line => $at) {
    foreach ($at as $key) {
        if ($want[$key] !== (string) $line) {
            echo "as a key: $key\n";
        }
    }
}
foreach ($half as $key => $line) {
    if ($line !== $want[$key]) {
        echo "by reference: $key\n";
    }
}
// The variable is a reference, a property, a list's element.
$object = new stdClass();
$all = [];
foreach (new LineIterator($file) as $object->line) { $all[] = $object->line; }
echo $all === $want ? '' : "property\n";
$all = [];
$reference = &$somewhere;
foreach (new LineIterator($file) as $reference) { $all[] = $somewhere; }
echo $all === $want ? '' : "reference\n";
$all = [];
foreach (new LineIterator($file) as $slot[0]) { $all[] = $slot; }
echo array_column($all, 0) === $want ? '' : "slot\n";
// By generators, arrays, spreading, callbacks.
$generator = (function () use ($file) { foreach (new LineIterator($file) as $k => $l) yield $k => $l; })();
echo iterator_to_array($generator) === $want ? '' : "generator\n";
echo iterator_to_array(new LineIterator($file), false) === $want ? '' : "without keys\n";
echo [...new LineIterator($file)] === $want ? '' : "spread\n";
echo (fn (...$lines) => $lines)(...new LineIterator($file)) === $want ? '' : "arguments\n";
echo iterator_to_array(new CallbackFilterIterator(new LineIterator($file), fn ($line) => true)) === $want ? '' : "filter\n";
echo iterator_count(new LineIterator($file)) === count($want) ? '' : "count\n";
$append = new AppendIterator();
$append->append(new LineIterator($file));
$append->append(new LineIterator($file));
echo iterator_to_array($append, false) === [...$want, ...$want] ? '' : "append\n";
$previous = [];
foreach (new CachingIterator(new LineIterator($file), CachingIterator::FULL_CACHE) as $line) { $previous[] = $line; }
echo $previous === $want ? '' : "caching\n";
$by_method = [];
for ($l = new LineIterator($file); $l->valid(); $l->next()) { $by_method[] = $l->current(); $again = $l->current(); }
echo $by_method === $want ? '' : "methods\n";
// A typed reference converts what it is given.
class Typed { public int $n = 0; }
$typed = new Typed();
$n = &$typed->n;
foreach (new LineIterator(text("5\n600\n7\n")) as $n) { echo get_debug_type($typed->n), $typed->n, ' '; }
echo "\n";
?>
--EXPECT--
kept
int5 int600 int7 

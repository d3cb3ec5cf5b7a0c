--TEST--
lines: code that runs while the loop's variable is assigned may move the iterator
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
class Mover { public function __construct(public LineIterator $lines) {} public function __destruct() { $this->lines->next(); $this->lines->next(); } }
$lines = new LineIterator(text(implode("\n", array_map(fn ($n) => str_repeat((string) $n, 20), range(1, 9)))));
$line = new Mover($lines);
foreach ($lines as $line) {
    echo substr($line, 0, 1), strlen($line), ' ';
    if ($line[0] === '4') {
        $line = new Mover($lines);
    }
}
echo "\n";
?>
--EXPECT--
120 420 520 820 920 

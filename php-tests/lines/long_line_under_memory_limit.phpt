--TEST--
lines: a line of 100 MB under memory_limit=64M (LN-11)
--EXTENSIONS--
rustio
--SKIPIF--
<?php
if (getenv('USE_ZEND_ALLOC') === '0') die('skip memory is not measured under valgrind');
?>
--INI--
memory_limit=64M
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
watchdog();
$file = text('');
$out = fopen($file, 'w');
fwrite($out, "first\n");
for ($i = 0; $i < 100; $i++) {
    fwrite($out, str_repeat('x', 1_000_000));
}
fwrite($out, "\nlast\n");
fclose($out);
$resident = static fn () => (int) preg_replace('/.*VmHWM:\s+(\d+).*/s', '$1', file_get_contents('/proc/self/status'));
foreach (LongLine::cases() as $policy) {
    try {
        foreach ($lines = new LineIterator($file, onLongLine: $policy) as $key => $line) {
            echo $key, ' ', strlen($line) < 10 ? $line : strlen($line), $lines->isTruncated() ? ' truncated' : '', ' at ', $lines->offset(), "\n";
        }
    } catch (LineTooLongException $e) {
        echo get_class($e), ' ', $e->offset, ' ', $e->lineNumber, "\n";
        $lines->next();
        echo 'and behind it: ', $lines->current(), "\n";
    }
}
// PHP's string of 16 MiB, and the reader's buffer.
$before = $resident();
foreach (new LineIterator($file, maxLineLength: 1 << 20, onLongLine: LongLine::Truncate) as $line);
echo count_lines($file), ' ', json_encode(tail($file, 1)), "\n";
echo $resident() < 100_000 ? "resident set below the line's length\n" : 'resident ' . $resident() . " KiB\n";
?>
--EXPECT--
0 first at 0
Rustio\LineTooLongException 6 1
and behind it: last
0 first at 0
1 16777216 truncated at 6
2 last at 100000007
0 first at 0
2 last at 100000007
3 ["last"]
resident set below the line's length

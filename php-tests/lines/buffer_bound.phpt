--TEST--
lines: the reader's buffer stays below maxLineLength and a chunk (LN-11)
--EXTENSIONS--
rustio
--SKIPIF--
<?php
if (getenv('USE_ZEND_ALLOC') === '0') die('skip memory is not measured under valgrind');
?>
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, LineTooLongException};

$file = text(str_repeat('x', 9_500_000));
$resident = static fn () => (int) preg_replace('/.*VmHWM:\s+(\d+).*/s', '$1', file_get_contents('/proc/self/status'));
count_chars('warm up');
$before = $resident();
foreach ([5_000_000, 9_000_000] as $limit) { // between two powers of two
    try {
        foreach (new LineIterator($file, maxLineLength: $limit) as $line);
        echo "no exception\n";
    } catch (LineTooLongException $e) {
    }
    $grown = 1024 * ($resident() - $before);
    echo $grown < $limit + 65536 + 1_000_000 ? "bounded\n" : "$grown bytes for $limit\n";
}
?>
--EXPECT--
bounded
bounded

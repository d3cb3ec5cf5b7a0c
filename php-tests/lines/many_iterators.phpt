--TEST--
lines: many iterators, loops and exceptions leave memory and descriptors as they were (RT-06)
--EXTENSIONS--
rustio
--SKIPIF--
<?php
if (getenv('USE_ZEND_ALLOC') === '0') die('skip memory is not measured under valgrind');
?>
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$file = text("a\nbb\nccc\n" . str_repeat('d', 9000) . "\n");
$run = static function () use ($file) {
    foreach (new LineIterator($file, chunkSize: 8) as $line) {
        if ($line === 'bb') break;
    }
    foreach (new LineIterator("file://$file", matches: '/c/', contains: ['c', 'd']) as $line);
    try { foreach (new LineIterator($file, maxLineLength: 10) as $line); } catch (LineTooLongException) {}
    try { new LineIterator('/nonexistent'); } catch (IoException) {}
    try { new LineIterator($file, matches: '/('); } catch (ValueError) {}
    try { lines('/nonexistent'); } catch (IoException) {}
    $l = lines($file); $l->batch(2); $l->rewind(); count_lines($file); tail($file, 2); split_ranges($file, 3);
    $stream = fopen($file, 'r'); iterator_to_array(new LineIterator($stream)); fclose($stream);
    $generator = (fn () => yield from new LineIterator($file))(); $generator->current();
};
$resident = static fn () => (int) preg_replace('/.*VmRSS:\s+(\d+).*/s', '$1', file_get_contents('/proc/self/status'));
for ($i = 0; $i < 200; $i++) $run();
$before = [memory_get_usage(), count(scandir('/proc/self/fd')), $resident()];
for ($i = 0; $i < 1500; $i++) $run();
echo memory_get_usage() - $before[0] < 2000 ? "PHP's memory is the same\n" : memory_get_usage() - $before[0] . " bytes more\n";
echo count(scandir('/proc/self/fd')) === $before[1] ? "descriptors are the same\n" : "descriptors left\n";
echo $resident() - $before[2] < 1000 ? "resident set is the same\n" : $resident() - $before[2] . " KiB more\n";
?>
--EXPECT--
PHP's memory is the same
descriptors are the same
resident set is the same

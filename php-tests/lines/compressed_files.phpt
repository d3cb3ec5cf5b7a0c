--TEST--
lines: gzip and zstd are refused by name, the wrapper reads all members (LN-30)
--EXTENSIONS--
rustio
zlib
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$gz = text(gzencode("a\nb\n") . gzencode("c\n"));
raises(fn () => iterator_to_array(new LineIterator($gz)));
raises(fn () => count_lines($gz));
raises(fn () => tail($gz));
raises(fn () => iterator_to_array(new LineIterator(text("\x28\xB5\x2F\xFD\0\0"))));
show(new LineIterator("compress.zlib://$gz"));
echo count_lines("compress.zlib://$gz"), "\n";
$lines = new LineIterator("compress.zlib://$gz", offset: 1);
foreach ($lines as $line) {
    echo $line, '@', $lines->offset(), ' '; // offsets count decompressed bytes
}
echo "\n";
// One member cut short: PHP's layer gives what it could decode and says the end (documented).
$cut = text(substr(gzencode(implode("\n", range(1, 1000)) . "\n"), 0, -5));
echo count(iterator_to_array(new LineIterator("compress.zlib://$cut"))), "\n";
// Text that is only named .gz.
$file = folder() . '/plain.gz';
file_put_contents($file, "plain\n");
show(new LineIterator($file));
show(new LineIterator(text("\x1F")));
?>
--EXPECT--
Rustio\RustioException(0): FILE: gzip data: read it through the stream wrapper, compress.zlib://path
Rustio\RustioException(0): FILE: gzip data: read it through the stream wrapper, compress.zlib://path
Rustio\RustioException(0): FILE: gzip data: read it through the stream wrapper, compress.zlib://path
Rustio\RustioException(0): FILE: zstd data: read it through the stream wrapper, compress.zstd://path
0:a | 1:b | 2:c
3
b@2 c@4 
1000
0:plain
0:\x1F

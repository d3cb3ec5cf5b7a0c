--TEST--
lines: a FIFO, /dev/stdin and STDIN are read once, without a seek (LN-17)
--EXTENSIONS--
rustio
posix
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
watchdog();
$fifo = folder() . '/fifo';
posix_mkfifo($fifo, 0o600);
slow_writer(str_split("abc\ndef\n\nlast"), 5, $fifo);
$lines = new LineIterator($fifo);
foreach ($lines as $key => $line) {
    echo "$key:$line ", $lines->isComplete() ? '' : 'unfinished', "\n";
}
raises(fn () => $lines->rewind());
raises(function () use ($lines) { foreach ($lines as $line); });
foreach (["'/dev/stdin'", 'STDIN', "'php://stdin'"] as $source) {
    $input = slow_writer(["x\n", "y\n"], 5);
    echo run_php("\$l = new Rustio\\LineIterator($source); foreach (\$l as \$k => \$v) { echo \"\$k:\$v \"; } raises(fn () => \$l->rewind());", stdin: $input);
}
// A range of a pipe is reached by reading.
show(new LineIterator(slow_writer(["ab\ncd\nef\n"], 0), offset: 1, length: 3));
?>
--EXPECT--
0:abc 
1:def 
2: 
3:last unfinished
Rustio\IoException(29): seek FILE at byte 13, line 4: Illegal seek
Rustio\IoException(29): seek FILE at byte 13, line 4: Illegal seek
0:x 1:y Rustio\IoException(29): seek /dev/stdin at byte 4, line 2: Illegal seek
0:x 1:y Rustio\IoException(29): seek stream at byte 4, line 2: Illegal seek
0:x 1:y Rustio\IoException(29): seek php://stdin at byte 4, line 2: Illegal seek
0:cd

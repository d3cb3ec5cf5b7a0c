--TEST--
lines: a source that has nothing yet is waited for (LN-33)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
watchdog();
$pipe = slow_writer(["a", "b\n", "c"], 20);
stream_set_blocking($pipe, false);
show(new LineIterator($pipe));
// A user's stream without a descriptor.
class Slow { public $context; private $n = 0;
    public function stream_open() { return true; }
    public function stream_read($count) { return ++$this->n % 4 === 0 && $this->n < 20 ? "x$this->n\n" : ''; }
    public function stream_eof() { return $this->n > 20; }
}
stream_wrapper_register('slow', Slow::class);
show(new LineIterator('slow://x'));
// A socket's own time limit is an error, not a wait for ever and not the end.
[$a, $b] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
stream_set_timeout($a, 0, 50_000);
fwrite($b, "first\nsecond");
$lines = new LineIterator($a);
try {
    foreach ($lines as $line) {
        echo $line, "\n";
    }
    echo "no exception\n";
} catch (IoException $e) {
    echo $e->getCode() === 110 ? 'timed out' : $e->getMessage(), ' ', $e->operation, "\n";
}
fwrite($b, " and more\n");
fclose($b);
$lines->next();
echo $lines->current(), "\n";
?>
--EXPECT--
0:ab | 1:c
0:x4 | 1:x8 | 2:x12 | 3:x16
first
timed out read
second and more

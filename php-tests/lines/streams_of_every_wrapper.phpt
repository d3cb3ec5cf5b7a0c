--TEST--
lines: wrappers and resources are read through PHP's stream layer (LN-18)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$memory = fopen('php://memory', 'r+');
fwrite($memory, "skip\na\nb\n");
fseek($memory, 5);
$lines = new LineIterator($memory);
show($lines);
foreach ($lines as $line) {
    echo $line, '@', $lines->offset(), '-', $lines->nextOffset(), ' '; // offsets count from where the stream stood
}
show($lines); // and rewind() goes back there
unset($lines);
echo get_resource_type($memory), "\n"; // it is never closed here
show(new LineIterator('data:text/plain,x%0Ay'));
show(new LineIterator('data://text/plain;base64,' . base64_encode("p\r\nq")));
show(new LineIterator('php://temp'));
show(new LineIterator('php://filter/read=string.toupper/resource=data:,a%0Ab'));
show(new LineIterator('file://' . text("f\n")));
$filtered = fopen(text(str_rot13("rot\nlines\n")), 'r');
stream_filter_append($filtered, 'string.rot13');
show(new LineIterator($filtered));
echo count_lines('data:,a%0Ab%0Ac'), "\n";

class Vfs
{
    public $context;
    public static array $files = [];
    private string $text;
    private int $at = 0;
    public function stream_open($path, $mode) { $this->text = self::$files[$path] ?? ''; return isset(self::$files[$path]); }
    public function stream_read($count) { $part = substr($this->text, $this->at, min(3, $count)); $this->at += strlen($part); return $part; }
    public function stream_eof() { return $this->at >= strlen($this->text); }
    public function stream_stat() { return []; }
    public function stream_seek($to, $whence) { $this->at = $to; return true; }
    public function stream_tell() { return $this->at; }
    public function stream_close() { echo "(closed)"; }
}
stream_wrapper_register('vfs', Vfs::class);
Vfs::$files['vfs://a'] = "one\ntwo\nthree";
$lines = new LineIterator('vfs://a', chunkSize: 4, offset: 2);
show($lines);
show($lines);
unset($lines);
echo "\n";
raises(fn () => new LineIterator('vfs://none'));
raises(fn () => new LineIterator('nowrapper://x'));
$write = fopen(text(''), 'w');
raises(fn () => iterator_to_array(new LineIterator($write)));
raises(fn () => iterator_to_array(new LineIterator(opendir("/"))));
raises(fn () => new LineIterator(stream_context_create()));
?>
--EXPECT--
0:a | 1:b
a@0-2 b@2-4 0:a | 1:b
stream
0:x | 1:y
0:p | 1:q
(none)
0:A | 1:B
0:f
0:rot | 1:lines
3
0:two | 1:three
0:two | 1:three
(closed)
Rustio\IoException(0): Rustio\LineIterator::__construct(vfs://none): Failed to open stream: "Vfs::stream_open" call failed
Rustio\IoException(2): Rustio\LineIterator::__construct(): Unable to find the wrapper "nowrapper" - did you forget to enable it when you configured PHP?
Rustio\IoException(9): read stream at byte 0, line 0: Bad file descriptor
Rustio\IoException(0): read stream at byte 0, line 0: the stream's wrapper gives no reason
TypeError(0): Rustio\LineIterator::__construct(): supplied resource is not a valid stream resource

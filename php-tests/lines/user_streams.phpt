--TEST--
lines: user streams that throw, re-enter, exit or close themselves
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
class Code { public $context; public static $do; private $n = 0;
    public function stream_open() { return true; }
    public function stream_read($count) { return (self::$do)(++$this->n); }
    public function stream_eof() { return $this->n >= 3; }
}
stream_wrapper_register('code', Code::class);
Code::$do = fn ($n) => $n < 2 ? "a\nb" : throw new DomainException("read $n");
raises(function () { foreach (new LineIterator('code://') as $line) echo $line, "\n"; });
raises(fn () => count_lines('code://'));
$lines = new LineIterator('code://');
raises(fn () => $lines->batch());

// PHP code that runs in the middle of a read meets a busy object.
$lines = new LineIterator('code://');
Code::$do = function ($n) use (&$lines) {
    foreach (['current', 'key', 'next', 'valid', 'rewind', 'offset', 'nextOffset', 'isComplete', 'isTruncated', 'batch'] as $method) {
        try {
            $lines->$method();
            echo "$method was let in\n";
        } catch (Error $e) {
            $said[$e->getMessage()] = true;
        }
    }
    try {
        foreach ($lines as $line) echo "foreach was let in\n";
    } catch (Error $e) {
        $said[$e->getMessage()] = true;
    }
    if ($n === 1) {
        echo implode("\n", array_keys($said)), "\n";
    }
    return "line $n\n";
};
show($lines);
// ... also through an SPL iterator that has begun a loop over it.
$lines = new LineIterator('code://', chunkSize: 4);
$outer = new NoRewindIterator($lines);
Code::$do = function ($n) use (&$outer) {
    if ($n > 1) {
        try { $outer->current(); echo "current() was let in\n"; } catch (Error $e) { echo 'refused '; }
        try { $outer->next(); echo "next() was let in\n"; } catch (Error $e) { echo 'refused '; }
    }
    return "line $n\n";
};
show($outer);

// Its last reference goes away in the middle.
$lines = new LineIterator('code://');
Code::$do = function ($n) use (&$lines) { $lines = null; return "last $n\n"; };
foreach ($lines as $line) echo $line, ' ';
var_dump($lines);

// false, too much, and closing itself.
Code::$do = fn ($n) => false;
raises(fn () => iterator_to_array(new LineIterator('code://')));
$stream = fopen('code://', 'r');
Code::$do = function ($n) use (&$stream) { @fclose($stream); return "x$n\n"; };
show(new LineIterator($stream));

// A fiber that suspends in the middle.
$lines = new LineIterator('code://');
Code::$do = fn ($n) => "from fiber $n\n" . Fiber::suspend($n);
$fiber = new Fiber(function () use ($lines) { show($lines); });
$fiber->start();
raises(fn () => $lines->valid());
$fiber->resume('');
while (!$fiber->isTerminated()) $fiber->resume('');
$fiber = new Fiber(function () { foreach (new LineIterator('code://') as $line); });
$fiber->start();
unset($fiber);
gc_collect_cycles();

register_shutdown_function(function () { echo "shutdown\n"; });
Code::$do = fn ($n) => $n < 2 ? "a\nb" : exit("exit\n");
foreach (new LineIterator('code://') as $line) echo $line, "\n";
echo "never\n";
?>
--EXPECT--
a
DomainException(0): read 2
DomainException(0): read 2
DomainException(0): read 2
The Rustio\LineIterator is being read and can't be used by code that runs meanwhile
0:line 1 | 1:line 2 | 2:line 3
refused refused refused refused refused refused 0:line 1 | 1:line 2 | 2:line 3 | 3:line 4
last 1 last 2 last 3 NULL
Rustio\IoException(0): read code:// at byte 0, line 0: the stream's wrapper gives no reason
0:x1 | 1:x2 | 2:x3
Error(0): The Rustio\LineIterator is being read and can't be used by code that runs meanwhile
0:from fiber 1 | 1:from fiber 2 | 2:from fiber 3
a
exit
shutdown

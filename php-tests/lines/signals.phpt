--TEST--
lines: signal handlers run while a slow pipe is read, and no byte is lost (LN-33)
--EXTENSIONS--
rustio
pcntl
posix
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
watchdog();
pcntl_async_signals(true);
$ticks = 0;
$pieces = array_map(fn ($n) => "line $n" . ($n % 3 ? "\n" : "\r\n"), range(1, 60));
$want = array_map('trim', $pieces);
foreach (['path', 'resource'] as $how) {
    $ticks = 0;
    pcntl_signal(SIGUSR1, function () use (&$ticks) { $ticks++; }, false);
    $source = $how === 'path' ? folder() . '/fifo' : null;
    if ($source) {
        posix_mkfifo($source, 0o600);
        slow_writer($pieces, 3, $source);
    } else {
        $source = slow_writer($pieces, 3);
    }
    // A child that signals each millisecond until this process is done.
    $me = getmypid();
    $beat = pcntl_fork();
    if ($beat === 0) {
        while (posix_kill($me, SIGUSR1)) {
            usleep(1000);
        }
        posix_kill(getmypid(), SIGKILL);
    }
    $got = [];
    foreach (new LineIterator($source) as $line) {
        $got[] = $line;
    }
    $before = $ticks;
    (new LineIterator(slow_writer(["late\n"], 300)))->current();
    $within = $ticks - $before; // in the middle of one wait
    posix_kill($beat, SIGKILL);
    while (pcntl_waitpid($beat, $status) === -1 && pcntl_get_last_error() === PCNTL_EINTR);
    echo $how, ': ', $got === $want ? 'every line once' : json_encode($got), ', ', $within > 20 ? 'many signals' : "$within signals", "\n";
}
?>
--EXPECT--
path: every line once, many signals
resource: every line once, many signals

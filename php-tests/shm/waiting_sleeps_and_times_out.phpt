--TEST--
shm: waiting for the lock sleeps, ends in LockTimeoutException, lets signal handlers run and obeys the time limit (CT-23, CT-36, RT-08)
--EXTENSIONS--
pcntl
posix
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
watchdog();
$key = own_key();
$c = new Rustio\SharedCounter($key, 4);
$c->addMany([2 => 0]);
$holder = child(function () use ($key): void {
    $mine = new Rustio\SharedCounter($key, 4);
    $mine->synchronized(function () use ($mine) { $mine->add(0); sleep(60); });
});
until(fn() => $c->get(0) === 1);

$before = getrusage();
raises(fn() => $c->synchronized(fn() => 1, timeout: 0.3));
$after = getrusage();
$cpu = fn(array $u): int => $u['ru_utime.tv_sec'] * 1000000 + $u['ru_utime.tv_usec'] + $u['ru_stime.tv_sec'] * 1000000 + $u['ru_stime.tv_usec'];
// It slept (was switched away of its own will) rather than spun for 300 ms.
var_dump($after['ru_nvcsw'] > $before['ru_nvcsw'], $cpu($after) - $cpu($before) < 150_000);

// A handler runs while a call waits, may use the segment, and may end the wait by throwing.
pcntl_async_signals(true);
pcntl_signal(SIGALRM, function () use ($c) { echo 'handler sees ', $c->get(0), "\n"; });
pcntl_alarm(1);
raises(fn() => $c->synchronized(fn() => 1, timeout: 1.5));
pcntl_signal(SIGALRM, function () { throw new DomainException('from the handler'); });
pcntl_alarm(1);
raises(fn() => $c->addMany([1 => 1]));
pcntl_alarm(1);
raises(fn() => $c->add(2)); // grouped

// The time limit's own signal (it counts processor time, of which a waiter uses none).
$waiter = "set_time_limit(100); ini_set('display_errors', 1); \$c = Rustio\\SharedCounter::open($key); \$c->add(3); \$c->synchronized(fn() => 1);";
$process = proc_open([PHP_BINARY, '-n', '-d', 'extension=' . extension_file(), '-d', 'html_errors=0', '-d', 'fatal_error_backtraces=0', '-r', $waiter], [1 => ['pipe', 'w']], $pipes);
until(fn() => $c->get(3) === 1);
usleep(100_000);
posix_kill(proc_get_status($process)['pid'], SIGPROF);
echo trim(stream_get_contents($pipes[1])), "\n";
posix_kill($holder, SIGKILL);
finished($holder);
var_dump($c->synchronized(fn() => 'free'));
?>
--EXPECTF--
Rustio\LockTimeoutException: key 0x%x: the lock was not free within 0.3 seconds
bool(true)
bool(true)
handler sees 1
Rustio\LockTimeoutException: key 0x%x: the lock was not free within 1.5 seconds
DomainException: from the handler
DomainException: from the handler
Fatal error: Maximum execution time of 100 seconds exceeded in Command line code on line 1
string(4) "free"

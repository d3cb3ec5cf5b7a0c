--TEST--
shm: a child forked inside synchronized() owns nothing: it waits like any other, and its end releases nothing (CT-22)
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
$done = tempnam(sys_get_temp_dir(), 'rustio-fork-');
unlink($done);
$child = null;
$c->synchronized(function () use ($c, $done, &$child) {
    $child = pcntl_fork();
    if ($child === 0) {
        try {
            $c->synchronized(fn() => $c->add(0), 0.05);
        } catch (Rustio\LockTimeoutException $e) {
            $c->add(1);
        }
        touch($done);
        return; // leaves the section that is its parent's
    }
    until(fn() => file_exists($done));
    clearstatcache();
    usleep(50_000); // the child has left its callback by now, or will: the lock stays ours
    finished_timeout($c);
});
if ($child === 0) {
    // The parent has released it or will: then this child gets it as anybody does.
    $c->synchronized(fn() => $c->add(2));
    posix_kill(getmypid(), SIGKILL);
}
finished($child);
function finished_timeout($c): void
{
    finished(child(function () use ($c) {
        try {
            $c->synchronized(fn() => $c->add(3), 0.0);
        } catch (Rustio\LockTimeoutException) {
            $c->add(1);
        }
    }));
}
unlink($done);
print_r($c->snapshot());
?>
--EXPECT--
Array
(
    [1] => 2
    [2] => 1
)

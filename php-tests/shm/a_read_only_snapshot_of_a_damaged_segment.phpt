--TEST--
shm: a read-only snapshot() says at once that the segment is damaged, and sleeps while it waits for a dead writer's repair
--EXTENSIONS--
shmop
pcntl
posix
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
watchdog();
$key = own_key();
$c = new Rustio\SharedCounter($key, 8);
$c->addMany(['a' => 1]);
$reader = Rustio\SharedCounter::open($key, readOnly: true);
$shm = shmop_open($key, 'w', 0, 0);
$phase = $c->info()['size'] - 1024 + 512;
$was = shmop_read($shm, $phase, 8);

// No phase that there is.
shmop_write($shm, pack('q', 5), $phase);
raises(fn() => $reader->snapshot());

// A call that was begun and is ended only by another process, which must find this one asleep.
shmop_write($shm, pack('q', 0x101), $phase);
$parent = getmypid();
$pid = child(function () use ($parent, $shm, $phase, $was): void {
    usleep(100_000);
    $before = explode(' ', file_get_contents("/proc/$parent/stat"));
    usleep(500_000);
    $after = explode(' ', file_get_contents("/proc/$parent/stat"));
    $ticks = $after[13] + $after[14] - $before[13] - $before[14];
    echo $ticks < 10 ? "it sleeps\n" : "it used $ticks of 50 ticks\n";
    shmop_write($shm, $was, $phase);
});
var_dump($reader->snapshot());
finished($pid);
?>
--EXPECTF--
Rustio\SegmentException: key 0x%x: damaged (phase); nothing was written. destroy() or ipcrm it, then it can be created anew
it sleeps
array(1) {
  ["a"]=>
  int(1)
}

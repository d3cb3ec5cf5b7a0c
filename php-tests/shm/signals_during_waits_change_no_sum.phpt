--TEST--
shm: two processes fight for the lock under a signal every millisecond: the sum is exact (CT-23)
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
$parent = getmypid();
$workers = [];
for ($i = 0; $i < 2; $i++) {
    $workers[] = child(function () use ($key): void {
        pcntl_async_signals(true);
        $signals = 0;
        pcntl_signal(SIGUSR1, function () use (&$signals) { $signals++; });
        $mine = new Rustio\SharedCounter($key, 4);
        $mine->add('ready');
        for ($n = 0; $n < 50_000; $n++) {
            $mine->synchronized(fn() => $mine->set(0, $mine->get(0) + 1));
        }
        $mine->add('signals', $signals);
        $mine->add('done');
    });
}
until(fn() => $c->get('ready') === 2);
while ($c->get('done') < 2) {
    foreach ($workers as $pid) {
        posix_kill($pid, SIGUSR1);
    }
    usleep(1000);
}
array_map('finished', $workers);
var_dump($c->get(0), $c->get('signals') > 0);
?>
--EXPECT--
int(100000)
bool(true)

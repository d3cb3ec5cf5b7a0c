--TEST--
shm: hundreds of SIGKILLs at holders and waiters: addMany() whole, acknowledged adds kept, no lock left (CT-02, CT-03)
--EXTENSIONS--
pcntl
posix
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
watchdog();
$key = own_key();
$c = new Rustio\SharedCounter($key, 7); // no more than there are names: one slot that leaks, and a worker is refused
$c->addMany(['a' => 0, 'b' => 0]);
// What a worker has begun and what it was told is done: in a segment of its own, in counters that never need a lock.
$ledger = new Rustio\SharedCounter(own_key(), 4);
$begin = $c->names();
$work = function () use ($c, $ledger): void {
    $random = random_int(0, 3);
    while (true) {
        $ledger->add(0);
        $c->addMany(['a' => 1, 'b' => 1]);
        $ledger->add(1);
        $ledger->add(2);
        $c->add('a');
        $ledger->add(3);
        if ($random === 0) {
            $c->synchronized(fn() => $c->get('a'));
            $c->add('name ' . random_int(1, 5));
            $c->forget('name ' . random_int(1, 5));
        }
    }
};
$workers = [];
for ($i = 0; $i < 6; $i++) {
    $workers[] = child($work);
}
for ($kills = 0; $kills < 300; $kills++) {
    usleep(random_int(200, 3000));
    $victim = array_rand($workers);
    if ($kills % 10 === 0) { // stopped for a moment, perhaps with the lock: nobody steals it
        posix_kill($workers[$victim], SIGSTOP);
        usleep(3000);
    }
    posix_kill($workers[$victim], SIGKILL);
    finished($workers[$victim]);
    $workers[$victim] = child($work);
}
foreach ($workers as $pid) {
    posix_kill($pid, SIGKILL);
    finished($pid);
}
echo $c->synchronized(fn() => "free\n", 5.0);
[$began, $done, $beganSingle, $doneSingle] = array_map($ledger->get(...), range(0, 3));
$many = $c->get('b');
$single = $c->get('a') - $many;
var_dump($done > 300, $done <= $many && $many <= $began, $doneSingle <= $single && $single <= $beganSingle);
// The names are sound: each is found, and those that are left can be forgotten.
foreach (array_diff_key($c->names(), $begin) as $name => $slot) {
    $c->forget($name);
}
var_dump($c->names() === $begin);
?>
--EXPECT--
free
bool(true)
bool(true)
bool(true)
bool(true)

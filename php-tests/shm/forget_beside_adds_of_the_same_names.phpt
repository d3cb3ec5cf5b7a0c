--TEST--
shm: add() and forget() of the same names in many processes that are killed: no slot leaks, no value is another name's
--EXTENSIONS--
pcntl
posix
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
watchdog();
// As many slots as names: one that leaks, and a worker is refused. No sum of one name is ever a sum of another.
$steps = ['one' => 1, 'two' => 1 << 20, 'three' => 1 << 40];
$c = new Rustio\SharedCounter(own_key(), count($steps));
$work = function () use ($c, $steps): void {
    mt_srand(getmypid() ^ hrtime(true));
    while (true) {
        $name = array_keys($steps)[mt_rand(0, 2)];
        $value = match (mt_rand(0, 7)) {
            0 => (int) $c->forget($name) * 0,
            1 => $c->get($name),
            2 => $c->max($name, $steps[$name]),
            default => $c->add($name, $steps[$name]),
        };
        if ($value % $steps[$name] !== 0 || intdiv($value, $steps[$name]) >= 1 << 20) {
            echo "$value under $name\n";
        }
        foreach (mt_rand(0, 50) === 0 ? $c->snapshot() : [] as $name => $value) {
            if (!isset($steps[$name]) || $value % $steps[$name] !== 0) {
                echo "$value under $name in a snapshot\n";
            }
        }
    }
};
$workers = [];
for ($i = 0; $i < 4; $i++) {
    $workers[] = child($work);
}
for ($kills = 0; $kills < 200; $kills++) {
    usleep(random_int(200, 4000));
    $victim = array_rand($workers);
    posix_kill($workers[$victim], SIGKILL);
    finished($workers[$victim]);
    $workers[$victim] = child($work);
    if ($c->info()['used'] > count($steps)) {
        echo "a slot has leaked\n";
    }
}
foreach ($workers as $pid) {
    posix_kill($pid, SIGKILL);
    finished($pid);
}
foreach ($c->names() as $name => $slot) {
    $c->forget($name);
}
var_dump($c->snapshot());
$c->addMany(['a' => 1, 'b' => 2, 'c' => 3]); // all of the capacity
var_dump($c->get('a') + $c->get('b') + $c->get('c'));
?>
--EXPECT--
array(0) {
}
int(6)

--TEST--
compat: the same counting by shmop + sem and by SharedCounter prints the same
--EXTENSIONS--
pcntl
posix
shmop
sysvsem
rustio
--FILE--
<?php
require __DIR__ . '/../shm/inc/common.php';
require __DIR__ . '/inc/counters.php';
watchdog();
compare(function ($c) {
    echo $c->add(0), ' ', $c->add(0, 41), ' ', $c->set(1, -7), ' ', $c->set(1, 8), ' ', $c->add(1, -9), ' ', $c->get(15), ' ', count([$c]), "\n";
    $c->addMany([2 => 5, 0 => -2]);
    echo json_encode($c->drain()), json_encode($c->drain()), $c->get(0), "\n";
    $c->set(3, PHP_INT_MIN);
    echo $c->get(3) === PHP_INT_MIN ? 'lowest' : 'other', ' ', $c->add(3, PHP_INT_MAX), "\n";
});
compare(function ($c) {
    in_processes(4, function (int $i) use ($c) {
        for ($n = 0; $n < 2000; $n++) {
            $c->add(5);
            $c->addMany([6 => 1, 7 => -1]);
        }
    });
    echo $c->get(5), ' ', $c->get(6), ' ', $c->get(7), "\n";
});
?>
--EXPECT--
the same
1 42 0 -7 -1 0 1
[40,-1,5][]0
lowest -1
the same
8000 8000 -8000

--TEST--
shm: many creators at once, some killed: one segment, initialised; beside processes that destroy it (CT-01, CT-14, CT-28)
--EXTENSIONS--
pcntl
posix
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
watchdog();
$key = own_key();
for ($round = 0; $round < 20; $round++) {
    in_processes(20, fn() => (new Rustio\SharedCounter($key, 100))->add('made'));
    $c = new Rustio\SharedCounter($key, 100);
    if ($c->get('made') !== 20) {
        echo "round $round: ", $c->get('made'), "\n";
    }
    $c->destroy();
}
for ($round = 0; $round < 40; $round++) {
    $pids = [child(fn() => (new Rustio\SharedCounter($key, 100))->add('made')), child(fn() => (new Rustio\SharedCounter($key, 100))->add('made'))];
    usleep(random_int(0, 1000));
    foreach ($pids as $pid) {
        posix_kill($pid, SIGKILL);
        finished($pid);
    }
    $c = new Rustio\SharedCounter($key, 100);
    $c->addMany(['made' => 1]);
    $c->destroy();
}
// Counting while others destroy: every call works or says that its segment is gone.
in_processes(6, function (int $i) use ($key): void {
    for ($n = 0; $n < 300; $n++) {
        try {
            $c = new Rustio\SharedCounter($key, 100);
            $c->add('x');
            $i < 2 ? $c->destroy() : $c->addMany(['x' => 1, 'y' => 1]);
        } catch (Rustio\SegmentException $e) {
            if (!str_contains($e->getMessage(), 'has been removed')) {
                echo $e->getMessage(), "\n";
            }
        }
    }
});
echo "done\n";
?>
--EXPECT--
done

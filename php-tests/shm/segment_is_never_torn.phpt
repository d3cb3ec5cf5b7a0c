--TEST--
shm: SharedSegment: readers never see half a write, while writers are killed (CT-02)
--EXTENSIONS--
pcntl
posix
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
watchdog();
$key = own_key();
$size = 200_000;
$s = new Rustio\SharedSegment($key, $size);
$writer = function () use ($s, $size): void {
    for ($i = 0; ; $i = ($i + 1) % 256) {
        $s->write(str_repeat(chr($i), $size));
    }
};
$writers = [child($writer), child($writer)];
until(fn() => $s->info()['writes'] > 10);
$torn = 0;
for ($kills = 0; $kills < 60; $kills++) {
    for ($reads = 0; $reads < 20; $reads++) {
        $data = $s->read();
        $torn += $data !== str_repeat($data[0], $size);
    }
    usleep(random_int(0, 2000));
    posix_kill($writers[$kills % 2], SIGKILL);
    finished($writers[$kills % 2]);
    $data = $s->read(); // beside what the dead one left
    $torn += $data !== str_repeat($data[0], $size);
    $writers[$kills % 2] = child($writer);
}
foreach ($writers as $pid) {
    posix_kill($pid, SIGKILL);
    finished($pid);
}
$s->write('x', 5);
var_dump($torn, $s->read(5, 1));
?>
--EXPECT--
int(0)
string(1) "x"

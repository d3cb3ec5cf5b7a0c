--TEST--
shm: counter i is the native int64 at byte 8*i of the segment that shmop_open() opens, both ways
--EXTENSIONS--
shmop
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
$key = own_key();
$c = new Rustio\SharedCounter($key, 16);
$c->add(3, 5);
$c->set(0, -2);
$c->addMany([1 => 7, 'named' => 8]); // the highest slot
$shm = shmop_open($key, 'a', 0, 0);
foreach ([0, 1, 2, 3, 15] as $i) {
    echo $i, ': ', unpack('q', shmop_read($shm, 8 * $i, 8))[1], "\n";
}
$write = shmop_open($key, 'w', 0, 0);
shmop_write($write, pack('q', 1234567890123), 8 * 2);
shmop_write($write, pack('q', -9), 8 * 1);
var_dump($c->get(2), $c->get(1), $c->add(1));
var_dump(shmop_size($shm) === $c->info()['size']);
?>
--EXPECT--
0: -2
1: 7
2: 0
3: 5
15: 8
int(1234567890123)
int(-9)
int(-8)
bool(true)

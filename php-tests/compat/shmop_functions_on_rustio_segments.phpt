--TEST--
compat: a script with shmop_open('a' and 'w'), shmop_read, shmop_write and shmop_size prints the same on a segment of each
--EXTENSIONS--
shmop
rustio
--FILE--
<?php
require __DIR__ . '/../shm/inc/common.php';
$script = function (int $key, string $what): string {
    ob_start();
    $read = shmop_open($key, 'a', 0, 0);
    $write = shmop_open($key, 'w', 0, 0);
    echo shmop_write($write, 'config: on', 0), ' ', rtrim(shmop_read($read, 0, 64), "\0"), "\n";
    echo shmop_write($write, pack('q3', 1, -1, 1 << 40), 8), ' ', implode(' ', unpack('q3', shmop_read($read, 8, 24))), "\n";
    foreach ([fn() => shmop_write($read, 'x', 0), fn() => shmop_read($read, -1, 1), fn() => shmop_read($read, 0, -1), fn() => shmop_write($write, 'x', -1)] as $call) {
        raises($call);
    }
    return ob_get_clean();
};
$plain = own_key();
$shm = shmop_open($plain, 'c', 0600, 128);
$expected = $script($plain, 'shmop');
$keys = [own_key(), own_key()];
$counters = new Rustio\SharedCounter($keys[0], 16);
$segment = new Rustio\SharedSegment($keys[1], 128);
foreach ($keys as $key) {
    var_dump($script($key, 'rustio') === $expected);
}
// What it wrote is what rustio reads.
var_dump($counters->get(1), $counters->get(2), $counters->get(3), $segment->read(0, 8));
echo $expected;
?>
--EXPECT--
bool(true)
bool(true)
int(1)
int(-1)
int(1099511627776)
string(8) "config: "
10 config: on
24 1 -1 1099511627776
Error: Read-only segment cannot be written
ValueError: shmop_read(): Argument #2 ($offset) must be between 0 and the segment size
ValueError: shmop_read(): Argument #3 ($size) is out of range
ValueError: shmop_write(): Argument #3 ($offset) is out of range

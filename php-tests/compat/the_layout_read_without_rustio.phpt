--TEST--
compat: plain PHP reads names, values and generation by the documented layout
--EXTENSIONS--
shmop
rustio
--FILE--
<?php
require __DIR__ . '/../shm/inc/common.php';
$key = own_key();
$c = new Rustio\SharedCounter($key, 100);
$c->addMany(['requests' => 12, str_repeat('long', 60) => 5, "nul\0" => -1, 4 => 44]);
$c->add('forgotten');
$c->forget('forgotten');

$shm = shmop_open($key, 'a', 0, 0);
$word = fn(int $byte): int => unpack('q', shmop_read($shm, $byte, 8))[1];
$trailer = shmop_size($shm) - 1024;
var_dump(shmop_read($shm, $trailer, 8), $word($trailer + 8), $word($trailer + 16), $word($trailer + 24) === 0x0102030405060708, $word($trailer + 40) === $c->info()['generation']);
$slots = $word($trailer + 32);
$names = intdiv(8 * $slots + 63, 64) * 64;
$read = [];
for ($i = 0; $i < $slots; $i++) {
    $length = $word($names + 256 * $i + 8);
    $value = $word(8 * $i);
    if ($length > 0) {
        $read[shmop_read($shm, $names + 256 * $i + 16, $length)] = $value;
    } elseif ($value !== 0) {
        $read[$i] = $value;
    }
}
var_dump($slots, $read === $c->snapshot());

// The checksum: FNV-1a, 64 bits, of bytes 8 to 335 of the trailer.
$hash = hash('fnv1a64', shmop_read($shm, $trailer + 8, 328));
var_dump($hash === bin2hex(strrev(shmop_read($shm, $trailer + 336, 8))));
// The key that a name gives.
$name = "phpt layout $key";
$named = new Rustio\SharedCounter($name, 1);
$h = hash('fnv1a64', "rustio:counters:$name");
$key = hexdec(substr($h, 0, 8)) ^ hexdec(substr($h, 8));
var_dump(unpack('l', pack('L', $key))[1] === $named->info()['key']);
$named->destroy();
?>
--EXPECT--
string(8) "rustioL1"
int(2)
int(1)
bool(true)
bool(true)
int(100)
bool(true)
bool(true)
bool(true)

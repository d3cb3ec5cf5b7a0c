--TEST--
shm: SharedSegment with semKey excludes old sem_acquire() code, both ways, and a killed holder frees it
--EXTENSIONS--
pcntl
posix
shmop
sysvsem
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
watchdog();
$key = own_key();
$semKey = own_key();
$s = new Rustio\SharedSegment($key, 8, 0o600, $semKey);
// Old code and new code count in one word, neither atomic by itself.
$old = child(function () use ($key, $semKey): void {
    $sem = sem_get($semKey);
    $shm = shmop_open($key, 'w', 0, 0);
    for ($i = 0; $i < 5000; $i++) {
        sem_acquire($sem);
        shmop_write($shm, pack('q', unpack('q', shmop_read($shm, 0, 8))[1] + 1), 0);
        sem_release($sem);
    }
});
$new = child(function () use ($key, $semKey): void {
    $mine = new Rustio\SharedSegment($key, 8, 0o600, $semKey);
    for ($i = 0; $i < 5000; $i++) {
        $mine->synchronized(function () use ($mine): void {
            $mine->write(pack('q', unpack('q', $mine->read())[1] + 1));
        });
    }
});
finished($old);
finished($new);
var_dump(unpack('q', $s->read())[1]);

$sem = sem_get($semKey);
sem_acquire($sem);
raises(fn() => $s->synchronized(fn() => 1, timeout: 0.1));
sem_release($sem);
var_dump($s->synchronized(fn() => sem_acquire($sem, true)), sem_acquire($sem, true), sem_release($sem));
$holder = child(function () use ($key, $semKey): void {
    $mine = new Rustio\SharedSegment($key, 8, 0o600, $semKey);
    $mine->synchronized(function () use ($mine) { $mine->write('held'); sleep(60); });
});
until(fn() => shmop_read(shmop_open($key, 'a', 0, 0), 0, 4) === 'held');
posix_kill($holder, SIGKILL);
finished($holder);
var_dump($s->read(0, 4), sem_acquire($sem), sem_release($sem));
?>
--EXPECTF--
int(10000)
Rustio\LockTimeoutException: key 0x%x: the lock was not free within 0.1 seconds
bool(false)
bool(true)
bool(true)
string(4) "held"
bool(true)
bool(true)

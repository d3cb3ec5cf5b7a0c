--TEST--
shm: errors name the limit and its sysctl; opening and closing leaves nothing behind; no semaphore set (CT-17, CT-37)
--EXTENSIONS--
posix
pcntl
rustio
--SKIPIF--
<?php
if (posix_geteuid() !== 0 || trim((string) shell_exec('unshare --ipc echo ok 2>/dev/null')) !== 'ok') die('skip needs a new IPC namespace (unshare)');
?>
--FILE--
<?php
require __DIR__ . '/inc/common.php';
$in = fn(string $sysctl): string => "unshare --ipc sh -c " . escapeshellarg("echo $sysctl && exec \"\$0\" \"\$@\"");
$try = 'try { new Rustio\SharedCounter("a", 4); new Rustio\SharedCounter("b", 100000); echo "none"; } catch (Rustio\IoException $e) {
    echo $e->getCode(), " ", $e->operation, " ", preg_replace("/0x\w+/", "KEY", $e->path), ": ", preg_replace("/0x\w+/", "KEY", $e->getMessage()), "\n"; }';
foreach (['shmmni' => 1, 'shmmax' => 40960, 'shmall' => 10] as $limit => $value) {
    echo php($try, before: $in("$value > /proc/sys/kernel/$limit"));
}
$key = own_key();
$before = [shell_exec('ipcs -m | wc -l'), shell_exec('ipcs -s | wc -l')];
$c = new Rustio\SharedCounter($key, 4);
for ($i = 0; $i < 20_000; $i++) {
    new Rustio\SharedCounter($key, 4);
}
$size = $c->info()['size'];
in_processes(50, fn() => (new Rustio\SharedCounter($key, 4))->addMany(['x' => 1]));
$info = $c->info();
// Other tests come and go meanwhile, so only what grows by thousands would show.
var_dump($info['attached'], $info['size'] === $size, $c->get('x'));
var_dump(shell_exec('ipcs -m | wc -l') - $before[0] < 100, shell_exec('ipcs -s | wc -l') - $before[1] < 100);
?>
--EXPECTF--
28 shmget key KEY ("b"): shmget key KEY ("b"): No space left on device; the limits are kernel.shmmax = %d bytes, kernel.shmmni = 1 segments (1 in use), kernel.shmall = %d pages (%d in use): raise them with sysctl, or remove what nobody uses (ipcs -m, ipcrm -m ID)
22 shmget key KEY ("b"): shmget key KEY ("b"): Invalid argument; the limits are kernel.shmmax = 40960 bytes, kernel.shmmni = 4096 segments (1 in use), kernel.shmall = %d pages (%d in use): raise them with sysctl, or remove what nobody uses (ipcs -m, ipcrm -m ID)
28 shmget key KEY ("b"): shmget key KEY ("b"): No space left on device; the limits are kernel.shmmax = %d bytes, kernel.shmmni = 4096 segments (1 in use), kernel.shmall = 10 pages (9 in use): raise them with sysctl, or remove what nobody uses (ipcs -m, ipcrm -m ID)
int(1)
bool(true)
int(50)
bool(true)
bool(true)

--TEST--
shm: the same key in another IPC namespace is another segment; in another PID namespace the lock is refused (CT-18, CT-04)
--EXTENSIONS--
posix
rustio
--SKIPIF--
<?php
if (posix_geteuid() !== 0 || trim((string) shell_exec('unshare --ipc --pid --fork echo ok 2>/dev/null')) !== 'ok') die('skip needs new namespaces (unshare)');
?>
--FILE--
<?php
require __DIR__ . '/inc/common.php';
$key = own_key();
$c = new Rustio\SharedCounter($key, 8);
$c->add('known', 5);
$c->addMany([0 => 1]);
$mine = $c->info();
$out = php("\$c = new Rustio\\SharedCounter($key, 8); echo \$c->add('known'), ' ', \$c->info()['ipc_namespace'];", before: 'unshare --ipc');
[$value, $namespace] = explode(' ', $out);
var_dump($value, (int) $namespace !== $mine['ipc_namespace'], $mine['max_size'] > 0, $mine['max_segments'] > 0);

require_once __DIR__ . '/inc/common.php';
$script = <<<'PHP'
    $c = new Rustio\SharedCounter($key, 8);
    echo $c->add('known'), $c->add(3), $c->get(0), "\n";
    foreach ([fn() => $c->add(0), fn() => $c->add('new'), fn() => $c->addMany([3 => 1]), fn() => $c->snapshot(), fn() => $c->synchronized(fn() => 1), fn() => $c->destroy()] as $call) {
        try {
            $call();
            echo "nothing raised\n";
        } catch (Rustio\SegmentException $e) {
            echo $e->getMessage(), "\n";
        }
    }
    PHP;
echo php("\$key = $key; $script", before: 'unshare --pid --fork');
var_dump($c->snapshot() === [0 => 1, 3 => 1, 'known' => 6]);
// Nobody can tell when a call from there has ended.
raises(fn() => $c->forget('known'));
$c->add('mine');
var_dump($c->forget('mine'), $c->snapshot() === [0 => 1, 3 => 1, 'known' => 6]);
?>
--EXPECTF--
string(1) "1"
bool(true)
bool(true)
bool(true)
611
key 0x%x: made in another PID namespace (or it can't be told), where thread ids mean other threads, so its lock can't be used here; let the containers share the PID namespace, or use only indexes and names that exist already
key 0x%x: made in another PID namespace (or it can't be told), where thread ids mean other threads, so its lock can't be used here; let the containers share the PID namespace, or use only indexes and names that exist already
key 0x%x: made in another PID namespace (or it can't be told), where thread ids mean other threads, so its lock can't be used here; let the containers share the PID namespace, or use only indexes and names that exist already
key 0x%x: made in another PID namespace (or it can't be told), where thread ids mean other threads, so its lock can't be used here; let the containers share the PID namespace, or use only indexes and names that exist already
key 0x%x: made in another PID namespace (or it can't be told), where thread ids mean other threads, so its lock can't be used here; let the containers share the PID namespace, or use only indexes and names that exist already
key 0x%x: made in another PID namespace (or it can't be told), where thread ids mean other threads, so its lock can't be used here; let the containers share the PID namespace, or use only indexes and names that exist already
bool(true)
Rustio\SegmentException: key 0x%x: this name can't be forgotten, for a process of another PID namespace or C library has counted under it, and nobody can tell when that has ended
bool(true)
bool(true)

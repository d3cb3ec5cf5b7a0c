--TEST--
shm: info() and segments() tell what ipcs can't: which segments are rustio's, their names and use
--EXTENSIONS--
shmop
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
$key = own_key();
$name = "phpt listing $key";
$c = new Rustio\SharedCounter($name, 10, 0o640);
$c->add('x');
$c->add(0);
$c->add('unused', 0);
$block = new Rustio\SharedSegment($key, 100);
$foreign = own_key();
$shm = shmop_open($foreign, 'c', 0600, 4096);

$info = $c->info();
ksort($info);
echo implode(' ', array_keys($info)), "\n";
var_dump($info['slots'], $info['used'], $info['attached'], decoct($info['mode']), $info['name'] === $name, $info['owner'] === fileowner(__FILE__) || true);
$info = $block->info();
var_dump($info['key'] === $key, $info['name'], $info['bytes'], $info['size'] > 200, $info['writes']);

$mine = array_values(array_filter(Rustio\segments(), fn($s) => in_array($s['key'], [$c->info()['key'], $key, $foreign], true)));
usort($mine, fn($a, $b) => $a['kind'] <=> $b['kind']);
foreach ($mine as $segment) {
    echo implode(' ', array_keys($segment)), ': ', $segment['kind'], ' ', var_export($segment['name'] === $name, true), ' ', $segment['attached'], ' ', decoct($segment['mode']), "\n";
}
$c->destroy();
var_dump(count(array_filter(Rustio\segments(), fn($s) => $s['name'] === $name)));
?>
--EXPECT--
attached created generation id ipc_namespace key layout max_segments max_size mode name owner pid_namespace segments size slots used
int(10)
int(3)
int(1)
string(3) "640"
bool(true)
bool(true)
bool(true)
NULL
int(100)
bool(true)
int(0)
key id kind name size attached owner mode generation: SharedCounter true 1 640
key id kind name size attached owner mode generation: SharedSegment false 1 600
int(0)

--TEST--
shm: removed by destroy(), shmop_delete() or ipcrm: noticed, raised for ever, never attached again in silence (CT-14, CT-19, CT-20)
--EXTENSIONS--
shmop
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
use Rustio\SharedCounter;
$key = own_key();

echo "destroy():\n";
$a = new SharedCounter($key, 4);
$b = SharedCounter::open($key);
$a->add(0);
$generation = $a->info()['generation'];
$b->destroy();
raises(fn() => $a->add(0));
raises(fn() => $b->get(0));
raises(fn() => $b->destroy());

echo "shmop_delete():\n";
$c = new SharedCounter($key, 4);
var_dump($c->get(0), $c->info()['generation'] > $generation, abs($c->info()['created'] - time()) < 100);
$c->addMany([1 => 1]);
$shm = shmop_open($key, 'w', 0, 0);
shmop_delete($shm);
unset($shm);
raises(fn() => $c->snapshot());

echo "ipcrm, and an addMany():\n";
$d = new SharedCounter($key, 4);
$d->addMany([1 => 1]);
remove($key);
raises(fn() => $d->addMany([1 => 1]));

echo "ipcrm, and single calls:\n";
$e = new SharedCounter($key, 4);
remove($key);
for ($calls = 0; $calls <= 5000; $calls++) {
    try {
        $e->add(0);
    } catch (Rustio\SegmentException) {
        break;
    }
}
var_dump($calls <= 4096);
$f = new SharedCounter($key, 4);
raises(fn() => $e->get(0));
var_dump($f->get(0));
?>
--EXPECTF--
destroy():
Rustio\SegmentException: key 0x%x: the segment of generation %d has been removed (destroy(), ipcrm, or systemd's RemoveIPC); make a new object to use the key's new segment
Rustio\SegmentException: key 0x%x: the segment of generation %d has been removed (destroy(), ipcrm, or systemd's RemoveIPC); make a new object to use the key's new segment
Rustio\SegmentException: key 0x%x: the segment of generation %d has been removed (destroy(), ipcrm, or systemd's RemoveIPC); make a new object to use the key's new segment
shmop_delete():
int(0)
bool(true)
bool(true)
Rustio\SegmentException: key 0x%x: the segment of generation %d has been removed (destroy(), ipcrm, or systemd's RemoveIPC); make a new object to use the key's new segment
ipcrm, and an addMany():
Rustio\SegmentException: key 0x%x: the segment of generation %d has been removed (destroy(), ipcrm, or systemd's RemoveIPC); make a new object to use the key's new segment
ipcrm, and single calls:
bool(true)
Rustio\SegmentException: key 0x%x: the segment of generation %d has been removed (destroy(), ipcrm, or systemd's RemoveIPC); make a new object to use the key's new segment
int(0)

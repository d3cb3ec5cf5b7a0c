--TEST--
shm: more objects that count by name than the segment has entries for: the others take the lock; a child has its own
--EXTENSIONS--
pcntl
posix
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
$key = own_key();
$objects = [];
for ($i = 0; $i < 300; $i++) {
    $objects[] = $c = new Rustio\SharedCounter($key, 2);
    $c->add('x');
    $c->add('x');
}
in_processes(3, function () use ($objects): void {
    foreach ($objects as $c) {
        $c->add('x');
    }
});
var_dump($c->get('x'));
// What the objects owned is free again: the last one still counts, and a name can go.
$objects = [];
var_dump($c->add('x'), $c->forget('x'), $c->add('y'), $c->add('z'));
?>
--EXPECT--
int(1500)
int(1501)
bool(true)
int(1)
int(1)

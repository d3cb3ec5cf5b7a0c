--TEST--
shm: another Fiber of the same thread gets LogicException instead of a deadlock (CT-22)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
$c = new Rustio\SharedCounter(own_key(), 4);
$c->addMany([0 => 1]);
$fiber = new Fiber(function () use ($c) {
    return $c->synchronized(function () use ($c) {
        $c->add(0);
        Fiber::suspend();
        return $c->synchronized(fn() => $c->add(0)); // nested in the same Fiber
    });
});
$fiber->start();
raises(fn() => $c->synchronized(fn() => 1));
raises(fn() => $c->addMany([0 => 1]));
raises(fn() => $c->add(0)); // grouped
raises(fn() => (new Fiber(fn() => $c->snapshot()))->start());
var_dump($c->add(1), $c->get(0));
$fiber->resume();
var_dump($fiber->getReturn(), $c->synchronized(fn() => $c->add(0)));
?>
--EXPECTF--
LogicException: key 0x%x: another Fiber of this thread is inside synchronized()
LogicException: key 0x%x: another Fiber of this thread is inside synchronized()
LogicException: key 0x%x: another Fiber of this thread is inside synchronized()
LogicException: key 0x%x: another Fiber of this thread is inside synchronized()
int(1)
int(2)
int(3)
int(4)

--TEST--
shm: synchronized() gives its callback's value and releases the lock on return, exception, unset, nesting (CT-22)
--EXTENSIONS--
pcntl
posix
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
watchdog();
$key = own_key();
$c = new Rustio\SharedCounter($key, 8);
$c->addMany([1 => 1]); // grouped: takes the lock
/** Whether another process gets the lock. */
$free = function () use ($key): bool {
    $out = new Rustio\SharedCounter($key, 8);
    $before = $out->get(7);
    finished(child(function () use ($key): void {
        $mine = new Rustio\SharedCounter($key, 8);
        $mine->synchronized(fn() => $mine->add(7), timeout: 0.0);
    }));
    return $out->get(7) === $before + 1;
};

var_dump($c->synchronized(fn() => ['any', 'value']), $free());
raises(fn() => $c->synchronized(fn() => throw new DomainException('mine')));
var_dump($free());

// Nested: the same section, through this object and through another one; released by the outermost.
$other = Rustio\SharedCounter::open($key);
var_dump($c->synchronized(function () use ($c, $other, $free) {
    $sum = $c->synchronized(fn() => $c->add(1) + $other->synchronized(fn() => $other->add(1)));
    $c->addMany([1 => 10]);
    $c->add('named', 3);
    $other->snapshot();
    return [$sum, $c->get(1), $other->drain()];
}), $free());

// The object goes while its callback runs.
$gone = Rustio\SharedCounter::open($key);
$gone->synchronized(function () use (&$gone) { $gone = null; });
var_dump($gone, $free());

// A callback that destroys.
raises(fn() => $c->synchronized(fn() => 1, -0.5));
raises(fn() => $c->synchronized(fn() => 1, NAN));
raises(fn() => $c->synchronized('no such function'));
var_dump($c->synchronized(fn() => 5, INF), $c->synchronized(fn() => 6, 0.0));
$c->synchronized(fn() => $c->destroy());
raises(fn() => $other->get(0));
?>
--EXPECTF--
array(2) {
  [0]=>
  string(3) "any"
  [1]=>
  string(5) "value"
}
bool(true)
DomainException: mine
bool(true)
array(3) {
  [0]=>
  int(5)
  [1]=>
  int(13)
  [2]=>
  array(3) {
    [1]=>
    int(13)
    ["named"]=>
    int(3)
    [7]=>
    int(2)
  }
}
bool(true)
NULL
bool(true)
ValueError: Rustio\SharedCounter::synchronized(): Argument #2 ($timeout) must be greater than or equal to 0
ValueError: Rustio\SharedCounter::synchronized(): Argument #2 ($timeout) must be greater than or equal to 0
TypeError: Rustio\SharedCounter::synchronized(): Argument #1 ($fn) must be a valid callback, function "no such function" not found or invalid function name
int(5)
int(6)
Rustio\SegmentException: key 0x%x: the segment of generation %d has been removed (destroy(), ipcrm, or systemd's RemoveIPC); make a new object to use the key's new segment

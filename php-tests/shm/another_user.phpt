--TEST--
shm: another user's segment: key, owner, mode and advice; read-only works where it may be read (CT-16)
--EXTENSIONS--
posix
pcntl
rustio
--SKIPIF--
<?php if (posix_geteuid() !== 0) die('skip needs root to become another user'); ?>
--FILE--
<?php
require __DIR__ . '/inc/common.php';
use Rustio\SharedCounter;
$private = own_key();
$readable = own_key();
$writable = own_key();
umask(0o777); // has no say in System V objects
(new SharedCounter($private, 4, 0o600))->add(0);
(new SharedCounter($readable, 4, 0o644))->addMany(['x' => 3]);
(new SharedCounter($writable, 4, 0o666))->add(0);
umask(0o022);
foreach ([0, 0o44, 0o400, 0o1600, -1] as $mode) {
    raises(fn() => new SharedCounter($private, 4, $mode));
}
finished(child(function () use ($private, $readable, $writable): void {
    posix_setegid(65534);
    posix_seteuid(65534);
    raises(fn() => new SharedCounter($private, 4));
    raises(fn() => SharedCounter::open($private, readOnly: true));
    raises(fn() => new SharedCounter($readable, 4));
    $reader = SharedCounter::open($readable, readOnly: true);
    echo $reader->get('x'), ' ', json_encode($reader->snapshot()), ' ', decoct($reader->info()['mode']), "\n";
    raises(fn() => $reader->add('x'));
    raises(fn() => $reader->addMany([]));
    raises(fn() => $reader->drain());
    raises(fn() => $reader->synchronized(fn() => 1));
    raises(fn() => $reader->destroy());
    $c = new SharedCounter($writable, 4);
    echo $c->add(0), "\n";
    raises(fn() => $c->destroy()); // may write, may not remove: refused before anything is done
    echo $c->add(0), "\n";
}));
?>
--EXPECTF--
ValueError: Rustio\SharedCounter::__construct(): Argument #3 ($mode) must be between 0o600 and 0o777 and let the owner read and write
ValueError: Rustio\SharedCounter::__construct(): Argument #3 ($mode) must be between 0o600 and 0o777 and let the owner read and write
ValueError: Rustio\SharedCounter::__construct(): Argument #3 ($mode) must be between 0o600 and 0o777 and let the owner read and write
ValueError: Rustio\SharedCounter::__construct(): Argument #3 ($mode) must be between 0o600 and 0o777 and let the owner read and write
ValueError: Rustio\SharedCounter::__construct(): Argument #3 ($mode) must be between 0o600 and 0o777 and let the owner read and write
Rustio\IoException (13): shmat key 0x%x: Permission denied; it belongs to user 0 group 0 with mode 0600, and this process runs as user 65534: run both as one user, create it with a wider mode, or open it read-only
Rustio\IoException (13): shmat key 0x%x: Permission denied; it belongs to user 0 group 0 with mode 0600, and this process runs as user 65534: run both as one user, create it with a wider mode, or open it read-only
Rustio\IoException (13): shmat key 0x%x: Permission denied; it belongs to user 0 group 0 with mode 0644, and this process runs as user 65534: run both as one user, create it with a wider mode, or open it read-only
3 {"x":3} 644
Rustio\SegmentException: key 0x%x: opened read-only
Rustio\SegmentException: key 0x%x: opened read-only
Rustio\SegmentException: key 0x%x: opened read-only
Rustio\SegmentException: key 0x%x: opened read-only
Rustio\IoException (1): shmctl key 0x%x: Operation not permitted; it belongs to user 0 group 0 with mode 0644, and this process runs as user 65534: run both as one user, create it with a wider mode, or open it read-only
2
Rustio\IoException (1): shmctl key 0x%x: Operation not permitted; it belongs to user 0 group 0 with mode 0666, and this process runs as user 65534: run both as one user, create it with a wider mode, or open it read-only
3

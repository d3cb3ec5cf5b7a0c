--TEST--
shm: where shmget(2) is refused the extension loads, the call raises with its errno, the rest works (CT-38)
--EXTENSIONS--
rustio
--SKIPIF--
<?php if (trim((string) shell_exec('strace -qq -e trace=none echo ok 2>/dev/null')) !== 'ok') die('skip needs strace'); ?>
--FILE--
<?php
require __DIR__ . '/inc/common.php';
foreach (['ENOSYS', 'EPERM'] as $errno) {
    echo php('try { new Rustio\SharedCounter(7, 4); } catch (Rustio\IoException $e) { echo $e->getCode(), " ", $e->operation, ": ", $e->getMessage(), "\n"; }
        echo Rustio\count_lines(__FILE__), "\n";', before: "strace -f -qq -o /dev/null -e trace=shmget -e inject=shmget:error=$errno");
}
?>
--EXPECTF--
38 shmget: shmget key 0x00000007: Function not implemented; this kernel or container has no System V shared memory
2
1 shmget: shmget key 0x00000007: Operation not permitted%S
2

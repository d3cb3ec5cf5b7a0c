--TEST--
shm: the example of live statistics counts exactly, though its workers end by SIGKILL
--EXTENSIONS--
pcntl
posix
rustio
--FILE--
<?php
$argv = ['', 3, 1];
require __DIR__ . '/../../docs/examples/live_stats.php';
?>
--EXPECTREGEX--
second 1, workers [0-9 ]+
name +last second +in all
[\s\S]*
[0-9]+ requests counted, [0-9]+ by status: exact

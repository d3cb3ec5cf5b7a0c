--TEST--
log: a record that has waited longer than batchSeconds is written by the next append
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$file = folder() . '/app.log';
$log = new Rustio\BatchLogger($file, batchSeconds: 0.05);
$log->append('one');
usleep(200_000);
$log->append('two');
echo file_get_contents($file);
$slow = new Rustio\BatchLogger($file, batchSeconds: INF);
$slow->append('three');
usleep(50_000);
$slow->append('four');
echo $slow->stats()['pending_records'], " wait\n";
$now = new Rustio\BatchLogger($file, batchSeconds: 0);
$now->append('five');
echo $now->stats()['pending_records'], " wait\n";
$slow->close();
?>
--EXPECT--
one
two
2 wait
0 wait

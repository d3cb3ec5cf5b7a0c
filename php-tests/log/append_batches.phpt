--TEST--
log: records wait until a batch of records or bytes is full, or flush() or close() is called
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$file = folder() . '/app.log';

$log = new Rustio\BatchLogger($file, batchRecords: 3);
$log->append('one');
$log->append('two');
var_dump(file_exists($file));
$log->append('');
var_dump(file_get_contents($file));
$log->append('four');
$log->flush();
echo file_get_contents($file);

$log = new Rustio\BatchLogger($file, batchBytes: 10);
$log->append('12345');
$log->append('1234');
clearstatcache();
var_dump(filesize($file));
$log->append('last');
$log->close();
$log->close();
echo file_get_contents($file);
foreach ($log->stats() as $name => $value) {
    echo $name, ' ', var_export($value, true), "\n";
}
?>
--EXPECT--
bool(false)
string(9) "one
two

"
one
two

four
int(25)
one
two

four
12345
1234
last
records 3
bytes 16
writes 2
syncs 0
shared_syncs 0
reopens 0
pending_records 0
pending_bytes 0
recovered 0
refused 0
errors 0
sync 'never'
batch_bytes 10
group true
spool false

--TEST--
log: the number of write(2) calls grows with the bytes, not with the records
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
foreach ([[1000, 640], [10_000, 64], [100_000, 6]] as [$records, $size]) {
    $log = new Rustio\BatchLogger("$folder/$size", batchRecords: PHP_INT_MAX);
    $record = str_repeat('x', $size - 1);
    for ($i = 0; $i < $records; $i++) {
        $log->append($record);
    }
    $log->close();
    echo $log->stats()['writes'], "\n";
}
?>
--EXPECT--
10
10
10

--TEST--
log: Sync::Record syncs each record, Sync::Batch each batch, Sync::Never only sync()
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
foreach (Rustio\Sync::cases() as $sync) {
    $log = new Rustio\BatchLogger("$folder/$sync->value", batchRecords: 2, sync: $sync);
    for ($i = 0; $i < 4; $i++) {
        $log->append("$i");
    }
    $stats = $log->stats();
    echo "$stats[sync]: $stats[writes] writes, $stats[syncs] syncs";
    $log->appendAll(['a', 'b', 'c']);
    $log->sync();
    $log->sync();
    $stats = $log->stats();
    echo "; then $stats[writes] writes, $stats[syncs] syncs\n";
    echo implode(' ', file("$folder/$sync->value", FILE_IGNORE_NEW_LINES)), "\n";
}
?>
--EXPECT--
never: 2 writes, 0 syncs; then 4 writes, 1 syncs
0 1 2 3 a b c
batch: 2 writes, 2 syncs; then 4 writes, 4 syncs
0 1 2 3 a b c
record: 4 writes, 4 syncs; then 6 writes, 6 syncs
0 1 2 3 a b c

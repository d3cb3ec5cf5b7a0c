--TEST--
log: OnError::Report warns once a minute, counts what is not stored, and an error handler may log (LG-05, LG-06, LG-39)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
$log = new Rustio\BatchLogger("$folder/no/app.log", batchRecords: 1, onError: Rustio\OnError::Report, maxPendingBytes: 100);
set_error_handler(function (int $level, string $message) use ($log, $folder): bool {
    echo $level === E_WARNING ? 'warning: ' : "$level: ", str_replace($folder, '', $message), "\n";
    $log->append('from the handler');
    return true;
});
for ($i = 0; $i < 50; $i++) {
    $log->append("record $i");
}
$stats = $log->stats();
var_dump($stats['pending_records'] + $stats['refused'], $stats['pending_bytes'] <= 100, $stats['errors'] > 40);
mkdir("$folder/no");
$log->flush();
$lines = file("$folder/no/app.log", FILE_IGNORE_NEW_LINES);
echo count($lines) === $stats['pending_records'] ? 'all that waited' : 'some lost', ", $lines[0], $lines[1]\n";
echo $log->stats()['pending_records'], " wait\n";
try {
    $throwing = new Rustio\BatchLogger('/dev/full', onError: Rustio\OnError::Report);
    set_error_handler(fn(int $level, string $message) => throw new ErrorException($message));
    $throwing->append('x');
    $throwing->flush();
} catch (ErrorException $e) {
    echo $e->getMessage(), "\n";
}
ini_set('error_log', '/dev/null');
?>
--EXPECT--
warning: Rustio\BatchLogger: open /no/app.log: No such file or directory
int(51)
bool(true)
bool(true)
all that waited, record 0, from the handler
0 wait
Rustio\BatchLogger: write /dev/full: No space left on device

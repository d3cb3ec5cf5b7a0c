--TEST--
log: a close() that failed can be called again, and with OnError::Report the release tells what is lost
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
$log = new Rustio\BatchLogger("$folder/no/app.log");
$log->append('late');
foreach (['close', 'close', 'flush'] as $method) {
    try {
        $log->$method();
        echo "$method returned\n";
    } catch (Rustio\IoException $e) {
        echo $method, ': ', $e->operation, ' ', $e->getCode(), "\n";
    }
}
mkdir("$folder/no");
$log->close();
echo file_get_contents("$folder/no/app.log"), $log->stats()['pending_records'], "\n";
foreach (['append', 'sync', 'reopen'] as $method) {
    try {
        $log->$method(...$method === 'append' ? ['x'] : []);
    } catch (Rustio\IoException $e) {
        echo $e->operation, ' ', $e->getCode(), "\n";
    }
}

echo run($folder, '$l = new Rustio\BatchLogger(dirname($log) . "/not/app.log", onError: Rustio\OnError::Report);
    $l->append("a"); @$l->flush(); $l->append("b"); $l->close(); unset($l); echo "on\n";',
    "-d log_errors=1 -d error_log=$folder/errors");
echo preg_replace('~.*(Rustio.BatchLogger: open).*(\(.*\))~', '$1 $2', file_get_contents("$folder/errors"));
?>
--EXPECT--
close: open 2
close: open 2
flush: open 2
late
0
append 9
sync 9
reopen 9
on
Rustio\BatchLogger: open (2 records not written)

--TEST--
log: INI rustio.log_batch and rustio.log_sync override what the code asked for, visibly
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
$code = '$l = new Rustio\BatchLogger($log, batchBytes: 5000, sync: Rustio\Sync::Batch); $l->append("x");
    $s = $l->stats(); echo "$s[batch_bytes] $s[sync] $s[pending_records]\n";
    var_dump(ini_set("rustio.log_sync", "never"), ini_get("rustio.log_batch"));';
foreach (['', '-d rustio.log_batch=0', '-d rustio.log_batch=128K', '-d rustio.log_sync=record', '-d rustio.log_sync=Never',
    '-d rustio.log_sync=always', '-d rustio.log_batch=many'] as $ini) {
    echo trim(preg_replace('/ in \S+:\d+.*/s', '', run($folder, $code, "$ini -d html_errors=0"))), "\n\n";
}
$info = run($folder, 'phpinfo(INFO_MODULES);', '-d rustio.log_sync=batch');
echo implode("\n", preg_grep('/^rustio\.log_/', explode("\n", $info))), "\n";
?>
--EXPECT--
5000 batch 1
bool(false)
string(0) ""

0 batch 0
bool(false)
string(1) "0"

131072 batch 1
bool(false)
string(4) "128K"

5000 record 0
bool(false)
string(0) ""

5000 never 1
bool(false)
string(0) ""

Fatal error: Uncaught Rustio\RustioException: INI rustio.log_sync must be never, batch or record, "always" given

Fatal error: Uncaught Rustio\RustioException: INI rustio.log_batch must be a number of bytes, "many" given

rustio.log_batch => no value => no value
rustio.log_sync => batch => batch

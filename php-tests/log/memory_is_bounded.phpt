--TEST--
log: a million records cost no memory, one huge record none that stays (LG-40)
--EXTENSIONS--
rustio
--SKIPIF--
<?php
if (getenv('USE_ZEND_ALLOC') === '0') die('skip memory is not measured under valgrind or a sanitizer');
?>
--FILE--
<?php
require __DIR__ . '/log.inc';
$file = folder() . '/app.log';
$rss = fn() => (int) preg_replace('/.*VmRSS:\s*(\d+).*/s', '$1', file_get_contents('/proc/self/status'));
$log = new Rustio\BatchLogger($file, batchRecords: PHP_INT_MAX, batchSeconds: INF);
$log->append('x');
$before = $rss();
for ($i = 0; $i < 1_000_000; $i++) {
    $log->append('a record of the usual kind, some eighty bytes long, with nothing in it to escape');
}
var_dump($rss() - $before < 2048);
$log->append(str_repeat('x', 30_000_000));
$log->flush();
var_dump($rss() - $before < 8192);
$log->close();
?>
--EXPECT--
bool(true)
bool(true)

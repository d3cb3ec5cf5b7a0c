--TEST--
log: the file size limit is EFBIG, not the end of the process, and leaves no torn record
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
echo run($folder, '$l = new Rustio\BatchLogger($log); $r = str_repeat("x", 99);
    for ($i = 0; $i < 30; $i++) { $l->append($r); }
    try { $l->flush(); } catch (Rustio\IoException $e) { echo $e->getCode() === 27 ? "EFBIG" : $e->getCode(), " $e->operation\n"; }
    clearstatcache(); echo filesize($log), " bytes, ", $l->stats()["pending_records"], " wait\n";
    $l = null; echo "alive\n";',
    '-d error_log=/dev/null', 'prlimit --fsize=2048');
?>
--EXPECT--
EFBIG write
0 bytes, 30 wait
alive

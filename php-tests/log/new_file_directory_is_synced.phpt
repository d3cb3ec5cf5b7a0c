--TEST--
log: the directory of a new file is synced before the first acknowledgement, the record's write before its fdatasync (LG-35)
--EXTENSIONS--
rustio
--SKIPIF--
<?php
require __DIR__ . '/log.inc';
skip_without_strace();
?>
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
run($folder, '$l = new Rustio\BatchLogger($log, sync: Rustio\Sync::Record); $l->append("one"); $l->append("two");',
    under: "strace -f -qq -y -o $folder/trace -e trace=write,fsync,fdatasync");
$calls = [];
foreach (file("$folder/trace") as $line) {
    if (preg_match('#(write|fsync|fdatasync)\(\d+<' . preg_quote($folder) . '(/app\.log)?>#', $line, $m)) {
        $calls[] = $m[1] . ' ' . (isset($m[2]) ? 'file' : 'directory');
    }
}
echo implode("\n", $calls), "\n";
?>
--EXPECT--
write file
fsync directory
fdatasync file
write file
fdatasync file

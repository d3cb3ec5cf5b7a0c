--TEST--
log: on a full file system no torn record stays, and what waited is written when there is room (LG-04, LG-43)
--EXTENSIONS--
rustio
posix
--SKIPIF--
<?php
if (posix_getuid() !== 0) die('skip mounting needs root');
if (trim((string) shell_exec('unshare -m true 2>&1')) !== '') die('skip no mount namespaces');
?>
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
mkdir("$folder/small");
$code = <<<'PHP'
    $dir = dirname($log) . '/small';
    file_put_contents("$dir/filler", str_repeat('f', 600_000));
    $l = new Rustio\BatchLogger("$dir/app.log", batchRecords: 1);
    $stored = 0;
    try {
        for ($i = 0; ; $i++) {
            $l->append(sprintf("%05d %'.2990d", $i, 0));
            $stored++;
        }
    } catch (Rustio\IoException $e) {
        echo "$e->operation ", $e->getCode(), "\n";
    }
    echo substr(file_get_contents("$dir/app.log"), -1) === "\n" ? "whole\n" : "torn\n";
    unlink("$dir/filler");
    $l->append(sprintf("%05d %'.2990d", $i + 1, 0));
    foreach (file("$dir/app.log", FILE_IGNORE_NEW_LINES) as $n => $line) {
        if (strlen($line) !== 2996 || (int) $line !== $n) { echo "bad line $n\n"; }
    }
    echo $n === $stored + 1 ? "all\n" : "$n of $stored\n";
    $l->reopen(); // a file open for writing would keep the mount busy
    exec("mount -o remount,ro $dir");
    try { $l->append('read-only'); } catch (Rustio\IoException $e) { echo "$e->operation ", $e->getCode(), "\n"; }
    exec("mount -o remount,rw $dir");
    $l->append('again');
    echo implode(' ', array_slice(file("$dir/app.log", FILE_IGNORE_NEW_LINES), -2)), "\n";
    $l->close();
    PHP;
file_put_contents("$folder/script.sh", "mount -t tmpfs -o size=1m none $folder/small && exec \"\$@\"");
echo run($folder, $code, '', "unshare -m sh $folder/script.sh");
?>
--EXPECT--
write 28
whole
all
open 30
read-only again

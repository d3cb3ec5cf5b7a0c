--TEST--
log: processes that wait for the same file share fdatasync calls; a killed leader blocks nobody (LG-33)
--EXTENSIONS--
rustio
pcntl
posix
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
$file = "$folder/app.log";
$pids = [];
for ($w = 0; $w < 8; $w++) {
    $pids[] = child(function () use ($folder, $file, $w): void {
        $log = new Rustio\BatchLogger($file, sync: Rustio\Sync::Record);
        for ($i = 0; $i < 200; $i++) {
            $log->append("$w $i");
        }
        file_put_contents("$folder/stats$w", json_encode($log->stats()));
    });
}
// Two more that die in the middle of it.
$doomed = [];
for ($w = 8; $w < 10; $w++) {
    $doomed[] = child(function () use ($file, $w): void {
        $log = new Rustio\BatchLogger($file, sync: Rustio\Sync::Record);
        for ($i = 0; ; $i++) {
            $log->append("$w $i");
        }
    });
}
usleep(20_000);
foreach ($doomed as $pid) {
    posix_kill($pid, SIGKILL);
}
$syncs = $shared = 0;
foreach ($pids as $w => $pid) {
    pcntl_waitpid($pid, $status);
    $stats = json_decode(file_get_contents("$folder/stats$w"), true);
    $syncs += $stats['syncs'];
    $shared += $stats['shared_syncs'];
}
$next = [];
foreach (file($file, FILE_IGNORE_NEW_LINES) as $line) {
    [$w, $i] = explode(' ', $line);
    if (($next[$w] ??= 0) != $i) {
        echo "out of order: $line\n";
    }
    $next[$w]++;
}
var_dump(array_sum(array_slice($next, 0, 8)) >= 1600, $syncs < 1600, $shared > 0);
?>
--EXPECT--
bool(true)
bool(true)
bool(true)

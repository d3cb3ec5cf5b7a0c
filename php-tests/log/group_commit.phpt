--TEST--
log: while one fdatasync runs the next serves all who have written meanwhile; a killed leader blocks nobody (LG-33)
--EXTENSIONS--
rustio
pcntl
posix
--SKIPIF--
<?php
require __DIR__ . '/log.inc';
skip_without_strace();
?>
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
// Each fdatasync takes 20 ms, so that sharing is no matter of luck. Two of the ten die in the middle of it.
$printed = run($folder, <<<'PHP'
    $folder = dirname($log);
    $pids = [];
    for ($w = 0; $w < 10; $w++) {
        if (($pids[$w] = pcntl_fork()) === 0) {
            $l = new Rustio\BatchLogger($log, sync: Rustio\Sync::Record);
            for ($i = 0; $i < ($w < 8 ? 25 : PHP_INT_MAX); $i++) {
                $l->append("$w $i");
            }
            file_put_contents("$folder/stats$w", json_encode($l->stats()));
            exit;
        }
    }
    usleep(150_000);
    posix_kill($pids[8], SIGKILL);
    posix_kill($pids[9], SIGKILL);
    foreach ($pids as $pid) {
        pcntl_waitpid($pid, $status);
    }
    PHP, under: "strace -f -qq -o $folder/trace -e trace=fdatasync -e inject=fdatasync:delay_enter=20000");
echo preg_replace('/^strace: .*\n/m', '', $printed); // its own remarks on processes that are killed
$syncs = $shared = 0;
foreach (glob("$folder/stats*") as $file) {
    $stats = json_decode(file_get_contents($file), true);
    $syncs += $stats['syncs'];
    $shared += $stats['shared_syncs'];
}
$next = [];
foreach (file("$folder/app.log", FILE_IGNORE_NEW_LINES) as $line) {
    [$w, $i] = explode(' ', $line);
    if (($next[$w] ??= 0) != $i) {
        echo "out of order: $line\n";
    }
    $next[$w]++;
}
ksort($next);
echo implode(' ', array_slice($next, 0, 8)), "\n";
var_dump($syncs + $shared >= 200, $syncs < 100);
?>
--EXPECT--
25 25 25 25 25 25 25 25
bool(true)
bool(true)

--TEST--
log: a kill just before, inside and just after write(2) neither tears nor doubles a record, spool or not (LG-10)
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
$expected = [];
foreach (['write', 'rt_sigprocmask', 'flock', 'fstat', 'newfstatat', 'fallocate'] as $call) {
    foreach ([1, 2, 3, 4, 5, 6, 7, 8] as $nth) {
        foreach ([true, false] as $spool) {
            @unlink("$folder/app.log");
            run($folder, '$l = new Rustio\BatchLogger($log, batchRecords: 4, spool: ' . var_export($spool, true) . ');
                for ($i = 0; $i < 16; $i++) { $l->append("a$i"); }',
                under: "strace -f -qq -o $folder/trace -P $folder/app.log -P $folder -e inject=$call:signal=KILL:when=$nth");
            run($folder, '$l = new Rustio\BatchLogger($log); $l->append("last"); $l->close();');
            $lines = file("$folder/app.log", FILE_IGNORE_NEW_LINES);
            if (array_pop($lines) !== 'last') {
                echo "$call $nth: the last is missing\n";
            }
            $whole = array_map(fn($i) => "a$i", array_keys($lines));
            if ($lines !== $whole) {
                echo "$call $nth: ", implode(' ', $lines), "\n";
            }
        }
    }
}
// A write of 64 MB, cut at some moment.
for ($round = 0; $round < 20; $round++) {
    foreach (['/dev/shm', $folder] as $where) {
        $log = "$where/big" . getmypid();
        @unlink($log);
        $delay = (500 + 1700 * $round) / 1e6;
        run($folder, "\$l = new Rustio\\BatchLogger('$log', batchBytes: 1 << 26, batchRecords: 1 << 20, maxPendingBytes: 1 << 27);
            \$r = str_repeat('x', 9999); for (\$i = 0; \$i < 1600; \$i++) { \$l->append(\$r); }
            if (pcntl_fork() === 0) { usleep($round * 400); posix_kill(posix_getppid(), SIGKILL); exit; } \$l->flush(); sleep(1);");
        run($folder, "\$l = new Rustio\\BatchLogger('$log', maxPendingBytes: 1 << 27); \$l->append('last'); \$l->close();");
        $lengths = array_count_values(array_map('strlen', file($log)));
        unset($lengths[10000], $lengths[5]);
        if ($lengths) {
            echo 'torn: ', json_encode($lengths), "\n";
        }
        unlink($log);
    }
}
echo "done\n";
?>
--EXPECT--
done

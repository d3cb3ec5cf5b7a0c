--TEST--
log: a kill inside a write of many megabytes, on disk and on tmpfs, leaves whole records only (LG-10)
--EXTENSIONS--
rustio
pcntl
posix
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
$cut = 0;
foreach (['/dev/shm', $folder] as $where) {
    $file = "$where/rustio-big-" . getmypid();
    for ($round = 0; $round < 12; $round++) {
        @unlink($file);
        [$ready, $told] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        $victim = child(function () use ($file, $told): void {
            $log = new Rustio\BatchLogger($file, batchBytes: 1 << 26, batchRecords: 1 << 20, batchSeconds: INF, maxPendingBytes: 1 << 27);
            $record = str_repeat('x', 9999);
            for ($i = 0; $i < 1600; $i++) {
                $log->append($record);
            }
            fwrite($told, 'x');
            $log->flush();
            sleep(60);
        });
        fread($ready, 1);
        do {
            clearstatcache();
        } while (!is_file($file) || filesize($file) === 0); // it is being written
        usleep(150 * $round);
        posix_kill($victim, SIGKILL);
        pcntl_waitpid($victim, $status);
        clearstatcache();
        $cut += is_file($file) && filesize($file) % 16_000_000 !== 0;
        $log = new Rustio\BatchLogger($file, maxPendingBytes: 1 << 27);
        $log->append('last');
        $log->close();
        $lengths = [];
        foreach (new Rustio\LineIterator($file) as $line) {
            $lengths[strlen($line)] = ($lengths[strlen($line)] ?? 0) + 1;
        }
        $whole = $lengths[9999] ?? 0;
        unset($lengths[9999], $lengths[4]);
        if ($lengths || $whole > 1600) {
            echo "round $round: $whole records, torn ", json_encode($lengths), "\n";
        }
    }
    unlink($file);
}
echo $cut > 0 ? "cut\n" : "no write was cut: nothing tested\n";
?>
--EXPECT--
cut

--TEST--
log: records of many processes stay whole, once and in order, of 10 bytes or 200 KB, batched or not (LG-01)
--EXTENSIONS--
rustio
pcntl
posix
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
foreach ([[10, 2000, 1000], [4096, 300, 1], [9000, 200, 1000], [200_000, 20, 1000], [3_000_000, 2, 1]] as [$size, $count, $batch]) {
    $file = "$folder/$size.log";
    $pids = [];
    for ($w = 0; $w < 8; $w++) {
        $pids[] = child(function () use ($file, $w, $size, $count, $batch): void {
            $log = new Rustio\BatchLogger($file, batchRecords: $batch);
            for ($i = 0; $i < $count; $i++) {
                $body = "$w $i " . str_repeat(chr(97 + $i % 26), $size);
                $log->append("$body " . crc32($body));
            }
            $log->close();
        });
    }
    foreach ($pids as $pid) {
        pcntl_waitpid($pid, $status);
    }
    $next = array_fill(0, 8, 0);
    $bad = 0;
    foreach (new Rustio\LineIterator($file, maxLineLength: 1 << 24) as $line) {
        [$w, $i] = explode(' ', $line);
        $at = strrpos($line, ' ');
        $bad += crc32(substr($line, 0, $at)) != substr($line, $at + 1) || $next[$w]++ != $i;
    }
    echo "$size: $bad bad, ", array_sum($next) - 8 * $count, " missing\n";
}
?>
--EXPECT--
10: 0 bad, 0 missing
4096: 0 bad, 0 missing
9000: 0 bad, 0 missing
200000: 0 bad, 0 missing
3000000: 0 bad, 0 missing

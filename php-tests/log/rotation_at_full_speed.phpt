--TEST--
log: ten rotations while four processes log lose nothing over all files (LG-12)
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
for ($w = 0; $w < 4; $w++) {
    $pids[] = child(function () use ($file, $w): void {
        $log = new Rustio\BatchLogger($file, batchRecords: 20);
        for ($i = 0; $i < 20_000; $i++) {
            $log->append("$w $i");
        }
        $log->close();
    });
}
for ($r = 0; $r < 10; $r++) {
    usleep(10_000);
    @rename($file, "$file.$r");
    if ($r % 2) {
        touch($file);
    }
}
foreach ($pids as $pid) {
    pcntl_waitpid($pid, $status);
}
$lines = array_merge(...array_map(fn($f) => file($f, FILE_IGNORE_NEW_LINES), glob("$file*")));
$expected = [];
for ($w = 0; $w < 4; $w++) {
    for ($i = 0; $i < 20_000; $i++) {
        $expected[] = "$w $i";
    }
}
sort($lines);
sort($expected);
var_dump($lines === $expected);
?>
--EXPECT--
bool(true)

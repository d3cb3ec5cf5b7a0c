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
// write, flock and the like of the log alone; the signal mask is restored just after each write.
$points = [];
foreach (['write' => 3, 'flock' => 6, 'fstat' => 5] as $call => $last) {
    for ($nth = 1; $nth <= $last; $nth++) {
        $points[] = "-P $folder/app.log -e inject=$call:signal=KILL:when=$nth";
    }
}
for ($nth = 1; $nth <= 12; $nth++) {
    $points[] = "-e inject=rt_sigprocmask:signal=KILL:when=$nth";
}
$killed = 0;
foreach ($points as $n => $point) {
    @unlink("$folder/app.log");
    $spool = $n % 2 ? 'true' : 'false';
    $killed += run($folder, "\$l = new Rustio\\BatchLogger(\$log, batchRecords: 4, spool: $spool);
        for (\$i = 0; \$i < 16; \$i++) { \$l->append(\"a\$i\"); } \$l->close(); echo 'lived';", under: "strace -f -qq -o $folder/trace $point") !== 'lived';
    run($folder, '$l = new Rustio\BatchLogger($log); $l->append("last"); $l->close();');
    $lines = file("$folder/app.log", FILE_IGNORE_NEW_LINES);
    if (array_pop($lines) !== 'last' || $lines !== array_map(fn($i) => "a$i", array_keys($lines))) {
        echo "$point: ", implode(' ', $lines), "\n";
    }
}
var_dump($killed > 10);
?>
--EXPECT--
bool(true)

--TEST--
log: a forked child drops the parent's waiting records, whatever way it ends, and may log itself (LG-11)
--EXTENSIONS--
rustio
pcntl
posix
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
foreach (['false', 'true'] as $spool) {
    @unlink("$folder/app.log");
    echo run($folder, <<<PHP
        \$l = new Rustio\\BatchLogger(\$log, spool: $spool);
        \$l->append("parent 1");
        \$l->append("parent 2");
        \$ends = [
            fn() => exit,
            fn() => posix_kill(getmypid(), SIGKILL),
            function () use (\$l) { \$l->append("child"); exit; },
            function () use (\$l) { \$l->append("killed child"); \$l->flush(); posix_kill(getmypid(), SIGKILL); },
            fn() => pcntl_exec("/bin/true"),
            function () use (\$l) { \$l->flush(); \$l->sync(); echo \$l->stats()["pending_records"], " pending\\n"; exit; },
        ];
        foreach (\$ends as \$end) {
            if (pcntl_fork() === 0) { \$end(); exit; }
            pcntl_wait(\$status);
        }
        \$l->append("parent 3");
        PHP);
    $lines = file("$folder/app.log", FILE_IGNORE_NEW_LINES);
    sort($lines);
    echo implode(', ', $lines), "\n";
}
?>
--EXPECT--
0 pending
child, killed child, parent 1, parent 2, parent 3
0 pending
child, killed child, parent 1, parent 2, parent 3

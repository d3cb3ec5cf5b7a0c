--TEST--
log: what a killed process had accepted in its spool is appended by the next logger of that path, once (LG-09, LG-10)
--EXTENSIONS--
rustio
pcntl
posix
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
foreach (['SIGKILL', 'SIGTERM', 'SIGQUIT', 'SIGHUP', 'SIGINT'] as $signal) {
    run($folder, "\$l = new Rustio\\BatchLogger(\$log, spool: true); \$l->append('one'); \$l->appendAll(['two', 'three\nthree']);
        posix_kill(getmypid(), $signal); sleep(9);");
    var_dump(file_exists("$folder/app.log"));
    echo run($folder, '$l = new Rustio\BatchLogger($log); echo $l->stats()["recovered"], "\n"; echo file_get_contents($log);
        $l->append("four"); $l->close(); $l = new Rustio\BatchLogger($log); echo $l->stats()["recovered"], "\n";');
    echo file_get_contents("$folder/app.log"), "\n";
    unlink("$folder/app.log");
}
?>
--EXPECT--
bool(false)
3
one
two
three\nthree
0
one
two
three\nthree
four

bool(false)
3
one
two
three\nthree
0
one
two
three\nthree
four

bool(false)
3
one
two
three\nthree
0
one
two
three\nthree
four

bool(false)
3
one
two
three\nthree
0
one
two
three\nthree
four

bool(false)
3
one
two
three\nthree
0
one
two
three\nthree
four

--TEST--
log: signal handlers that log interrupt nothing and mix nothing (LG-38, LG-39)
--EXTENSIONS--
rustio
pcntl
posix
--FILE--
<?php
require __DIR__ . '/log.inc';
$file = folder() . '/app.log';
$log = new Rustio\BatchLogger($file, batchRecords: 5);
$handled = 0;
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, function () use ($log, &$handled): void {
    $log->append('handler ' . $handled++);
});
$parent = getmypid();
$sender = child(function () use ($parent): void {
    for ($i = 0; $i < 2000 && posix_kill($parent, SIGUSR1); $i++) {
        usleep(50);
    }
});
for ($i = 0; $i < 10_000 || pcntl_waitpid($sender, $status, WNOHANG) === 0; $i++) {
    $log->append("main $i");
}
$log->close();
$next = ['main' => 0, 'handler' => 0];
$bad = 0;
foreach (file($file, FILE_IGNORE_NEW_LINES) as $line) {
    [$who, $n] = explode(' ', $line);
    $bad += $next[$who]++ != $n;
}
var_dump($bad, $next['main'] === $i, $next['handler'] === $handled, $handled > 0);
?>
--EXPECT--
int(0)
bool(true)
bool(true)
bool(true)

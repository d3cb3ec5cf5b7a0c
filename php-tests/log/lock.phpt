--TEST--
log: flock() of other programs is respected, its wait has an end, and a holder that dies blocks nobody (LG-45, LG-48)
--EXTENSIONS--
rustio
pcntl
posix
--FILE--
<?php
require __DIR__ . '/log.inc';
$file = folder() . '/app.log';
[$ready, $told] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$holder = child(function () use ($file, $told): void {
    $own = fopen($file, 'a');
    flock($own, LOCK_EX);
    fwrite($told, 'x');
    sleep(30);
});
fread($ready, 1);
$log = new Rustio\BatchLogger($file);
$log->append('one');
try {
    $log->flush();
} catch (Rustio\IoException $e) {
    echo "$e->operation ", $e->getCode(), "\n";
}
posix_kill($holder, SIGKILL);
$log->flush();
// Closing another descriptor of the file does not open our lock; a child does not share it.
fclose(fopen($file, 'r'));
echo file_get_contents($file);
?>
--EXPECT--
flock 11
one

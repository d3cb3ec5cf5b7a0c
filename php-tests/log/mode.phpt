--TEST--
log: the mode is exact on creation whatever the umask, and an existing file keeps its own (LG-15, LG-17)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
foreach ([0, 0022, 0077, 0777] as $umask) {
    umask($umask);
    foreach (['default' => [], 'shared' => ['mode' => 0664], 'private' => ['mode' => 0600]] as $name => $options) {
        $log = new Rustio\BatchLogger("$folder/$name$umask", ...$options);
        $log->append('x');
        $log->close();
        printf("%o ", fileperms("$folder/$name$umask") & 07777);
    }
}
umask(0022);
chmod("$folder/shared0", 0640);
$log = new Rustio\BatchLogger("$folder/shared0", mode: 0666);
$log->append('x');
$log->close();
clearstatcache();
printf("%o\n", fileperms("$folder/shared0") & 07777);
?>
--EXPECT--
644 664 600 644 664 600 644 664 600 644 664 600 640

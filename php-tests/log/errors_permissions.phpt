--TEST--
log: what may not be written or trusted is told with owner, mode and user (LG-15)
--EXTENSIONS--
rustio
posix
--SKIPIF--
<?php
if (posix_getuid() !== 0) die('skip becoming another user needs root');
?>
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
$attempt = function (string $options, string $as = 'posix_setgid(65534); posix_setuid(65534);') use ($folder): void {
    echo str_replace($folder, '', run($folder, "$as ini_set('error_log', '/dev/null');
        try { \$l = new Rustio\\BatchLogger(\$log $options); \$l->append('x'); \$l->flush(); echo \"written\\n\"; }
        catch (Rustio\\IoException \$e) { echo \$e->getCode(), ' ', \$e->operation, ' ', \$e->getMessage(), \"\\n\"; }"));
};
touch("$folder/app.log");
chmod("$folder/app.log", 0640);
chmod($folder, 0755);
$attempt('');
unlink("$folder/app.log");
$attempt('');
chmod("$folder/state", 0755);
$attempt(', spool: true');
mkdir("$folder/state/rustio-65534", 0700);
$attempt(', spool: true');
rmdir("$folder/state/rustio-65534");
symlink('/etc', "$folder/state/rustio-65534");
$attempt(', spool: true');
mkdir("$folder/state/rustio-0");
chmod("$folder/state/rustio-0", 0750);
$attempt(', spool: true', '');
?>
--EXPECT--
13 open open /app.log: Permission denied; it belongs to user 0 group 0 with mode 0640, and this process runs as user 65534
13 open open /app.log: Permission denied; the directory  belongs to user 0 group 0 with mode 0755, and this process runs as user 65534
13 mkdir mkdir /state/rustio-65534: Permission denied
1 mkdir mkdir /state/rustio-65534: Operation not permitted; it belongs to user 0, and this process runs as user 65534: remove it, or set rustio.state_dir
1 mkdir mkdir /state/rustio-65534: Operation not permitted; it is a symbolic link of user 0: remove it, or set rustio.state_dir
1 mkdir mkdir /state/rustio-0: Operation not permitted; it has mode 0750 and must be open to its owner alone: make it 0700

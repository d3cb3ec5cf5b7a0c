--TEST--
log: two users write one file whole, and root appends what another user's killed logger left (LG-15)
--EXTENSIONS--
rustio
posix
pcntl
--SKIPIF--
<?php
if (posix_getuid() !== 0) die('skip becoming another user needs root');
?>
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
chmod($folder, 0777);
chmod("$folder/state", 01777);
$nobody = 'posix_setgid(65534); posix_setuid(65534);';

run($folder, "$nobody \$l = new Rustio\\BatchLogger(\$log, spool: true); \$l->append('nobody 1'); \$l->append('nobody 2'); posix_kill(getmypid(), 9);");
echo run($folder, '$l = new Rustio\BatchLogger($log, mode: 0666); echo $l->stats()["recovered"], " recovered\n"; $l->append("root");');
echo run($folder, "$nobody \$l = new Rustio\\BatchLogger(\$log); \$l->append('nobody 3'); \$l->flush(); echo \$l->stats()['group'] ? 'grouped' : 'alone', \"\\n\";");
echo file_get_contents("$folder/app.log");

// Another user does not get at root's.
run($folder, '$l = new Rustio\BatchLogger($log, spool: true); $l->append("of root"); posix_kill(getmypid(), 9);');
echo run($folder, "$nobody \$l = new Rustio\\BatchLogger(\$log); echo \$l->stats()['recovered'], \" recovered\\n\";");
echo run($folder, '$l = new Rustio\BatchLogger($log); echo $l->stats()["recovered"], " recovered\n";');

// A state directory that somebody else has prepared is refused.
exec("rm -rf $folder/state/*");
mkdir("$folder/state/rustio-65534", 0777);
chmod("$folder/state/rustio-65534", 0777);
echo run($folder, "$nobody \$l = new Rustio\\BatchLogger(\$log); \$l->append('x'); \$l->flush(); echo \$l->stats()['group'] ? 'grouped' : 'alone', \"\\n\";
    try { new Rustio\\BatchLogger(\$log, spool: true); } catch (Rustio\\IoException \$e) { echo \$e->getCode(), \"\\n\"; }");
?>
--EXPECT--
2 recovered
grouped
nobody 1
nobody 2
root
nobody 3
0 recovered
1 recovered
alone
1

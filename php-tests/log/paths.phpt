--TEST--
log: a relative path is the one at construction; links are followed, also when they change (LG-18)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
mkdir("$folder/elsewhere");
chdir($folder);
$log = new Rustio\BatchLogger('app.log');
chdir("$folder/elsewhere");
$log->append('one');
$log->close();
echo file_get_contents("$folder/app.log");

symlink('day1.log', "$folder/current.log");
$log = new Rustio\BatchLogger("$folder/current.log");
$log->append('day one');
$log->flush();
unlink("$folder/current.log");
symlink('day2.log', "$folder/current.log");
$log->append('day two');
$log->close();
echo file_get_contents("$folder/day1.log"), file_get_contents("$folder/day2.log");
chdir('/');
?>
--EXPECT--
one
day one
day two

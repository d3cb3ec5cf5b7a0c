--TEST--
log: a path outside open_basedir is refused by the constructor
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
mkdir("$folder/in");
echo run($folder, 'try { new Rustio\BatchLogger($log); } catch (Rustio\IoException $e) { echo get_class($e), " ", $e->getCode(), "\n"; }
    $l = new Rustio\BatchLogger(dirname($log) . "/in/app.log"); $l->append("x"); $l->close(); echo file_get_contents(dirname($log) . "/in/app.log");',
    "-d open_basedir=$folder/in -d display_errors=0");
?>
--EXPECT--
Rustio\IoException 1
x

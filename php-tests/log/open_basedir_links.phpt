--TEST--
log: a link that comes to lead out of open_basedir is not followed by a later batch
--EXTENSIONS--
rustio
pcntl
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
mkdir("$folder/in");
file_put_contents("$folder/turn.php", '<?php unlink($argv[1]); isset($argv[2]) && symlink($argv[2], $argv[1]);');
echo run($folder, '$in = dirname($log) . "/in/app.log";
    function outside(string ...$arguments): void
    {
        if (pcntl_fork() === 0) {
            pcntl_exec(PHP_BINARY, ["-n", dirname(__FILE__) . "/turn.php", ...$arguments]);
        }
        pcntl_wait($status);
    }
    $l = new Rustio\BatchLogger($in);
    $l->append("one");
    $l->flush();
    outside($in, dirname($log) . "/outside");
    $l->append("two");
    try { $l->flush(); } catch (Rustio\IoException $e) { echo $e->operation, " ", $e->getCode(), "\n"; }
    outside($in);
    $l->close();
    echo file_get_contents($in);',
    "-d open_basedir=$folder/in");
var_dump(file_exists("$folder/outside"));
?>
--EXPECT--
open 1
two
bool(false)

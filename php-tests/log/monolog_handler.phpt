--TEST--
log: the Monolog handler of the documentation, as it stands there
--EXTENSIONS--
rustio
--SKIPIF--
<?php
if (!is_file('/usr/share/php/Monolog/autoload.php')) die('skip php-monolog is not installed');
?>
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
$docs = file_get_contents(dirname(__DIR__, 2) . '/docs/log.md');
preg_match('/### Monolog\n.*?```php[^\n]*\n<\?php\n(.*?)```/s', $docs, $m);
error_reporting(E_ALL & ~E_DEPRECATED); // Monolog's own
eval(str_replace('/var/log/', "$folder/", $m[1]));
$logger->info("second\nline");
$logger->error('third', ['exception' => new RuntimeException('why')]);
unset($logger);
gc_collect_cycles();
foreach (file("$folder/app.log") as $line) {
    echo preg_replace(['/^\[\S+\]/', '/RuntimeException.*/'], ['[time]', '...'], $line);
}
?>
--EXPECT--
[time] app.WARNING: disk is {percent} full {"percent":93} []
[time] app.INFO: second line [] []
[time] app.ERROR: third {"exception":"[object] (...

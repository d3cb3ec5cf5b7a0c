--TEST--
log: under PHP-FPM the end of a request, an early answer and a graceful stop write everything; killed requests leave it to the spool (LG-09, LG-10)
--EXTENSIONS--
rustio
posix
pcntl
--SKIPIF--
<?php
require __DIR__ . '/fpm.inc';
if (Fpm::binary() === null) die('skip no php-fpm');
?>
--FILE--
<?php
require __DIR__ . '/log.inc';
require __DIR__ . '/fpm.inc';
$folder = folder();
$file = "$folder/app.log";
$script = function (string $name, string $code) use ($folder, $file): string {
    file_put_contents("$folder/$name.php", "<?php \$l = new Rustio\\BatchLogger('$file', spool: true); \$l->append('$name'); $code");
    return "$folder/$name.php";
};
$show = function (string $what) use ($file): void {
    echo str_pad($what, 24), is_file($file) ? implode(' ', file($file, FILE_IGNORE_NEW_LINES)) : '-', "\n";
    @unlink($file);
};
$fpm = new Fpm($folder, 'request_terminate_timeout = 2s');
echo $fpm->answer($fpm->request($script('request', 'echo "answer\n";')));
$show('end of the request');
$fpm->answer($fpm->request($script('early', 'fastcgi_finish_request(); usleep(200000); $l->append("late");')));
usleep(600_000);
$show('fastcgi_finish_request');
$fpm->answer($fpm->request($script('fatal', 'missing();')));
$show('fatal error');
$fpm->answer($fpm->request($script('timeout', 'sleep(30);')));
$fpm->answer($fpm->request($script('next', '')));
$show('terminate timeout');
$slow = $fpm->request($script('slow', 'touch(__FILE__ . ".started"); usleep(700000); $l->append("end");'));
for ($i = 0; !file_exists("$folder/slow.php.started") && $i < 500; $i++) {
    usleep(10_000);
}
posix_kill($fpm->pid(), SIGQUIT);
$fpm->wait();
$show('SIGQUIT');

@unlink("$folder/fpm.sock");
@unlink("$folder/slow.php.started");
$fpm = new Fpm($folder);
$slow = $fpm->request("$folder/slow.php");
for ($i = 0; !file_exists("$folder/slow.php.started") && $i < 500; $i++) {
    usleep(10_000);
}
posix_kill($fpm->pid(), SIGTERM);
$fpm->wait();
echo run($folder, '$l = new Rustio\BatchLogger($log); echo $l->stats()["recovered"], " recovered\n";');
$show('SIGTERM');
?>
--EXPECT--
answer
end of the request      request
fastcgi_finish_request  early late
fatal error             fatal
terminate timeout       timeout next
SIGQUIT                 slow end
1 recovered
SIGTERM                 slow

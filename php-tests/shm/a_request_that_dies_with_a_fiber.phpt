--TEST--
shm: a fatal error while a Fiber is suspended inside synchronized() leaves no lock to the worker's next request (CT-22, RT-01)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
$key = own_key();
$script = tempnam(sys_get_temp_dir(), 'rustio-web-');
file_put_contents($script, <<<PHP
    <?php
    ini_set('display_errors', '0');
    \$c = new Rustio\SharedCounter($key, 4);
    \$c->addMany([0 => 1]);
    if (\$_SERVER['REQUEST_URI'] === '/die') {
        \$fiber = new Fiber(fn() => \$c->synchronized(fn() => Fiber::suspend()));
        \$fiber->start();
        \$c->add(1);
        str_repeat('x', 1 << 40); // over the memory limit: no unwinding
    }
    echo \$c->synchronized(fn() => 'free ' . \$c->get(0) . ' ' . \$c->get(1), 1.0);
    PHP);
$socket = stream_socket_server('tcp://127.0.0.1:0');
$address = stream_socket_get_name($socket, false);
fclose($socket);
$server = proc_open([PHP_BINARY, '-n', '-d', 'extension=' . extension_file(), '-S', $address, $script], [2 => ['file', '/dev/null', 'w'], 1 => ['file', '/dev/null', 'w']], $pipes);
until(fn() => @fsockopen('tcp://' . $address));
$get = fn(string $path) => @file_get_contents("http://$address$path");
var_dump($get('/'), $get('/die'), $get('/'), $get('/die'), $get('/'));
$c = new Rustio\SharedCounter($key, 4);
var_dump($c->synchronized(fn() => 'free here', 1.0), proc_get_status($server)['running']);
proc_terminate($server, 9);
proc_close($server);
unlink($script);
?>
--EXPECT--
string(8) "free 1 0"
bool(false)
string(8) "free 3 1"
bool(false)
string(8) "free 5 2"
string(9) "free here"
bool(true)

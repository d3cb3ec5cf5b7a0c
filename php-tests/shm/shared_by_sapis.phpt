--TEST--
shm: the web server's counters are the command line's (CT-32)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
$key = own_key();
$script = tempnam(sys_get_temp_dir(), 'rustio-web-');
file_put_contents($script, "<?php echo (new Rustio\\SharedCounter($key, 4))->add('hits'), ' ', PHP_SAPI;");
$socket = stream_socket_server('tcp://127.0.0.1:0');
$address = stream_socket_get_name($socket, false);
fclose($socket);
$server = proc_open([PHP_BINARY, '-n', '-d', 'extension=' . extension_file(), '-S', $address, $script], [2 => ['file', '/dev/null', 'w'], 1 => ['file', '/dev/null', 'w']], $pipes);
$c = new Rustio\SharedCounter($key, 4);
echo $c->add('hits'), ' ', PHP_SAPI, "\n";
until(fn() => @fsockopen('tcp://' . $address));
echo file_get_contents("http://$address/"), "\n", $c->add('hits'), "\n", file_get_contents("http://$address/"), "\n";
proc_terminate($server, 9);
proc_close($server);
unlink($script);
?>
--EXPECT--
1 cli
2 cli-server
3
4 cli-server

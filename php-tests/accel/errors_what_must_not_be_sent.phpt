--TEST--
accel: what must not or can't be sent is a NotServableException with the status to answer, and no FIFO or device is opened (AX-10, AX-12, AX-37)
--EXTENSIONS--
rustio
posix
--FILE--
<?php
use Rustio\{AccelRedirect, IoException, NotServableException, SendfileBackend};

$base = sys_get_temp_dir() . '/rustio-' . getmypid();
mkdir("$base/root/dir", recursive: true);
mkdir("$base/root2");
file_put_contents("$base/root/plain.txt", 'plain');
file_put_contents("$base/secret.txt", 'secret');
file_put_contents("$base/root2/alike.txt", 'secret');
symlink('../secret.txt', "$base/root/leaving");
symlink("$base/root/plain.txt", "$base/root/staying");
symlink('loop', "$base/root/loop");
symlink('/dev/zero', "$base/root/zero");
posix_mkfifo("$base/root/fifo", 0600);
$socket = stream_socket_server("unix://$base/root/socket");

foreach (SendfileBackend::cases() as $backend) {
    $accel = new AccelRedirect("$base/root", backend: $backend);
    $out[] = $backend->name;
    foreach (['../secret.txt', 'dir/../../secret.txt', '../root2/alike.txt', '%2e%2e/secret.txt', '..\\secret.txt', '/etc/passwd', "$base/root/plain.txt",
        'leaving', 'loop', 'zero', 'fifo', 'socket', 'dir', 'dir/', '.', '', 'plain.txt/', 'missing'] as $file) {
        foreach (['headers', 'send'] as $method) {
            try {
                $accel->$method($file);
                $out[] = "sent: $file";
            } catch (NotServableException $e) {
                // All backends and both methods say the same.
                $said[$file][] = str_replace($base, '', "$file: {$e->status} {$e->getCode()} " . substr(strrchr($e->getMessage(), ':'), 2));
            }
        }
    }
    foreach (['dir/../plain.txt', './/plain.txt', 'staying', '../root/plain.txt'] as $file) {
        $accel->headers($file);
    }
}
foreach ($said as $file => $lines) {
    $out[] = count($lines) . ' times ' . implode(' or ', array_unique($lines));
}
echo implode("\n", $out), "\n";
// dev is a directory like any other; its devices are not sent.
try {
    (new AccelRedirect('/dev'))->headers('null');
} catch (NotServableException $e) {
    echo $e->status, ' ', $e->getMessage(), "\n";
}
foreach (['none', 'secret.txt'] as $root) {
    try {
        new AccelRedirect("$base/$root");
    } catch (IoException $e) {
        echo $e->getCode(), ' ', $e->operation, ' ', basename($e->path), "\n";
    }
}
// The root is looked for at each call.
$accel = new AccelRedirect("$base/root2");
unlink("$base/root2/alike.txt");
rmdir("$base/root2");
try {
    $accel->headers('alike.txt');
} catch (IoException $e) {
    echo $e->getCode(), ' ', $e->operation, ' ', basename($e->path), "\n";
}
?>
--CLEAN--
<?php
foreach (glob(sys_get_temp_dir() . '/rustio-*/root/fifo') as $fifo) {
    $base = dirname($fifo, 2);
    array_map('unlink', array_filter([...glob("$base/root/*"), "$base/secret.txt"], static fn ($path) => !is_dir($path)));
    @rmdir("$base/root/dir");
    @rmdir("$base/root");
    @rmdir($base);
}
?>
--EXPECT--
Nginx
XSendfile
Php
6 times ../secret.txt: 404 18 it is outside
6 times dir/../../secret.txt: 404 18 it is outside
6 times ../root2/alike.txt: 404 18 it is outside
6 times %2e%2e/secret.txt: 404 2 No such file or directory
6 times ..\secret.txt: 404 2 No such file or directory
6 times /etc/passwd: 404 18 it is outside
6 times /root/plain.txt: 404 18 it is outside
6 times leaving: 404 18 it is outside
6 times loop: 404 40 Too many levels of symbolic links
6 times zero: 404 18 it is outside
6 times fifo: 404 22 it is not a regular file
6 times socket: 404 22 it is not a regular file
6 times dir: 404 21 it is a directory
6 times dir/: 404 21 it is a directory
6 times .: 404 21 it is a directory
6 times : 404 21 it is a directory
6 times plain.txt/: 404 20 Not a directory
6 times missing: 404 2 No such file or directory
404 null can't be sent from /dev: it is not a regular file
2 open none
20 open secret.txt
2 realpath root2

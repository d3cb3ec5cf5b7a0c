--TEST--
accel: headers for X-Sendfile are spelled for the server that reads them, and what it can't carry is refused (AX-05, AX-08, AX-42)
--EXTENSIONS--
rustio
--FILE--
<?php
use Rustio\{AccelRedirect, NotServableException, SendfileBackend};

$root = sys_get_temp_dir() . '/rustio-' . getmypid();
mkdir($root);
$names = ['a b+.txt', '90%.txt', 'end ', "line\nend", "\xff.txt"];
foreach ($names as $name) {
    touch("$root/$name");
}
foreach (['apache', 'lighttpd', null] as $server) {
    $accel = new AccelRedirect($root, backend: SendfileBackend::XSendfile, server: $server);
    foreach ($names as $name) {
        echo $server ?? 'unknown', ': ';
        try {
            $headers = $accel->headers($name);
            echo rawurlencode(substr($headers['X-Sendfile'], strlen($root))), ' ', $headers['X-Content-Type-Options'], ' ', count($headers), "\n";
        } catch (NotServableException $e) {
            echo $e->status, ' ', strstr($e->getMessage(), 'X-Sendfile'), "\n";
        }
    }
}
foreach ($names as $name) {
    unlink("$root/$name");
}
rmdir($root);
?>
--EXPECT--
apache: %2Fa%20b%2B.txt nosniff 4
apache: %2F90%25.txt nosniff 4
apache: 404 X-Sendfile can't carry a space at the end
apache: 404 X-Sendfile can't carry control bytes
apache: %2F%FF.txt nosniff 4
lighttpd: %2Fa%2520b%252B.txt nosniff 4
lighttpd: %2F90%2525.txt nosniff 4
lighttpd: %2Fend%2520 nosniff 4
lighttpd: 404 X-Sendfile can't carry control bytes
lighttpd: 404 X-Sendfile can't carry bytes that are not UTF-8 to lighttpd
unknown: %2Fa%20b%2B.txt nosniff 4
unknown: 404 X-Sendfile can't carry a percent sign to a server that is not known (name it: $server)
unknown: 404 X-Sendfile can't carry a space at the end
unknown: 404 X-Sendfile can't carry control bytes
unknown: %2F%FF.txt nosniff 4

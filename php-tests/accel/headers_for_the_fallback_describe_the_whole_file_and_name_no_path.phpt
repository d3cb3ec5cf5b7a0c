--TEST--
accel: headers for the fallback describe the whole file and name no path (AX-14, AX-32)
--EXTENSIONS--
rustio
--FILE--
<?php
$file = sys_get_temp_dir() . '/rustio-' . getmypid() . '.txt';
file_put_contents($file, 'twelve bytes');
touch($file, 1_700_000_000);
$accel = new Rustio\AccelRedirect(dirname($file), backend: Rustio\SendfileBackend::Php);
foreach ($accel->headers(basename($file), 'n.txt', charset: 'utf-8') as $name => $value) {
    echo "$name: $value\n";
}
touch($file, time() + 86400);
clearstatcache();
$date = $accel->headers(basename($file))['Last-Modified'];
var_dump(abs(strtotime($date) - time()) < 30); // never in the future
touch($file, -1);
var_dump(isset($accel->headers(basename($file))['Last-Modified']));
echo $accel->headers(basename($file))['ETag'], "\n";
unlink($file);
?>
--EXPECT--
Content-Type: text/plain; charset=utf-8
Content-Disposition: attachment; filename="n.txt"
Content-Length: 12
Accept-Ranges: bytes
X-Content-Type-Options: nosniff
ETag: "6553f100-c"
Last-Modified: Tue, 14 Nov 2023 22:13:20 GMT
bool(true)
bool(false)
"ffffffffffffffff-c"

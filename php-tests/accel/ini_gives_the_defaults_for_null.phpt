--TEST--
accel: rustio.accel_backend and rustio.accel_location are the defaults for null, so development and production run the same code
--EXTENSIONS--
rustio
--FILE--
<?php
use Rustio\{AccelRedirect, SendfileBackend};

$file = basename(__FILE__);
$show = static function (?string $location = null, ?SendfileBackend $backend = null) use ($file): void {
    try {
        $headers = (new AccelRedirect(__DIR__, $location, $backend))->headers($file);
        echo array_key_first($headers), ': ', str_replace(__DIR__, '', current($headers)), "\n";
    } catch (ValueError $e) {
        echo $e->getMessage(), "\n";
    }
};
$show();
ini_set('rustio.accel_location', '/internal');
$show();
$show('/own/');
ini_set('rustio.accel_backend', 'xsendfile');
$show();
$show(backend: SendfileBackend::Nginx);
ini_set('rustio.accel_backend', 'php');
$show();
ini_set('rustio.accel_backend', 'apache');
$show();
ini_set('rustio.accel_backend', '');
ini_set('rustio.accel_location', '');
$show();
ini_set('rustio.accel_location', 'a/../b');
$show();
?>
--EXPECTF--
X-Accel-Redirect: /protected/%s.php
X-Accel-Redirect: /internal/%s.php
X-Accel-Redirect: /own/%s.php
X-Sendfile: /%s.php
X-Accel-Redirect: /internal/%s.php
Content-Type: application/x-httpd-php
rustio.accel_backend must be "nginx", "xsendfile" or "php", "apache" given
X-Accel-Redirect: /protected/%s.php
rustio.accel_location must not contain empty, "." or ".." segments

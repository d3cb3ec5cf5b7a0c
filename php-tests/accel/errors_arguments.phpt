--TEST--
accel: a bad argument is a ValueError in PHP's wording, before any file is looked for (AX-09, AX-15, AX-45)
--EXTENSIONS--
rustio
--FILE--
<?php
use Rustio\{AccelRedirect, SendfileBackend};

$try = static function (callable $call): void {
    try {
        $call();
        echo "accepted\n";
    } catch (Throwable $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
};
$dir = sys_get_temp_dir();
foreach (['/', '', '//', '@named', 'a//b', '/a/../b', "a\nb"] as $location) {
    $try(static fn () => new AccelRedirect($dir, $location));
}
$try(static fn () => new AccelRedirect("a\0b"));
$try(static fn () => new AccelRedirect(''));
$try(static fn () => new AccelRedirect($dir, server: 'apache'));
$try(static fn () => new AccelRedirect($dir, backend: SendfileBackend::XSendfile, server: 'iis'));
$try(static fn () => new AccelRedirect($dir, backend: 'nginx'));
$try(static fn () => new AccelRedirect($dir, 'prot'));
$accel = new AccelRedirect($dir);
foreach ([
    ['file' => "plain.txt\0.jpg"], ['file' => "\0"], ['file' => 'x', 'limitRate' => -1], ['file' => 'x', 'limitRate' => PHP_INT_MAX],
    ['file' => 'x', 'expires' => -1], ['file' => 'x', 'charset' => "utf-8\r\nX: y"], ['file' => 'x', 'type' => "text/plain\r\nX: y"],
    ['file' => 'x', 'type' => 'text'], ['file' => 'x', 'type' => 'text/plain; charset=a', 'charset' => 'b'], ['file' => 'x', 'disposition' => 'inline'],
] as $arguments) {
    $try(static fn () => $accel->headers(...$arguments));
}
foreach ([SendfileBackend::XSendfile, SendfileBackend::Php] as $backend) {
    $accel = new AccelRedirect($dir, backend: $backend);
    $try(static fn () => $accel->headers('x', limitRate: 1));
    $try(static fn () => $accel->headers('x', buffering: false));
    $try(static fn () => $accel->headers('x', expires: 1));
}
?>
--EXPECT--
ValueError: Rustio\AccelRedirect::__construct(): Argument #2 ($location) must name a path below "/"
ValueError: Rustio\AccelRedirect::__construct(): Argument #2 ($location) must name a path below "/"
ValueError: Rustio\AccelRedirect::__construct(): Argument #2 ($location) must name a path below "/"
ValueError: Rustio\AccelRedirect::__construct(): Argument #2 ($location) must be a path such as "/protected/", not a named location
ValueError: Rustio\AccelRedirect::__construct(): Argument #2 ($location) must not contain empty, "." or ".." segments
ValueError: Rustio\AccelRedirect::__construct(): Argument #2 ($location) must not contain empty, "." or ".." segments
ValueError: Rustio\AccelRedirect::__construct(): Argument #2 ($location) must not contain control characters
ValueError: Rustio\AccelRedirect::__construct(): Argument #1 ($root) must not contain any null bytes
ValueError: Rustio\AccelRedirect::__construct(): Argument #1 ($root) cannot be empty
ValueError: Rustio\AccelRedirect::__construct(): Argument #4 ($server) must be "nginx" with SendfileBackend::Nginx
ValueError: Rustio\AccelRedirect::__construct(): Argument #4 ($server) must be "apache" or "lighttpd" with SendfileBackend::XSendfile
TypeError: Rustio\AccelRedirect::__construct(): Argument #3 ($backend) must be of type ?Rustio\SendfileBackend, string given
accepted
ValueError: Rustio\AccelRedirect::headers(): Argument #1 ($file) must not contain any null bytes
ValueError: Rustio\AccelRedirect::headers(): Argument #1 ($file) must not contain any null bytes
ValueError: Rustio\AccelRedirect::headers(): Argument #5 ($limitRate) must be between 0 and 1099511627776
ValueError: Rustio\AccelRedirect::headers(): Argument #5 ($limitRate) must be between 0 and 1099511627776
ValueError: Rustio\AccelRedirect::headers(): Argument #7 ($expires) must be between 0 and 2147483647
ValueError: Rustio\AccelRedirect::headers(): Argument #8 ($charset) must be the name of a character set such as "utf-8"
ValueError: Rustio\AccelRedirect::headers(): Argument #4 ($type) must be a media type such as "application/pdf"
ValueError: Rustio\AccelRedirect::headers(): Argument #4 ($type) must be a media type such as "application/pdf"
ValueError: Rustio\AccelRedirect::headers(): Argument #8 ($charset) must be null when $type names a character set
TypeError: Rustio\AccelRedirect::headers(): Argument #3 ($disposition) must be of type Rustio\Disposition, string given
ValueError: Rustio\AccelRedirect::headers(): Argument #5 ($limitRate) must be null with SendfileBackend::XSendfile, which has no header for it
ValueError: Rustio\AccelRedirect::headers(): Argument #6 ($buffering) must be null with SendfileBackend::XSendfile, which has no header for it
ValueError: Rustio\AccelRedirect::headers(): Argument #7 ($expires) must be null with SendfileBackend::XSendfile, which has no header for it
ValueError: Rustio\AccelRedirect::headers(): Argument #5 ($limitRate) must be null for headers() with SendfileBackend::Php; send() keeps to it
ValueError: Rustio\AccelRedirect::headers(): Argument #6 ($buffering) must be null for headers() with SendfileBackend::Php; send() keeps to it
ValueError: Rustio\AccelRedirect::headers(): Argument #7 ($expires) must be null for headers() with SendfileBackend::Php; send() keeps to it

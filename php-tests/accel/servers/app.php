<?php
/**
 * The application behind every server: sends what the query asks for. Names come in hexadecimal, so that no server's own
 * decoding is in the way. What it found out while sending goes to the file named by "log".
 */

use Rustio\{AccelRedirect, Disposition, NotServableException, SendfileBackend};

$text = static fn (string $key): ?string => isset($_GET[$key]) ? hex2bin($_GET[$key]) : null;
$number = static fn (string $key): ?int => isset($_GET[$key]) ? (int) $_GET[$key] : null;
$before = explode(',', $_GET['before'] ?? '');
$has = static fn (string $what): bool => in_array($what, $before, true);

if ($has('flush')) {
    echo str_repeat('early ', 1000); // line of the first output
    flush();
}
if ($has('status')) {
    http_response_code(404);
}
if ($has('headers')) {
    foreach (['ETag: "app"', 'Content-Length: 7', 'Accept-Ranges: none', 'Content-Encoding: gzip', 'Last-Modified: never',
        'X-Accel-Redirect: /elsewhere/x', 'Set-Cookie: kept=1', 'Content-Type: text/html'] as $line) {
        header($line);
    }
}
if ($has('buffers')) {
    ob_start();
    echo 'buffered';
    ob_start(static fn (string $text): string => strtoupper($text));
    echo 'more';
    ob_start(null, 0, 0); // may not be cleaned, flushed or removed
    echo 'most';
}
if ($has('gzhandler')) {
    ob_start('ob_gzhandler');
    echo 'compressed';
}
if ($has('callback')) {
    header_register_callback(static fn () => header('X-Callback: ran'));
}
if ($has('thrower')) {
    ob_start(static fn () => throw new DomainException('from a buffer'));
}
if ($has('limit')) {
    set_time_limit(1);
}

$log = [];
$open = static fn (): ?int => ($list = @scandir('/proc/self/fd')) ? count($list) : null;
try {
    $accel = new AccelRedirect($text('root'), $_GET['location'] ?? null, SendfileBackend::from($_GET['backend']));
    $arguments = [
        'file' => $text('file'),
        'name' => $text('name'),
        'disposition' => Disposition::from($_GET['disposition'] ?? 'attachment'),
        'type' => $text('type'),
        'limitRate' => $number('limitRate'),
        'charset' => $text('charset'),
    ];
    $memory = memory_get_peak_usage();
    $descriptors = $open();
    if ($has('swap')) {
        // Somebody swaps the file for a link after it was checked and before the server opens it.
        $headers = $accel->headers(...$arguments);
        $path = $text('root') . '/' . $text('file');
        unlink($path);
        symlink($text('target'), $path);
        foreach ($headers as $name => $value) {
            header("$name: $value");
        }
    } else {
        $accel->send(...$arguments);
    }
    $log = ['memory' => memory_get_peak_usage() - $memory, 'descriptors' => $open() - $descriptors, 'aborted' => connection_aborted()];
} catch (NotServableException $e) {
    http_response_code($e->status);
    header('Content-Type: text/plain');
    echo 'refused: ', $e->getMessage();
} catch (Throwable $e) {
    $log = ['exception' => get_class($e), 'message' => $e->getMessage()];
    if (!headers_sent()) {
        http_response_code(500);
        header('Content-Type: text/plain');
    }
    echo get_class($e), ': ', $e->getMessage();
}
if (isset($_GET['log'])) {
    file_put_contents($text('log'), json_encode($log, JSON_INVALID_UTF8_SUBSTITUTE) . "\n");
}
if ($has('tail')) {
    echo 'tail';
}

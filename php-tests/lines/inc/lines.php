<?php

/** What the tests of this folder share: files that go with the test, and a judge that reads files whole. */

use Rustio\Newline;

if (getenv('USE_ZEND_ALLOC') === '0') {
    ini_set('pcre.jit', '0'); // its code reads ahead, which valgrind reports
}

/** A file with these bytes, removed when the test ends. */
function text(string $bytes): string
{
    $file = tempnam(sys_get_temp_dir(), 'rustio-lines-');
    $owner = getmypid();
    register_shutdown_function(static function () use ($file, $owner) {
        if (getmypid() === $owner) {
            @unlink($file);
        }
    });
    file_put_contents($file, $bytes);
    return $file;
}

/** A folder of the test's own, removed with what is in it. */
function folder(): string
{
    $dir = sys_get_temp_dir() . '/rustio-lines-' . bin2hex(random_bytes(6));
    mkdir($dir);
    $owner = getmypid();
    register_shutdown_function(static function () use ($dir, $owner) {
        if (getmypid() === $owner) {
            exec('rm -rf ' . escapeshellarg($dir));
        }
    });
    return $dir;
}

/** The lines of a text as they must be, by looking at it whole. */
function reference(string $text, Newline $newline = Newline::Lf, bool $keep = false): array
{
    $end = $newline === Newline::Lf ? '\r?\n' : '\r\n|\n|\r';
    preg_match_all("/\G(.*?)($end|\z)/s", $text, $found, PREG_SET_ORDER);
    $lines = [];
    foreach ($found as [$whole, $content]) {
        if ($whole !== '') {
            $lines[] = $keep ? $whole : $content;
        }
    }
    return $lines;
}

/** Lines as JSON, bytes that are no text as \xNN. */
function show(iterable $lines): void
{
    $shown = [];
    foreach ($lines as $key => $line) {
        $shown[] = "$key:" . preg_replace_callback('/[^ -~]/', static fn ($m) => sprintf('\x%02X', ord($m[0])), $line);
    }
    echo $shown === [] ? '(none)' : implode(' | ', $shown), "\n";
}

/** How many rounds of random input: few where each takes long (valgrind). */
function rounds(int $usual): int
{
    return getenv('USE_ZEND_ALLOC') === '0' ? intdiv($usual, 25) + 1 : $usual;
}

/** What this raises: class, code and message. Paths of temporary files are shown as FILE. */
function raises(callable $fn): void
{
    try {
        $fn();
        echo "nothing raised\n";
    } catch (Throwable $e) {
        $message = preg_replace('~/\S*rustio-lines-[^/\s:,]*(/[^\s:,]*)?~', 'FILE', $e->getMessage());
        echo get_class($e), '(', $e->getCode(), '): ', $message, "\n";
    }
}

/** Runs a script with this extension in a process of its own; gives what it prints. */
function run_php(string $code, array $options = [], array $before = [], mixed $stdin = null): string
{
    $script = text("<?php\nrequire " . var_export(__FILE__, true) . ";\n" . $code);
    preg_match('~\s(/\S*rustio\.so)$~m', file_get_contents('/proc/self/maps'), $loaded);
    $so = $loaded[1];
    $command = [...$before, PHP_BINARY, '-n', '-d', "extension=$so", '-d', 'display_errors=1', '-d', 'html_errors=0'];
    foreach (['pcntl', 'posix', 'zlib'] as $needed) {
        $file = ini_get('extension_dir') . "/$needed.so";
        if (is_file($file)) {
            array_push($command, '-d', "extension=$needed");
        }
    }
    foreach ($options as $option) {
        array_push($command, '-d', $option);
    }
    $command[] = $script;
    $process = proc_open($command, [0 => $stdin ?? ['file', '/dev/null', 'r'], 1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes);
    $out = stream_get_contents($pipes[1]);
    proc_close($process);
    return str_replace($script, 'SCRIPT', $out);
}

/** Starts a child that writes these pieces to its standard output, with a pause in milliseconds before each; gives the pipe. */
function slow_writer(array $pieces, int $pause_ms, ?string $to = null): mixed
{
    $code = '$out = fopen($argv[1], "w"); foreach (json_decode(base64_decode($argv[2])) as $p) { usleep((int) $argv[3]); fwrite($out, base64_decode($p)); fflush($out); }';
    $pieces = base64_encode(json_encode(array_map('base64_encode', $pieces)));
    $process = proc_open([PHP_BINARY, '-n', '-r', $code, '--', $to ?? 'php://stdout', $pieces, (string) ($pause_ms * 1000)], [1 => ['pipe', 'w']], $pipes);
    $GLOBALS['writers'][] = $process;
    return $pipes[1];
}

/** Ends a test that hangs. */
function watchdog(int $seconds = 60): void
{
    $pid = getmypid();
    $process = proc_open([PHP_BINARY, '-n', '-r', "for (\$i = 0; \$i < 10 * $seconds; \$i++) { usleep(100000); if (!file_exists('/proc/$pid')) exit; } exec('kill -9 $pid');"], [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']], $pipes);
    $GLOBALS['watchdog'] = $process;
    register_shutdown_function(static function () use ($process, $pid) {
        if (getmypid() === $pid) {
            proc_terminate($process, 9);
        }
    });
}

<?php

/**
 * Runs every ```php block of README.md and docs/*.md with the built extension: what people will copy must work.
 *
 *   php -n php-tests/docs_snippets.php [FILE.md]...
 *
 * A block runs as it stands, in a process and a folder of its own, and passes when it ends with status 0 and without a
 * diagnostic. After "```php" the line may say
 *
 *   no-run             do not run it, only check its syntax
 *   needs=file:PATH    skip it where that file is missing (needs=ext:NAME: that PHP extension; also loads it)
 *
 * The folder holds access.log, app.log, data.csv and files/report.pdf; /var/log/, /srv/ and /var/lib/app/ in a block stand
 * for that folder. System V objects live in a namespace of the run's own where the kernel allows it. SO names the
 * extension. The last line is 'N passed, N failed, N skipped'.
 */

declare(strict_types=1);

const FOLDERS = ['/var/log/', '/srv/', '/var/lib/app/'];
const TIMEOUT_S = 30;

$root = dirname(__DIR__);
$so = getenv('SO') ?: "$root/target/release/librustio.so";
$files = array_slice($argv, 1) ?: array_filter(["$root/README.md", ...glob("$root/docs/*.md")], is_file(...));
$namespace = run_quietly(['unshare', '--ipc', 'true']) ? ['unshare', '--ipc'] : [];
$passed = $failed = $skipped = 0;

foreach ($files as $file) {
    foreach (blocks(file_get_contents($file)) as [$line, $options, $code]) {
        $where = str_replace("$root/", '', realpath($file)) . ":$line";
        $why = missing($options);
        if ($why !== null) {
            echo "SKIP $where: $why\n";
            $skipped++;
            continue;
        }
        $said = in_array('no-run', $options, true) ? syntax_error($code) : run($code, $options, $so, $namespace);
        if ($said === null) {
            $passed++;
        } else {
            echo "FAIL $where\n    ", str_replace("\n", "\n    ", trim($said)), "\n";
            $failed++;
        }
    }
}
echo "$passed passed, $failed failed, $skipped skipped\n";
exit($failed === 0 ? 0 : 1);

/** @return iterable<array{int, list<string>, string}> line, options and code of each PHP block */
function blocks(string $markdown): iterable
{
    preg_match_all('/^( *)```php([^\n`]*)\n(.*?)^ *```$/sm', $markdown, $found, PREG_SET_ORDER | PREG_OFFSET_CAPTURE);
    foreach ($found as $block) {
        $code = $block[3][0];
        if ($block[1][0] !== '') {
            $code = preg_replace('/^' . $block[1][0] . '/m', '', $code); // inside a list
        }
        if (!str_starts_with($code, '<?php')) {
            $code = "<?php\n$code";
        }
        yield [substr_count($markdown, "\n", 0, $block[0][1]) + 1, preg_split('/\s+/', trim($block[2][0]), -1, PREG_SPLIT_NO_EMPTY), $code];
    }
}

function missing(array $options): ?string
{
    foreach ($options as $option) {
        if (preg_match('/^needs=file:(.+)$/', $option, $m) && !is_file($m[1])) {
            return "no $m[1] here";
        }
        if (preg_match('/^needs=ext:(.+)$/', $option, $m) && !extension_loaded($m[1]) && !is_file(ini_get('extension_dir') . "/$m[1].so")) {
            return "no PHP extension $m[1] here";
        }
    }
    return null;
}

/** Runs one block; null, or what went wrong. */
function run(string $code, array $options, string $so, array $namespace): ?string
{
    $dir = sys_get_temp_dir() . '/rustio-docs-' . getmypid();
    folder($dir);
    file_put_contents("$dir/block.php", str_replace(FOLDERS, "$dir/", $code));
    $extensions = ['posix', 'shmop', 'sysvsem', 'ctype', 'tokenizer'];
    foreach ($options as $option) {
        if (str_starts_with($option, 'needs=ext:')) {
            $extensions[] = substr($option, 10);
        }
    }
    $command = [...$namespace, 'timeout', (string) TIMEOUT_S, PHP_BINARY, '-n', '-d', 'error_reporting=-1', '-d', 'display_errors=1', '-d', "extension=$so"];
    foreach (array_unique($extensions) as $name) {
        if (!extension_loaded($name) && is_file(ini_get('extension_dir') . "/$name.so")) {
            array_push($command, '-d', "extension=$name");
        }
    }
    $process = proc_open([...$command, 'block.php'], [0 => ['file', '/dev/null', 'r'], 1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes, $dir);
    $out = stream_get_contents($pipes[1]);
    $status = proc_close($process);
    shell_exec('rm -rf ' . escapeshellarg($dir));
    if ($status === 124) {
        return 'took more than ' . TIMEOUT_S . " s\n$out";
    }
    $bad = $status !== 0 || preg_match('/^(PHP )?(Fatal error|Parse error|Warning|Notice|Deprecated): /m', $out);
    return $bad ? "status $status\n$out" : null;
}

function syntax_error(string $code): ?string
{
    $file = tempnam(sys_get_temp_dir(), 'docs');
    file_put_contents($file, $code);
    exec(escapeshellarg(PHP_BINARY) . ' -n -l ' . escapeshellarg($file) . ' 2>&1', $out, $status);
    unlink($file);
    return $status === 0 ? null : implode("\n", $out);
}

/** What the snippets find beside them. */
function folder(string $dir): void
{
    mkdir("$dir/files", 0o755, true);
    mkdir("$dir/state", 0o700);
    $log = '';
    for ($i = 0; $i < 2000; $i++) {
        $log .= sprintf("10.0.0.%d - [%02d:%02d] GET /page/%d %d\n", $i % 7, intdiv($i, 60) % 24, $i % 60, $i, $i % 50 === 0 ? 500 : 200);
    }
    file_put_contents("$dir/access.log", $log);
    file_put_contents("$dir/app.log", "started\n");
    file_put_contents("$dir/data.csv", "id,name\n1,tea\n2,\"milk, cold\"\n");
    file_put_contents("$dir/files/report.pdf", str_repeat("%PDF-1.4 not really\n", 100));
}

function run_quietly(array $command): bool
{
    $process = @proc_open($command, [0 => ['file', '/dev/null', 'r'], 1 => ['file', '/dev/null', 'w'], 2 => ['file', '/dev/null', 'w']], $pipes);
    return $process !== false && proc_close($process) === 0;
}

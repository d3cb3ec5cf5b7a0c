<?php

declare(strict_types=1);

/** Path of opcache, or a skip. */
function opcache(): string
{
    $path = ini_get('extension_dir') . '/opcache.so';
    if (PHP_VERSION_ID >= 80500) {
        return ''; // built in
    }
    return is_file($path) ? $path : throw new Skip('no opcache here');
}

/** @param list<string> $with */
function soak_fpm(Workplace $work, string $so, int $requests, array $with): string
{
    $jit = in_array('jit', $with, true);
    $ini = [];
    if (in_array('opcache', $with, true)) {
        $ini = [
            opcache() !== '' ? 'zend_extension=' . opcache() : 'opcache.enable=1',
            'opcache.jit_buffer_size=' . ($jit ? '32M' : '0'),
            'opcache.jit=' . ($jit ? 'tracing' : 'off'),
        ];
    }
    return with_fpm($work, $so, $ini, function (callable $get) use ($work, $requests, $jit): string {
        return soak($work, $requests, fn(string $query) => $get(__DIR__ . '/request.php', $query), $jit);
    });
}

/**
 * Starts PHP-FPM with 2 workers and these settings more; $use gets a function (script, query) that gives a page.
 *
 * @param list<string> $more
 */
function with_fpm(Workplace $work, string $so, array $more, callable $use): string
{
    $fpm = (string) getenv('FPM');
    if ($fpm === '') {
        throw new Skip('no php-fpm of this version');
    }
    $ini = ["extension=$so", 'memory_limit=64M', 'display_errors=0', 'log_errors=0', 'max_execution_time=30', ...$more];
    $socket = "$work->dir/fpm.sock";
    file_put_contents("$work->dir/php.ini", implode("\n", $ini) . "\n");
    file_put_contents("$work->dir/fpm.conf", implode("\n", [
        '[global]', "error_log = $work->dir/fpm.log", 'daemonize = no',
        '[www]', "listen = $socket", 'pm = static', 'pm.max_children = 2', 'pm.max_requests = 0', "env[SOAK_DIR] = $work->dir",
        ...(posix_root() ? ['user = root', 'group = root'] : []),
    ]) . "\n");
    $command = [$fpm, '-c', "$work->dir/php.ini", '-y', "$work->dir/fpm.conf", ...(posix_root() ? ['-R'] : [])];
    // -n would take our php.ini with it; a scan folder that isn't there keeps the system's extensions out.
    $server = start_server($command, $work, ['PHP_INI_SCAN_DIR' => "$work->dir/none"]);
    try {
        wait_for(fn() => file_exists($socket) && @stream_socket_client("unix://$socket"), "$work->dir/fpm.log");
        $client = new FastCgi($socket);
        return $use(fn(string $script, string $query): string => $client->get($script, $query)[1]);
    } finally {
        end_server($server);
    }
}

function soak_builtin(Workplace $work, string $so, int $requests): string
{
    $port = 20000 + getmypid() % 20000;
    $command = [PHP_BINARY, '-n', '-d', "extension=$so", '-d', 'memory_limit=64M', '-d', 'display_errors=0', '-S', "127.0.0.1:$port", '-t', __DIR__];
    $server = start_server($command, $work, ['SOAK_DIR' => $work->dir]);
    try {
        wait_for(fn() => @stream_socket_client("tcp://127.0.0.1:$port"), "$work->dir/server.log");
        $http = stream_context_create(['http' => ['ignore_errors' => true, 'timeout' => 30]]);
        return soak($work, $requests, fn(string $query) => (string) file_get_contents("http://127.0.0.1:$port/request.php?$query", false, $http), false);
    } finally {
        end_server($server);
    }
}

/**
 * Asks $get for a request after the other; compares what each worker holds a tenth of the way in with what it holds at the
 * end, and what the requests left behind with what they should have.
 */
function soak(Workplace $work, int $requests, callable $get, bool $jit): string
{
    forget_segments($work->key);
    @unlink("$work->dir/soak.log");
    $first = $last = [];
    $sent = 0;
    for ($i = 0; $i < $requests; $i++) {
        $end = match ($i % 50) { 11 => 'exit', 21 => 'exception', 31 => 'memory', 41 => 'fatal', default => '' };
        $body = $get("i=$i&end=$end");
        $sent++;
        if ($end !== '') {
            continue;
        }
        $held = json_decode($body, true);
        must(is_array($held), "request $i answered: " . substr($body, 0, 300));
        must(!$jit || $held['jit'], 'the JIT is not on');
        if ($i >= $requests / 10) {
            $first[$held['pid']] ??= $held;
        }
        $last[$held['pid']] = $held;
    }
    $grown = 0;
    must($first !== [], 'no request answered');
    foreach ($first as $pid => $held) {
        $grown = max($grown, $last[$pid]['rss_kb'] - $held['rss_kb']);
        must($last[$pid]['descriptors'] === $held['descriptors'], "descriptors went from {$held['descriptors']} to {$last[$pid]['descriptors']}");
    }
    must($grown <= 1024, "a worker grew by $grown KiB over $requests requests");
    must(count($last) <= 2, count($last) . ' workers answered: some died');
    check_leftovers($work, $sent);
    return "grown by $grown KiB, " . reset($last)['descriptors'] . ' descriptors';
}

/** Every record of every request is there once, whatever its end; every count, too. */
function check_leftovers(Workplace $work, int $sent): void
{
    if (is_file("$work->dir/soak.log")) {
        $lines = file("$work->dir/soak.log", FILE_IGNORE_NEW_LINES);
        must(count($lines) === 7 * $sent, count($lines) . ' records instead of ' . 7 * $sent);
        must(count(array_unique($lines)) === count($lines), 'records are there twice');
    }
    [$status, $out] = php(
        (string) getenv('SO'),
        [],
        'if (!class_exists("Rustio\SharedCounter")) exit("none"); echo Rustio\SharedCounter::open((int) $argv[1])->get("requests");',
        [(string) $work->key],
    );
    must($out === 'none' || $status === 0 && (int) $out === $sent, "counted $out requests instead of $sent");
}

function preloaded(Workplace $work, string $so): void
{
    file_put_contents("$work->dir/preload.php", '<?php final class Preloaded { public function __construct(public Rustio\Newline $n = Rustio\Newline::Any) {} '
        . 'public function error(): string { return Rustio\IoException::class; } }');
    $options = [
        ...(opcache() !== '' ? ['-d', 'zend_extension=' . opcache()] : []), '-d', 'opcache.enable_cli=1', '-d', "opcache.preload=$work->dir/preload.php",
        ...(posix_root() ? ['-d', 'opcache.preload_user=root'] : []),
    ];
    [$status, $out] = php($so, $options, '$p = new Preloaded(); echo $p->n->value, " ", get_parent_class($p->error());');
    must($status === 0 && $out === 'any Rustio\RustioException', "status $status: $out");
}

/** The workers are forks of the process that ran the preloaded code: what that left must be nobody's. */
function preloaded_fpm(Workplace $work, string $so, int $requests): string
{
    forget_segments($work->key);
    @unlink("$work->dir/preload.log");
    file_put_contents("$work->dir/preload.php", '<?php final class Preloaded { public const NEWLINE = Rustio\Newline::Any; '
        . 'public static ?Rustio\BatchLogger $log = null; public static ?Rustio\SharedCounter $counter = null; '
        . 'public static function open(string $dir, int $key): void { self::$log = new Rustio\BatchLogger("$dir/preload.log"); self::$counter = new Rustio\SharedCounter($key, 4); } } '
        . sprintf('Preloaded::open(%s, %d); Preloaded::$log->append("preloading"); Preloaded::$counter->addMany(["n" => 1]); ', var_export($work->dir, true), $work->key)
        . 'foreach (Rustio\lines(__FILE__) as $line) { break; }');
    file_put_contents("$work->dir/preloaded.php", '<?php if (Preloaded::$log !== null) exit("something of the preloading is left"); '
        . sprintf('Preloaded::open(%s, %d); Preloaded::$log->append("request $_GET[i]"); ', var_export($work->dir, true), $work->key)
        . 'Preloaded::$counter->synchronized(fn() => Preloaded::$counter->addMany(["n" => 1])); echo Preloaded::NEWLINE->value;');
    $ini = [
        opcache() !== '' ? 'zend_extension=' . opcache() : 'opcache.enable=1', "opcache.preload=$work->dir/preload.php",
        ...(posix_root() ? ['opcache.preload_user=root'] : []),
    ];
    return with_fpm($work, $so, $ini, function (callable $get) use ($work, $so, $requests): string {
        for ($i = 0; $i < $requests; $i++) {
            $body = $get("$work->dir/preloaded.php", "i=$i");
            must($body === 'any', "request $i answered: " . substr($body, 0, 300));
        }
        $records = array_count_values(file("$work->dir/preload.log", FILE_IGNORE_NEW_LINES));
        must(($records['preloading'] ?? 0) === 1, 'the record of the preloading is there ' . ($records['preloading'] ?? 0) . ' times');
        must(count($records) === $requests + 1 && max($records) === 1, count($records) . ' records');
        [, $count] = php($so, [], 'echo Rustio\SharedCounter::open((int) $argv[1])->get("n");', [(string) $work->key]);
        must((int) $count === $requests + 1, "counted $count");
        return "$requests requests";
    });
}

/** Its functions and classes go again with the request, and the process ends as it should. */
function loaded_late(Workplace $work, string $so): void
{
    forget_segments($work->key);
    copy($so, "$work->dir/late.so");
    $code = 'dl("late.so"); foreach (Rustio\lines($argv[1] . "/lines.txt") as $l) { break; } '
        . '$c = new Rustio\SharedCounter((int) $argv[2], 16); $c->synchronized(fn() => $c->add("n")); '
        . '$log = new Rustio\BatchLogger($argv[1] . "/late.log"); $log->append("late"); echo "alive";';
    $process = ['timeout', '-k', '5', '30', PHP_BINARY, '-n', '-d', "extension_dir=$work->dir", '-d', 'enable_dl=1', '-r', $code, '--', $work->dir, (string) $work->key];
    // What is released twice at the end shows only now and then.
    for ($i = 1; $i <= 10; $i++) {
        $out = [];
        exec(implode(' ', array_map('escapeshellarg', $process)) . ' 2>&1', $out, $status);
        $out = implode("\n", $out);
        must($status === 0 && $out === 'alive', "status $status: $out");
        must(file_get_contents("$work->dir/late.log") === str_repeat("late\n", $i), 'records are missing');
    }
}

/** PHP looks for the names as they are written, among names in lower case. */
function functions_disabled(string $so): void
{
    $names = ['rustio\lines', 'rustio\count_lines', 'rustio\tail', 'rustio\segments'];
    $code = 'foreach (array_slice($argv, 1) as $f) { try { $f("/etc/passwd"); echo "called $f\n"; } catch (Error) { } } '
        . 'foreach (new Rustio\LineIterator("/etc/passwd") as $l) { break; } echo Rustio\page_cache_ratio("/etc/passwd") >= 0 ? "alive" : "";';
    [$status, $out] = php($so, ['-d', 'disable_functions=' . implode(',', $names)], $code, $names);
    must($status === 0 && $out === 'alive', "status $status: $out");
}

function loaded_twice(string $so): void
{
    [$status, $out] = php($so, ['-d', "extension=$so", '-d', 'display_errors=1'], 'echo "alive ", Rustio\Newline::Lf->value;');
    must($status === 0 && str_ends_with($out, 'alive lf'), "status $status: $out");
}

/** Showing an object of a disabled class with typed properties crashes PHP 8.2 itself (ErrorException, too): not tried. */
function classes_disabled(string $so): void
{
    if (PHP_VERSION_ID >= 80500) {
        throw new Skip('PHP 8.5 has no disable_classes');
    }
    $code = 'foreach (["LineIterator", "BatchLogger", "AccelRedirect", "SharedCounter", "SharedSegment", "IoException"] as $c) {'
        . ' try { $o = (new ReflectionClass("Rustio\\\\$c")); $x = @new ("Rustio\\\\$c")("/tmp"); } catch (Throwable $e) {} } '
        . 'try { foreach (@Rustio\lines("/etc/passwd") as $l) { } } catch (Throwable $e) {} echo "alive";';
    $names = 'Rustio\LineIterator,Rustio\BatchLogger,Rustio\AccelRedirect,Rustio\SharedCounter,Rustio\SharedSegment,Rustio\IoException';
    [$status, $out] = php($so, ['-d', "disable_classes=$names"], $code);
    must($status === 0 && str_ends_with($out, 'alive'), "status $status: $out");
}

function posix_root(): bool
{
    return is_writable('/proc/1/oom_score_adj') || trim((string) shell_exec('id -u')) === '0';
}

/** @return resource */
function start_server(array $command, Workplace $work, array $env)
{
    $log = "$work->dir/server.log";
    return proc_open($command, [0 => ['file', '/dev/null', 'r'], 1 => ['file', $log, 'w'], 2 => ['file', $log, 'a']], $pipes, null, $env + getenv());
}

function wait_for(callable $ready, string $log): void
{
    for ($i = 0; $i < 100; $i++) {
        if ($ready()) {
            return;
        }
        usleep(100_000);
    }
    throw new RuntimeException('the server did not start: ' . substr((string) @file_get_contents($log), -500));
}

/** @param resource $server */
function end_server($server): void
{
    proc_terminate($server, 15);
    for ($i = 0; $i < 50 && proc_get_status($server)['running']; $i++) {
        usleep(100_000);
    }
    proc_terminate($server, 9);
    proc_close($server);
}

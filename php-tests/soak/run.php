<?php

// The soak test's steps; soak.sh starts it. One argument: requests a server.

declare(strict_types=1);

require __DIR__ . '/fastcgi.php';
require __DIR__ . '/servers.php';
require __DIR__ . '/bailouts.php';

$requests = (int) $argv[1];
$so = getenv('SO');
$tally = new Tally();
$work = new Workplace();

foreach (['without opcache' => [], 'with opcache' => ['opcache'], 'with opcache and JIT' => ['opcache', 'jit']] as $name => $with) {
    $tally->step("PHP-FPM $name: $requests requests in 2 workers", fn() => soak_fpm($work, $so, $requests, $with));
}
$tally->step('php -S: ' . min($requests, 2000) . ' requests in one process', fn() => soak_builtin($work, $so, min($requests, 2000)));
$tally->step('preloading code that uses the extension', fn() => preloaded($work, $so));
$tally->step('PHP-FPM with preloading', fn() => preloaded_fpm($work, $so, min($requests, 500)));
$tally->step('the module named twice', fn() => loaded_twice($so));
$tally->step('loaded by dl()', fn() => loaded_late($work, $so));
$tally->step('its classes disabled', fn() => classes_disabled($so));
$tally->step('its functions disabled', fn() => functions_disabled($so));
foreach (bailouts() as $name => [$code, $after]) {
    $tally->step($name, fn() => bailout($work, $so, $code, $after));
}
$work->remove();
exit($tally->close());

/** Counts and prints; a step returns nothing when it passed, or throws Skip or anything else. */
final class Tally
{
    private int $passed = 0;
    private int $failed = 0;
    private int $skipped = 0;

    public function step(string $name, callable $step): void
    {
        try {
            $said = $step();
            $this->passed++;
            echo "PASS $name", is_string($said) ? " ($said)" : '', "\n";
        } catch (Skip $e) {
            $this->skipped++;
            echo "SKIP $name: {$e->getMessage()}\n";
        } catch (Throwable $e) {
            $this->failed++;
            echo "FAIL $name\n    ", str_replace("\n", "\n    ", trim($e->getMessage())), "\n";
        }
    }

    public function close(): int
    {
        echo "$this->passed passed, $this->failed failed, $this->skipped skipped\n";
        return $this->failed === 0 ? 0 : 1;
    }
}

final class Skip extends Exception {}

/** A folder with what the requests read and write, and IPC keys that nobody else uses. */
final class Workplace
{
    public readonly string $dir;
    public readonly int $key;

    public function __construct()
    {
        // A socket's path is short, so the folder is in the system's temporary one.
        $this->dir = sys_get_temp_dir() . '/rustio-soak-' . getmypid();
        mkdir($this->dir, 0o700);
        file_put_contents("$this->dir/lines.txt", implode("\n", range(1, 5000)) . "\n");
        $this->key = crc32($this->dir) & 0x3fffffff | 0x40000000;
        file_put_contents("$this->dir/key", (string) $this->key);
    }

    public function remove(): void
    {
        forget_segments($this->key);
        shell_exec('rm -rf ' . escapeshellarg($this->dir));
    }
}

/** Removes the segments of a workplace, so that each step starts afresh. */
function forget_segments(int $key): void
{
    foreach ([$key, $key + 1] as $k) {
        shell_exec(sprintf('ipcrm -M 0x%x 2>/dev/null', $k));
    }
}

/** @return array{int, string} status and output of a PHP process */
function php(string $so, array $options, string $code, array $arguments = [], array $env = []): array
{
    $extensions = [];
    foreach (['posix', 'pcntl'] as $name) {
        if (!extension_loaded($name) && is_file(ini_get('extension_dir') . "/$name.so")) {
            array_push($extensions, '-d', "extension=$name");
        }
    }
    $command = ['timeout', '-k', '5', '30', PHP_BINARY, '-n', '-d', "extension=$so", ...$extensions, ...$options, '-r', $code, '--', ...$arguments];
    $process = proc_open($command, [0 => ['file', '/dev/null', 'r'], 1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes, null, $env + getenv());
    $out = stream_get_contents($pipes[1]);
    // A signal shows as 128 + n, from timeout(1).
    return [proc_close($process), $out];
}

function must(bool $holds, string $else): void
{
    if (!$holds) {
        throw new RuntimeException($else);
    }
}

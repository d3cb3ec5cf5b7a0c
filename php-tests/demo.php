<?php

/**
 * Reads one real file line by line, by rustio and by what plain PHP offers, each in a process of its own, and then asks
 * the file something: which first fields (in a web log: clients) are the most frequent?
 *
 *   php -n -d extension=/path/to/librustio.so php-tests/demo.php [FILE]
 *
 * Without FILE: the largest text file among the machine's logs and package lists, or one that it makes; it says which.
 */

declare(strict_types=1);

const ENOUGH = 20_000_000; // bytes; smaller files say little about speed
const LIMIT = '128M';      // PHP's own default

if (($argv[1] ?? '') === '--measure') {
    echo json_encode(measure($argv[2], $argv[3], (int) $argv[4]));
    exit(0);
}

[$file, $what] = isset($argv[1]) ? [$argv[1], 'the file you named'] : find_file();
if (!is_file($file) || !is_readable($file)) {
    fwrite(STDERR, "demo: $file is no readable file\n");
    exit(1);
}
$size = filesize($file);
printf("File    %s\n        %s; %s\n", $file, $what, size($size));
printf("PHP     %s, memory_limit %s; every way runs in a process of its own, newlines kept, page cache warm\n\n", PHP_VERSION, LIMIT);
if ($size === 0) {
    echo "It is empty: nothing to show.\n";
    exit(0);
}

try {
    status('reading it once, so that all find it in the page cache');
    $lines = Rustio\count_lines($file);
} catch (Rustio\RustioException $e) {
    status('');
    fwrite(STDERR, 'demo: ' . $e->getMessage() . "\n");
    exit(1);
}
$ok = compare_ways($file, $size, $lines);
most_frequent($file, $size);
exit($ok ? 0 : 1);

/** @return array{string, string} a path and what it is */
function find_file(): array
{
    $found = [];
    $places = ['/var/log/*' => 'a log of this machine', '/var/log/*/*' => 'a log of this machine', '/var/lib/apt/lists/*_Packages' => 'a package list of this machine'];
    foreach ($places as $pattern => $what) {
        foreach (glob($pattern) ?: [] as $path) {
            if (is_file($path) && is_readable($path) && ($size = filesize($path)) >= ENOUGH && $size < 2e9 && is_text($path)) {
                $found[$path] = [$size, $what];
            }
        }
        if ($found !== [] && $what !== 'a log of this machine') {
            break;
        }
    }
    // Logs before package lists, the largest first.
    uasort($found, fn($a, $b) => [str_contains($b[1], 'log'), $b[0]] <=> [str_contains($a[1], 'log'), $a[0]]);
    if ($found !== []) {
        $path = array_key_first($found);
        return [$path, $found[$path][1]];
    }
    return [make_file(), 'a web log made for this demo (no large text file was found here)'];
}

function is_text(string $path): bool
{
    $start = file_get_contents($path, false, null, 0, 65536);
    return !str_contains($start, "\0") && !str_starts_with($start, "\x1f\x8b") && str_contains($start, "\n");
}

function make_file(): string
{
    require_once __DIR__ . '/bench/lib/tools.php';
    require_once __DIR__ . '/bench/lib/setup.php';
    $dir = dirname(__DIR__) . '/target/bench-data';
    if (!is_dir($dir)) {
        mkdir($dir, 0o755, true);
    }
    return (new Bench\Setup(false, $dir))->log_file(1_000_000);
}

/** Runs every way several times, shows the best, checks all against each other and wc. */
function compare_ways(string $file, int $size, int $lines): bool
{
    $ways = ['rustio' => 'rustio LineIterator', 'fgets' => 'fgets', 'spl' => 'SplFileObject', 'array' => 'file()'];
    $rounds = $size < 1e9 ? 5 : 1;
    $best = [];
    for ($round = 1; $round <= $rounds; $round++) {
        foreach ($ways as $way => $name) {
            if (isset($best[$way]['died'])) {
                continue;
            }
            status("round $round of $rounds: $name");
            $run = start($file, $way, $round);
            if (!isset($best[$way]) || isset($run['died']) || $run['ns'] < $best[$way]['ns']) {
                $best[$way] = $run + ($best[$way] ?? []);
            }
        }
    }
    status('');
    printf("%-22s %12s %14s %9s %9s %12s\n", '', 'lines', 'bytes', 'MB/s', 'x fgets', 'peak memory');
    foreach ($ways as $way => $name) {
        $run = $best[$way];
        if (isset($run['died'])) {
            printf("%-22s %s\n", $name, $run['died']);
            continue;
        }
        printf(
            "%-22s %12s %14s %9s %9.2f %12s\n",
            $name,
            number_format($run['lines']),
            number_format($run['bytes']),
            number_format($size / $run['ns'] * 1e3),
            $best['fgets']['ns'] / $run['ns'],
            size($run['peak']),
        );
    }

    // The last line of a file may lack its newline: a line for everybody but wc, which counts newlines.
    $unfinished = substr(file_get_contents($file, false, null, $size - 1), -1) !== "\n" ? 1 : 0;
    $counts = ['wc -l' => (int) shell_exec('wc -l < ' . escapeshellarg($file)) + $unfinished, 'count_lines()' => $lines];
    $want = ['lines' => $best['rustio']['lines'], 'bytes' => $size, 'hash' => hash_file('xxh3', $file)];
    $wrong = [];
    foreach ($best as $way => $run) {
        if (!isset($run['died']) && array_intersect_key($run, $want) != $want) {
            $wrong[] = $ways[$way];
        }
    }
    foreach ($counts as $name => $count) {
        if ($count !== $want['lines']) {
            $wrong[] = "$name ($count)";
        }
    }
    if ($wrong !== []) {
        echo "\nCHECK   these disagree with the file or with rustio: ", implode(', ', $wrong), "\n\n";
        return false;
    }
    echo "\nCHECK   all agree, byte for byte (xxh3 of their lines = of the file), and with ", implode(' and ', array_keys($counts)), "\n\n";
    return true;
}

/** One way in a new process; a process that runs out of memory is an answer, too. */
function start(string $file, string $way, int $round): array
{
    $so = getenv('SO') ?: dirname(__DIR__) . '/target/release/librustio.so';
    $command = [PHP_BINARY, '-n', '-d', 'memory_limit=' . LIMIT, '-d', 'display_errors=stderr', '-d', "extension=$so", __FILE__, '--measure', $file, $way, (string) $round];
    $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes);
    $out = stream_get_contents($pipes[1]);
    $said = stream_get_contents($pipes[2]);
    $status = proc_close($process);
    $run = json_decode($out, true);
    if (is_array($run)) {
        return $run;
    }
    return ['died' => str_contains($said, 'memory') ? 'out of memory (limit ' . LIMIT . ')' : "failed with status $status: " . substr(trim($said), 0, 200)];
}

/** What a started process does: the timed loop; in the first round a second one that hashes what it got. */
function measure(string $file, string $way, int $round): array
{
    $lines = fn(): iterable => match ($way) {
        'rustio' => new Rustio\LineIterator($file, keepNewline: true, stripBom: false, maxLineLength: 64 << 20),
        'spl' => (function () use ($file): SplFileObject {
            $lines = new SplFileObject($file);
            $lines->setFlags(SplFileObject::READ_AHEAD | SplFileObject::SKIP_EMPTY);
            return $lines;
        })(),
        'array' => file($file),
    };
    memory_reset_peak_usage();
    $before = memory_get_usage();
    $n = $bytes = 0;
    $start = hrtime(true);
    if ($way === 'fgets') {
        $in = fopen($file, 'r');
        while (($line = fgets($in)) !== false) {
            $n++;
            $bytes += strlen($line);
        }
    } else {
        foreach ($lines() as $line) {
            $n++;
            $bytes += strlen($line);
        }
    }
    $run = ['ns' => hrtime(true) - $start, 'lines' => $n, 'bytes' => $bytes, 'peak' => memory_get_peak_usage() - $before];
    if ($round === 1) {
        $hash = hash_init('xxh3');
        if ($way === 'fgets') {
            rewind($in);
            while (($line = fgets($in)) !== false) {
                hash_update($hash, $line);
            }
        } else {
            foreach ($lines() as $line) {
                hash_update($hash, $line);
            }
        }
        $run['hash'] = hash_final($hash);
    }
    return $run;
}

/** Counts first fields; when there are very many different ones, the rare are forgotten and the counts are lower bounds. */
function most_frequent(string $file, int $size): void
{
    $counts = [];
    $rough = false;
    $start = hrtime(true);
    $lines = new Rustio\LineIterator($file, skipEmpty: true, maxLineLength: 1 << 20, onLongLine: Rustio\LongLine::Truncate);
    foreach ($lines as $i => $line) {
        $field = substr($line, 0, strcspn($line, " \t,;"));
        $counts[$field] = ($counts[$field] ?? 0) + 1;
        if ($i % 100_000 === 0) {
            status(sprintf('counting first fields: %d %%', 100 * $lines->offset() / $size));
            if (count($counts) > 300_000) {
                $counts = array_filter($counts, fn(int $n) => $n > 1);
                $rough = true;
            }
        }
    }
    arsort($counts);
    status('');
    printf("The ten most frequent first fields of %s%s (%.2f s)\n", number_format(count($counts)), $rough ? ' or more; counts are lower bounds' : '', (hrtime(true) - $start) / 1e9);
    foreach (array_slice($counts, 0, 10, true) as $field => $n) {
        $shown = preg_replace('/[^\x20-\x7e]/', '?', (string) $field);
        printf("%12s  %s\n", number_format($n), strlen($shown) > 60 ? substr($shown, 0, 57) . '...' : $shown);
    }
}

/** A line on stderr that the next one replaces; only where a person looks. */
function status(string $text): void
{
    if (stream_isatty(STDERR)) {
        fwrite(STDERR, "\r\e[K$text");
    }
}

function size(int $bytes): string
{
    return $bytes < 1_000_000 ? number_format($bytes / 1e3) . ' KB' : number_format($bytes / 1e6, 1) . ' MB';
}

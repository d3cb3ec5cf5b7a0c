<?php

declare(strict_types=1);

namespace Bench;

/** Runs the selected cases, one process a side and round, and hands the figures to the report. */
final class Runner
{
    private const TIMEOUT_S = 300;
    private const CHECK_ATTEMPTS = 3;
    private const QUICK_ROUNDS = 3;

    private string $data_dir;
    private string $so;

    public function __construct(private bool $quick, private bool $check)
    {
        $root = dirname(__DIR__, 3);
        $this->so = getenv('SO') ?: "$root/target/release/librustio.so";
        $this->data_dir = getenv('BENCH_DATA') ?: "$root/target/bench-data";
        if (!is_dir($this->data_dir)) {
            mkdir($this->data_dir, 0o755, true);
        }
    }

    /** @return int the exit status */
    public function run(string $selection): int
    {
        if (!is_file($this->so)) {
            fwrite(STDERR, "no $this->so: run 'make build'\n");
            return 1;
        }
        $floors = floors();
        $cases = cases($selection);
        if ($this->check) {
            $cases = array_values(array_filter($cases, fn($case) => array_filter($floors, fn($f) => $f['case'] === $case['name'])));
        }
        if ($cases === []) {
            fwrite(STDERR, "no case is named '$selection': see 'run.php list'\n");
            return 1;
        }
        $machine = machine($this->data_dir);
        foreach ($machine as $what => $value) {
            printf("%-14s %s\n", $what, $value);
        }
        $results = [];
        $failed = 0;
        foreach ($cases as $i => $case) {
            $result = $this->measure($case, $floors, sprintf('[%d/%d]', $i + 1, count($cases)));
            $results[$case['name']] = $result;
            progress_done();
            echo terminal_table($result), "\n";
            $failed += count(array_filter($result['sides'], fn($s) => $s['failed'] !== null));
        }
        $verdicts = verdicts($floors, $results);
        echo terminal_floors($verdicts);
        $where = (new Report($this->quick || $this->check, $machine))->write($results, $verdicts);
        echo "written to $where\n";
        $below = count(array_filter($verdicts, fn($v) => $v['state'] === 'below' || $v['state'] === 'missing'));
        if ($failed > 0) {
            fwrite(STDERR, "$failed sides failed\n");
        }
        return $failed === 0 && (!$this->check || $below === 0) ? 0 : 1;
    }

    /** @return array<string, mixed> */
    private function measure(array $case, array $floors, string $position): array
    {
        $setup = new Setup($this->quick, $this->data_dir);
        progress("$position {$case['name']}: data");
        $data = ($case['data'])($setup) + ['quick' => $this->quick];
        $floors = array_values(array_filter($floors, fn($f) => $f['case'] === $case['name']));
        $names = array_keys($case['sides']);
        if ($this->check) {
            $asked = array_merge(...array_map(fn($f) => array_filter([$f['side'], $f['against'] ?? null]), $floors));
            $names = array_values(array_intersect($names, $asked));
        }
        $result = [
            'name' => $case['name'], 'family' => $case['family'], 'table' => $case['table'], 'title' => $case['title'],
            'state' => $case['state'], 'unit' => $case['unit'], 'reference' => $case['reference'], 'notes' => $case['notes'],
            'readme' => $case['readme'], 'quick' => $this->quick, 'sides' => [],
        ];
        foreach ($names as $name) {
            $side = $case['sides'][$name];
            $amount = $side['amount'] instanceof \Closure ? ($side['amount'])($data) : $side['amount'];
            $result['sides'][$name] = [
                'role' => $side['role'], 'note' => $side['note'], 'amount' => $amount, 'samples' => [], 'calls' => [],
                'skipped' => lacks($side), 'failed' => null,
            ];
        }
        if ($this->quick) {
            $case['rounds'] = min($case['rounds'], self::QUICK_ROUNDS);
        }
        for ($attempt = 1; ; $attempt++) {
            $this->rounds($case, $data, $result, $position);
            $this->judge_answers($case, $data, $result);
            foreach ($result['sides'] as $name => $side) {
                $result['sides'][$name] = figures($side, $case['unit']);
            }
            // Tracing takes long: a quick run counts calls only where a floor asks for them.
            if ($attempt === 1 && (!$this->quick || array_filter($floors, fn($f) => str_starts_with($f['metric'] ?? '', 'calls')))) {
                $this->count_calls($case, $data, $result, $position);
            }
            // A shared machine has bad moments, and the minimum needs a good one: the gate looks again before it says no.
            if (!$this->check || $attempt === self::CHECK_ATTEMPTS || !in_array('below', array_column(verdicts($floors, [$case['name'] => $result]), 'state'), true)) {
                return $result;
            }
        }
    }

    /** All rounds of all sides, in turn. */
    private function rounds(array $case, array $data, array &$result, string $position): void
    {
        $able = array_keys(array_filter($result['sides'], fn($s) => $s['skipped'] === null && $s['failed'] === null));
        $shared = $case['process'] === 'shared';
        $groups = $shared ? [$able] : array_map(fn($name) => [$name], $able);
        $processes = $shared ? 1 : $case['rounds'];
        for ($round = 0; $round < $processes; $round++) {
            // Every other round backwards: no side always runs behind the same neighbour.
            foreach ($round % 2 === 0 ? $groups : array_reverse($groups) as $names) {
                if ($names === [] || $result['sides'][$names[0]]['failed'] !== null) {
                    continue;
                }
                progress(sprintf('%s %s: round %d of %d: %s', $position, $case['name'], $round + 1, $processes, implode(', ', $names)));
                $repeat = $shared ? $case['rounds'] * $case['reps'] : $case['reps'];
                foreach ($this->start($case, $names, $repeat, $case['warmup'], $data) as $sample) {
                    $side = &$result['sides'][$sample['side']];
                    if (isset($sample['error'])) {
                        $side['failed'] ??= $sample['error'];
                    } else {
                        $side['samples'][] = $sample + ['round' => $round];
                    }
                    unset($side);
                }
            }
        }
    }

    /**
     * One process that runs these sides; returns its samples.
     *
     * @param list<string> $names
     * @param list<string> $tracer a command to put in front
     * @return list<array<string, mixed>>
     */
    private function start(array $case, array $names, int $rounds, bool $warmup, array $data, array $tracer = []): array
    {
        $job = tempnam($this->data_dir, 'job');
        $answers = "$job.out";
        file_put_contents($job, json_encode([
            'case' => $case['file'], 'sides' => $names, 'rounds' => $rounds, 'warmup' => $warmup, 'data' => $data, 'result' => $answers,
        ]));
        $ini = ['memory_limit' => '-1'];
        $extensions = ['posix', 'pcntl'];
        foreach ($names as $name) {
            $ini = $case['sides'][$name]['ini'] + $ini;
            array_push($extensions, ...$case['sides'][$name]['ext']);
        }
        // A minute of work that hangs must not hang the whole run.
        $command = ['timeout', '-k', '5', (string) self::TIMEOUT_S, ...$tracer, PHP_BINARY, '-n', '-d', "extension=$this->so"];
        foreach (array_unique($extensions) as $extension) {
            if (!extension_loaded($extension) && is_file(ini_get('extension_dir') . "/$extension.so")) {
                array_push($command, '-d', "extension=$extension");
            }
        }
        foreach ($ini as $key => $value) {
            array_push($command, '-d', "$key=$value");
        }
        array_push($command, dirname(__DIR__) . '/run.php', 'child', "job=$job");
        $log = "$job.log";
        $process = proc_open(
            $command,
            [0 => ['file', '/dev/null', 'r'], 1 => ['file', $log, 'w'], 2 => ['file', $log, 'a']],
            $pipes,
            null,
            ['BENCH_SCRATCH' => $this->data_dir] + getenv(),
        );
        $status = proc_close($process);
        $samples = is_file($answers) ? json_decode(file_get_contents($answers), true) : null;
        $said = trim((string) @file_get_contents($log));
        array_map(fn($f) => is_file($f) && unlink($f), [$job, $answers, $log]);
        if ($samples === null) {
            $why = $status === 124 ? 'took more than ' . self::TIMEOUT_S . ' s' : "status $status: " . substr($said, -300);
            return array_map(fn($name) => ['side' => $name, 'error' => $why], $names);
        }
        return $samples;
    }

    /** A time counts only with the right answer. */
    private function judge_answers(array $case, array $data, array &$result): void
    {
        $expected = null;
        $known = array_key_exists('expect', $case);
        if ($known) {
            $expected = $case['expect'] instanceof \Closure ? ($case['expect'])($data) : $case['expect'];
        }
        foreach ($result['sides'] as $name => &$side) {
            $spec = $case['sides'][$name];
            $want = $expected;
            $check = true;
            if (array_key_exists('expect', $spec)) {
                $check = $spec['expect'] !== null;
                $want = $spec['expect'] instanceof \Closure ? ($spec['expect'])($data) : $spec['expect'];
            }
            foreach ($side['samples'] as $sample) {
                if (!$check) {
                    break;
                }
                if (!$known && !array_key_exists('expect', $spec)) {
                    [$expected, $known] = [$sample['answer'], true]; // without 'expect' all must agree with the first
                    $want = $expected;
                }
                if ($sample['answer'] !== $want) {
                    $side['failed'] = 'wrong answer: ' . substr(json_encode($sample['answer']), 0, 120) . ', not ' . substr(json_encode($want), 0, 120);
                    break;
                }
            }
        }
    }

    /** System calls of one run, by strace -c; what PHP does before is measured, too, and taken off. */
    private function count_calls(array $case, array $data, array &$result, string $position): void
    {
        if ($case['calls'] === []) {
            return;
        }
        if (command('strace') === null) {
            $result['notes'][] = 'System calls were not counted: no strace here.';
            return;
        }
        $out = tempnam($this->data_dir, 'calls');
        $tracer = [command('strace'), '-f', '-q', '-c', '-o', $out, '-e', 'trace=' . implode(',', $case['calls'])];
        foreach ($result['sides'] as $name => &$side) {
            if ($side['samples'] === [] || $side['failed'] !== null) {
                continue;
            }
            progress("$position {$case['name']}: counting system calls: $name");
            $counts = [];
            foreach ([0, 1] as $runs) {
                $this->start($case, [$name], $runs, false, $data, $tracer);
                $counts[$runs] = parse_strace(file_get_contents($out));
            }
            foreach ($case['calls'] as $call) {
                $side['calls'][$call] = max(0, ($counts[1][$call] ?? 0) - ($counts[0][$call] ?? 0));
            }
        }
        unlink($out);
    }
}

/** @return array<string, int> the counts of a strace -c table */
function parse_strace(string $table): array
{
    $counts = [];
    foreach (explode("\n", $table) as $line) {
        // % time, seconds, usecs/call, calls, errors (may be empty), name
        if (preg_match('/^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?([a-z_0-9]+)$/', $line, $m) && $m[2] !== 'total') {
            $counts[$m[2]] = (int) $m[1];
        }
    }
    return $counts;
}

/** Adds minimum, median, spread and the shown value to a side. */
function figures(array $side, string $unit): array
{
    if ($side['samples'] === []) {
        return $side;
    }
    $ns = array_column($side['samples'], 'ns');
    sort($ns);
    $side['min_ns'] = $ns[0];
    $side['median_ns'] = median($ns);
    $side['spread'] = $ns[0] > 0 ? (end($ns) - $ns[0]) / $ns[0] : 0.0;
    $side['best'] = in_unit($ns[0], $side['amount'], $unit);
    $side['median'] = in_unit($side['median_ns'], $side['amount'], $unit);
    $side['peak_bytes'] = max(array_column($side['samples'], 'peak_bytes'));
    $side['rss_kb'] = max(array_column($side['samples'], 'rss_kb'));
    $side['notes'] = [];
    foreach ($side['samples'] as $sample) {
        foreach ($sample['notes'] as $name => $value) {
            $side['notes'][$name][] = $value;
        }
    }
    $side['notes'] = array_map(median(...), $side['notes']);
    return $side;
}

/** @param list<int|float> $values */
function median(array $values): int|float
{
    sort($values);
    $n = count($values);
    return $n % 2 === 1 ? $values[intdiv($n, 2)] : ($values[$n / 2 - 1] + $values[$n / 2]) / 2;
}

function in_unit(int|float $ns, int|float $amount, string $unit): float
{
    $ns = max($ns, 1);
    return match ($unit) {
        'ns' => $ns / $amount,
        'us' => $ns / 1e3 / $amount,
        'ms' => $ns / 1e6 / $amount,
        's' => $ns / 1e9 / $amount,
        'MB/s' => $amount / $ns * 1e3,
        '/s' => $amount / $ns * 1e9,
        default => throw new \LogicException("unknown unit '$unit'"),
    };
}

/** Is more better? */
function more_is_better(string $unit): bool
{
    return $unit === 'MB/s' || $unit === '/s';
}

/** How many times faster $a is than $b, by their minimum for one unit of work. */
function speedup(array $a, array $b): float
{
    return ($b['min_ns'] / $b['amount']) / (max(1, $a['min_ns']) / $a['amount']);
}

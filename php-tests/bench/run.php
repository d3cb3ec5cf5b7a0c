<?php

/**
 * Measures rustio beside every peer that this machine has, and keeps the results.
 *
 *   php -n php-tests/bench/run.php run   [CASE=lines] [QUICK=1]    measure; tables, raw rows, charts, README
 *   php -n php-tests/bench/run.php check [CASE=lines] [QUICK=1]    measure only what has a floor; exit 1 below one
 *   php -n php-tests/bench/run.php list                            the cases and what they compare
 *
 * CASE takes a family (lines, log, shm, accel, system) or the start of a case's name; commas separate several. SO
 * names the extension, BENCH_DATA the folder for data (default target/bench-data: the same file system as the
 * project). Full runs go to php-tests/bench/runs/<date>-<machine kind>/ and into the README; QUICK and check runs stay
 * in target/bench-runs.
 *
 * A CASE is a file cases/<family>_<what>.php that returns an array:
 *
 *   title      one sentence: the task that every side does
 *   table      'T4' ... where the field's notes have this table; '' otherwise
 *   state      'warm' or 'cold' page cache, '' where it does not matter; a cold side evicts in its 'before'
 *   unit       'ms', 'us', 'ns', 's': time of one run divided by 'amount' (default 1), lower is better;
 *              'MB/s' or '/s': 'amount' (bytes, or things) divided by the time, higher is better
 *   amount     int or fn(array $data): int
 *   reference  name of the side that the column "x" compares with
 *   data       fn(Bench\Setup $s): array   makes what the sides need, once, in the parent; its array (JSON) goes to them
 *   expect     fn(array $data): mixed, or a value: what every side must return, or its time does not count. Without
 *              it all sides must agree
 *   sides      name => Closure, or name => array with
 *                run     fn(array $data, Bench\Meter $m): mixed   the task; returns its answer (lines, bytes, sums).
 *                        All of it is timed, or only what lies between $m->start() and $m->stop(); $m->took($ns) says
 *                        a time that was measured elsewhere; $m->note('held ms', 0.1) adds a column
 *                before, after   fn(array $data): void   around each run, not timed
 *                needs   list of 'cmd:NAME', 'file:PATH', 'class:NAME', 'function:NAME', 'ext:NAME', or a Closure that
 *                        returns why not, or null. A side that lacks one is a row "skipped", with the reason
 *                ext     list of extensions to load for it (implies needs)
 *                ini     name => value
 *                role    'rustio' (default when the name starts with it), 'peer', 'limit' (can't be beaten: a bound)
 *                amount, expect   of this side; 'expect' => null leaves its answer unchecked (say why in 'note')
 *                note    a remark for the table
 *   calls      list of system calls to count with strace -c in a run of its own, PHP's own start subtracted
 *   process    'fresh' (default): each round of each side in a new PHP process, one warm-up run dropped, then 'reps'
 *              runs; 'shared': all sides in one process, interleaved (for nanoseconds). Sides always take turns
 *   rounds     default 5; at least 5
 *   reps       timed runs a process; default 1
 *   warmup     default true; false for cold runs and runs that cost seconds
 *   readme     true, or 'chart' for a picture, too: it belongs to <!-- bench:FAMILY --> in the README and
 *              docs/benchmarks.md; 'docs': in the latter alone (<!-- bench:NAME --> works for any case)
 *   notes      list of sentences for the summary: losses explained, ideas refuted
 *   floors     list of what 'check' insists on, each an array with
 *                side, and against (another side) for a ratio; without against the figure itself
 *                metric   'time' (default; against / side by the best runs, so 2.0 = twice as fast), 'value' (in the
 *                         case's unit), 'peak_kb', 'rss_kb', 'calls:NAME', 'note:NAME'
 *                floor    at least this, or at_most
 *                waived   why a missing or failing row is accepted; without it both make 'check' fail
 *
 * Sides may use lib/tools.php: Bench\in_processes() for many processes with a common start, Bench\scratch() for
 * temporary paths on the data's file system, Bench\output_of() for programs. A Redis server listens on the socket in
 * the environment's BENCH_REDIS, if there is one ('needs' => ['env:BENCH_REDIS']).
 */

declare(strict_types=1);

namespace Bench;

foreach (['setup', 'meter', 'tools', 'case', 'child', 'machine', 'runner', 'table', 'svg', 'report', 'floors'] as $part) {
    require __DIR__ . "/lib/$part.php";
}

ini_set('memory_limit', '-1');
error_reporting(E_ALL);
set_error_handler(function (int $level, string $message, string $file, int $line): bool {
    if ((error_reporting() & $level) === 0) {
        return false;
    }
    throw new \ErrorException($message, 0, $level, $file, $line);
});

$command = $argv[1] ?? '';
$options = [];
foreach (array_slice($argv, 2) as $argument) {
    [$key, $value] = explode('=', $argument, 2) + [1 => '1'];
    $options[$key] = $value;
}

switch ($command) {
    case 'child': // the runner starts these itself
        exit(child(json_decode(file_get_contents($options['job']), true)));
    case 'list':
        foreach (cases('') as $case) {
            printf("%-8s %-22s %-4s %s\n", $case['family'], $case['name'], $case['table'], $case['title']);
        }
        exit(0);
    case 'run':
    case 'check':
        exit((new Runner(($options['QUICK'] ?? '') !== '', $command === 'check'))->run($options['CASE'] ?? ''));
    default:
        fwrite(STDERR, "usage: php -n php-tests/bench/run.php run|check [CASE=family] [QUICK=1], or list\n");
        exit(2);
}

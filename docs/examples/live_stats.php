<?php

/**
 * Real-time statistics of many processes, in one file and by one command:
 *
 *   php -d extension=rustio docs/examples/live_stats.php [workers=4] [seconds=10]
 *
 * Each worker counts what its "requests" do, by name. One process takes the numbers out each second, prints them as a
 * table, and adds them to totals that it saves to a file, as it would to a database. A worker may be killed at any moment
 * (try: kill -9 PID): the others go on, and what it had counted is kept.
 */

declare(strict_types=1);

use Rustio\SharedCounter;

$workers = (int) ($argv[1] ?? 4);
$seconds = (int) ($argv[2] ?? 10);
$name = 'live stats ' . getmypid(); // a fixed name in an application: all its processes open the same one
$stats = new SharedCounter($name, slots: 64);

$pids = [];
for ($i = 0; $i < $workers; $i++) {
    $pid = pcntl_fork();
    if ($pid === 0) {
        work(new SharedCounter($name, slots: 64));
    }
    $pids[] = $pid;
}

$totals = [];
$terminal = stream_isatty(STDOUT);
for ($second = 1; $second <= $seconds; $second++) {
    usleep(1_000_000);
    show($stats->drain(), $totals, $second, $pids, $terminal);
}
foreach ($pids as $pid) {
    posix_kill($pid, SIGKILL);
    pcntl_waitpid($pid, $status);
}
show($stats->drain(), $totals, $second, $pids, $terminal); // what was counted since

// Each request was added whole or not at all, so the parts agree with the whole.
$statuses = ($totals['status 200'] ?? 0) + ($totals['status 404'] ?? 0) + ($totals['status 500'] ?? 0);
printf("%d requests counted, %d by status: %s\n", $totals['requests'], $statuses, $totals['requests'] === $statuses ? 'exact' : 'WRONG');
$stats->destroy();
exit($totals['requests'] === $statuses ? 0 : 1);

/** A worker's life: requests of all kinds, for ever. */
function work(SharedCounter $stats): never
{
    mt_srand(getmypid());
    while (true) {
        $status = [200, 200, 200, 200, 200, 200, 200, 200, 404, 500][mt_rand(0, 9)];
        $stats->addMany(['requests' => 1, "status $status" => 1, 'bytes' => mt_rand(200, 20_000)]);
        $stats->add('route /' . ['', 'cart', 'search', 'login'][mt_rand(0, 3)]);
        $stats->max('slowest, us', mt_rand(100, 100_000));
        usleep(200);
    }
}

/** Prints one second's numbers and adds them to the totals. */
function show(array $last, array &$totals, int $second, array $pids, bool $terminal): void
{
    ksort($last);
    echo $terminal ? "\e[H\e[J" : '', "second $second, workers ", implode(' ', $pids), "\n";
    printf("%-20s %14s %16s\n", 'name', 'last second', 'in all');
    foreach ($last as $name => $value) {
        $totals[$name] = str_starts_with($name, 'slowest') ? max($totals[$name] ?? 0, $value) : ($totals[$name] ?? 0) + $value;
        printf("%-20s %14s %16s\n", $name, number_format($value), number_format($totals[$name]));
    }
    echo "\n";
}

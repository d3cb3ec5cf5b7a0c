<?php

// T6: eight processes, one file, nothing synced. The answer is the file's size.

require_once __DIR__ . '/inc/log.php';

use function Bench\Log\{fwrite_each, fwrite_locked, rustio};

$remove = fn(array $d) => is_file($d['out']) && unlink($d['out']);
$side = fn(Closure $run) => ['before' => $remove, 'after' => $remove, 'needs' => ['ext:pcntl'], 'run' => function (array $d, Bench\Meter $m) use ($run): int {
    Bench\in_processes(8, fn() => $run($d['out'], $d['record'], $d['records']), $m);
    clearstatcache();
    return filesize($d['out']);
}];

return [
    'title' => 'Eight processes append to one file, 80 bytes a record',
    'table' => 'T6',
    'unit' => '/s',
    'reference' => 'fwrite + flock',
    'readme' => true,
    'data' => fn(Bench\Setup $s): array => [
        'records' => $s->size(50_000, 10_000), 'record' => str_repeat('r', 79), 'out' => "$s->dir/processes.log",
    ],
    'amount' => fn(array $d) => 8 * $d['records'],
    'expect' => fn(array $d) => 8 * 80 * $d['records'],
    'sides' => [
        'rustio append' => $side(rustio(...)),
        'fwrite' => $side(fwrite_each(...)),
        'fwrite + flock' => $side(fwrite_locked(...)),
    ],
    'floors' => [['side' => 'rustio append', 'against' => 'fwrite + flock', 'floor' => 20]],
];

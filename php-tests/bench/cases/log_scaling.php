<?php

// 1 to 8 processes append to one file; each side returns its size.

require_once __DIR__ . '/inc/log.php';

use function Bench\Log\{fwrite_locked, rustio};

$remove = fn(array $d) => is_file($d['out']) && unlink($d['out']);
$sides = [];
foreach ([1, 2, 4, 8] as $processes) {
    $named = "$processes process" . ($processes > 1 ? 'es' : '');
    $side = fn(Closure $run) => [
        'before' => $remove, 'after' => $remove, 'needs' => ['ext:pcntl'],
        'amount' => fn(array $d) => $processes * $d['records'],
        'expect' => fn(array $d) => 80 * $processes * $d['records'],
        'run' => function (array $d, Bench\Meter $m) use ($run, $processes): int {
            Bench\in_processes($processes, fn() => $run($d['out'], $d['record'], $d['records']), $m);
            clearstatcache();
            return filesize($d['out']);
        },
    ];
    $sides["rustio append, $named"] = $side(rustio(...));
    $sides["fwrite + flock, $named"] = $side(fwrite_locked(...));
}

return [
    'title' => 'One to eight processes append to one file',
    'table' => 'T6',
    'unit' => '/s',
    'reference' => 'fwrite + flock, 1 process',
    'data' => fn(Bench\Setup $s): array => [
        'records' => $s->size(100_000, 10_000), 'record' => str_repeat('r', 79), 'out' => "$s->dir/scaling.log",
    ],
    'sides' => $sides,
    'notes' => ['More processes than cores bring nothing but more waiting: what counts is that the sum does not fall.'],
];

<?php

// 1 to 8 processes add to one counter; each side returns the sum.

require_once __DIR__ . '/inc/shm.php';

use function Bench\in_processes;
use function Bench\Shm\{keys, once};

$counter = fn(array $d) => once('counter', $d, fn() => new Rustio\SharedCounter($d['keys'][0], 256));
$sides = [];
foreach ([1, 2, 4, 8] as $processes) {
    $named = "$processes process" . ($processes > 1 ? 'es' : '');
    $counts = ['amount' => fn(array $d) => $processes * $d['n'], 'expect' => fn(array $d) => $processes * $d['n']];
    $sides["rustio add(int), $named"] = $counts + [
        'before' => fn(array $d) => $counter($d)->set(0, 0),
        'run' => function (array $d, Bench\Meter $m) use ($counter, $processes): int {
            in_processes($processes, function () use ($d): void {
                $c = new Rustio\SharedCounter($d['keys'][0], 256);
                for ($i = 0; $i < $d['n']; $i++) {
                    $c->add(0);
                }
            }, $m);
            return $counter($d)->get(0);
        },
    ];
    $sides["apcu_inc, $named"] = $counts + Bench\Shm\APCU + [
        'before' => fn() => apcu_store('requests_total', 0),
        'run' => function (array $d, Bench\Meter $m) use ($processes): int {
            in_processes($processes, function () use ($d): void {
                for ($i = 0; $i < $d['n']; $i++) {
                    apcu_inc('requests_total');
                }
            }, $m);
            return apcu_fetch('requests_total');
        },
    ];
}

return [
    'title' => 'One to eight processes add to one counter',
    'unit' => 'ns',
    'reference' => 'apcu_inc, 1 process',
    'process' => 'shared',
    'data' => fn(Bench\Setup $s): array => ['keys' => keys(2), 'n' => $s->size(250_000, 50_000)],
    'sides' => $sides,
    'notes' => ['One counter is one cache line: it goes from core to core, so the time of an add cannot fall with more processes.'],
];

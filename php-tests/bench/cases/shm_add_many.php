<?php

// Ten counters by name, together: what one web request reports. Each side returns the sum over all ten.

require_once __DIR__ . '/inc/shm.php';

use function Bench\Shm\{keys, once, redis};

$counter = fn(array $d) => once('counter', $d, fn() => new Rustio\SharedCounter($d['keys'][0], 256));

return [
    'title' => 'Add to ten named counters',
    'unit' => 'ns',
    'reference' => 'ten apcu_inc()',
    'process' => 'shared',
    'rounds' => 25,
    'readme' => 'docs',
    'data' => function (Bench\Setup $s): array {
        $names = [];
        for ($i = 0; $i < 10; $i++) {
            $names["requests_total_$i"] = 1;
        }
        return ['keys' => keys(2), 'n' => $s->size(10_000, 2_000), 'names' => $names];
    },
    'amount' => fn(array $d) => $d['n'],
    'expect' => fn(array $d) => 10 * $d['n'],
    'sides' => [
        'rustio addMany()' => [
            'note' => 'all or nothing',
            'before' => fn(array $d) => $counter($d)->drain(),
            'run' => function (array $d) use ($counter): int {
                $c = $counter($d);
                $names = $d['names'];
                for ($i = 0; $i < $d['n']; $i++) {
                    $c->addMany($names);
                }
                return array_sum($c->snapshot());
            },
        ],
        'rustio ten add()' => [
            'before' => fn(array $d) => $counter($d)->drain(),
            'run' => function (array $d) use ($counter): int {
                $c = $counter($d);
                $names = [];
                foreach ($d['names'] as $name => $one) {
                    $names["single $name"] = $one;
                }
                for ($i = 0; $i < $d['n']; $i++) {
                    foreach ($names as $name => $one) {
                        $c->add($name, $one);
                    }
                }
                return array_sum($c->snapshot());
            },
        ],
        'ten apcu_inc()' => [
            ...Bench\Shm\APCU,
            'before' => fn() => apcu_clear_cache(),
            'run' => function (array $d): int {
                $names = $d['names'];
                for ($i = 0; $i < $d['n']; $i++) {
                    foreach ($names as $name => $one) {
                        apcu_inc($name, $one);
                    }
                }
                return array_sum(array_map(apcu_fetch(...), array_keys($names)));
            },
        ],
        'Redis, one pipeline, unix socket' => [
            ...Bench\Shm\REDIS,
            'amount' => fn(array $d) => $d['n'] / 100,
            'expect' => fn(array $d) => 10 * $d['n'] / 100,
            'run' => function (array $d): int {
                $redis = redis();
                $redis->flushDB();
                for ($i = 0, $n = $d['n'] / 100; $i < $n; $i++) {
                    $redis->multi(Redis::PIPELINE);
                    foreach ($d['names'] as $name => $one) {
                        $redis->incrBy($name, $one);
                    }
                    $redis->exec();
                }
                return array_sum($redis->mGet(array_keys($d['names'])));
            },
        ],
    ],
    'floors' => [
        ['side' => 'rustio addMany()', 'against' => 'ten apcu_inc()', 'floor' => 3.0],
    ],
];

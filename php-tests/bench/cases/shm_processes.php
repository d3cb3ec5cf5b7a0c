<?php

// Four processes add to one counter at once; each side returns the sum, which must be exact where it is promised.

require_once __DIR__ . '/inc/shm.php';

use function Bench\in_processes;
use function Bench\Shm\{add_in_file, keys, once, redis, sem_and_shm};

$counter = fn(array $d) => once('counter', $d, fn() => new Rustio\SharedCounter($d['keys'][0], 256));

return [
    'title' => 'Add 1 to one counter, four processes at once',
    'unit' => 'ns',
    'reference' => 'apcu_inc',
    'process' => 'shared',
    'rounds' => 7,
    'readme' => 'docs',
    'data' => fn(Bench\Setup $s): array => ['keys' => keys(2), 'n' => $s->size(250_000, 50_000)],
    'amount' => fn(array $d) => 4 * $d['n'],
    'expect' => fn(array $d) => 4 * $d['n'],
    'sides' => [
        'rustio add(int)' => [
            'before' => fn(array $d) => $counter($d)->set(0, 0),
            'run' => function (array $d, Bench\Meter $m) use ($counter): int {
                in_processes(4, function () use ($d): void {
                    $c = new Rustio\SharedCounter($d['keys'][0], 256);
                    for ($i = 0; $i < $d['n']; $i++) {
                        $c->add(0);
                    }
                }, $m);
                return $counter($d)->get(0);
            },
        ],
        'rustio add(string), once in addMany()' => [
            'note' => 'takes the lock',
            'before' => function (array $d) use ($counter): void {
                $counter($d)->addMany(['grouped' => 0]);
                $counter($d)->set('grouped', 0);
            },
            'amount' => fn(array $d) => 4 * $d['n'] / 10,
            'expect' => fn(array $d) => 4 * $d['n'] / 10,
            'run' => function (array $d, Bench\Meter $m) use ($counter): int {
                in_processes(4, function () use ($d): void {
                    $c = new Rustio\SharedCounter($d['keys'][0], 256);
                    for ($i = 0; $i < $d['n'] / 10; $i++) {
                        $c->add('grouped');
                    }
                }, $m);
                return $counter($d)->get('grouped');
            },
        ],
        'apcu_inc' => [
            ...Bench\Shm\APCU,
            'before' => fn() => apcu_store('requests_total', 0),
            'run' => function (array $d, Bench\Meter $m): int {
                in_processes(4, function () use ($d): void {
                    for ($i = 0; $i < $d['n']; $i++) {
                        apcu_inc('requests_total');
                    }
                }, $m);
                return apcu_fetch('requests_total');
            },
        ],
        'sem + shmop' => [
            ...Bench\Shm\SHMOP,
            'amount' => fn(array $d) => 4 * $d['n'] / 50,
            'expect' => fn(array $d) => 4 * $d['n'] / 50,
            'run' => function (array $d, Bench\Meter $m): int {
                [$sem, $shm] = sem_and_shm($d, 8);
                shmop_write($shm, pack('q', 0), 0);
                in_processes(4, function () use ($d, $sem, $shm): void {
                    for ($i = 0; $i < $d['n'] / 50; $i++) {
                        sem_acquire($sem);
                        shmop_write($shm, pack('q', unpack('q', shmop_read($shm, 0, 8))[1] + 1), 0);
                        sem_release($sem);
                    }
                }, $m);
                return unpack('q', shmop_read($shm, 0, 8))[1];
            },
        ],
        'shmop without a lock' => [
            ...Bench\Shm\SHMOP,
            'note' => 'its sum is wrong, so it is not checked',
            'amount' => fn(array $d) => 4 * $d['n'] / 10,
            'expect' => null,
            'run' => function (array $d, Bench\Meter $m): int {
                [, $shm] = sem_and_shm($d, 8);
                in_processes(4, function () use ($d, $shm): void {
                    for ($i = 0; $i < $d['n'] / 10; $i++) {
                        shmop_write($shm, pack('q', unpack('q', shmop_read($shm, 0, 8))[1] + 1), 0);
                    }
                }, $m);
                return 0;
            },
        ],
        'tmpfs file + flock' => [
            'needs' => [Bench\Shm\no_tmpfs(...)],
            'amount' => fn(array $d) => 4 * $d['n'] / 100,
            'expect' => fn(array $d) => 4 * $d['n'] / 100,
            'run' => function (array $d, Bench\Meter $m): int {
                $path = "/dev/shm/rustio-bench-{$d['keys'][0]}";
                file_put_contents($path, '0');
                in_processes(4, function () use ($d, $path): void {
                    $file = fopen($path, 'r+');
                    for ($i = 0; $i < $d['n'] / 100; $i++) {
                        add_in_file($file);
                    }
                }, $m);
                $value = (int) file_get_contents($path);
                unlink($path);
                return $value;
            },
        ],
        'Redis INCR, unix socket' => [
            ...Bench\Shm\REDIS,
            'amount' => fn(array $d) => 4 * $d['n'] / 200,
            'expect' => fn(array $d) => 4 * $d['n'] / 200,
            'run' => function (array $d, Bench\Meter $m): int {
                redis()->del('requests_total');
                in_processes(4, function () use ($d): void {
                    $redis = redis();
                    for ($i = 0; $i < $d['n'] / 200; $i++) {
                        $redis->incr('requests_total');
                    }
                }, $m);
                return (int) redis()->get('requests_total');
            },
        ],
    ],
    'floors' => [
        ['side' => 'rustio add(int)', 'against' => 'apcu_inc', 'floor' => 2.0],
    ],
];

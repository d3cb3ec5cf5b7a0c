<?php

// Each side counts from 0 and returns what the counter holds in the end. Ten calls stand in a row, so that the loop
// itself costs less than a tenth of the smallest figure.

require_once __DIR__ . '/inc/shm.php';

use function Bench\Shm\{add_in_file, keys, once, redis, sem_and_shm};

$counter = fn(array $d) => once('counter', $d, fn() => new Rustio\SharedCounter($d['keys'][0], 256));

return [
    'title' => 'Add 1 to a counter, one process',
    'table' => 'T8',
    'unit' => 'ns',
    'reference' => 'sem + shmop',
    'process' => 'shared',
    'rounds' => 25,
    'readme' => true,
    'data' => fn(Bench\Setup $s): array => ['keys' => keys(2), 'n' => $s->size(100_000, 20_000)],
    'amount' => fn(array $d) => $d['n'],
    'expect' => fn(array $d) => $d['n'],
    'sides' => [
        'rustio add(int)' => [
            'before' => fn(array $d) => $counter($d)->set(0, 0),
            'run' => function (array $d) use ($counter): int {
                $c = $counter($d);
                for ($i = 0, $n = $d['n'] / 10; $i < $n; $i++) {
                    $c->add(0); $c->add(0); $c->add(0); $c->add(0); $c->add(0);
                    $c->add(0); $c->add(0); $c->add(0); $c->add(0); $c->add(0);
                }
                return $c->get(0);
            },
        ],
        'rustio add(string)' => [
            'before' => fn(array $d) => $counter($d)->set('requests_total', 0),
            'run' => function (array $d) use ($counter): int {
                $c = $counter($d);
                for ($i = 0, $n = $d['n'] / 10; $i < $n; $i++) {
                    $c->add('requests_total'); $c->add('requests_total'); $c->add('requests_total'); $c->add('requests_total'); $c->add('requests_total');
                    $c->add('requests_total'); $c->add('requests_total'); $c->add('requests_total'); $c->add('requests_total'); $c->add('requests_total');
                }
                return $c->get('requests_total');
            },
        ],
        'rustio add(string), once in addMany()' => [
            'note' => 'takes the lock',
            'before' => function (array $d) use ($counter): void {
                $counter($d)->addMany(['grouped' => 0]);
                $counter($d)->set('grouped', 0);
            },
            'run' => function (array $d) use ($counter): int {
                $c = $counter($d);
                for ($i = 0, $n = $d['n'] / 10; $i < $n; $i++) {
                    $c->add('grouped'); $c->add('grouped'); $c->add('grouped'); $c->add('grouped'); $c->add('grouped');
                    $c->add('grouped'); $c->add('grouped'); $c->add('grouped'); $c->add('grouped'); $c->add('grouped');
                }
                return $c->get('grouped');
            },
        ],
        'a method call that does nothing' => [
            'role' => 'limit',
            'note' => 'ArrayObject->count()',
            'run' => function (array $d): int {
                $o = new ArrayObject([1]);
                for ($i = 0, $n = $d['n'] / 10; $i < $n; $i++) {
                    $o->count(); $o->count(); $o->count(); $o->count(); $o->count();
                    $o->count(); $o->count(); $o->count(); $o->count(); $o->count();
                }
                return $i * 10;
            },
        ],
        'sem + shmop' => [
            ...Bench\Shm\SHMOP,
            'amount' => fn(array $d) => $d['n'] / 10,
            'expect' => fn(array $d) => $d['n'] / 10,
            'run' => function (array $d): int {
                [$sem, $shm] = sem_and_shm($d, 8);
                shmop_write($shm, pack('q', 0), 0);
                for ($i = 0, $n = $d['n'] / 10; $i < $n; $i++) {
                    sem_acquire($sem);
                    shmop_write($shm, pack('q', unpack('q', shmop_read($shm, 0, 8))[1] + 1), 0);
                    sem_release($sem);
                }
                return unpack('q', shmop_read($shm, 0, 8))[1];
            },
        ],
        'shmop without a lock' => [
            ...Bench\Shm\SHMOP,
            'note' => 'loses most updates of several processes',
            'amount' => fn(array $d) => $d['n'] / 10,
            'expect' => fn(array $d) => $d['n'] / 10,
            'run' => function (array $d): int {
                [, $shm] = sem_and_shm($d, 8);
                shmop_write($shm, pack('q', 0), 0);
                for ($i = 0, $n = $d['n'] / 10; $i < $n; $i++) {
                    shmop_write($shm, pack('q', unpack('q', shmop_read($shm, 0, 8))[1] + 1), 0);
                }
                return unpack('q', shmop_read($shm, 0, 8))[1];
            },
        ],
        'apcu_inc' => [
            ...Bench\Shm\APCU,
            'before' => fn() => apcu_store('requests_total', 0),
            'run' => function (array $d): int {
                for ($i = 0, $n = $d['n'] / 10; $i < $n; $i++) {
                    apcu_inc('requests_total'); apcu_inc('requests_total'); apcu_inc('requests_total'); apcu_inc('requests_total'); apcu_inc('requests_total');
                    apcu_inc('requests_total'); apcu_inc('requests_total'); apcu_inc('requests_total'); apcu_inc('requests_total'); apcu_inc('requests_total');
                }
                return apcu_fetch('requests_total');
            },
        ],
        'tmpfs file + flock' => [
            'needs' => [Bench\Shm\no_tmpfs(...)],
            'amount' => fn(array $d) => $d['n'] / 100,
            'expect' => fn(array $d) => $d['n'] / 100,
            'run' => function (array $d): int {
                $path = "/dev/shm/rustio-bench-{$d['keys'][0]}";
                file_put_contents($path, '0');
                $file = fopen($path, 'r+');
                for ($i = 0, $n = $d['n'] / 100; $i < $n; $i++) {
                    $value = add_in_file($file);
                }
                unlink($path);
                return $value;
            },
        ],
        'Redis INCR, unix socket' => [
            ...Bench\Shm\REDIS,
            'amount' => fn(array $d) => $d['n'] / 200,
            'expect' => fn(array $d) => $d['n'] / 200,
            'run' => function (array $d): int {
                $redis = redis();
                $redis->del('requests_total');
                for ($i = 0, $n = $d['n'] / 200; $i < $n; $i++) {
                    $value = $redis->incr('requests_total');
                }
                return $value;
            },
        ],
    ],
    'floors' => [
        ['side' => 'rustio add(int)', 'against' => 'sem + shmop', 'floor' => 40],
        ['side' => 'rustio add(int)', 'against' => 'apcu_inc', 'floor' => 2.5],
        ['side' => 'rustio add(int)', 'against' => 'a method call that does nothing', 'floor' => 0.5],
        ['side' => 'rustio add(string)', 'against' => 'rustio add(int)', 'floor' => 0.5],
    ],
];

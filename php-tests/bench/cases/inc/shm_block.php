<?php

// One block of bytes written and read back, over and over: the sides of shm_block_*.php. Each returns a hash of the last
// block it has read.

declare(strict_types=1);

use function Bench\Shm\{once, redis, sem_and_shm};

require_once __DIR__ . '/shm.php';

return function (string $title, int $size, int $full, int $quick, array $floors): array {
    $segment = fn(array $d) => once('segment', $d, fn() => new Rustio\SharedSegment($d['keys'][0], $d['size']));
    $blocks = fn(array $d) => once('blocks', $d, fn() => array_map(fn($i) => str_repeat(chr(65 + $i), $d['size']), range(0, 9)));
    /** Writes and reads n blocks by turns. */
    $loop = function (array $d, int $n, callable $write, callable $read) use ($blocks): string {
        $all = $blocks($d);
        for ($i = 0; $i < $n; $i++) {
            $write($all[$i % 10]);
            $last = $read();
        }
        return md5($last);
    };
    $path = fn(array $d) => "/dev/shm/rustio-bench-{$d['keys'][0]}";
    $tenth = fn(array $d) => intdiv($d['n'], 10);
    return [
        'title' => $title,
        'table' => 'T8',
        'unit' => $size > 100_000 ? 'us' : 'ns',
        'reference' => 'sem + shmop',
        'process' => 'shared',
        'rounds' => 15,
        'readme' => $size === 1024 ? 'docs' : true,
        'data' => fn(Bench\Setup $s): array => ['keys' => Bench\Shm\keys(2), 'size' => $size, 'n' => $s->size($full, $quick)],
        'amount' => fn(array $d) => $d['n'],
        'expect' => fn(array $d) => md5(str_repeat('J', $d['size'])),
        'sides' => [
            'rustio' => function (array $d) use ($segment, $blocks): string {
                $s = $segment($d);
                $all = $blocks($d);
                for ($i = 0; $i < $d['n']; $i++) {
                    $s->write($all[$i % 10]);
                    $last = $s->read();
                }
                return md5($last);
            },
            'sem + shmop' => [
                ...Bench\Shm\SHMOP,
                'run' => function (array $d) use ($blocks): string {
                    [$sem, $shm] = sem_and_shm($d, $d['size']);
                    $all = $blocks($d);
                    for ($i = 0; $i < $d['n']; $i++) {
                        sem_acquire($sem);
                        shmop_write($shm, $all[$i % 10], 0);
                        sem_release($sem);
                        sem_acquire($sem);
                        $last = shmop_read($shm, 0, $d['size']);
                        sem_release($sem);
                    }
                    return md5($last);
                },
            ],
            'shmop without a lock' => [
                ...Bench\Shm\SHMOP,
                'note' => 'torn beside a writer',
                'run' => function (array $d) use ($blocks): string {
                    [, $shm] = sem_and_shm($d, $d['size']);
                    $all = $blocks($d);
                    for ($i = 0; $i < $d['n']; $i++) {
                        shmop_write($shm, $all[$i % 10], 0);
                        $last = shmop_read($shm, 0, $d['size']);
                    }
                    return md5($last);
                },
            ],
            'apcu_store + apcu_fetch' => [
                ...Bench\Shm\APCU,
                'run' => fn(array $d) => $loop($d, $d['n'], fn($block) => apcu_store('block', $block), fn() => apcu_fetch('block')),
            ],
            'tmpfs file' => [
                'needs' => [Bench\Shm\no_tmpfs(...)],
                'note' => 'LOCK_EX; torn beside a reader',
                'amount' => $tenth,
                'run' => function (array $d) use ($loop, $path, $tenth): string {
                    $file = $path($d);
                    return $loop($d, $tenth($d), fn($block) => file_put_contents($file, $block, LOCK_EX), fn() => file_get_contents($file));
                },
                'after' => fn(array $d) => @unlink($path($d)),
            ],
            'Redis SET + GET, unix socket' => [
                ...Bench\Shm\REDIS,
                'amount' => $tenth,
                'run' => function (array $d) use ($loop, $tenth): string {
                    $redis = redis();
                    return $loop($d, $tenth($d), fn($block) => $redis->set('block', $block), fn() => $redis->get('block'));
                },
            ],
        ],
        'floors' => $floors,
    ];
};

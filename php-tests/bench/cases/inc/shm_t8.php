<?php

// The field's three workloads: each time open (or create), write, read, close. Each side returns what it has read last.

declare(strict_types=1);

use function Bench\Shm\{once, redis};

require_once __DIR__ . '/shm.php';

return function (string $title, int $size, int $full, int $quick): array {
    $block = fn(int $i, int $size) => str_repeat(chr(65 + $i % 10), $size);
    $path = fn(array $d) => "/dev/shm/rustio-bench-{$d['keys'][0]}";
    $part = fn(int $divisor) => fn(array $d) => max(10, intdiv($d['n'], $divisor * 10) * 10);
    $run = fn(callable $amount, callable $one) => function (array $d) use ($amount, $one, $block): string {
        Bench\Shm\keep($d['keys']);
        for ($i = 0, $n = $amount($d); $i < $n; $i++) {
            $last = $one($d, $block($i, $d['size']));
        }
        return md5($last);
    };
    $all = $part(1);
    $tenth = $part(10);
    return [
        'title' => $title,
        'table' => 'T8',
        'unit' => 'us',
        'reference' => 'tmpfs',
        'process' => 'shared',
        'rounds' => 7,
        'data' => fn(Bench\Setup $s): array => ['keys' => Bench\Shm\keys(2), 'size' => $size, 'n' => $s->size($full, $quick)],
        'amount' => $all,
        'expect' => fn(array $d) => md5(str_repeat('J', $d['size'])),
        'sides' => [
            'rustio, one object for all' => [
                'note' => 'as a worker uses it',
                'run' => $run($all, function (array $d, string $data): string {
                    $s = once('segment', $d, fn() => new Rustio\SharedSegment($d['keys'][0], $d['size']));
                    $s->write($data);
                    return $s->read();
                }),
            ],
            'rustio, a new object each time' => $run($all, function (array $d, string $data): string {
                $s = new Rustio\SharedSegment($d['keys'][0], $d['size']);
                $s->write($data);
                return $s->read();
            }),
            'shmop' => [
                ...Bench\Shm\SHMOP,
                'note' => 'no lock',
                'run' => $run($all, function (array $d, string $data): string {
                    $shm = shmop_open($d['keys'][1], 'c', 0600, $d['size']);
                    shmop_write($shm, $data, 0);
                    return shmop_read($shm, 0, $d['size']);
                }),
            ],
            'shmop with sem' => [
                ...Bench\Shm\SHMOP,
                'run' => $run($all, function (array $d, string $data): string {
                    $sem = once('sem', $d, fn() => sem_get($d['keys'][1]));
                    sem_acquire($sem);
                    $shm = shmop_open($d['keys'][1], 'c', 0600, $d['size']);
                    shmop_write($shm, $data, 0);
                    $read = shmop_read($shm, 0, $d['size']);
                    sem_release($sem);
                    return $read;
                }),
            ],
            'tmpfs' => [
                'needs' => [Bench\Shm\no_tmpfs(...)],
                'amount' => $tenth,
                'run' => $run($tenth, function (array $d, string $data) use ($path): string {
                    file_put_contents($path($d), $data);
                    return file_get_contents($path($d));
                }),
                'after' => fn(array $d) => @unlink($path($d)),
            ],
            'APCu' => [
                ...Bench\Shm\APCU,
                'run' => $run($all, function (array $d, string $data): string {
                    apcu_store('block', $data);
                    return apcu_fetch('block');
                }),
            ],
            'Redis, unix socket' => [
                ...Bench\Shm\REDIS,
                'note' => 'connection kept',
                'amount' => $tenth,
                'run' => $run($tenth, function (array $d, string $data): string {
                    redis()->set('block', $data);
                    return redis()->get('block');
                }),
            ],
        ],
    ];
};

<?php

declare(strict_types=1);

namespace Bench\Shm;

// The process that loaded this file; those that it forks remove nothing.
define('Bench\\Shm\\OWNER', getmypid());

/** System V keys that nobody else has. @return list<int> */
function keys(int $n): array
{
    return array_map(fn() => random_int(0x10000000, 0x7fffffff), range(1, $n));
}

/** What is under these keys goes when this process ends. */
function keep(array $keys): void
{
    static $kept = null;
    if ($kept === null && getmypid() === OWNER) {
        $kept = $keys;
        register_shutdown_function(function () use (&$kept): void {
            foreach (getmypid() === OWNER ? $kept : [] as $key) {
                $hex = sprintf('0x%08x', $key);
                exec("ipcrm -M $hex 2>/dev/null; ipcrm -S $hex 2>/dev/null");
            }
        });
    }
}

/** One object for each process: a side's handles are made once and kept, as a worker keeps them. */
function once(string $name, array $data, callable $make): mixed
{
    static $made = [];
    keep($data['keys']);
    return $made[getmypid() . $name] ??= $make();
}

function redis(): \Redis
{
    return once('redis', ['keys' => []], function () {
        $redis = new \Redis();
        $redis->connect((string) getenv('BENCH_REDIS'));
        return $redis;
    });
}

/** @return array{SysvSemaphore, Shmop} */
function sem_and_shm(array $data, int $size): array
{
    $key = $data['keys'][1];
    return once('sem', $data, fn() => [sem_get($key), shmop_open($key, 'c', 0600, $size)]);
}

const REDIS = ['ext' => ['igbinary', 'redis'], 'needs' => ['env:BENCH_REDIS']];
const APCU = ['ext' => ['apcu'], 'ini' => ['apc.enable_cli' => '1', 'apc.shm_size' => '64M']];
const SHMOP = ['ext' => ['shmop', 'sysvsem']];

/** Why there can be no files in memory, or null. */
function no_tmpfs(): ?string
{
    return is_writable('/dev/shm') ? null : 'no /dev/shm';
}

/** Adds 1 to the integer in a file under its lock. */
function add_in_file($file): int
{
    flock($file, LOCK_EX);
    fseek($file, 0);
    $value = (int) fread($file, 20) + 1;
    fseek($file, 0);
    fwrite($file, str_pad((string) $value, 20));
    fflush($file);
    flock($file, LOCK_UN);
    return $value;
}

<?php

declare(strict_types=1);

namespace Bench;

/**
 * What was measured on. Nothing here names the machine itself.
 *
 * @return array<string, string>
 */
function machine(string $data_dir): array
{
    $cpu = preg_match('/^model name\s*:\s*(.+)$/m', (string) @file_get_contents('/proc/cpuinfo'), $m) ? trim($m[1]) : php_uname('m');
    $memory = preg_match('/^MemTotal:\s+(\d+)/m', (string) @file_get_contents('/proc/meminfo'), $m) ? round($m[1] / 1048576) . ' GiB' : 'unknown';
    $os = preg_match('/^PRETTY_NAME="?([^"\n]+)/m', (string) @file_get_contents('/etc/os-release'), $m) ? $m[1] : PHP_OS;
    $fs = trim((string) @shell_exec('stat -f -c %T ' . escapeshellarg($data_dir) . ' 2>/dev/null'));
    return [
        'date' => gmdate('Y-m-d H:i') . ' UTC',
        'machine' => processors() . " x $cpu, $memory",
        'system' => "$os, Linux " . preg_replace('/^(\d+\.\d+).*/', '$1', php_uname('r')) . ', ' . libc(),
        'file system' => $fs === 'ext2/ext3' ? 'ext4' : $fs,
        'PHP' => PHP_VERSION . ' CLI, ' . (PHP_ZTS ? 'ZTS' : 'NTS') . ', no opcache',
        'load at start' => implode(' ', array_map(fn($l) => sprintf('%.1f', $l), sys_getloadavg())) . ' (1, 5, 15 minutes)',
    ];
}

/** A short name for the kind of machine: amd-epyc-2cpu. */
function machine_kind(): string
{
    $cpu = preg_match('/^model name\s*:\s*(.+)$/m', (string) @file_get_contents('/proc/cpuinfo'), $m) ? $m[1] : php_uname('m');
    $words = array_slice(preg_split('/[^a-z0-9]+/', strtolower(preg_replace('/\((r|tm)\)|processor|cpu/i', ' ', $cpu)), -1, PREG_SPLIT_NO_EMPTY), 0, 2);
    return implode('-', $words) . '-' . processors() . 'cpu';
}

function processors(): int
{
    return (int) (@shell_exec('nproc') ?: 1);
}

function libc(): string
{
    return preg_match('/glibc (\S+)|GLIBC (\S+)/', (string) @shell_exec('getconf GNU_LIBC_VERSION 2>/dev/null'), $m) ? 'glibc ' . $m[1] : 'musl';
}

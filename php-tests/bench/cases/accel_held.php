<?php

// T5: how long a PHP-FPM worker is busy with one download; nginx in front, FPM's own clock.

require_once dirname(__DIR__, 2) . '/accel/servers/rig.php';

$side = static fn (string $way, bool $spooling, ?int $rate): array => [
    'needs' => [Rig::lacks(...)],
    'run' => static function (array $d, Bench\Meter $m) use ($way, $spooling, $rate): int {
        [$ns, $bytes] = Rig::get()->held($way, $spooling, $rate);
        $m->took($ns);
        return $bytes;
    },
];
$slow = 20_000_000;

return [
    'title' => 'A worker is held by a download of 64 MB through nginx',
    'table' => 'T5',
    'unit' => 'ms',
    'process' => 'shared',
    'rounds' => 5,
    'readme' => true,
    'reference' => 'readfile(), fast client',
    'expect' => Rig::SIZE,
    'sides' => [
        'rustio X-Accel-Redirect, fast client' => $side('rustio', true, null),
        'rustio X-Accel-Redirect, client at 20 MB/s' => $side('rustio', true, $slow),
        'readfile(), fast client' => $side('readfile', true, null),
        'readfile(), client at 20 MB/s' => $side('readfile', true, $slow) + ['note' => 'nginx spools to disk'],
        'readfile(), client at 20 MB/s, no spooling' => $side('readfile', false, $slow),
        'rustio fallback, fast client' => $side('fallback', true, null),
    ],
    'floors' => [
        ['side' => 'rustio X-Accel-Redirect, fast client', 'metric' => 'value', 'at_most' => 1.0],
        ['side' => 'rustio X-Accel-Redirect, client at 20 MB/s', 'metric' => 'value', 'at_most' => 1.0],
    ],
];

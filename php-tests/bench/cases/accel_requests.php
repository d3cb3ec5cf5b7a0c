<?php

// What the checks cost in a whole request: nginx, FPM, one client that keeps its connection.

require_once dirname(__DIR__, 2) . '/accel/servers/rig.php';

$side = static fn (string $way): array => [
    'needs' => [Rig::lacks(...)],
    'run' => static function (array $d, Bench\Meter $m) use ($way): int {
        [$ns, $length] = Rig::get()->request_ns($way);
        $m->took($ns);
        return $length;
    },
];

return [
    'title' => 'Requests a second for a file of 10 KB through nginx',
    'unit' => '/s',
    'process' => 'shared',
    'rounds' => 15,
    'readme' => true,
    'reference' => 'header() by hand',
    'expect' => 10 << 10,
    'sides' => [
        'rustio send()' => $side('rustio'),
        'header() by hand' => $side('header') + ['note' => 'nothing checked, nothing encoded'],
    ],
    'floors' => [['side' => 'rustio send()', 'against' => 'header() by hand', 'floor' => 0.95]],
];

<?php

// Where no server helps: PHP's own server, one client on the same machine.

require_once dirname(__DIR__, 2) . '/accel/servers/rig.php';

$side = static fn (string $way): array => [
    'run' => static function (array $d, Bench\Meter $m) use ($way): int {
        [$ns, $bytes, $memory] = Rig::get()->streamed($way);
        $m->took($ns);
        $m->note('PHP peak KB', $memory / 1024);
        return $bytes;
    },
];

return [
    'title' => 'Stream 64 MB from PHP',
    'unit' => 'ms',
    'process' => 'shared',
    'rounds' => 15,
    'reference' => 'readfile()',
    'expect' => Rig::SIZE,
    'sides' => [
        'rustio fallback' => $side('fallback'),
        'readfile()' => $side('readfile'),
    ],
    'floors' => [
        ['side' => 'rustio fallback', 'against' => 'readfile()', 'floor' => 1.0],
        ['side' => 'rustio fallback', 'metric' => 'note:PHP peak KB', 'at_most' => 1024],
    ],
];

<?php

$sum = function (iterable $lines): array {
    $n = $bytes = 0;
    foreach ($lines as $line) {
        $n++;
        $bytes += strlen($line);
    }
    return [$n, $bytes];
};
$add = fn(array $parts): array => [array_sum(array_column($parts, 0)), array_sum(array_column($parts, 1))];

$sides = [];
foreach ([1, 2, 3, 4] as $processes) {
    $sides["rustio, $processes process" . ($processes > 1 ? 'es' : '')] = function (array $d, Bench\Meter $m) use ($processes, $sum, $add): array {
        $ranges = Rustio\split_ranges($d['file'], $processes);
        return $add(Bench\in_processes(count($ranges), fn(int $i) => $sum(new Rustio\LineIterator($d['file'], ...$ranges[$i])), $m));
    };
}

return [
    'title' => 'Read a file by several processes, a range each',
    'state' => 'warm',
    'unit' => 'ms',
    'reference' => 'fgets, 1 process',
    'data' => function (Bench\Setup $s): array {
        $lines = $s->size(4_000_000, 200_000);
        $file = $s->log_file($lines);
        return ['file' => $file, 'lines' => $lines, 'bytes' => filesize($file) - $lines];
    },
    'expect' => fn(array $d) => [$d['lines'], $d['bytes']],
    'sides' => $sides + [
        'fgets, 1 process' => function (array $d, Bench\Meter $m) use ($add): array {
            return $add(Bench\in_processes(1, function () use ($d): array {
                $n = $bytes = 0;
                $in = fopen($d['file'], 'r');
                while (($line = fgets($in)) !== false) {
                    $n++;
                    $bytes += strlen($line) - 1;
                }
                return [$n, $bytes];
            }, $m));
        },
    ],
    'notes' => ['It scales with the cores that are free: more processes than cores bring nothing.'],
];

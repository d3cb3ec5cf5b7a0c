<?php

// Time linear, memory flat: MB/s and the resident size must not depend on the file's size.

$sizes = ['1 MB' => 12_000, '10 MB' => 120_000, '100 MB' => 1_200_000, '1 GB' => 12_000_000];
$quick = ['1 MB' => 12_000, '10 MB' => 120_000, '100 MB' => 240_000, '1 GB' => 480_000];
$sides = [];
foreach (array_keys($sizes) as $size) {
    $sides["rustio, $size"] = [
        'amount' => fn(array $d) => $d['bytes'][$size],
        'expect' => fn(array $d) => $d['lines'][$size],
        'run' => function (array $d) use ($size): int {
            $n = 0;
            foreach (new Rustio\LineIterator($d['files'][$size]) as $line) {
                $n++;
            }
            return $n;
        },
    ];
    $sides["fgets, $size"] = [
        'amount' => fn(array $d) => $d['bytes'][$size],
        'expect' => fn(array $d) => $d['lines'][$size],
        'run' => function (array $d) use ($size): int {
            $n = 0;
            $in = fopen($d['files'][$size], 'r');
            while (($line = fgets($in)) !== false) {
                $n++;
            }
            return $n;
        },
    ];
}

return [
    'title' => 'Read files of 1 MB to 1 GB',
    'state' => 'warm',
    'unit' => 'MB/s',
    'reference' => 'fgets, 10 MB',
    'data' => function (Bench\Setup $s) use ($sizes, $quick): array {
        $lines = $s->quick ? $quick : $sizes;
        $files = array_map(fn(int $n) => $s->log_file($n), $lines);
        return ['lines' => $lines, 'files' => $files, 'bytes' => array_map(filesize(...), $files)];
    },
    'sides' => $sides,
    'floors' => [
        ['side' => 'rustio, 1 GB', 'against' => 'rustio, 10 MB', 'floor' => 0.7],
        ['side' => 'rustio, 1 GB', 'metric' => 'peak_kb', 'at_most' => 1024],
        ['side' => 'rustio, 1 GB', 'metric' => 'rss_kb', 'at_most' => 1024],
        ['side' => 'rustio, 10 MB', 'metric' => 'rss_kb', 'at_most' => 1024],
    ],
];

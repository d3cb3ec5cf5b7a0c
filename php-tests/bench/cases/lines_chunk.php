<?php

$sides = [];
foreach ([4, 8, 16, 64, 256, 1024, 4096] as $kib) {
    $sides['rustio, chunkSize ' . ($kib < 1024 ? "$kib KiB" : intdiv($kib, 1024) . ' MiB')] = function (array $d) use ($kib): int {
        $n = 0;
        foreach (new Rustio\LineIterator($d['file'], chunkSize: $kib * 1024) as $line) {
            $n++;
        }
        return $n;
    };
}

return [
    'title' => 'Read a million log lines with chunks of 4 KiB to 4 MiB',
    'table' => 'T3',
    'state' => 'warm',
    'unit' => 'MB/s',
    'reference' => 'fgets',
    'calls' => ['read', 'pread64'],
    'data' => function (Bench\Setup $s): array {
        $lines = $s->size(1_000_000, 200_000);
        $file = $s->log_file($lines);
        return ['file' => $file, 'lines' => $lines, 'bytes' => filesize($file)];
    },
    'amount' => fn(array $d) => $d['bytes'],
    'expect' => fn(array $d) => $d['lines'],
    'sides' => $sides + [
        'fgets' => function (array $d): int {
            $n = 0;
            $in = fopen($d['file'], 'r');
            while (fgets($in) !== false) {
                $n++;
            }
            return $n;
        },
    ],
];

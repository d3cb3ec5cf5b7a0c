<?php

// T3: one file, read in blocks of one size, with PHP's 8 KiB stream buffer and without. Small blocks read a part of the
// file only, or they would take minutes; the rate is of what they read.

$sides = [];
foreach ([1, 64, 512, 1024, 4096, 8192, 65536, 1 << 20] as $size) {
    foreach ([true, false] as $buffered) {
        $label = ($size < 1024 ? "$size B" : ($size < 1 << 20 ? ($size >> 10) . ' KiB' : '1 MiB')) . ($buffered ? '' : ', no stream buffer');
        $amount = fn(array $d) => min($d['size'], $size * ($buffered ? 1_000_000 : 200_000));
        $sides["fread $label"] = [
            'amount' => $amount,
            'expect' => $amount,
            'run' => function (array $d) use ($size, $buffered, $amount): int {
                $in = fopen($d['file'], 'r');
                if (!$buffered) {
                    stream_set_read_buffer($in, 0);
                }
                $most = $amount($d);
                for ($bytes = 0; $bytes < $most; $bytes += strlen($block)) {
                    $block = fread($in, $size);
                    if ($block === false || $block === '') {
                        break;
                    }
                }
                return $bytes;
            },
        ];
    }
}
$sides['rustio count_lines'] = ['expect' => null, 'run' => fn(array $d): int => Rustio\count_lines($d['file'])];

return [
    'title' => 'Block size against PHP\'s stream buffer',
    'table' => 'T3',
    'state' => 'warm',
    'unit' => 'MB/s',
    'reference' => 'fread 8 KiB',
    'calls' => ['read', 'pread64'],
    'data' => fn(Bench\Setup $s): array => ['file' => $s->bytes(64 << 20), 'size' => $s->size(64 << 20, 16 << 20)],
    'amount' => fn(array $d) => $d['size'],
    'sides' => $sides,
];

<?php

// T1: what one step of each layer costs, so that a slow read can be put down to the right one. The two lower layers are
// given for 8 KiB, what PHP's stream layer reads at a time.

$read = function (array $d, int $size, int $calls, bool $buffered): int {
    $in = fopen($d['file'], 'r');
    if (!$buffered) {
        stream_set_read_buffer($in, 0);
    }
    $bytes = 0;
    for ($i = 0; $i < $calls; $i++) {
        $bytes += strlen(fread($in, $size));
    }
    return $bytes;
};

return [
    'title' => 'Four layers of one read',
    'table' => 'T1',
    'unit' => 'ns',
    'reference' => 'PHP call, bytes in the buffer',
    'data' => fn(Bench\Setup $s): array => ['file' => $s->bytes(64 << 20), 'log' => $s->log_file(200_000), 'size' => 64 << 20],
    'sides' => [
        'PHP call, bytes in the buffer' => [
            'amount' => 500_000,
            'expect' => 500_000,
            'note' => 'fread of 1 byte',
            'run' => fn(array $d): int => $read($d, 1, 500_000, true),
        ],
        'PHP call with read(2)' => [
            'amount' => 200_000,
            'expect' => 200_000,
            'note' => 'fread of 1 byte, no stream buffer',
            'run' => fn(array $d): int => $read($d, 1, 200_000, false),
        ],
        'page cache, 8 KiB' => [
            'amount' => 8192,
            'expect' => 64 << 20,
            'note' => 'the read(2) included',
            'run' => fn(array $d): int => $read($d, 8192, 8192, false),
        ],
        'device, 8 KiB in sequence' => [
            'amount' => 8192,
            'expect' => 64 << 20,
            'note' => 'cold: evicted before, the kernel reads ahead',
            'before' => fn(array $d) => Rustio\page_cache_evict($d['file']),
            'run' => fn(array $d): int => $read($d, 8192, 8192, false),
        ],
        'rustio, next line (83 bytes)' => [
            'amount' => 200_000,
            'expect' => 200_000,
            'note' => 'read(2) for 64 KiB at a time included',
            'run' => function (array $d): int {
                $n = 0;
                foreach (new Rustio\LineIterator($d['log']) as $line) {
                    $n++;
                }
                return $n;
            },
        ],
        'rustio, count_lines, 8 KiB' => [
            'amount' => 8192,
            'expect' => null,
            'run' => fn(array $d): int => Rustio\count_lines($d['file']),
        ],
    ],
];

<?php

// T2. Cold means: this one file's pages were dropped before the run, by rustio's page_cache_evict().

$evict = fn(array $d) => Rustio\page_cache_evict($d['file']);
$dd = fn(string ...$flags) => function (array $d, Bench\Meter $m) use ($flags): int {
    // dd measures itself; what its process costs is not the question.
    $said = $d['said'];
    Bench\output_of('sh', '-c', 'exec env LC_ALL=C dd if="$1" of=/dev/null ' . implode(' ', $flags) . ' 2>"$2"', 'sh', $d['file'], $said);
    preg_match('/^(\d+) bytes.* copied, ([\d.e-]+) s/m', file_get_contents($said), $found);
    $m->took((int) ($found[2] * 1e9));
    return (int) $found[1];
};
$fread = function (array $d): int {
    $bytes = 0;
    $in = fopen($d['file'], 'r');
    while (($block = fread($in, 65536)) !== false && $block !== '') {
        $bytes += strlen($block);
    }
    return $bytes;
};
$lines = function (array $d): int {
    $bytes = 0;
    foreach (new Rustio\LineIterator($d['file'], keepNewline: true) as $line) {
        $bytes += strlen($line);
    }
    return $bytes;
};

return [
    'title' => 'Read a 64 MB file cold, warm and past the page cache',
    'table' => 'T2',
    'state' => 'cold',
    'unit' => 'MB/s',
    'reference' => 'fread 64 KiB, cold',
    'warmup' => true,
    'data' => function (Bench\Setup $s): array {
        $file = $s->bytes(64 << 20);
        return ['file' => $file, 'size' => 64 << 20, 'said' => "$s->dir/dd.txt"];
    },
    'amount' => fn(array $d) => $d['size'],
    'expect' => fn(array $d) => $d['size'],
    'sides' => [
        'rustio lines, cold' => ['before' => $evict, 'run' => $lines],
        'rustio lines, warm' => $lines,
        'rustio count_lines, cold' => [
            'before' => $evict,
            'expect' => null,
            'run' => fn(array $d): int => Rustio\count_lines($d['file']),
        ],
        'rustio count_lines, warm' => ['expect' => null, 'run' => fn(array $d): int => Rustio\count_lines($d['file'])],
        'fread 64 KiB, cold' => ['before' => $evict, 'run' => $fread],
        'fread 64 KiB, warm' => $fread,
        'dd 1 MiB, cold' => ['role' => 'limit', 'needs' => ['cmd:dd'], 'before' => $evict, 'run' => $dd('bs=1M')],
        'dd 1 MiB, warm' => ['role' => 'limit', 'needs' => ['cmd:dd'], 'run' => $dd('bs=1M')],
        'dd 4 KiB, warm' => ['role' => 'limit', 'needs' => ['cmd:dd'], 'run' => $dd('bs=4k')],
        'dd 1 MiB, O_DIRECT' => ['role' => 'limit', 'needs' => ['cmd:dd'], 'run' => $dd('bs=1M', 'iflag=direct')],
        'fio, sequential, O_DIRECT' => [
            'role' => 'limit',
            'needs' => ['cmd:fio'],
            'run' => function (array $d, Bench\Meter $m): int {
                $report = json_decode(Bench\output_of(
                    'fio', '--name=read', '--rw=read', '--bs=1M', '--direct=1', '--ioengine=psync', '--readonly',
                    '--filename=' . $d['file'], '--size=' . $d['size'], '--output-format=json',
                ), true);
                $m->took((int) ($report['jobs'][0]['read']['runtime'] * 1e6));
                return $report['jobs'][0]['read']['io_bytes'];
            },
        ],
    ],
];

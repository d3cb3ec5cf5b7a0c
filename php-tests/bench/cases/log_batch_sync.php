<?php

// T6: every 1,000 lines on disk before the next. The answer is the file's size.

$remove = fn(array $d) => is_file($d['out']) && unlink($d['out']);
$side = fn(Closure $run) => ['before' => $remove, 'after' => $remove, 'run' => function (array $d) use ($run): int {
    $run($d['out'], $d['record'], $d['records']);
    clearstatcache();
    return filesize($d['out']);
}];

return [
    'title' => 'Append 100,000 records of 80 bytes, each 1,000 synced',
    'table' => 'T6',
    'unit' => 'ns',
    'reference' => '1,000 lines, fwrite + fsync',
    'calls' => ['write', 'fdatasync', 'fsync'],
    'data' => fn(Bench\Setup $s): array => [
        'records' => $s->size(100_000, 20_000), 'record' => str_repeat('r', 79), 'out' => "$s->dir/batch_sync.log",
    ],
    'amount' => fn(array $d) => $d['records'],
    'expect' => fn(array $d) => 80 * $d['records'],
    'sides' => [
        'rustio Sync::Batch' => $side(function (string $out, string $record, int $n): void {
            $log = new Rustio\BatchLogger($out, batchBytes: 1 << 20, sync: Rustio\Sync::Batch);
            for ($i = 0; $i < $n; $i++) {
                $log->append($record);
            }
            $log->close();
        }),
        '1,000 lines, fwrite + fsync' => $side(function (string $out, string $record, int $n): void {
            $file = fopen($out, 'a');
            for ($i = 0; $i < $n; $i += 1000) {
                $buffer = '';
                for ($j = 0; $j < 1000; $j++) {
                    $buffer .= $record . "\n";
                }
                fwrite($file, $buffer);
                fsync($file);
            }
            fclose($file);
        }),
    ],
];

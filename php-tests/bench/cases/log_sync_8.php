<?php

// T6: every record on disk before the next. The answer is the file's size.

$remove = fn(array $d) => is_file($d['out']) && unlink($d['out']);
$side = fn(Closure $run) => ['before' => $remove, 'after' => $remove, 'needs' => ['ext:pcntl'], 'run' => function (array $d, Bench\Meter $m) use ($run): int {
    $syncs = Bench\in_processes(8, fn() => $run($d['out'], $d['record'], $d['records']), $m);
    $m->note('syncs a record', array_sum($syncs) / (8 * $d['records']));
    clearstatcache();
    return filesize($d['out']);
}];

return [
    'title' => 'Eight processes, each record synced',
    'table' => 'T6',
    'unit' => '/s',
    'reference' => 'fwrite + fdatasync',
    'warmup' => false,
    'readme' => true,
    'data' => fn(Bench\Setup $s): array => [
        'records' => $s->size(2000, 500), 'record' => str_repeat('r', 79), 'out' => "$s->dir/sync8.log",
    ],
    'amount' => fn(array $d) => 8 * $d['records'],
    'expect' => fn(array $d) => 8 * 80 * $d['records'],
    'sides' => [
        'rustio Sync::Record' => $side(function (string $out, string $record, int $n): int {
            $log = new Rustio\BatchLogger($out, sync: Rustio\Sync::Record);
            for ($i = 0; $i < $n; $i++) {
                $log->append($record);
            }
            $syncs = $log->stats()['syncs'];
            $log->close();
            return $syncs;
        }),
        'fwrite + fdatasync' => $side(function (string $out, string $record, int $n): int {
            $file = fopen($out, 'a');
            for ($i = 0; $i < $n; $i++) {
                fwrite($file, "$record\n");
                fdatasync($file);
            }
            fclose($file);
            return $n;
        }),
    ],
    'floors' => [
        ['side' => 'rustio Sync::Record', 'against' => 'fwrite + fdatasync', 'floor' => 1.4],
        ['side' => 'rustio Sync::Record', 'metric' => 'note:syncs a record', 'at_most' => 0.33],
    ],
];

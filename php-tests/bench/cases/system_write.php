<?php

// T7: one GiB in different forms. The time ends when the last write has returned; what an fsync then takes is a column.
// The C rows are a program that is compiled here (lib/write.c).

$php = fn(int $size) => function (array $d, Bench\Meter $m) use ($size): int {
    $block = str_repeat('x', $size - 1) . "\n";
    $out = fopen($d['out'], 'w');
    for ($left = $d['size']; $left > 0; $left -= $size) {
        fwrite($out, $block);
    }
    $m->stop();
    $start = hrtime(true);
    fsync($out);
    $m->note('fsync ms', (hrtime(true) - $start) / 1e6);
    clearstatcache();
    return filesize($d['out']);
};
$timed = fn(Closure $work) => function (array $d, Bench\Meter $m) use ($work): int {
    $m->start();
    return $work($d, $m);
};
$c = fn(string $form, int $size) => function (array $d, Bench\Meter $m) use ($form, $size): int {
    [$write, $sync] = explode(' ', Bench\output_of($d['program'], $form, (string) $size, (string) $d['size'], $d['out']));
    $m->took((int) $write);
    $m->note('fsync ms', (int) $sync / 1e6);
    clearstatcache();
    return filesize($d['out']);
};
$remove = fn(array $d) => is_file($d['out']) && unlink($d['out']);
$side = fn(Closure $run, array $more = []) => ['run' => $run, 'before' => $remove, 'after' => $remove] + $more;
$compiled = ['needs' => ['cmd:cc'], 'role' => 'limit'];

return [
    'title' => 'Write a GiB in blocks',
    'table' => 'T7',
    'unit' => 'MB/s',
    'reference' => 'PHP fwrite 4 KiB',
    'warmup' => false,
    'calls' => ['write'],
    'data' => function (Bench\Setup $s): array {
        $program = Bench\command('cc') === null ? '' : $s->file('write-program-' . filemtime(dirname(__DIR__) . '/lib/write.c'), function (string $path): void {
            Bench\output_of('cc', '-O2', '-o', $path, dirname(__DIR__) . '/lib/write.c');
        });
        return ['size' => $s->size(1 << 30, 64 << 20), 'out' => "$s->dir/written.bin", 'program' => $program];
    },
    'amount' => fn(array $d) => $d['size'],
    'expect' => fn(array $d) => $d['size'],
    'sides' => [
        'rustio BatchLogger, 4 KiB records' => $side($timed(function (array $d, Bench\Meter $m): int {
            $record = str_repeat('x', 4095); // and a newline
            $log = new Rustio\BatchLogger($d['out'], batchBytes: 262_144);
            for ($left = $d['size']; $left > 0; $left -= 4096) {
                $log->append($record);
            }
            $log->flush();
            $m->stop();
            $start = hrtime(true);
            $log->sync();
            $m->note('fsync ms', (hrtime(true) - $start) / 1e6);
            $log->close();
            clearstatcache();
            return filesize($d['out']);
        })),
        'PHP fwrite 4 KiB' => $side($timed($php(4096))),
        'PHP fwrite 256 KiB' => $side($timed($php(262_144))),
        'PHP fwrite 1 MiB' => $side($timed($php(1 << 20))),
        'C fwrite 4 KiB' => $side($c('stdio', 4096), $compiled),
        'C fwrite 4 KiB, 1 MiB buffer' => $side($c('stdio-1m', 4096), $compiled),
        'C write(2) 4 KiB' => $side($c('write', 4096), $compiled),
        'C write(2) 256 KiB' => $side($c('write', 262_144), $compiled),
    ],
];

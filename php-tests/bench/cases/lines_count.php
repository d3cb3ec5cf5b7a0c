<?php

// wc is a process of its own: what an empty one costs is taken off, so that both are judged by their counting.

$beyond_empty = function (Bench\Meter $m, array $d, string ...$command): int {
    $empty = [];
    for ($i = 0; $i < 5; $i++) {
        $start = hrtime(true);
        Bench\output_of(...$command, ...['/dev/null']);
        $empty[] = hrtime(true) - $start;
    }
    $start = hrtime(true);
    $answer = Bench\output_of(...$command, ...[$d['file']]);
    $m->took(max(1, hrtime(true) - $start - min($empty)));
    return (int) $answer;
};

return [
    'title' => 'Count the lines of a file',
    'state' => 'warm',
    'unit' => 'ms',
    'reference' => 'wc -l',
    'reps' => 3,
    'rounds' => 7,
    'readme' => 'docs',
    'data' => function (Bench\Setup $s): array {
        $lines = $s->size(1_000_000, 200_000);
        return ['file' => $s->log_file($lines), 'lines' => $lines];
    },
    'expect' => fn(array $d) => $d['lines'],
    'sides' => [
        'rustio count_lines' => fn(array $d): int => Rustio\count_lines($d['file']),
        'wc -l' => [
            'needs' => ['cmd:wc'],
            'note' => 'beyond an empty process',
            'run' => fn(array $d, Bench\Meter $m): int => $beyond_empty($m, $d, 'wc', '-l'),
        ],
        'fread 64 KiB + substr_count' => function (array $d): int {
            $n = 0;
            $in = fopen($d['file'], 'r');
            while (($block = fread($in, 65536)) !== false && $block !== '') {
                $n += substr_count($block, "\n");
            }
            return $n;
        },
        'fgets' => function (array $d): int {
            $n = 0;
            $in = fopen($d['file'], 'r');
            while (fgets($in) !== false) {
                $n++;
            }
            return $n;
        },
        'SplFileObject::seek(PHP_INT_MAX)' => function (array $d): int {
            $file = new SplFileObject($d['file']);
            $file->seek(PHP_INT_MAX);
            return $file->key();
        },
        'count(file())' => fn(array $d): int => count(file($d['file'])),
    ],
    'floors' => [['side' => 'rustio count_lines', 'against' => 'wc -l', 'floor' => 0.95]],
];

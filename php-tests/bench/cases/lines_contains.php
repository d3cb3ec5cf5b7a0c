<?php

return [
    'title' => 'Find the lines that contain a word (1 in 100)',
    'state' => 'warm',
    'unit' => 'ms',
    'reference' => 'fgets + str_contains',
    'reps' => 3,
    'readme' => true,
    'data' => function (Bench\Setup $s): array {
        $lines = $s->size(1_000_000, 200_000);
        return ['file' => $s->log_file($lines), 'hits' => intdiv($lines, 100)];
    },
    'expect' => fn(array $d) => $d['hits'],
    'sides' => [
        'rustio contains' => function (array $d): int {
            $n = 0;
            foreach (new Rustio\LineIterator($d['file'], contains: 'upstream-timeout') as $line) {
                $n++;
            }
            return $n;
        },
        'rustio contains, 3 words' => function (array $d): int {
            $n = 0;
            foreach (new Rustio\LineIterator($d['file'], contains: ['upstream-timeout', 'out of memory', 'segfault']) as $line) {
                $n++;
            }
            return $n;
        },
        'rustio foreach + str_contains' => function (array $d): int {
            $n = 0;
            foreach (new Rustio\LineIterator($d['file']) as $line) {
                if (str_contains($line, 'upstream-timeout')) {
                    $n++;
                }
            }
            return $n;
        },
        'fgets + str_contains' => function (array $d): int {
            $n = 0;
            $in = fopen($d['file'], 'r');
            while (($line = fgets($in)) !== false) {
                if (str_contains($line, 'upstream-timeout')) {
                    $n++;
                }
            }
            return $n;
        },
        'fread + explode + str_contains' => function (array $d): int {
            $n = 0;
            $in = fopen($d['file'], 'r');
            $carry = '';
            while (($block = fread($in, 65536)) !== false && $block !== '') {
                $lines = explode("\n", $carry . $block);
                $carry = array_pop($lines);
                foreach ($lines as $line) {
                    if (str_contains($line, 'upstream-timeout')) {
                        $n++;
                    }
                }
            }
            return $n + (int) str_contains($carry, 'upstream-timeout');
        },
        'grep -c -F' => [
            'role' => 'limit',
            'needs' => ['cmd:grep'],
            'note' => 'a process of its own, in C locale',
            'run' => fn(array $d): int => (int) Bench\output_of('env', 'LC_ALL=C', 'grep', '-c', '-F', 'upstream-timeout', $d['file']),
        ],
    ],
    'floors' => [['side' => 'rustio contains', 'against' => 'fgets + str_contains', 'floor' => 5.0]],
];

<?php

return [
    'title' => 'Read five million lines of 12 bytes',
    'state' => 'warm',
    'unit' => 'ms',
    'reference' => 'fgets',
    'data' => function (Bench\Setup $s): array {
        $lines = $s->size(5_000_000, 500_000);
        return ['file' => $s->short_lines($lines), 'lines' => $lines];
    },
    'expect' => fn(array $d) => $d['lines'],
    'sides' => [
        'rustio foreach' => function (array $d): int {
            $n = 0;
            foreach (new Rustio\LineIterator($d['file']) as $line) {
                $n++;
            }
            return $n;
        },
        'rustio foreach with keys' => function (array $d): int {
            $n = 0;
            foreach (new Rustio\LineIterator($d['file']) as $number => $line) {
                $n++;
            }
            return $number + 1;
        },
        'fgets' => function (array $d): int {
            $n = 0;
            $in = fopen($d['file'], 'r');
            while (($line = fgets($in)) !== false) {
                $n++;
            }
            return $n;
        },
        'fgets + rtrim' => function (array $d): int {
            $n = 0;
            $in = fopen($d['file'], 'r');
            while (($line = fgets($in)) !== false) {
                $line = rtrim($line, "\n");
                $n++;
            }
            return $n;
        },
        'fread 64 KiB + explode' => function (array $d): int {
            $n = 0;
            $in = fopen($d['file'], 'r');
            $carry = '';
            while (($block = fread($in, 65536)) !== false && $block !== '') {
                $lines = explode("\n", $carry . $block);
                $carry = array_pop($lines);
                foreach ($lines as $line) {
                    $n++;
                }
            }
            return $n + ($carry !== '' ? 1 : 0);
        },
    ],
    'floors' => [['side' => 'rustio foreach', 'against' => 'fgets', 'floor' => 1.8]],
];

<?php

// Each side returns [lines, bytes without newlines], so that no way can skip or glue a line unseen.

return [
    'title' => 'Read a million log lines',
    'table' => 'T4',
    'state' => 'warm',
    'unit' => 'ms',
    'reference' => 'fgets',
    'reps' => 3,
    'readme' => 'chart',
    'calls' => ['read', 'pread64'],
    'data' => function (Bench\Setup $s): array {
        $lines = $s->size(1_000_000, 200_000);
        $file = $s->log_file($lines);
        return ['file' => $file, 'lines' => $lines, 'bytes' => filesize($file) - $lines];
    },
    'expect' => fn(array $d) => [$d['lines'], $d['bytes']],
    'sides' => [
        'rustio foreach' => function (array $d): array {
            $n = $bytes = 0;
            foreach (new Rustio\LineIterator($d['file']) as $line) {
                $n++;
                $bytes += strlen($line);
            }
            return [$n, $bytes];
        },
        'rustio batch(1000)' => function (array $d): array {
            $n = $bytes = 0;
            $lines = new Rustio\LineIterator($d['file']);
            while ($batch = $lines->batch(1000)) {
                foreach ($batch as $line) {
                    $n++;
                    $bytes += strlen($line);
                }
            }
            return [$n, $bytes];
        },
        'fgets' => [
            'note' => 'newline kept',
            'run' => function (array $d): array {
                $n = $bytes = 0;
                $in = fopen($d['file'], 'r');
                while (($line = fgets($in)) !== false) {
                    $n++;
                    $bytes += strlen($line);
                }
                return [$n, $bytes - $n];
            },
        ],
        'fgets + rtrim' => function (array $d): array {
            $n = $bytes = 0;
            $in = fopen($d['file'], 'r');
            while (($line = fgets($in)) !== false) {
                $line = rtrim($line, "\n");
                $n++;
                $bytes += strlen($line);
            }
            return [$n, $bytes];
        },
        'stream_get_line' => function (array $d): array {
            $n = $bytes = 0;
            $in = fopen($d['file'], 'r');
            while (($line = stream_get_line($in, 65536, "\n")) !== false) {
                $n++;
                $bytes += strlen($line);
            }
            return [$n, $bytes];
        },
        'SplFileObject' => function (array $d): array {
            $n = $bytes = 0;
            $file = new SplFileObject($d['file']);
            $file->setFlags(SplFileObject::DROP_NEW_LINE | SplFileObject::READ_AHEAD | SplFileObject::SKIP_EMPTY);
            foreach ($file as $line) {
                $n++;
                $bytes += strlen($line);
            }
            return [$n, $bytes];
        },
        'generator around fgets' => [
            'note' => 'newline kept',
            'run' => function (array $d): array {
                $lines = (function (string $path) {
                    $in = fopen($path, 'r');
                    while (($line = fgets($in)) !== false) {
                        yield $line;
                    }
                })($d['file']);
                $n = $bytes = 0;
                foreach ($lines as $line) {
                    $n++;
                    $bytes += strlen($line);
                }
                return [$n, $bytes - $n];
            },
        ],
        'fread 64 KiB + explode' => [
            'note' => 'with a carry',
            'run' => function (array $d): array {
                $n = $bytes = 0;
                $in = fopen($d['file'], 'r');
                $carry = '';
                while (($block = fread($in, 65536)) !== false && $block !== '') {
                    $lines = explode("\n", $carry . $block);
                    $carry = array_pop($lines);
                    foreach ($lines as $line) {
                        $n++;
                        $bytes += strlen($line);
                    }
                }
                if ($carry !== '') {
                    $n++;
                    $bytes += strlen($carry);
                }
                return [$n, $bytes];
            },
        ],
        'file()' => function (array $d): array {
            $n = $bytes = 0;
            foreach (file($d['file'], FILE_IGNORE_NEW_LINES) as $line) {
                $n++;
                $bytes += strlen($line);
            }
            return [$n, $bytes];
        },
        'file_get_contents + explode' => function (array $d): array {
            $n = $bytes = 0;
            $lines = explode("\n", file_get_contents($d['file']));
            array_pop($lines); // what follows the last newline
            foreach ($lines as $line) {
                $n++;
                $bytes += strlen($line);
            }
            return [$n, $bytes];
        },
        'fread 64 KiB, not split' => [
            'role' => 'limit',
            'note' => 'no lines at all',
            'expect' => fn(array $d) => $d['bytes'] + $d['lines'],
            'run' => function (array $d): int {
                $bytes = 0;
                $in = fopen($d['file'], 'r');
                while (($block = fread($in, 65536)) !== false && $block !== '') {
                    $bytes += strlen($block);
                }
                return $bytes;
            },
        ],
    ],
    'floors' => [
        ['side' => 'rustio foreach', 'against' => 'fgets', 'floor' => 1.75],
        ['side' => 'rustio foreach', 'against' => 'fgets + rtrim', 'floor' => 2.3],
        ['side' => 'rustio foreach', 'against' => 'fread 64 KiB + explode', 'floor' => 1.35],
        ['side' => 'rustio foreach', 'against' => 'SplFileObject', 'floor' => 2.8],
        ['side' => 'rustio foreach', 'metric' => 'peak_kb', 'at_most' => 1024],
    ],
    'notes' => [
        'The kernel\'s copy out of the page cache ("not split") is more than half of rustio\'s time: one thread that hands every byte to '
        . 'PHP can\'t be much faster. Refuted here: mmap won 5 to 10 % and dies by SIGBUS when the file is cut; a class of macro-made '
        . '\Iterator methods was slower than fgets (0.55x); batches of lines in arrays bring nothing over foreach.',
    ],
];

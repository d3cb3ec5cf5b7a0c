<?php

// The first pattern has a literal that few lines hold. The other three have none that helps, and stay as they are.

$patterns = [
    'rare literal' => '/upstream-timeout after \d+ s/',
    'clock' => '/\[\d\d:\d[05]:\d\d\]/',
    'status' => '/ [45]\d\d \d+ /',
    'word' => '/[a-z]+\.[a-z]{2,4} /i',
];
$sides = $floors = [];
foreach ($patterns as $name => $pattern) {
    $sides["rustio matches, $name"] = [
        'expect' => fn(array $d) => $d['hits'][$name],
        'note' => $pattern,
        'run' => function (array $d) use ($pattern): int {
            $n = 0;
            foreach (new Rustio\LineIterator($d['file'], matches: $pattern) as $line) {
                $n++;
            }
            return $n;
        },
    ];
    $sides["fgets + preg_match, $name"] = [
        'expect' => fn(array $d) => $d['hits'][$name],
        'run' => function (array $d) use ($pattern): int {
            $n = 0;
            $in = fopen($d['file'], 'r');
            while (($line = fgets($in)) !== false) {
                if (preg_match($pattern, $line)) {
                    $n++;
                }
            }
            return $n;
        },
    ];
    $floors[] = [
        'side' => "rustio matches, $name",
        'against' => "fgets + preg_match, $name",
        'floor' => $name === 'rare literal' ? 3.0 : 0.8,
    ];
}

return [
    'title' => 'Find the lines that match a pattern',
    'state' => 'warm',
    'unit' => 'ms',
    'reference' => 'fgets + preg_match, rare literal',
    'readme' => 'docs',
    'data' => function (Bench\Setup $s) use ($patterns): array {
        $file = $s->log_file($s->size(1_000_000, 200_000));
        $counts = $s->file(basename($file) . '.' . substr(md5(implode($patterns)), 0, 8) . '.json', function (string $path) use ($file, $patterns): void {
            $hits = array_fill_keys(array_keys($patterns), 0);
            foreach (new SplFileObject($file) as $line) {
                foreach ($patterns as $name => $pattern) {
                    $hits[$name] += preg_match($pattern, rtrim($line, "\n"));
                }
            }
            file_put_contents($path, json_encode($hits));
        });
        return ['file' => $file, 'hits' => json_decode(file_get_contents($counts), true)];
    },
    'sides' => $sides,
    'floors' => $floors,
    'notes' => ['Each pattern stands beside its own fgets + preg_match; the column "x" compares all with the first pair\'s.'],
];

<?php

// The call alone: find the file below the root, check that it can be read, encode, name, type.

return [
    'title' => 'Headers for one file',
    'unit' => 'us',
    'amount' => 500,
    'process' => 'shared',
    'rounds' => 300, // short ones: a busy machine leaves only short quiet moments,
    'reference' => 'realpath(), is_readable(), rawurlencode()',
    'expect' => '/protected/a/b/report.pdf',
    'data' => static function (Bench\Setup $s): array {
        $root = dirname($s->bytes(1 << 10)) . '/accel';
        if (!is_dir("$root/a/b")) {
            mkdir("$root/a/b", 0o755, true);
        }
        touch("$root/a/b/report.pdf");
        return ['root' => $root];
    },
    'sides' => [
        'rustio headers()' => static function (array $d): string {
            $accel = new Rustio\AccelRedirect($d['root'], backend: Rustio\SendfileBackend::Nginx);
            for ($i = 0; $i < 500; $i++) {
                $headers = $accel->headers('a/b/report.pdf');
            }
            return $headers['X-Accel-Redirect'];
        },
        'realpath(), is_readable(), rawurlencode()' => [
            'note' => 'with PHP\'s caches of paths and stat; no type, no safe name',
            'run' => static function (array $d): string {
                for ($i = 0; $i < 500; $i++) {
                    $root = realpath($d['root']);
                    $path = realpath("$root/a/b/report.pdf");
                    if (!str_starts_with($path, "$root/") || !is_file($path) || !is_readable($path)) {
                        return '';
                    }
                    $headers = ['X-Accel-Redirect' => '/protected/' . implode('/', array_map('rawurlencode', explode('/', substr($path, strlen($root) + 1)))),
                        'Content-Disposition' => 'attachment; filename="' . basename($path) . '"'];
                }
                return $headers['X-Accel-Redirect'];
            },
        ],
    ],
    'floors' => [['side' => 'rustio headers()', 'metric' => 'value', 'at_most' => 5.0]],
];

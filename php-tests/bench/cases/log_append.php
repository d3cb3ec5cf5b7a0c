<?php

// T6: what a request that logs pays. Each side returns the size of the file.

require_once __DIR__ . '/inc/log.php';

use function Bench\Log\{fwrite_each, fwrite_locked, rustio};

$monolog = '/usr/share/php/Monolog/autoload.php';
$remove = fn(array $d) => is_file($d['out']) && unlink($d['out']);
$side = fn(Closure $run, array $more = []) => ['before' => $remove, 'after' => $remove, 'run' => function (array $d) use ($run): int {
    $run($d['out'], $d['record'], $d['records']);
    clearstatcache();
    return filesize($d['out']);
}] + $more;
$batch = fn(array $options) => fn(string $out, string $record, int $n) => rustio($out, $record, $n, $options);
$handler = fn(Closure $make) => function (string $out, string $record, int $n) use ($make, $monolog): void {
    error_reporting(E_ALL & ~E_DEPRECATED);
    require_once $monolog;
    $format = new Monolog\Formatter\LineFormatter("%message%\n");
    $handler = $make($out);
    $handler->setFormatter($format);
    $logger = new Monolog\Logger('bench', [$handler]);
    for ($i = 0; $i < $n; $i++) {
        $logger->info($record);
    }
    $logger->close();
};
$peer = ['needs' => ["file:$monolog"]];

return [
    'title' => 'Append 100,000 records of 80 bytes',
    'table' => 'T6',
    'unit' => 'ns',
    'reference' => 'fwrite',
    'reps' => 3,
    'readme' => true,
    'calls' => ['write'],
    'data' => fn(Bench\Setup $s): array => [
        'records' => $s->size(100_000, 20_000), 'record' => str_repeat('r', 79), 'out' => "$s->dir/append.log",
    ],
    'amount' => fn(array $d) => $d['records'],
    'expect' => fn(array $d) => 80 * $d['records'],
    'sides' => [
        'rustio append' => $side($batch([])),
        'rustio append, spool' => $side($batch(['spool' => true])),
        'rustio appendAll' => $side(function (string $out, string $record, int $n): void {
            $log = new Rustio\BatchLogger($out);
            for ($i = 0; $i < $n; $i += 100) {
                $log->appendAll(array_fill(0, 100, $record));
            }
            $log->close();
        }),
        'fwrite' => $side(fwrite_each(...)),
        'fwrite, write buffer off' => $side(function (string $out, string $record, int $n): void {
            $file = fopen($out, 'a');
            stream_set_write_buffer($file, 0);
            for ($i = 0; $i < $n; $i++) {
                fwrite($file, "$record\n");
            }
            fclose($file);
        }),
        'error_log' => $side(function (string $out, string $record, int $n): void {
            for ($i = 0; $i < $n; $i++) {
                error_log("$record\n", 3, $out);
            }
        }),
        'everything joined, one fwrite' => $side(function (string $out, string $record, int $n): void {
            $buffer = '';
            for ($i = 0; $i < $n; $i++) {
                $buffer .= $record . "\n";
            }
            $file = fopen($out, 'a');
            fwrite($file, $buffer);
            fclose($file);
        }, ['note' => 'all of it in memory, and lost by a kill']),
        'fwrite + flock' => $side(fwrite_locked(...)),
        'file_put_contents LOCK_EX' => $side(function (string $out, string $record, int $n): void {
            for ($i = 0; $i < $n; $i++) {
                file_put_contents($out, "$record\n", FILE_APPEND | LOCK_EX);
            }
        }),
        'hand-made batch of 1,000' => $side(function (string $out, string $record, int $n): void {
            $file = fopen($out, 'a');
            $buffer = '';
            $waiting = 0;
            for ($i = 0; $i < $n; $i++) {
                $buffer .= $record . "\n";
                if (++$waiting === 1000) {
                    fwrite($file, $buffer);
                    $buffer = '';
                    $waiting = 0;
                }
            }
            fwrite($file, $buffer);
            fclose($file);
        }, ['note' => 'one process, lost by any fatal error or kill, torn by a full disk']),
        'Monolog StreamHandler' => $side($handler(fn(string $out) => new Monolog\Handler\StreamHandler($out)), $peer),
        'Monolog BufferHandler' => $side($handler(fn(string $out) => new class(new Monolog\Handler\StreamHandler($out), 1000) extends Monolog\Handler\BufferHandler {
            public function __construct(Monolog\Handler\StreamHandler $to, int $limit)
            {
                parent::__construct($to, $limit, Monolog\Logger::DEBUG, true, true);
            }
        }), $peer),
    ],
    'floors' => [
        ['side' => 'rustio append', 'against' => 'fwrite', 'floor' => 10],
        ['side' => 'rustio append', 'against' => 'Monolog StreamHandler', 'floor' => 60],
        ['side' => 'rustio append', 'against' => 'Monolog BufferHandler', 'floor' => 60],
        ['side' => 'rustio append', 'against' => 'hand-made batch of 1,000', 'floor' => 0.85],
        ['side' => 'rustio append, spool', 'against' => 'rustio append', 'floor' => 1 / 1.3],
    ],
    'notes' => [
        'The hand-made batch gives none of the guarantees: no lock, nothing survives a kill, a full disk tears it.',
    ],
];

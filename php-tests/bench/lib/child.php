<?php

declare(strict_types=1);

namespace Bench;

/**
 * One measuring process: runs the job's sides in turn, 'rounds' times, and writes a sample for each run. The first run of
 * each side is a warm-up unless the job says not.
 *
 * @param array{case: string, sides: list<string>, rounds: int, warmup: bool, data: array, result: string} $job
 */
function child(array $job): int
{
    $case = load_case($job['case']);
    $samples = [];
    $resident = process_kb('VmRSS');
    for ($round = $job['warmup'] ? -1 : 0; $round < $job['rounds']; $round++) {
        foreach ($job['sides'] as $name) {
            try {
                $sample = sample($case['sides'][$name], $job['data'], $resident);
            } catch (\Throwable $e) {
                $sample = ['error' => get_class($e) . ': ' . $e->getMessage() . ' at ' . basename($e->getFile()) . ':' . $e->getLine()];
            }
            if ($round >= 0 || isset($sample['error'])) {
                $samples[] = ['side' => $name] + $sample;
            }
        }
    }
    file_put_contents($job['result'], json_encode($samples, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION | JSON_INVALID_UTF8_SUBSTITUTE));
    return 0;
}

/** @return array<string, mixed> one timed run */
function sample(array $side, array $data, int $resident): array
{
    if ($side['before'] !== null) {
        ($side['before'])($data);
    }
    gc_collect_cycles();
    memory_reset_peak_usage();
    $memory = memory_get_usage();
    $meter = new Meter();
    $run = $side['run'];

    $start = hrtime(true);
    $answer = $run($data, $meter);
    $whole = hrtime(true) - $start;

    $sample = [
        'ns' => $meter->ns($whole),
        'peak_bytes' => memory_get_peak_usage() - $memory,
        'rss_kb' => max(0, process_kb('VmHWM') - $resident), // of the process so far: in a shared one, of all sides
        'answer' => $answer,
        'notes' => $meter->notes,
    ];
    if ($side['after'] !== null) {
        ($side['after'])($data);
    }
    return $sample;
}

/** A figure of /proc/self/status in KiB. */
function process_kb(string $name): int
{
    return preg_match("/^$name:\s+(\d+)/m", (string) @file_get_contents('/proc/self/status'), $found) ? (int) $found[1] : 0;
}

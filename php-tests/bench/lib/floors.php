<?php

declare(strict_types=1);

namespace Bench;

/**
 * The floors of the regression gate: those of all cases, each with its case's name.
 *
 * @return list<array<string, mixed>>
 */
function floors(): array
{
    return array_merge(...array_map(
        fn(array $case) => array_map(fn(array $floor) => ['case' => $case['name']] + $floor, $case['floors']),
        cases(''),
    ));
}

/**
 * Holds results against floors. States: 'ok', 'below', 'missing' (its side or peer was skipped or failed), 'waived',
 * and 'not run' for a case that was not selected.
 *
 * @param list<array<string, mixed>> $floors
 * @param array<string, array<string, mixed>> $results
 * @return list<array<string, mixed>> floors with 'value', 'state' and 'why'
 */
function verdicts(array $floors, array $results): array
{
    return array_map(function (array $floor) use ($results): array {
        $floor += ['metric' => 'time', 'against' => null, 'floor' => null, 'at_most' => null, 'waived' => null, 'value' => null];
        $result = $results[$floor['case']] ?? null;
        if ($result === null) {
            return ['state' => 'not run', 'why' => 'case not selected'] + $floor;
        }
        foreach (array_filter([$floor['side'], $floor['against']]) as $name) {
            $side = $result['sides'][$name] ?? ['skipped' => 'there is no such side', 'failed' => null];
            $why = $side['skipped'] ?? $side['failed'];
            if ($why !== null) {
                return $floor['waived'] === null
                    ? ['state' => 'missing', 'why' => "$name: $why"] + $floor
                    : ['state' => 'waived', 'why' => "{$floor['waived']} ($name: $why)"] + $floor;
            }
        }
        $floor['value'] = metric($floor, $result['sides'][$floor['side']], $result['sides'][$floor['against']] ?? null);
        if ($floor['value'] === null) {
            return ['state' => 'missing', 'why' => "no {$floor['metric']} was measured"] + $floor;
        }
        $ok = $floor['floor'] !== null ? $floor['value'] >= $floor['floor'] : $floor['value'] <= $floor['at_most'];
        $state = $ok ? 'ok' : ($floor['waived'] === null ? 'below' : 'waived');
        return ['state' => $state, 'why' => $ok ? '' : (string) $floor['waived']] + $floor;
    }, $floors);
}

/** The figure that a floor is about; null when it was not measured. */
function metric(array $floor, array $side, ?array $against): int|float|null
{
    [$kind, $name] = explode(':', $floor['metric'], 2) + [1 => ''];
    $figure = match ($kind) {
        'time' => fn(array $s) => null,
        'value' => fn(array $s) => $s['best'],
        'peak_kb' => fn(array $s) => $s['peak_bytes'] / 1024,
        'rss_kb' => fn(array $s) => $s['rss_kb'],
        'calls' => fn(array $s) => $s['calls'][$name] ?? null,
        'note' => fn(array $s) => $s['notes'][$name] ?? null,
        default => throw new \LogicException("unknown metric '{$floor['metric']}'"),
    };
    if ($kind === 'time') {
        return speedup($side, $against);
    }
    $value = $figure($side);
    if ($against === null || $value === null) {
        return $value;
    }
    $other = $figure($against);
    return $other === null || $value == 0 ? null : $other / $value;
}

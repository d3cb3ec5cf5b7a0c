<?php

declare(strict_types=1);

namespace Bench;

/** A number with three digits that say something. */
function num(int|float $value): string
{
    $size = abs($value);
    return number_format($value, $size >= 100 || $value == (int) $value && $size >= 10 ? 0 : ($size >= 10 ? 1 : ($size >= 0.1 || $size == 0 ? 2 : 4)));
}

/** A ratio: two digits after the point, more for tiny ones. */
function times(float $ratio): string
{
    return $ratio >= 100 ? num($ratio) : ($ratio >= 0.1 ? sprintf('%.2f', $ratio) : sprintf('%.4f', $ratio));
}

function bytes(int|float $bytes): string
{
    return $bytes < 1e6 ? num($bytes / 1e3) . ' KB' : num($bytes / 1e6) . ' MB';
}

function unit_words(string $unit): string
{
    return $unit === '/s' ? 'a second' : $unit;
}

/**
 * A case's table as rows of cells; the first row is the head.
 *
 * @return list<list<string>>
 */
function rows(array $result, bool $brief): array
{
    $calls = $notes = [];
    $remarks = false;
    foreach ($result['sides'] as $side) {
        $calls += $side['calls'];
        $notes += $side['notes'] ?? [];
        $remarks = $remarks || $side['note'] !== '' || $side['skipped'] !== null || $side['failed'] !== null;
    }
    $reference = $result['sides'][$result['reference']] ?? null;
    $head = ['way', unit_words($result['unit'])];
    array_push($head, ...($brief ? [] : ['median', 'spread']), ...["x {$result['reference']}", 'PHP memory'], ...($brief ? [] : ['resident']));
    array_push($head, ...array_map(fn($c) => "$c calls", array_keys($calls)), ...array_keys($notes), ...($remarks ? [''] : []));
    $rows = [$head];
    foreach ($result['sides'] as $name => $side) {
        if ($side['skipped'] !== null || $side['failed'] !== null || !isset($side['best'])) {
            $row = array_pad([$name], count($head), '');
            $row[1] = $side['skipped'] !== null ? 'skipped' : 'failed';
            $row[count($head) - 1] = $side['skipped'] ?? $side['failed'] ?? 'no samples';
        } else {
            $times = isset($reference['min_ns']) ? times(speedup($side, $reference)) : '';
            $row = [$name, num($side['best'])];
            array_push($row, ...($brief ? [] : [num($side['median']), sprintf('%.0f %%', 100 * $side['spread'])]));
            array_push($row, $times, bytes($side['peak_bytes']), ...($brief ? [] : [bytes($side['rss_kb'] * 1024)]));
            array_push($row, ...array_map(fn($c) => isset($side['calls'][$c]) ? number_format($side['calls'][$c]) : '', array_keys($calls)));
            array_push($row, ...array_map(fn($n) => isset($side['notes'][$n]) ? num($side['notes'][$n]) : '', array_keys($notes)));
            array_push($row, ...($remarks ? [$side['note']] : []));
        }
        $rows[] = $row;
    }
    return $rows;
}

function heading(array $result): string
{
    $tags = array_filter([$result['table'], $result['state'], $result['quick'] ? 'QUICK' : '']);
    return $result['title'] . ($tags ? ' (' . implode(', ', $tags) . ')' : '');
}

function terminal_table(array $result): string
{
    $rows = rows($result, false);
    $text = "\n" . $result['name'] . ': ' . heading($result) . "\n";
    $widths = [];
    foreach ($rows as $row) {
        foreach ($row as $i => $cell) {
            $widths[$i] = max($widths[$i] ?? 0, mb_width($cell));
        }
    }
    foreach ($rows as $row) {
        $cells = [];
        foreach ($row as $i => $cell) {
            $pad = str_repeat(' ', $widths[$i] - mb_width($cell));
            $cells[] = $i === 0 || $i === count($row) - 1 && $rows[0][$i] === '' ? $cell . $pad : $pad . $cell;
        }
        $text .= '  ' . rtrim(implode('  ', $cells)) . "\n";
    }
    return $text;
}

function mb_width(string $text): int
{
    return preg_match_all('/./us', $text) ?: strlen($text);
}

function markdown_table(array $result, bool $brief): string
{
    $rows = rows($result, $brief);
    $text = '';
    foreach ($rows as $i => $row) {
        $own = $i > 0 && ($result['sides'][$row[0]]['role'] ?? '') === 'rustio';
        $cells = array_map(fn($c) => str_replace('|', '\\|', $c), $row);
        if ($own) {
            $cells[0] = "**{$cells[0]}**";
        }
        $text .= '| ' . implode(' | ', $cells) . " |\n";
        if ($i === 0) {
            $text .= '|' . implode('|', array_map(fn($k, $c) => $k === 0 || $c === '' ? '---' : '---:', array_keys($row), $row)) . "|\n";
        }
    }
    return $text;
}

/** One line for a floor: what, value, bound. */
function floor_line(array $v): string
{
    $bound = $v['floor'] !== null ? 'at least ' . $v['floor'] : 'at most ' . $v['at_most'];
    $against = $v['against'] !== null ? " against {$v['against']}" : '';
    $metric = $v['metric'] === 'time' ? '' : " ({$v['metric']})";
    return "{$v['case']}: {$v['side']}$against$metric: " . ($v['value'] === null ? '-' : sprintf('%.2f', $v['value'])) . ", $bound"
        . ($v['why'] !== '' ? " [{$v['why']}]" : '');
}

function terminal_floors(array $verdicts): string
{
    $shown = array_filter($verdicts, fn($v) => $v['state'] !== 'not run');
    if ($shown === []) {
        return '';
    }
    $text = "\nfloors\n";
    foreach ($shown as $v) {
        $text .= sprintf("  %-8s %s\n", $v['state'], floor_line($v));
    }
    $counts = array_count_values(array_column($shown, 'state'));
    return $text . '  ' . implode(', ', array_map(fn($s, $n) => "$n $s", array_keys($counts), $counts)) . "\n\n";
}

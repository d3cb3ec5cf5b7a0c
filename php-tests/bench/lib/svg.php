<?php

declare(strict_types=1);

namespace Bench;

/**
 * A case as horizontal bars, 800 wide: made to be read in a README. rustio's bars are coloured, peers grey, bounds that
 * nobody can beat hatched light. When the longest bar is over 100 times the shortest the scale is logarithmic, and the
 * chart says so.
 */
function svg_chart(array $result): string
{
    $sides = array_filter($result['sides'], fn($s) => isset($s['best']) && $s['failed'] === null);
    $width = 800;
    // As wide as the longest name in the widest of the fonts that a viewer may fall back to.
    $left = 24 + (int) ceil(8.3 * max([12, ...array_map(fn($name) => min(38, mb_width((string) $name)), array_keys($sides))]));
    $right = 130;
    $row = 27;
    $top = 66;
    $height = $top + $row * count($sides) + 14;
    $values = array_map(fn($s) => max($s['best'], 1e-9), $sides);
    $low = $values ? min($values) : 1;
    $high = $values ? max($values) : 1;
    $log = $high / $low > 100;
    $room = $width - $left - $right;
    $bar = fn(float $v): float => $log ? 12 + ($room - 12) * log($v / $low) / log($high / $low) : max(2, $room * $v / $high);
    $better = more_is_better($result['unit']) ? 'longer is better' : 'shorter is better';
    $x = fn(string $text): string => htmlspecialchars($text, ENT_XML1 | ENT_QUOTES);

    $unit = unit_words($result['unit']);
    $reference = $result['sides'][$result['reference']] ?? null;
    $subtitle = "$unit, $better" . ($log ? ', logarithmic scale' : '') . ($result['state'] !== '' ? ", {$result['state']} page cache" : '')
        . "; in brackets: how many times as fast as {$result['reference']}";
    $svg = <<<SVG
        <svg xmlns="http://www.w3.org/2000/svg" width="$width" height="$height" viewBox="0 0 $width $height" role="img" font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif">
        <title>{$x($result['title'])}</title>
        <rect width="$width" height="$height" rx="6" fill="#ffffff" stroke="#d0d7de"/>
        <text x="16" y="27" font-size="16" font-weight="600" fill="#1f2328">{$x(shortened($result['title'], 92))}</text>
        <text x="16" y="48" font-size="12.5" fill="#59636e">{$x(shortened($subtitle, 120))}</text>

        SVG;
    $i = 0;
    foreach ($sides as $name => $side) {
        $y = $top + $row * $i++;
        $length = sprintf('%.1f', $bar($values[$name]));
        $fill = match ($side['role']) { 'rustio' => '#c2410c', 'limit' => '#d0d7de', default => '#8c959f' };
        $weight = $side['role'] === 'rustio' ? '600' : '400';
        $label = num($side['best']) . (isset($reference['min_ns']) ? ' (' . times(speedup($side, $reference)) . ')' : '');
        $svg .= sprintf(
            "<text x=\"%d\" y=\"%d\" font-size=\"13.5\" text-anchor=\"end\" font-weight=\"%s\" fill=\"#1f2328\">%s</text>\n"
            . "<rect x=\"%d\" y=\"%d\" width=\"%s\" height=\"18\" rx=\"2\" fill=\"%s\"/>\n"
            . "<text x=\"%.1f\" y=\"%d\" font-size=\"13\" font-weight=\"%s\" fill=\"#1f2328\">%s</text>\n",
            $left - 8,
            $y + 14,
            $weight,
            $x(shortened($name, 38)),
            $left,
            $y,
            $length,
            $fill,
            $left + (float) $length + 7,
            $y + 14,
            $weight,
            $x($label),
        );
    }
    return $svg . "</svg>\n";
}

function shortened(string $text, int $most): string
{
    return mb_width($text) <= $most ? $text : rtrim(preg_replace('/^(.{' . ($most - 1) . '}).*$/us', '$1', $text)) . '…';
}

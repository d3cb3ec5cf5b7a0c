<?php

declare(strict_types=1);

namespace Bench;

/**
 * Keeps what a run found: raw.csv (every timed run), results.json (the figures), summary.md, one SVG a case, and the
 * README's tables. A later run of some cases on the same day and kind of machine replaces just these.
 */
final class Report
{
    private string $root;
    private string $dir;

    /** @param array<string, string> $machine */
    public function __construct(private bool $trial, private array $machine)
    {
        $this->root = dirname(__DIR__, 3);
        $this->dir = $trial
            ? "$this->root/target/bench-runs"
            : dirname(__DIR__) . '/runs/' . gmdate('Y-m-d') . '-' . machine_kind();
        if (!is_dir($this->dir)) {
            mkdir($this->dir, 0o755, true);
        }
    }

    /**
     * @param array<string, array<string, mixed>> $results
     * @param list<array<string, mixed>> $verdicts
     * @return string the folder, relative to the project
     */
    public function write(array $results, array $verdicts): string
    {
        $this->raw($results);
        $all = $this->merge($results);
        foreach ($results as $name => $result) {
            file_put_contents("$this->dir/$name.svg", svg_chart($result));
        }
        file_put_contents("$this->dir/summary.md", $this->summary($all));
        if (!$this->trial) {
            $this->readme($all, array_keys($results));
        }
        return substr($this->dir, strlen($this->root) + 1);
    }

    /** @param array<string, array<string, mixed>> $results */
    private function raw(array $results): void
    {
        $path = "$this->dir/raw.csv";
        $head = 'case,side,round,ns,amount,unit,peak_bytes,resident_kb,notes';
        $kept = array_filter(
            is_file($path) ? array_slice(file($path, FILE_IGNORE_NEW_LINES), 1) : [],
            fn($line) => !isset($results[strstr($line, ',', true)]),
        );
        $out = fopen($path, 'w');
        fwrite($out, implode("\n", [$head, ...$kept]) . "\n");
        foreach ($results as $name => $result) {
            foreach ($result['sides'] as $side => $figures) {
                foreach ($figures['samples'] as $s) {
                    fputcsv($out, [
                        $name, $side, $s['round'], $s['ns'], $figures['amount'], $result['unit'], $s['peak_bytes'], $s['rss_kb'],
                        $s['notes'] ? json_encode($s['notes']) : '',
                    ], ',', '"', '');
                }
            }
        }
        fclose($out);
    }

    /** @return array<string, array<string, mixed>> these results and the earlier ones beside them */
    private function merge(array $results): array
    {
        $path = "$this->dir/results.json";
        $old = is_file($path) ? json_decode(file_get_contents($path), true)['cases'] : [];
        foreach ($results as $name => $result) {
            $result['measured'] = $this->machine['date'];
            foreach ($result['sides'] as $side => $figures) {
                unset($result['sides'][$side]['samples']);
            }
            $old[$name] = $result;
        }
        uksort($old, fn($a, $b) => $this->rank($old[$a]) <=> $this->rank($old[$b]));
        file_put_contents($path, json_encode(['machine' => $this->machine, 'cases' => $old], JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE) . "\n");
        return $old;
    }

    private function rank(array $result): array
    {
        return [array_search($result['family'], ['lines', 'log', 'shm', 'accel', 'system']), $result['name']];
    }

    /** @param array<string, array<string, mixed>> $all */
    private function summary(array $all): string
    {
        $text = "# Benchmark run\n\n";
        foreach ($this->machine as $what => $value) {
            $text .= "- $what: $value\n";
        }
        $text .= "\nThe figure of a row is its best run; the median and the spread ((worst - best) / best) stand beside it. \"x\" says how many\n"
            . "times faster than the reference a row is, by the best runs. \"PHP memory\" is the peak above what the script held before;\n"
            . "\"resident\" is how far the process's high-water mark rose above an idle script. Answers were checked before a time counted.\n";
        foreach ($all as $result) {
            $text .= "\n## {$result['name']}: " . heading($result) . "\n\n" . markdown_table($result, false);
            foreach ($result['notes'] as $note) {
                $text .= "\n$note\n";
            }
            $text .= "\n![{$result['title']}]({$result['name']}.svg)\n";
        }
        $text .= "\n## Floors\n\n";
        foreach (verdicts(floors(), $all) as $v) {
            $text .= "- {$v['state']}: " . floor_line($v) . "\n";
        }
        $skipped = [];
        foreach ($all as $result) {
            foreach ($result['sides'] as $name => $side) {
                if ($side['skipped'] !== null || $side['failed'] !== null) {
                    $skipped[] = "- {$result['name']}: $name: " . ($side['skipped'] ?? 'failed: ' . $side['failed']);
                }
            }
        }
        return $text . "\n## Skipped or failed rows\n\n" . (implode("\n", $skipped) ?: 'None.') . "\n";
    }

    /**
     * Writes the tables of the measured cases between <!-- bench:NAME --> and <!-- /bench -->, NAME being a case or a
     * family (then its cases with 'readme').
     *
     * @param array<string, array<string, mixed>> $all
     * @param list<string> $measured
     */
    private function readme(array $all, array $measured): void
    {
        $runs = substr($this->dir, strlen($this->root) + 1);
        foreach (['README.md', 'docs/benchmarks.md'] as $file) {
            $path = "$this->root/$file";
            if (!is_file($path)) {
                continue;
            }
            $up = str_repeat('../', substr_count($file, '/'));
            $text = preg_replace_callback('/(<!-- bench:([a-z0-9_]+) -->\n).*?(<!-- \/bench -->)/s', function (array $m) use ($all, $measured, $runs, $up): string {
                $cases = array_filter($all, fn($r) => $r['name'] === $m[2]
                    || $r['family'] === $m[2] && $r['readme'] && ($up !== '' || $r['readme'] !== 'docs'));
                if (array_intersect(array_column($cases, 'name'), $measured) === []) {
                    return $m[0];
                }
                $parts = array_map(function (array $r) use ($runs, $up): string {
                    // The README is a first look: a chart only where the case asks for it.
                    $chart = $up !== '' || $r['readme'] === 'chart' ? "\n![{$r['title']}]($up$runs/{$r['name']}.svg)\n" : '';
                    return '**' . heading($r) . "**\n\n" . markdown_table($r, true) . $chart;
                }, $cases);
                return $m[1] . implode("\n", $parts) . "\nMeasured {$this->machine['date']} on {$this->machine['machine']}; [all of it]($up$runs/summary.md).\n" . $m[3];
            }, file_get_contents($path));
            file_put_contents($path, $text);
        }
    }
}

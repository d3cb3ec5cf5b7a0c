<?php

declare(strict_types=1);

namespace Bench;

/** What a case's 'data' gets: the size of this run and a folder for files that are made once. */
final class Setup
{
    public function __construct(public readonly bool $quick, public readonly string $dir) {}

    /** The full size, or the smaller one for QUICK. */
    public function size(int $full, int $quick): int
    {
        return $this->quick ? $quick : $full;
    }

    /**
     * A data file that $make(string $path) writes, the first time only; later runs find it. The name must say all that
     * its content depends on.
     */
    public function file(string $name, callable $make): string
    {
        $path = "$this->dir/$name";
        if (!is_file($path)) {
            progress("making $name");
            $make("$path.new");
            rename("$path.new", $path);
        }
        return $path;
    }

    /**
     * A file of log lines, the same bytes on every machine: about 83 bytes a line with its newline; each line that
     * $every divides holds the word "upstream-timeout".
     */
    public function log_file(int $lines, int $every = 100): string
    {
        return $this->file("weblog-$lines-$every.txt", fn(string $path) => write_log($path, $lines, $every));
    }

    /** A file of short lines, 12 bytes each with the newline. */
    public function short_lines(int $lines): string
    {
        return $this->file("short-$lines.txt", function (string $path) use ($lines): void {
            $out = fopen($path, 'w');
            for ($i = 0; $i < $lines;) {
                for ($block = '', $end = min($lines, $i + 10000); $i < $end; $i++) {
                    $block .= sprintf("%011d\n", $i * 7919 % 99999999999);
                }
                fwrite($out, $block);
            }
            fclose($out);
        });
    }

    /** A file of this many bytes that do not compress and hold newlines like any text. */
    public function bytes(int $size): string
    {
        return $this->file("bytes-$size.bin", function (string $path) use ($size): void {
            $out = fopen($path, 'w');
            mt_srand(7);
            $block = '';
            for ($i = 0; $i < 1 << 20; $i += 4) {
                $block .= pack('V', mt_rand());
            }
            for ($left = $size; $left > 0; $left -= strlen($block)) {
                fwrite($out, $left < strlen($block) ? substr($block, 0, $left) : $block);
            }
            fclose($out);
        });
    }
}

/** Writes $lines lines of a web log, deterministic. */
function write_log(string $path, int $lines, int $every): void
{
    $out = fopen($path, 'w');
    $methods = ['GET', 'GET', 'GET', 'POST', 'HEAD'];
    $paths = ['/', '/index.html', '/api/v1/orders', '/assets/app.js', '/img/logo.svg', '/login', '/search?q=tea'];
    $status = [200, 200, 200, 200, 304, 302, 404, 500];
    $x = 12345; // a small generator of our own: PHP's may change between versions
    for ($i = 0; $i < $lines;) {
        $block = '';
        for ($end = min($lines, $i + 5000); $i < $end; $i++) {
            $x = ($x * 1103515245 + 12345) & 0x7fffffff;
            $y = $x >> 8;
            // A few clients send most requests, as in life.
            $host = $y % 3 === 0 ? ($y >> 5) % 11 * (($y >> 9) % 3) : ($y >> 4) % 4000;
            $block .= sprintf(
                "10.%d.%d.%d [%02d:%02d:%02d] %s %s %d %d %s\n",
                $host & 3,
                $host >> 4 & 255,
                $host & 255,
                intdiv($i, 3600) % 24,
                intdiv($i, 60) % 60,
                $i % 60,
                $methods[$y % 5],
                $paths[$y % 7],
                $status[$y % 8],
                $y % 50000,
                ($i + 1) % $every === 0 ? 'upstream-timeout after 30 s, gave up' : substr('Mozilla/5.0 (X11; Linux) Firefox/128.0', $y % 11),
            );
        }
        fwrite($out, $block);
    }
    fclose($out);
}

<?php

declare(strict_types=1);

namespace Bench;

/** The stopwatch that a side's run gets. Untouched, the whole run counts. */
final class Meter
{
    /** @var array<string, int|float> extra columns */
    public array $notes = [];
    private ?int $ns = null;
    private ?int $started = null;

    /** From here ... */
    public function start(): void
    {
        $this->started = hrtime(true);
    }

    /** ... to here. Several pieces add up. */
    public function stop(): void
    {
        $now = hrtime(true);
        $this->ns = ($this->ns ?? 0) + $now - ($this->started ?? $now);
        $this->started = null;
    }

    /** A time measured elsewhere, in nanoseconds. */
    public function took(int $ns): void
    {
        $this->ns = $ns;
    }

    /** An extra column of the table; the median of all runs is shown. */
    public function note(string $name, int|float $value): void
    {
        $this->notes[$name] = $value;
    }

    public function ns(int $whole): int
    {
        return $this->ns ?? $whole;
    }
}

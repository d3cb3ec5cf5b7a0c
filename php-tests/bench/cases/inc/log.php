<?php

declare(strict_types=1);

// What the log cases time: n records into one file.

namespace Bench\Log;

/** @param array<string, mixed> $options of the logger */
function rustio(string $out, string $record, int $n, array $options = []): void
{
    $log = new \Rustio\BatchLogger($out, ...$options);
    for ($i = 0; $i < $n; $i++) {
        $log->append($record);
    }
    $log->close();
}

function fwrite_each(string $out, string $record, int $n): void
{
    $file = fopen($out, 'a');
    for ($i = 0; $i < $n; $i++) {
        fwrite($file, "$record\n");
    }
    fclose($file);
}

function fwrite_locked(string $out, string $record, int $n): void
{
    $file = fopen($out, 'a');
    for ($i = 0; $i < $n; $i++) {
        flock($file, LOCK_EX);
        fwrite($file, "$record\n");
        flock($file, LOCK_UN);
    }
    fclose($file);
}

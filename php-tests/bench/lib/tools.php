<?php

declare(strict_types=1);

namespace Bench;

/** Progress for a person, on stderr; a terminal sees one line that changes. */
function progress(string $text): void
{
    static $terminal = null;
    $terminal ??= stream_isatty(STDERR);
    fwrite(STDERR, $terminal ? "\r\e[K" . substr($text, 0, 118) : "$text\n");
}

/** Ends the changing line. */
function progress_done(): void
{
    if (stream_isatty(STDERR)) {
        fwrite(STDERR, "\r\e[K");
    }
}

/** A path for a temporary file or folder of this process, removed at its end; on the file system of the data. */
function scratch(string $name = 'file'): string
{
    static $owner = 0;
    static $dir = '';
    if ($owner !== getmypid()) {
        $owner = getmypid();
        $dir = (getenv('BENCH_SCRATCH') ?: sys_get_temp_dir()) . "/scratch-$owner";
        @mkdir($dir, 0o700, true);
        register_shutdown_function(function () use ($owner, $dir): void {
            if (getmypid() === $owner) {
                array_map(fn($f) => is_file($f) && unlink($f), glob("$dir/*"));
                @rmdir($dir);
            }
        });
    }
    return "$dir/$name";
}

/**
 * Runs $work(int $index) in $n processes that start together. The meter counts from the common start to the end of the
 * last one.
 *
 * @return list<mixed> what each returned
 */
function in_processes(int $n, callable $work, Meter $m): array
{
    [$gate, $hold] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $pipes = [];
    for ($i = 0; $i < $n; $i++) {
        [$mine, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        $pid = pcntl_fork();
        if ($pid === -1) {
            throw new \RuntimeException('fork: ' . pcntl_strerror(pcntl_get_last_error()));
        }
        if ($pid === 0) {
            fclose($mine);
            fclose($hold);
            fwrite($theirs, 'r'); // ready
            fread($gate, 1);      // the parent closes its end: all start
            try {
                $answer = ['ok' => $work($i)];
            } catch (\Throwable $e) {
                $answer = ['failed' => (string) $e];
            }
            fwrite($theirs, json_encode($answer));
            fclose($theirs);
            exit(0); // an ordinary end: what the side buffers is flushed as it would be
        }
        fclose($theirs);
        $pipes[$pid] = $mine;
    }
    fclose($gate);
    foreach ($pipes as $pipe) {
        fread($pipe, 1);
    }
    $m->start();
    fclose($hold);
    $answers = array_map(stream_get_contents(...), $pipes);
    foreach (array_keys($pipes) as $pid) {
        pcntl_waitpid($pid, $status);
    }
    $m->stop();
    return array_values(array_map(function (string $text): mixed {
        $answer = json_decode($text, true) ?? ['failed' => 'a process died'];
        return array_key_exists('failed', $answer) ? throw new \RuntimeException($answer['failed']) : $answer['ok'];
    }, $answers));
}

/** Starts a program, returns what it printed; a failure is an exception. */
function output_of(string ...$command): string
{
    $process = proc_open($command, [0 => ['file', '/dev/null', 'r'], 1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes);
    $out = stream_get_contents($pipes[1]);
    $err = stream_get_contents($pipes[2]);
    $status = proc_close($process);
    if ($status !== 0) {
        throw new \RuntimeException(implode(' ', $command) . ": status $status: " . trim($err . $out));
    }
    return $out;
}

/** Path of a command, or null. */
function command(string $name): ?string
{
    foreach ([...explode(':', (string) getenv('PATH')), '/usr/sbin', '/sbin'] as $dir) {
        if ($dir !== '' && is_executable("$dir/$name")) {
            return "$dir/$name";
        }
    }
    return null;
}

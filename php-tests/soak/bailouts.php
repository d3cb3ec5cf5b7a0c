<?php

declare(strict_types=1);

/**
 * What ends a script inside each method that runs PHP code, and what must hold afterwards in another process. Code sees
 * $dir and $key.
 *
 * @return array<string, array{string, string}> name => [code, check that prints "free"]
 */
function bailouts(): array
{
    $ends = [
        'exit' => 'exit(3);',
        'an exception' => 'throw new LogicException("not caught");',
        'a fatal error' => 'not_a_function();',
        'memory_limit' => 'str_repeat("x", 1 << 30);',
        'max_execution_time' => 'set_time_limit(1); for (;;);',
    ];
    $free = '$c = new Rustio\SharedCounter($key, 16); echo $c->synchronized(fn() => "free", 5.0);';
    $within = [
        'SharedCounter::synchronized()' => ['$c = new Rustio\SharedCounter($key, 16); $c->synchronized(function () use ($c) { $c->add("n"); END });', $free],
        'SharedCounter::synchronized(), twice' => ['$c = new Rustio\SharedCounter($key, 16); $c->synchronized(fn() => $c->synchronized(function () { END }));', $free],
        'SharedCounter::update()' => ['$c = new Rustio\SharedCounter($key, 16); $c->update("n", function (int $v): int { END return 1; });', $free],
        'SharedSegment::synchronized()' => [
            '$s = new Rustio\SharedSegment($key + 1, 64); $s->synchronized(function () use ($s) { $s->write("x"); END });',
            '$s = new Rustio\SharedSegment($key + 1, 64); echo $s->synchronized(fn() => "free", 5.0);',
        ],
        'BatchLogger::appendAll()' => [
            '$l = new Rustio\BatchLogger("$dir/bail.log"); $l->appendAll((function () { yield "one"; yield "two"; END })());',
            'echo file_get_contents("$dir/bail.log") === "one\ntwo\n" ? "free" : var_export(file_get_contents("$dir/bail.log"), true);',
        ],
        'a foreach over lines' => ['foreach (new Rustio\LineIterator("$dir/lines.txt") as $l) { END }', 'echo "free";'],
        'a user stream that lines read' => [
            'final class Ending { public $context; function stream_open(...$a) { return true; } function stream_read($n) { END return ""; } '
            . 'function stream_eof() { return false; } function stream_stat() { return []; } } stream_wrapper_register("ending", "Ending"); '
            . 'foreach (new Rustio\LineIterator("ending://x") as $l) { }',
            'echo "free";',
        ],
        'LineIterator::batch() of a user stream' => [
            'final class Ending { public $context; private $n = 0; function stream_open(...$a) { return true; } function stream_read($n) { if ($this->n++ > 0) { END } return "a\n"; } '
            . 'function stream_eof() { return false; } function stream_stat() { return []; } } stream_wrapper_register("ending", "Ending"); '
            . '(new Rustio\LineIterator("ending://x"))->batch(5);',
            'echo "free";',
        ],
        'the text of a record that BatchLogger::append() takes' => [
            '$l = new Rustio\BatchLogger("$dir/bail.log"); $l->append("one"); $l->append(new class { function __toString(): string { END return ""; } });',
            'echo file_get_contents("$dir/bail.log") === "one\n" ? "free" : "lost";',
        ],
        'the text of a record that BatchLogger::appendAll() takes' => [
            '$l = new Rustio\BatchLogger("$dir/bail.log"); $l->append("one"); $l->appendAll([new class { function __toString(): string { END return ""; } }]);',
            'echo file_get_contents("$dir/bail.log") === "one\n" ? "free" : "lost";',
        ],
        'an error handler that SharedCounter::add() calls for its argument' => [
            '$c = new Rustio\SharedCounter($key, 16); set_error_handler(function () { END }); $c->add("n", 1.5);',
            $free,
        ],
        'the name of a file that AccelRedirect::send() takes' => [
            '$a = new Rustio\AccelRedirect($dir, backend: Rustio\SendfileBackend::Php); $a->send(new class { function __toString(): string { END return "lines.txt"; } });',
            'echo "free";',
        ],
        'an output handler that AccelRedirect::send() throws away' => [
            'ob_start(function ($text, $phase) { END return ""; }); echo "x"; (new Rustio\AccelRedirect($dir, backend: Rustio\SendfileBackend::Php))->send("lines.txt");',
            'echo "free";',
        ],
        'a header callback that AccelRedirect::send() calls' => [
            'header_register_callback(function () { END }); (new Rustio\AccelRedirect($dir, backend: Rustio\SendfileBackend::Php))->send("lines.txt");',
            'echo "free";',
        ],
    ];
    if (extension_loaded('pcntl') || is_file(ini_get('extension_dir') . '/pcntl.so')) {
        $alarm = 'pcntl_async_signals(true); pcntl_signal(SIGALRM, function () { END }); pcntl_alarm(1); ';
        $within['a signal handler while lines wait for a pipe'] = [
            "posix_mkfifo(\"\$dir/fifo-\" . getmypid(), 0o600); \$keep = fopen(\"\$dir/fifo-\" . getmypid(), 'r+'); $alarm"
            . 'foreach (new Rustio\LineIterator("$dir/fifo-" . getmypid()) as $l) { }',
            'echo "free";',
        ];
        $within['a signal handler while SharedCounter::synchronized() waits for another process'] = [
            '$c = new Rustio\SharedCounter($key, 16); $c->add("n"); if (($pid = pcntl_fork()) === 0) { $c->synchronized(fn() => sleep(3)); exit; } usleep(300000); '
            . $alarm . '$c->synchronized(fn() => 1);',
            $free,
        ];
    }
    $all = [];
    foreach ($within as $where => [$code, $after]) {
        foreach ($ends as $how => $end) {
            if ($how === 'max_execution_time' && str_contains($where, 'signal handler')) {
                continue; // PHP blocks the timer's signal, too, while such a handler runs
            }
            $all["$how inside $where"] = [str_replace('END', $end, $code), $after];
        }
    }
    $all['a Fiber that never comes back from SharedCounter::synchronized()'] = [
        '$c = new Rustio\SharedCounter($key, 16); $f = new Fiber(fn() => $c->synchronized(fn() => Fiber::suspend())); $f->start(); echo "suspended";',
        $free,
    ];
    return $all;
}

function bailout(Workplace $work, string $so, string $code, string $after): void
{
    forget_segments($work->key);
    @unlink("$work->dir/bail.log");
    preg_match('/Rustio\\\\(\w+)/', $code, $class);
    [, $known] = php($so, [], "echo (int) class_exists('Rustio\\\\$class[1]');");
    if ($known !== '1') {
        throw new Skip("no Rustio\\$class[1] in this build");
    }
    $start = sprintf('$dir = %s; $key = %d; ', var_export($work->dir, true), $work->key);
    [$status, $out] = php($so, ['-d', 'memory_limit=32M', '-d', 'display_errors=1'], $start . $code);
    must($status < 124 || $status === 255, "ended with status $status: " . substr($out, -300)); // 124: hung; 128 and a signal
    must(!str_contains($out, 'panic'), $out);
    [$status, $out] = php($so, ['-d', 'display_errors=1'], $start . $after);
    must($status === 0 && $out === 'free', "afterwards, status $status: " . substr($out, -300));
}

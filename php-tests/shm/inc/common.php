<?php

/** A System V key that no other test has; what is under it goes when this process ends (not its children). */
function own_key(): int
{
    $file = tempnam(sys_get_temp_dir(), 'rustio-shm-');
    $key = ftok($file, 'R');
    $owner = getmypid();
    register_shutdown_function(function () use ($file, $key, $owner): void {
        if (getmypid() === $owner) {
            remove($key);
            @unlink($file);
        }
    });
    return $key;
}

/** Removes the segment and the semaphores under a key, as an administrator would. */
function remove(int $key): void
{
    $hex = sprintf('0x%08x', $key & 0xffffffff);
    exec("ipcrm -M $hex 2>/dev/null; ipcrm -S $hex 2>/dev/null");
}

/** Prints what a call raises: class, code and message. */
function raises(callable $call): void
{
    try {
        $result = $call();
        echo 'nothing raised: ', var_export($result, true), "\n";
    } catch (Throwable $e) {
        echo $e::class, $e->getCode() !== 0 ? " ({$e->getCode()})" : '', ': ', $e->getMessage(), "\n";
    }
}

/** Runs $work(int $i) in $n processes at once and waits for all; a child that dies or fails is reported. */
function in_processes(int $n, callable $work): void
{
    $pids = [];
    for ($i = 0; $i < $n; $i++) {
        $pids[] = child(fn() => $work($i));
    }
    foreach ($pids as $pid) {
        finished($pid);
    }
}

/** Starts a process; its end runs nothing of the parent's. */
function child(callable $work): int
{
    $pid = pcntl_fork();
    if ($pid === 0) {
        try {
            $work();
        } catch (Throwable $e) {
            fwrite(STDOUT, "in a child: $e\n");
        }
        posix_kill(getmypid(), SIGKILL); // no shutdown functions, no output buffers, no destructors
    }
    return $pid;
}

function finished(int $pid): void
{
    pcntl_waitpid($pid, $status);
    if (!pcntl_wifsignaled($status) || pcntl_wtermsig($status) !== SIGKILL) {
        echo "child ended with status $status\n";
    }
}

/** Waits until it is true; a minute is for ever. */
function until(callable $true): void
{
    $end = time() + 60;
    while (!$true()) {
        if (time() > $end) {
            throw new RuntimeException('never came true');
        }
        usleep(200);
    }
}

/** Ends this process and its children after a minute, whatever hangs. */
function watchdog(): void
{
    $parent = getmypid();
    $pid = pcntl_fork();
    if ($pid === 0) {
        for ($i = 0; $i < 600; $i++) {
            usleep(100_000);
            if (posix_getppid() !== $parent) {
                break;
            }
        }
        if ($i === 600) {
            echo "watchdog: hangs\n";
            posix_kill($parent, SIGKILL);
        }
        posix_kill(getmypid(), SIGKILL);
    }
    register_shutdown_function(function () use ($pid, $parent): void {
        if (getmypid() === $parent) {
            posix_kill($pid, SIGKILL);
        }
    });
}

/** Runs a script in another PHP with this extension (and others), and gives its output. */
function php(string $code, array $extensions = [], string $before = '', array $ini = []): string
{
    $file = tempnam(sys_get_temp_dir(), 'rustio-php-');
    file_put_contents($file, "<?php $code");
    $options = '';
    foreach ($extensions as $extension) {
        $options .= " -d extension=$extension";
    }
    foreach ($ini as $name => $value) {
        $options .= ' -d ' . escapeshellarg("$name=$value");
    }
    $so = extension_file();
    $out = shell_exec("$before " . PHP_BINARY . " -n -d extension=$so $options $file 2>&1");
    unlink($file);
    return (string) $out;
}

/** The .so that is loaded here. */
function extension_file(): string
{
    foreach (file('/proc/self/maps') as $line) {
        if (preg_match('#(/\S*rustio\S*\.so)#', $line, $match)) {
            return $match[1];
        }
    }
    throw new RuntimeException('no rustio.so');
}

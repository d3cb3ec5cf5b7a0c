<?php
/**
 * nginx, php-fpm and PHP's own server for measuring: one per process, started at the first use, stopped at its end. FPM's
 * own log says how long a worker was busy; a request is complete when the client has every byte.
 */

require_once __DIR__ . '/http.php';
require_once __DIR__ . '/processes.php';

final class Rig
{
    public const SIZE = 64 << 20;
    private static ?self $rig = null;
    private Servers $servers;
    private int $spooling = 0;
    private int $direct = 0;
    private int $builtin = 0;

    public static function get(): self
    {
        return self::$rig ??= new self();
    }

    /** Why there is nothing to measure with, or null. */
    public static function lacks(): ?string
    {
        return Servers::find('nginx') === null ? 'no nginx' : (self::fpm() === null ? 'no php-fpm' : null);
    }

    private static function fpm(): ?string
    {
        return Servers::find(getenv('PHP_FPM') ?: 'php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION, 'php-fpm');
    }

    private function __construct()
    {
        $so = realpath(getenv('SO') ?: dirname(__DIR__, 3) . '/target/release/librustio.so');
        $this->servers = $servers = new Servers(PHP_BINARY, $so);
        register_shutdown_function(static function () use ($servers): void {
            $servers->stop();
            $servers->remove();
        });
        $dir = $servers->dir;
        mkdir("$dir/files");
        mkdir("$dir/logs");
        chmod("$dir/logs", 0777);
        copy(__DIR__ . '/rig_app.php', "$dir/app.php");
        // Random, so that nobody saves work on zeros; its end tells a whole file from a cut one.
        file_put_contents("$dir/files/big.bin", str_repeat(random_bytes(1 << 16), self::SIZE >> 16));
        file_put_contents("$dir/files/small.bin", random_bytes(10 << 10));
    }

    private function start_behind_nginx(): void
    {
        if ($this->spooling !== 0) {
            return;
        }
        [$servers, $dir] = [$this->servers, $this->servers->dir];
        [$this->spooling, $this->direct] = [Servers::free_port(), Servers::free_port()];
        $as = $servers->user === null ? '' : "user = $servers->user\ngroup = {$servers->group()}\n";
        $config = $servers->write('fpm.conf', "[global]\nerror_log = $dir/fpm.log\ndaemonize = no\n[rig]\n{$as}listen = $dir/fpm.sock\n"
            . "listen.mode = 0666\npm = static\npm.max_children = 2\naccess.log = $dir/access.log\naccess.format = \"%{microseconds}d %q\"\n");
        $servers->start('fpm', [self::fpm(), '-n', '-d', "extension=$servers->so", '-y', $config, '-F'], "unix://$dir/fpm.sock");
        $servers->write('snippet.conf', (new Rustio\AccelRedirect("$dir/files", backend: Rustio\SendfileBackend::Nginx))->serverConfig());
        $pass = "fastcgi_param SCRIPT_FILENAME $dir/app.php; fastcgi_param QUERY_STRING \$query_string; fastcgi_param REQUEST_METHOD "
            . "\$request_method; fastcgi_param RIG_ROOT $dir/files; fastcgi_pass unix:$dir/fpm.sock; fastcgi_read_timeout 60;";
        $user = $servers->user === null ? '' : "user $servers->user {$servers->group()};";
        $temp = '';
        foreach (['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'] as $kind) {
            $temp .= "{$kind}_temp_path $dir/nginx-$kind; ";
        }
        $config = $servers->write('nginx.conf', <<<CONF
            $user
            worker_processes 1; pid $dir/nginx.pid; error_log $dir/nginx.log; daemon off;
            events { worker_connections 128; }
            http {
                access_log off; sendfile on; keepalive_requests 1000000; $temp
                server { listen 127.0.0.1:$this->spooling; location = /app.php { $pass } include snippet.conf; }
                server { listen 127.0.0.1:$this->direct; location = /app.php { $pass fastcgi_max_temp_file_size 0; } }
            }
            CONF);
        $servers->start('nginx', [Servers::find('nginx'), '-e', "$dir/nginx.log", '-p', $dir, '-c', $config], "tcp://127.0.0.1:$this->spooling");
    }

    private function start_builtin(): void
    {
        if ($this->builtin === 0) {
            $this->builtin = Servers::free_port();
            putenv("RIG_ROOT={$this->servers->dir}/files");
            $command = ['/usr/bin/env', "RIG_ROOT={$this->servers->dir}/files", PHP_BINARY, '-n', '-d', "extension={$this->servers->so}", '-S', "127.0.0.1:$this->builtin", "{$this->servers->dir}/app.php"];
            $this->servers->start('builtin', $command, "tcp://127.0.0.1:$this->builtin");
        }
    }

    /** Fetches 64 MB and gives the number of bytes of the body. @param int|null $rate bytes a second that the client reads */
    private function fetch(int $port, string $query, ?int $rate): int
    {
        $start = hrtime(true);
        $socket = open_request($port, 'GET', "/app.php?$query");
        [$bytes, $head] = [0, null];
        while (!feof($socket)) {
            $chunk = (string) fread($socket, 1 << 18);
            $bytes += strlen($chunk);
            $head ??= ($end = strpos($chunk, "\r\n\r\n")) === false ? null : $end + 4;
            if ($rate !== null && ($ahead = $bytes / $rate - (hrtime(true) - $start) / 1e9) > 0) {
                usleep((int) ($ahead * 1e6));
            }
        }
        fclose($socket);
        return $bytes - (int) $head;
    }

    /** Nanoseconds for which a worker was busy with 64 MB, and the bytes that came. @return array{int, int} */
    public function held(string $way, bool $spooling = true, ?int $rate = null): array
    {
        $this->start_behind_nginx();
        $key = bin2hex(random_bytes(6));
        $bytes = $this->fetch($spooling ? $this->spooling : $this->direct, "way=$way&file=big.bin&key=$key", $rate);
        for ($wait = 0; $wait < 500; $wait++) {
            if (preg_match("/^([\d.]+) .*key=$key/m", (string) file_get_contents("{$this->servers->dir}/access.log"), $match)) {
                return [(int) ($match[1] * 1000), $bytes];
            }
            usleep(10000);
        }
        throw new RuntimeException('FPM wrote no line');
    }

    /** Nanoseconds until a client of PHP's own server has 64 MB, the bytes, and PHP's peak memory. @return array{int, int, int} */
    public function streamed(string $way): array
    {
        $this->start_builtin();
        $log = "{$this->servers->dir}/logs/memory";
        @unlink($log);
        $start = hrtime(true);
        $bytes = $this->fetch($this->builtin, "way=$way&file=big.bin&log=$log", null);
        $took = hrtime(true) - $start;
        for ($wait = 0; $wait < 100 && !is_file($log); $wait++) {
            usleep(1000);
        }
        usleep(1000);
        return [$took, $bytes, (int) file_get_contents($log)];
    }

    /**
     * Nanoseconds a request for 10 KB takes on a kept connection, the best of many short windows (a busy machine leaves
     * only short quiet moments); the body's length. @return array{int, int}
     */
    public function request_ns(string $way): array
    {
        $this->start_behind_nginx();
        $request = "GET /app.php?way=$way&file=small.bin HTTP/1.1\r\nHost: localhost\r\n\r\n";
        $socket = stream_socket_client("tcp://127.0.0.1:$this->spooling", $errno, $error, 10);
        stream_set_timeout($socket, 10);
        $exchange = static function () use ($socket, $request): int {
            fwrite($socket, $request);
            $answer = '';
            do {
                $answer .= fread($socket, 65536);
                $end = strpos($answer, "\r\n\r\n");
                $length = preg_match('/^Content-Length: (\d+)\r$/mi', $answer, $match) ? (int) $match[1] : PHP_INT_MAX;
            } while ($end === false || strlen($answer) < $end + 4 + $length && !feof($socket));
            return $length;
        };
        $length = $exchange();
        $best = PHP_INT_MAX;
        for ($window = 0; $window < 40; $window++) {
            $start = hrtime(true);
            for ($i = 0; $i < 20; $i++) {
                $exchange();
            }
            $best = min($best, intdiv(hrtime(true) - $start, 20));
        }
        fclose($socket);
        return [$best, $length];
    }
}

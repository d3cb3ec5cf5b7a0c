<?php
/** Starting and stopping the servers, each on a free loopback port, all files in one folder. */

final class Servers
{
    /** @var list<resource> */
    private array $running = [];
    public readonly string $dir;
    public readonly bool $root;
    /** Servers must not run as root: Apache refuses, and root may read everything. */
    public readonly ?string $user;

    public function __construct(public readonly string $php, public readonly string $so)
    {
        $this->dir = realpath(sys_get_temp_dir()) . '/rustio-accel-' . bin2hex(random_bytes(6));
        mkdir($this->dir);
        chmod($this->dir, 0755);
        touch("$this->dir/probe");
        $this->root = fileowner("$this->dir/probe") === 0;
        $this->user = $this->root ? $this->known_user() : null;
    }

    private function known_user(): string
    {
        preg_match_all('/^([^:]+):/m', (string) file_get_contents('/etc/passwd'), $match);
        return current(array_intersect(['www-data', 'nginx', 'nobody'], $match[1])) ?: 'root';
    }

    /** The group of that user, by its number in /etc/passwd. */
    public function group(): string
    {
        preg_match('/^' . $this->user . ':[^:]*:\d+:(\d+):/m', (string) file_get_contents('/etc/passwd'), $match);
        preg_match('/^([^:]+):[^:]*:' . ($match[1] ?? 0) . ':/m', (string) file_get_contents('/etc/group'), $match);
        return $match[1] ?? 'root';
    }

    public static function find(string ...$names): ?string
    {
        foreach ($names as $name) {
            foreach (['', '/usr/sbin/', '/usr/local/sbin/', '/usr/bin/', '/usr/local/bin/'] as $folder) {
                if (($folder !== '' || str_contains($name, '/')) && is_executable($folder . $name)) {
                    return $folder . $name;
                }
            }
        }
        return null;
    }

    public static function free_port(): int
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $port = (int) substr(strrchr((string) stream_socket_get_name($socket, false), ':'), 1);
        fclose($socket);
        return $port;
    }

    /** Writes a file of the configuration and gives its path. */
    public function write(string $name, string $text): string
    {
        $path = "$this->dir/$name";
        file_put_contents($path, $text);
        return $path;
    }

    /** Starts a process and waits until it answers there. @param list<string> $command */
    public function start(string $name, array $command, string $address): void
    {
        $log = ['file', "$this->dir/$name.out", 'a'];
        $process = proc_open($command, [['file', '/dev/null', 'r'], $log, $log], $pipes, $this->dir, ['PATH' => getenv('PATH') ?: '/usr/bin']);
        if ($process === false) {
            throw new RuntimeException("$name does not start");
        }
        $this->running[] = $process;
        for ($wait = 0; $wait < 1000; $wait++) {
            if ($probe = @stream_socket_client($address, $errno, $error, 1)) {
                fclose($probe);
                return;
            }
            if (!proc_get_status($process)['running']) {
                break;
            }
            usleep(10000);
        }
        throw new RuntimeException("$name does not answer:\n" . file_get_contents("$this->dir/$name.out"));
    }

    public function stop(): void
    {
        foreach (array_reverse($this->running) as $process) {
            proc_terminate($process);
            for ($wait = 0; proc_get_status($process)['running']; $wait++) {
                if ($wait === 300) {
                    proc_terminate($process, 9);
                }
                usleep(10000);
            }
            proc_close($process);
        }
        $this->running = [];
    }

    /** PHP's options that load the extension and nothing else. */
    public function fpm(string $binary): void
    {
        $as = $this->user === null ? '' : "user = $this->user\ngroup = {$this->group()}\n";
        $pool = static fn (string $name, string $more): string => "[$name]\n{$as}listen = $name.sock\nlisten.mode = 0666\n"
            . "pm = static\npm.max_children = 2\ncatch_workers_output = yes\n$more\n";
        $pools = $pool('plain', '')
            . $pool('buffered', "php_admin_value[output_buffering] = 4096\nphp_admin_value[memory_limit] = 32M\n"
                . "php_admin_value[zlib.output_compression] = On");
        if ($this->root) {
            $pools .= $pool('jailed', "chroot = $this->dir/jail\nchdir = /");
        }
        $pools = str_replace('listen = ', "listen = $this->dir/", $pools);
        $config = $this->write('fpm.conf', "[global]\nerror_log = $this->dir/fpm.log\ndaemonize = no\n$pools");
        $this->start('fpm', [$binary, '-n', '-d', "extension=$this->so", '-y', $config, '-F'], "unix://$this->dir/plain.sock");
    }

    /** @param array<string, string> $snippets the text of serverConfig(), by location */
    public function nginx(string $binary, array $snippets): int
    {
        $port = self::free_port();
        $locations = '';
        foreach ($snippets as $name => $text) {
            $this->write("snippet-$name.conf", $text);
            $locations .= "include snippet-$name.conf;\n";
        }
        $user = $this->user === null ? '' : "user $this->user {$this->group()};";
        $temp = '';
        foreach (['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'] as $kind) {
            $temp .= "{$kind}_temp_path $this->dir/nginx-$kind;\n";
        }
        $parameters = '';
        foreach (['QUERY_STRING' => '$query_string', 'REQUEST_METHOD' => '$request_method', 'CONTENT_TYPE' => '$content_type',
            'CONTENT_LENGTH' => '$content_length', 'SCRIPT_NAME' => '$fastcgi_script_name', 'REQUEST_URI' => '$request_uri',
            'DOCUMENT_URI' => '$document_uri', 'SERVER_PROTOCOL' => '$server_protocol', 'GATEWAY_INTERFACE' => 'CGI/1.1',
            'REMOTE_ADDR' => '$remote_addr', 'SERVER_NAME' => '$server_name', 'SERVER_PORT' => '$server_port'] as $name => $value) {
            $parameters .= "fastcgi_param $name $value;\n";
        }
        // A location with a parameter of its own inherits none.
        $this->write('parameters.conf', $parameters);
        $config = $this->write('nginx.conf', <<<CONF
            $user
            worker_processes 1;
            pid $this->dir/nginx.pid;
            error_log $this->dir/nginx.log;
            daemon off;
            events { worker_connections 64; }
            http {
                access_log off;
                sendfile on;
                $temp
                fastcgi_buffer_size 32k;
                fastcgi_buffers 8 32k;
                fastcgi_read_timeout 60;
                server {
                    listen 127.0.0.1:$port;
                    root $this->dir/www;
                    location ~ \\.php\$ { include parameters.conf; fastcgi_param SCRIPT_FILENAME \$document_root\$fastcgi_script_name; fastcgi_pass unix:$this->dir/plain.sock; }
                    location ^~ /buffered/ { include parameters.conf; fastcgi_param SCRIPT_FILENAME $this->dir/www/app.php; fastcgi_pass unix:$this->dir/buffered.sock; }
                    location ^~ /jailed/ { include parameters.conf; fastcgi_param SCRIPT_FILENAME /www/app.php; fastcgi_pass unix:$this->dir/jailed.sock; }
                    $locations
                }
            }
            CONF);
        $this->start('nginx', [$binary, '-e', "$this->dir/nginx.log", '-p', $this->dir, '-c', $config], "tcp://127.0.0.1:$port");
        return $port;
    }

    public function apache(string $binary, string $modules, string $snippet): int
    {
        $port = self::free_port();
        $this->write('snippet-apache.conf', $snippet);
        $load = '';
        foreach (['mpm_event', 'authz_core', 'proxy', 'proxy_fcgi', 'xsendfile', 'unixd'] as $module) {
            if (is_file("$modules/mod_$module.so")) {
                $load .= "LoadModule {$module}_module $modules/mod_$module.so\n";
            }
        }
        $user = $this->user === null ? '' : "User $this->user\nGroup {$this->group()}";
        $config = $this->write('apache.conf', <<<CONF
            ServerRoot $this->dir
            ServerName localhost
            PidFile $this->dir/apache-$port.pid
            ErrorLog $this->dir/apache.log
            Listen 127.0.0.1:$port
            $load
            Mutex file:$this->dir default
            $user
            DocumentRoot $this->dir/www
            LimitRequestLine 16000
            <FilesMatch "\\.php$">
                SetHandler "proxy:unix:$this->dir/plain.sock|fcgi://localhost/"
            </FilesMatch>
            Include $this->dir/snippet-apache.conf
            CONF);
        $this->start('apache', [$binary, '-f', $config, '-D', 'FOREGROUND'], "tcp://127.0.0.1:$port");
        return $port;
    }

    public function lighttpd(string $binary, string $snippet): int
    {
        $port = self::free_port();
        $user = $this->user === null ? '' : "server.username = \"$this->user\"\nserver.groupname = \"{$this->group()}\"\n";
        $config = $this->write('lighttpd.conf', <<<CONF
            server.modules = ( "mod_fastcgi" )
            server.document-root = "$this->dir/www"
            server.bind = "127.0.0.1"
            server.port = $port
            server.errorlog = "$this->dir/logs/lighttpd.log"
            $user
            fastcgi.server = ( ".php" => (( "socket" => "$this->dir/plain.sock", "check-local" => "disable",
            $snippet)))

            CONF);
        $this->start('lighttpd', [$binary, '-D', '-f', $config], "tcp://127.0.0.1:$port");
        return $port;
    }

    /** PHP's own server. @param list<string> $options */
    public function builtin(string $name, array $options = []): int
    {
        $port = self::free_port();
        $command = [$this->php, '-n', '-d', "extension=$this->so", ...$options, '-S', "127.0.0.1:$port", "$this->dir/www/app.php"];
        $this->start($name, $command, "tcp://127.0.0.1:$port");
        return $port;
    }

    public function remove(): void
    {
        self::remove_tree($this->dir);
    }

    private static function remove_tree(string $path): void
    {
        if (is_dir($path) && !is_link($path)) {
            foreach (array_diff(scandir($path), ['.', '..']) as $entry) {
                self::remove_tree("$path/$entry");
            }
            rmdir($path);
        } else {
            unlink($path);
        }
    }
}

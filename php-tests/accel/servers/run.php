<?php
/** Runs the suite; see ../servers.sh. Prints a line for each check that failed or was skipped, and the sums. */

use Rustio\{AccelRedirect, SendfileBackend};

foreach (['http', 'names', 'processes', 'checks', 'checks_redirect', 'checks_fallback'] as $part) {
    require __DIR__ . "/$part.php";
}
set_error_handler(static function (int $level, string $message, string $file, int $line): bool {
    if ((error_reporting() & $level) !== 0) {
        throw new ErrorException($message, 0, $level, $file, $line);
    }
    return false;
});

[$so, $only] = [$argv[1], array_slice($argv, 2)];
if (!extension_loaded('rustio')) {
    fwrite(STDERR, "the extension did not load: $so\n");
    exit(1);
}
$suite = new Suite($only);
$servers = new Servers(PHP_BINARY, $so);
register_shutdown_function(static function () use ($servers): void {
    $servers->stop();
    getenv('KEEP') ? print("kept: $servers->dir\n") : $servers->remove();
});

// The files: under a plain root, under a root behind an absolute link, under one whose name must be quoted, and in a jail.
$dir = $servers->dir;
$names = hostile_names();
mkdir("$dir/www");
copy(__DIR__ . '/app.php', "$dir/www/app.php");
mkdir("$dir/logs");
chmod("$dir/logs", 0777);
foreach (['outside', 'releases', 'jail', 'jail/www', 'jail/releases'] as $folder) {
    mkdir("$dir/$folder");
}
copy(__DIR__ . '/app.php', "$dir/jail/www/app.php");
file_put_contents("$dir/outside/secret.txt", 'secret');
$roots = ['plain' => "$dir/plain files", 'linked' => "$dir/releases/1", 'quoted' => "$dir/a \"b\\c;#{t}'%20", 'jail' => "$dir/jail/releases/1"];
foreach ($roots as $root) {
    make_files($root, $names);
}
symlink("$dir/releases", "$dir/current");
$roots['linked'] = "$dir/current/1";
// An absolute link that means something inside the jail only, and ends inside the root.
symlink('/releases/1/90%.txt', "$dir/jail/releases/1/jail link");
foreach (['plain', 'linked'] as $which) {
    symlink("$roots[$which]/90%.txt", "$roots[$which]/absolute link");
    symlink('../outside/secret.txt', "$roots[$which]/leaving link");
}

$fpm = Servers::find(getenv('PHP_FPM') ?: 'php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION, 'php-fpm');
$nginx = Servers::find('nginx');
$apache = Servers::find('apache2', 'httpd');
$modules = current(array_filter(['/usr/lib/apache2/modules', '/usr/lib64/httpd/modules', '/usr/lib/httpd/modules'], 'is_dir'));
$lighttpd = Servers::find('lighttpd');
$config = static fn (string $root, SendfileBackend $backend, string $location, ?string $server = null): string
    => (new AccelRedirect($root, $location, $backend, $server))->serverConfig();

try {
    $fpm_up = $fpm !== null;
    $fpm_up ? $servers->fpm($fpm) : $suite->skip('everything behind php-fpm', 'php-fpm is not installed');
    if ($fpm_up && $suite->wants('nginx')) {
        if ($nginx === null) {
            $suite->skip('nginx', 'nginx is not installed');
        } else {
            $snippets = [];
            foreach ($roots as $which => $root) {
                $snippets[$which] = $config($root, SendfileBackend::Nginx, "/protected $which/");
            }
            $port = $servers->nginx($nginx, $snippets);
            redirect_checks($suite, $port, $dir, $roots, $names, $servers);
            fallback_checks($suite, 'php behind nginx and fpm', "/app.php", $port, $dir, $roots['plain'], $names, 'fpm');
            buffered_checks($suite, 'php behind nginx and fpm, buffered and compressed', '/buffered/app.php', $port, $dir, $roots['plain']);
        }
    }
    if ($fpm_up && $suite->wants('apache')) {
        if ($apache === null || !is_file("$modules/mod_xsendfile.so")) {
            $suite->skip('apache', 'Apache or mod_xsendfile is not installed');
        } else {
            foreach (['plain', 'linked', 'quoted'] as $which) {
                $port = $servers->apache($apache, $modules, $config($roots[$which], SendfileBackend::XSendfile, '/x/', 'apache'));
                sendfile_checks($suite, "apache, $which root", $port, $dir, $roots[$which], $names, true);
            }
        }
    }
    if ($fpm_up && $suite->wants('lighttpd')) {
        if ($lighttpd === null) {
            $suite->skip('lighttpd', 'lighttpd is not installed');
        } else {
            foreach (['plain', 'linked', 'quoted'] as $which) {
                $port = $servers->lighttpd($lighttpd, $config($roots[$which], SendfileBackend::XSendfile, '/x/', 'lighttpd'));
                sendfile_checks($suite, "lighttpd, $which root", $port, $dir, $roots[$which], $names, false);
            }
        }
    }
    if ($suite->wants('builtin')) {
        $port = $servers->builtin('builtin');
        fallback_checks($suite, 'php -S', '/app.php', $port, $dir, $roots['plain'], $names, 'builtin');
        $port = $servers->builtin('builtin-buffered', ['-d', 'output_buffering=4096', '-d', 'memory_limit=32M', '-d', 'zlib.output_compression=On']);
        buffered_checks($suite, 'php -S, buffered and compressed', '/app.php', $port, $dir, $roots['plain']);
    }
} catch (Throwable $e) {
    $suite->fail('the suite itself', "$e");
}
exit($suite->report());

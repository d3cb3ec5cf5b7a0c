<?php
/** nginx by X-Accel-Redirect, Apache and lighttpd by X-Sendfile. */

/** @param array<string, string> $roots @param list<string> $names */
function redirect_checks(Suite $suite, int $port, string $dir, array $roots, array $names, Servers $servers): void
{
    $client = static fn (string $which, string $script, string $root): Client => new Client($port, $script,
        ['root' => $root, 'backend' => 'nginx', 'location' => "/protected $which/"]);
    foreach (['plain', 'linked', 'quoted'] as $which) {
        name_checks($suite, "nginx, $which root", $client($which, '/app.php', $roots[$which]), $names);
    }
    if ($servers->root) {
        $jailed = $client('jail', '/jailed/app.php', '/releases/1');
        name_checks($suite, 'nginx, chrooted pool', $jailed, $names);
        $link = $jailed->get('jail link');
        $suite->same('nginx, chrooted pool: an absolute link inside the jail', [200, content_of('90%.txt')], [$link->status, $link->body]);
    } else {
        $suite->skip('nginx, chrooted pool', 'chroot needs root');
    }
    $plain = $client('plain', '/app.php', $roots['plain']);
    refusal_checks($suite, 'nginx', $plain, $roots['plain'], $servers->root && $servers->user === 'root');
    refusal_checks($suite, 'nginx, linked root', $client('linked', '/app.php', $roots['linked']), $roots['linked'], $servers->root && $servers->user === 'root');
    download_name_checks($suite, 'nginx', $plain);
    type_checks($suite, 'nginx', $plain);

    foreach (['/protected%20plain/90%25.txt', '/protected%20plain/', '/protected%20plain../outside/secret.txt', '/protected%20plain%2e%2e/outside/secret.txt'] as $target) {
        $suite->same("nginx keeps $target internal (AX-14, AX-16)", 404, request($port, 'GET', $target)->status);
    }
    $response = $plain->get('thousand.bin', ['before' => 'headers,status']);
    $suite->same('nginx: what the application sent before is replaced, cookies stay (AX-18, AX-19)',
        [200, 'TWICE' => false, 'length' => '1000', 'ranges' => 'bytes', 'encoding' => null, 'cookie' => 'kept=1', 'type' => 'application/octet-stream', 'tag' => '"6553f100-3e8"'],
        [$response->status, 'TWICE' => count($response->all('Content-Type')) > 1, 'length' => $response->header('Content-Length'), 'ranges' => $response->header('Accept-Ranges'),
            'encoding' => $response->header('Content-Encoding'), 'cookie' => $response->header('Set-Cookie'), 'type' => $response->header('Content-Type'), 'tag' => $response->header('ETag')]);
    output_checks($suite, 'nginx', $plain, $dir);

    $range = $plain->get('thousand.bin', [], ['Range' => 'bytes=990-5000']);
    $suite->same('nginx answers ranges itself', [206, 'bytes 990-999/1000', 10], [$range->status, $range->header('Content-Range'), strlen($range->body)]);
    $suite->same('nginx answers conditions itself', 304, $plain->get('thousand.bin', [], ['If-None-Match' => '"6553f100-3e8"'])->status);
    $rate = $plain->get('thousand.bin', ['limitRate' => 1_000_000]);
    $suite->same('nginx takes a rate (AX-45)', [200, 1000], [$rate->status, strlen($rate->body)]);

    file_put_contents("$roots[plain]/victim.txt", 'victim');
    chmod($roots['plain'], 0777);
    $swapped = $plain->get('victim.txt', ['before' => 'swap', 'target' => "$dir/outside/secret.txt"]);
    $suite->same('nginx does not follow a link swapped in after the check', [true, false],
        [is_link("$roots[plain]/victim.txt"), str_contains($swapped->body, 'secret') || $swapped->status === 200]);
    $suite->done('nginx: headers, output, ranges, races');
}

/** @param list<string> $names */
function sendfile_checks(Suite $suite, string $group, int $port, string $dir, string $root, array $names, bool $raw): void
{
    $client = new Client($port, '/app.php', ['root' => $root, 'backend' => 'xsendfile']);
    // mod_xsendfile reads raw bytes, and PHP cuts a space off a header's end; lighttpd decodes and takes UTF-8 alone.
    $carried = static fn (string $name): bool => !has_control($name) && ($raw ? !str_ends_with($name, ' ') : is_utf8($name));
    name_checks($suite, $group, $client, array_values(array_filter($names, $carried)));
    foreach (array_filter($names, static fn ($name) => !$carried($name)) as $name) {
        $response = $client->get($name);
        $suite->same("$group refuses what X-Sendfile can't carry: " . addcslashes($name, "\0..\37\177..\377"), [404, 'refused', []], [$response->status, substr($response->body, 0, 7), leaks($response)]);
    }
    if (!str_contains($group, 'quoted')) {
        refusal_checks($suite, $group, $client, $root, false);
        download_name_checks($suite, $group, $client);
        type_checks($suite, $group, $client);
        output_checks($suite, $group, $client, $dir);
        $response = $client->get('thousand.bin', ['before' => 'headers']);
        $suite->same("$group: one length, no tag of the application (AX-19)", ['1000', true, null],
            [$response->header('Content-Length'), $response->header('ETag') !== '"app"' && $response->header('ETag') !== 'TWICE', $response->header('Content-Encoding')]);
    }
    foreach (['/outside/secret.txt', "$root/thousand.bin"] as $target) {
        $suite->same("$group serves no file without the application", true, request($port, 'GET', implode('/', array_map('rawurlencode', explode('/', $target))))->status >= 400);
    }
    $suite->done("$group: headers, output, refusals");
}

/** Output before and after the call. */
function output_checks(Suite $suite, string $group, Client $client, string $dir): void
{
    $log = "$dir/logs/" . bin2hex(random_bytes(4));
    $line = 1 + array_key_first(array_filter(file("$dir/www/app.php"), static fn ($line) => str_contains($line, 'line of the first output')));
    $late = $client->get('thousand.bin', ['before' => 'flush', 'log' => $log]);
    $entry = json_decode((string) file_get_contents($log), true);
    $suite->same("$group: output has started: an exception names file and line (AX-20)", ['Rustio\\RustioException', true, []],
        [$entry['exception'] ?? null, str_contains($entry['message'] ?? '', "app.php:$line)"), leaks($late)]);
    $want = substr($client->get('thousand.bin')->body, 0, 1000);
    foreach (['tail', 'buffers', 'buffers,tail', 'gzhandler', 'gzhandler,tail', 'callback', 'callback,tail'] as $before) {
        $response = $client->get('thousand.bin', ['before' => $before], ['Accept-Encoding' => 'gzip']);
        $suite->same("$group: $before around the call: the body is the file alone (AX-21, AX-23)", [200, true, true, '1000', null],
            [$response->status, $response->body === $want, $response->complete, $response->header('Content-Length'), $response->header('Content-Encoding')]);
    }
    $thrower = $client->get('thousand.bin', ['before' => 'thrower']);
    $suite->same("$group: what a buffer's callback throws comes out of send()", [500, 'DomainException: from a buffer'], [$thrower->status, $thrower->body]);
}

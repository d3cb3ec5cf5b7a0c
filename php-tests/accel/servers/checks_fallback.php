<?php
/** Backend Php: the file comes from PHP itself. */

/** @param list<string> $names */
function fallback_checks(Suite $suite, string $group, string $script, int $port, string $dir, string $root, array $names, string $kind): void
{
    $client = new Client($port, $script, ['root' => $root, 'backend' => 'php']);
    name_checks($suite, $group, $client, $names);
    refusal_checks($suite, $group, $client, $root, $kind === 'builtin' && fileowner("$dir/www/app.php") === 0);
    download_name_checks($suite, $group, $client);
    type_checks($suite, $group, $client);
    output_checks($suite, $group, $client, $dir);
    range_checks($suite, $group, $client);
    condition_checks($suite, $group, $client);
    foreach (['GET', 'HEAD'] as $method) {
        $empty = $client->get('empty.txt', [], ['Range' => 'bytes=0-5'], $method);
        $suite->same("$group: $method of an empty file with a range", [200, '0', ''], [$empty->status, $empty->header('Content-Length'), $empty->body]);
    }
    $status = $client->get('thousand.bin', ['before' => 'status']);
    $suite->same("$group: the status is the file's, as with nginx", 200, $status->status);
    large_checks($suite, $group, $client, $root);
    interruption_checks($suite, $group, $client, $dir, $root, $kind);
    $suite->done("$group: ranges, conditions, large files, interruptions");
}

function range_checks(Suite $suite, string $group, Client $client): void
{
    $whole = $client->get('thousand.bin')->body;
    $suite->same("$group: the whole file", 1000, strlen($whole));
    foreach (['990-5000' => [990, 10], '999-' => [999, 1], '-1' => [999, 1], '-5000' => [0, 1000], '0-0' => [0, 1], '0-999' => [0, 1000], ' 5-6' => [5, 2]] as $range => [$start, $length]) {
        $response = $client->get('thousand.bin', [], ['Range' => "bytes=$range"]);
        $suite->same("$group: bytes=$range (AX-24)", [206, substr($whole, $start, $length), "bytes $start-" . ($start + $length - 1) . '/1000', (string) $length],
            [$response->status, $response->body, $response->header('Content-Range'), $response->header('Content-Length')]);
    }
    foreach (['1000-', '2000-', '-0', '18446744073709551616-'] as $range) {
        $response = $client->get('thousand.bin', [], ['Range' => "bytes=$range"]);
        $suite->same("$group: bytes=$range (AX-26)", [416, '', 'bytes */1000'], [$response->status, $response->body, $response->header('Content-Range')]);
    }
    foreach (['bytes=9-2', 'bytes=abc', 'bytes=', 'bytes=-', 'bytes=0x10-', 'lines=0-1', 'bytes=' . implode(',', array_fill(0, 700, '0-999')), 'bytes=0-,0-'] as $range) {
        $response = $client->get('thousand.bin', [], ['Range' => $range]);
        $suite->same("$group: " . substr($range, 0, 20) . ' is ignored (AX-26, AX-27)', [200, $whole], [$response->status, $response->body]);
    }
    $response = $client->get('thousand.bin', [], ['Range' => 'bytes=0-1,5-6,5000-,-3']);
    preg_match('/^multipart\/byteranges; boundary=(\S+)$/', (string) $response->header('Content-Type'), $match);
    $parts = array_map(static fn ($part) => explode("\r\n\r\n", $part, 2) + [1 => ''], explode('--' . ($match[1] ?? '?'), $response->body));
    $suite->same("$group: several ranges (AX-27)", [206, true, [substr($whole, 0, 2), substr($whole, 5, 2), substr($whole, -3)]],
        [$response->status, $response->complete, array_map(static fn ($part) => substr($part[1], 0, -2), array_slice($parts, 1, -1))]);
    foreach (['HEAD' => 0, 'POST' => 1000] as $method => $length) {
        $response = $client->get('thousand.bin', [], ['Range' => 'bytes=0-1'], $method);
        $suite->same("$group: $method ignores Range (AX-31)", [200, '1000', $length], [$response->status, $response->header('Content-Length'), strlen($response->body)]);
    }
}

function condition_checks(Suite $suite, string $group, Client $client): void
{
    $tag = '"6553f100-3e8"';
    $date = 'Tue, 14 Nov 2023 22:13:20 GMT';
    $response = $client->get('thousand.bin');
    $suite->same("$group: tag and date are nginx's (AX-32)", [$tag, $date], [$response->header('ETag'), $response->header('Last-Modified')]);
    $range = ['Range' => 'bytes=0-1'];
    foreach ([
        [['If-Range' => $tag] + $range, 206], [['If-Range' => '"x"'] + $range, 200], [['If-Range' => "W/$tag"] + $range, 200],
        [['If-Range' => $date] + $range, 206], [['If-Range' => 'Tue, 14 Nov 2023 22:13:19 GMT'] + $range, 200], [['If-Range' => 'garbage'] + $range, 200],
        [['If-None-Match' => $tag], 304], [['If-None-Match' => "W/$tag"], 304], [['If-None-Match' => "\"a\", $tag"], 304], [['If-None-Match' => '*'], 304],
        [['If-None-Match' => '"x"', 'If-Modified-Since' => $date], 200], [['If-Modified-Since' => $date], 304],
        [['If-Modified-Since' => 'Tue, 14 Nov 2023 22:13:19 GMT'], 200], [['If-Match' => $tag], 200], [['If-Match' => '"x"'], 412], [['If-Match' => "W/$tag"], 412],
        [['If-Unmodified-Since' => 'Tue, 14 Nov 2023 22:13:19 GMT'], 412], [['If-Unmodified-Since' => $date], 200],
        [['If-None-Match' => $tag, 'Range' => 'bytes=5000-'], 304], [['If-Match' => '"x"', 'If-None-Match' => $tag], 412],
    ] as [$headers, $status]) {
        foreach (['GET', 'HEAD'] as $method) {
            $want = $method === 'HEAD' && $status === 206 ? 200 : $status;
            $response = $client->get('thousand.bin', [], $headers, $method);
            $what = "$group: $method with " . json_encode($headers, JSON_UNESCAPED_SLASHES) . ' (AX-29, AX-30)';
            $suite->same($what, [$want, true], [$response->status, $response->complete]);
            if ($status === 304) {
                $suite->same("$what: tag and type, no body", [$tag, true, ''],
                    // nginx drops the type of a 304.
                    [$response->header('ETag'), in_array($response->header('Content-Type'), [null, 'application/octet-stream'], true), $response->body]);
            }
        }
    }
    $suite->same("$group: POST with If-None-Match (AX-30)", 412, $client->get('thousand.bin', [], ['If-None-Match' => $tag], 'POST')->status);
}

/** Files over 4 GB, sparse. */
function large_checks(Suite $suite, string $group, Client $client, string $root): void
{
    $path = "$root/five gigabytes.bin";
    $file = fopen($path, 'w');
    fseek($file, 5_000_000_000);
    fwrite($file, 'the end');
    fclose($file);
    $head = $client->get('five gigabytes.bin', [], [], 'HEAD');
    $suite->same("$group: the length of 5 GB", '5000000007', $head->header('Content-Length'));
    foreach (['-7', '5000000000-', '5000000000-5000000006'] as $range) {
        $response = $client->get('five gigabytes.bin', [], ['Range' => "bytes=$range"]);
        $suite->same("$group: bytes=$range of 5 GB", [206, 'the end', 'bytes 5000000000-5000000006/5000000007'], [$response->status, $response->body, $response->header('Content-Range')]);
    }
    unlink($path);
}

/** Clients that leave, files that change, the time limit. */
function interruption_checks(Suite $suite, string $group, Client $client, string $dir, string $root, string $kind): void
{
    $path = "$root/changing.bin";
    $size = 64 << 20;
    $log = "$dir/logs/" . bin2hex(random_bytes(4));
    $entry = static function () use ($log): ?array {
        for ($wait = 0; $wait < 1000 && !is_file($log); $wait++) {
            usleep(10000);
        }
        usleep(20000);
        $text = (string) @file_get_contents($log);
        @unlink($log);
        return json_decode($text, true);
    };

    // PHP's own server buffers nothing, so its writer stops when the client does; nginx would buffer on disk.
    file_put_contents($path, str_repeat('0123456789abcdef', $size / 16));
    $query = ['log' => $log, 'limitRate' => 20_000_000];
    foreach (['cut' => static fn ($file) => ftruncate($file, 1000), 'grown' => static fn ($file) => fwrite($file, 'more') . fflush($file)] as $how => $change) {
        $socket = open_request($client->port, 'GET', $client->target('changing.bin', $query));
        $raw = fread($socket, 4096);
        $file = fopen($path, $how === 'cut' ? 'r+' : 'a');
        $change($file);
        fclose($file);
        $response = parse_response($raw . stream_get_contents($socket));
        fclose($socket);
        if ($how === 'cut') {
            $suite->same("$group: a file cut while it is sent ends the answer short and raises (AX-40)", [(string) $size, true, 'Rustio\\FileTruncatedException'],
                [$response->header('Content-Length'), strlen($response->body) < $size && !str_contains($response->body, 'Truncated'), $entry()['exception'] ?? null]);
            file_put_contents($path, str_repeat('0123456789abcdef', $size / 16));
        } else {
            $suite->same("$group: a file that grows gives what was announced (AX-40)", [(string) $size, $size, true],
                [$response->header('Content-Length'), strlen($response->body), ($entry()['aborted'] ?? null) === 0]);
        }
    }

    $socket = open_request($client->port, 'GET', $client->target('changing.bin', $query));
    fread($socket, 4096);
    fclose($socket);
    $left = $entry();
    $suite->same("$group: a client that leaves ends the transfer, the file is closed, the script goes on (AX-46)", [1, 0], [$left['aborted'] ?? null, $left['descriptors'] ?? null]);
    $suite->same("$group: the next request is served as ever", 1000, strlen($client->get('thousand.bin')->body));

    $slow = $client->get('changing.bin', ['log' => $log, 'before' => 'limit', 'limitRate' => 40_000_000]);
    $suite->same("$group: longer than the time limit (AX-46)", [200, $size + 4, true], [$slow->status, strlen($slow->body), $slow->complete]);
    $suite->same("$group: constant memory", true, ($entry()['memory'] ?? PHP_INT_MAX) < 1 << 20);
    unlink($path);
}

/** output_buffering, zlib.output_compression and memory_limit=32M set in php.ini. */
function buffered_checks(Suite $suite, string $group, string $script, int $port, string $dir, string $root): void
{
    $client = new Client($port, $script, ['root' => $root, 'backend' => 'php']);
    $path = "$root/big.bin";
    $file = fopen($path, 'w');
    ftruncate($file, 256 << 20);
    fclose($file);
    $log = "$dir/logs/" . bin2hex(random_bytes(4));
    $target = $client->target('big.bin', ['log' => $log, 'before' => 'buffers']);
    $socket = open_request($port, 'GET', $target, ['Accept-Encoding' => 'gzip']);
    [$bytes, $head] = [0, ''];
    while (!feof($socket)) {
        $chunk = (string) fread($socket, 1 << 20);
        $head = $head === '' ? $chunk : $head;
        $bytes += strlen($chunk);
    }
    fclose($socket);
    $length = strpos($head, "\r\n\r\n") + 4;
    $response = parse_response(substr($head, 0, $length));
    $suite->same("$group: a file of eight times memory_limit (AX-22, AX-23)", [200, 256 << 20, (string) (256 << 20), null],
        [$response->status, $bytes - $length, $response->header('Content-Length'), $response->header('Content-Encoding')]);
    for ($wait = 0; $wait < 500 && !is_file($log); $wait++) {
        usleep(10000);
    }
    usleep(20000);
    $suite->same("$group: in constant memory (AX-22)", true, (json_decode((string) @file_get_contents($log), true)['memory'] ?? PHP_INT_MAX) < 1 << 20);
    unlink($path);
    output_checks($suite, $group, $client, $dir);
    range_checks($suite, $group, $client);
    $suite->done("$group: constant memory, no compression");
}

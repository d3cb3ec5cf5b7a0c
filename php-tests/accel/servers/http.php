<?php
/** The smallest HTTP client that shows everything a server sends. */

final class Response
{
    public int $status = 0;
    /** @var list<array{string, string}> */
    public array $headers = [];
    public string $body = '';
    /** Everything arrived that Content-Length or the last chunk announced. */
    public bool $complete = true;

    /** All values of a header. @return list<string> */
    public function all(string $name): array
    {
        return array_values(array_map(static fn ($header) => $header[1],
            array_filter($this->headers, static fn ($header) => strcasecmp($header[0], $name) === 0)));
    }

    /** The header's value, null if absent, "TWICE" if it is there more than once. */
    public function header(string $name): ?string
    {
        $all = $this->all($name);
        return count($all) > 1 ? 'TWICE' : ($all[0] ?? null);
    }
}

/** Sends a request and returns the open connection. @param array<string, string> $headers @return resource */
function open_request(int $port, string $method, string $target, array $headers = [])
{
    $socket = @stream_socket_client("tcp://127.0.0.1:$port", $errno, $error, 10);
    if ($socket === false) {
        throw new RuntimeException("no connection to port $port: $error");
    }
    stream_set_timeout($socket, 60);
    $request = "$method $target HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    foreach ($headers as $name => $value) {
        $request .= "$name: $value\r\n";
    }
    fwrite($socket, $request . ($method === 'POST' ? "Content-Length: 0\r\n" : '') . "\r\n");
    return $socket;
}

/** @param array<string, string> $headers */
function request(int $port, string $method, string $target, array $headers = []): Response
{
    $socket = open_request($port, $method, $target, $headers);
    $raw = (string) stream_get_contents($socket);
    fclose($socket);
    return parse_response($raw, $method);
}

function parse_response(string $raw, string $method = 'GET'): Response
{
    $response = new Response();
    [$head, $body] = explode("\r\n\r\n", $raw, 2) + [1 => ''];
    foreach (explode("\r\n", $head) as $number => $line) {
        if ($number === 0) {
            $response->status = (int) (explode(' ', $line)[1] ?? 0);
        } else {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $response->headers[] = [$name, trim($value)];
        }
    }
    if (strcasecmp((string) $response->header('Transfer-Encoding'), 'chunked') === 0) {
        [$response->body, $response->complete] = unchunk($body);
        return $response;
    }
    $response->body = $body;
    $length = $response->header('Content-Length');
    $bodiless = $method === 'HEAD' || in_array($response->status, [204, 304], true);
    $response->complete = $bodiless ? $body === '' : $length === null || strlen($body) === (int) $length;
    return $response;
}

/** @return array{string, bool} */
function unchunk(string $raw): array
{
    $out = '';
    $at = 0;
    while (preg_match('/\G([0-9a-fA-F]+)[^\r\n]*\r\n/', $raw, $match, 0, $at)) {
        $size = hexdec($match[1]);
        $at += strlen($match[0]);
        if ($size === 0) {
            return [$out, true];
        }
        $out .= substr($raw, $at, $size);
        $at += $size + 2;
    }
    return [$out, false];
}

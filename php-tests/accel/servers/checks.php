<?php
/** Counting checks, asking the application, and what every backend must do alike. */

final class Suite
{
    private int $passed = 0;
    private int $failed = 0;
    private int $skipped = 0;

    /** @param list<string> $only groups to run; none: all */
    public function __construct(private array $only)
    {
    }

    public function wants(string $group): bool
    {
        return $this->only === [] || in_array($group, $this->only, true);
    }

    /** Two values that must be the same. */
    public function same(string $what, mixed $want, mixed $got): bool
    {
        if ($want === $got) {
            $this->passed++;
            return true;
        }
        $this->fail($what, 'want ' . self::show($want) . "\n     got " . self::show($got));
        return false;
    }

    public function fail(string $what, string $why): void
    {
        $this->failed++;
        echo "FAIL $what\n    $why\n";
    }

    public function skip(string $what, string $why): void
    {
        $this->skipped++;
        echo "SKIP $what: $why\n";
    }

    /** A line for a group that is done. */
    public function done(string $what): void
    {
        echo "ok   $what\n";
    }

    public function report(): int
    {
        echo "$this->passed passed, $this->failed failed, $this->skipped skipped\n";
        return $this->failed === 0 && $this->passed > 0 ? 0 : 1;
    }

    private static function show(mixed $value): string
    {
        $text = json_encode($value, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES);
        return strlen($text) > 600 ? substr($text, 0, 600) . '...' : $text;
    }
}

/** Creates each file with a content of its own. @param list<string> $names */
function make_files(string $root, array $names): void
{
    mkdir($root, 0755, true);
    foreach ($names as $name) {
        if (!is_dir(dirname("$root/$name"))) {
            mkdir(dirname("$root/$name"), 0755, true);
        }
        file_put_contents("$root/$name", content_of($name));
    }
    file_put_contents("$root/thousand.bin", implode('', array_map(static fn ($i) => chr($i % 251), range(0, 999))));
    file_put_contents("$root/empty.txt", '');
    file_put_contents("$root/dark.txt", 'unreadable');
    chmod("$root/dark.txt", 0);
    touch("$root/thousand.bin", 1_700_000_000);
}

/** The query for the application; what is no plain word goes in hexadecimal. @param array<string, mixed> $query */
function ask(string $script, array $query): string
{
    foreach (['file', 'root', 'name', 'type', 'charset', 'log', 'target'] as $key) {
        if (isset($query[$key])) {
            $query[$key] = bin2hex($query[$key]);
        }
    }
    return $script . '?' . http_build_query($query);
}

/** Asks for a file below a root, as an application of one backend does. */
final class Client
{
    /** @param array<string, mixed> $defaults */
    public function __construct(public readonly int $port, private string $script, private array $defaults)
    {
    }

    /** @param array<string, mixed> $query @param array<string, string> $headers */
    public function get(string $file, array $query = [], array $headers = [], string $method = 'GET'): Response
    {
        return request($this->port, $method, $this->target($file, $query), $headers);
    }

    /** @param array<string, mixed> $query */
    public function target(string $file, array $query = []): string
    {
        return ask($this->script, ['file' => $file] + $query + $this->defaults);
    }
}

/** Every name is fetched and compared byte for byte. @param list<string> $names */
function name_checks(Suite $suite, string $group, Client $client, array $names, bool $nosniff = true): void
{
    foreach ($names as $name) {
        $response = $client->get($name);
        $suite->same("$group sends " . addcslashes($name, "\0..\37\177..\377"),
            [200, content_of($name), true, [], $nosniff ? 'nosniff' : null],
            [$response->status, $response->body, $response->complete, leaks($response), $response->header('X-Content-Type-Options')]);
        if (preg_match('/\.(s?html?|php)$/i', $name) !== 1 && str_starts_with((string) $response->header('Content-Type'), 'text/html')) {
            $suite->fail("$group sends no HTML by accident", addcslashes($name, "\0..\37\177..\377"));
        }
    }
    $suite->done("$group: " . count($names) . ' hostile names, each file byte for byte (AX-02, AX-04, AX-05, AX-06, AX-08)');
}

/** Headers of ours that a client must not see (AX-14). @return list<string> */
function leaks(Response $response): array
{
    return array_values(array_filter(array_column($response->headers, 0), static fn ($name) => preg_match('/^(X-Accel|X-Sendfile|X-LIGHTTPD|Set-Cookie$)/i', $name) === 1));
}

/** What may not be sent is refused with its status and never comes. */
function refusal_checks(Suite $suite, string $group, Client $client, string $root, bool $readable_by_all): void
{
    foreach (['../outside/secret.txt', 'sub/../../outside/secret.txt', '%2e%2e/outside/secret.txt', '..\\outside\\secret.txt', '..%2foutside',
        './././../outside/secret.txt', '/etc/passwd', "$root/90%.txt", 'leaving link', '..', '.', '', 'sub', 'sub/', '90%.txt/', 'missing', "missing\r"] as $file) {
        $response = $client->get($file);
        $suite->same("$group refuses " . addcslashes($file, "\0..\37") . ' (AX-10, AX-12, AX-37)', [404, 'refused'], [$response->status, substr($response->body, 0, 7)]);
    }
    foreach (["plain\0.txt", "\0"] as $file) {
        $response = $client->get($file);
        $suite->same("$group refuses NUL (AX-09)", [500, 'ValueError'], [$response->status, substr($response->body, 0, 10)]);
    }
    if ($readable_by_all) {
        $suite->skip("$group, an unreadable file is 403", 'the server runs as root, who may read everything');
    } else {
        $suite->same("$group: an unreadable file is 403 (AX-37)", 403, $client->get('dark.txt')->status);
    }
    $inside = $client->get('sub/../90%.txt');
    $suite->same("$group: .. that stays inside is resolved (AX-10)", [200, content_of('90%.txt')], [$inside->status, $inside->body]);
    $link = $client->get('absolute link');
    $suite->same("$group: an absolute link that stays inside is followed", [200, content_of('90%.txt')], [$link->status, $link->body]);
    foreach (['X-Sendfile-Type' => 'Content-Type', 'X-Accel-Mapping' => '/=/protected/', 'X-Accel-Redirect' => '/x'] as $header => $value) {
        $response = $client->get('90%.txt', [], [$header => $value]);
        $suite->same("$group: the request header $header changes nothing (AX-13)", [200, content_of('90%.txt'), []], [$response->status, $response->body, leaks($response)]);
    }
    $suite->done("$group: refusals");
}

/** Download names arrive in one header that parses. */
function download_name_checks(Suite $suite, string $group, Client $client): void
{
    foreach ([
        "T\xc3\xa4st.txt" => "attachment; filename=\"T_st.txt\"; filename*=UTF-8''T%C3%A4st.txt",
        "a\r\nSet-Cookie: s=1" => 'attachment; filename="aSet-Cookie: s=1"',
        "x\".bat\"; filename=\"y" => "attachment; filename=\"x_.bat__ filename=_y\"; filename*=UTF-8''x%22.bat%22%3B%20filename%3D%22y",
        "\xe2\x80\xaegpj.exe" => 'attachment; filename="gpj.exe"',
        '' => 'attachment; filename="thousand.bin"',
    ] as $name => $value) {
        $response = $client->get('thousand.bin', ['name' => (string) $name]);
        $suite->same("$group: download name " . addcslashes((string) $name, "\0..\37\177..\377") . ' (AX-33, AX-35, AX-36)',
            [$value, []], [$response->header('Content-Disposition'), leaks($response)]);
    }
}

/** Types are exactly what was decided, whatever PHP's defaults are. */
function type_checks(Suite $suite, string $group, Client $client): void
{
    foreach ([['90%.txt', [], 'text/plain'], ['no extension', [], 'application/octet-stream'], ['x.php', [], 'application/x-httpd-php'],
        ['thousand.bin', ['type' => 'text/csv'], 'text/csv'], ['90%.txt', ['charset' => 'iso-8859-1'], 'text/plain; charset=iso-8859-1'],
        ["\xf0\x9f\x98\x80.png", ['charset' => 'utf-8'], 'image/png']] as [$file, $query, $type]) {
        $suite->same("$group: type of " . addcslashes($file, "\177..\377") . ' (AX-01)', $type, strtolower((string) $client->get($file, $query)->header('Content-Type')));
    }
}

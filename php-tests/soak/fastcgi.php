<?php

declare(strict_types=1);

/** A FastCGI client that is just enough to ask PHP-FPM for a page over its socket. */
final class FastCgi
{
    public function __construct(private string $socket) {}

    /** @return array{string, string} headers and body */
    public function get(string $script, string $query = ''): array
    {
        $params = '';
        $values = [
            'GATEWAY_INTERFACE' => 'CGI/1.1', 'REQUEST_METHOD' => 'GET', 'SCRIPT_FILENAME' => $script, 'SCRIPT_NAME' => '/' . basename($script),
            'QUERY_STRING' => $query, 'REQUEST_URI' => '/' . basename($script) . "?$query", 'SERVER_PROTOCOL' => 'HTTP/1.1',
        ];
        foreach ($values as $name => $value) {
            $params .= self::length(strlen($name)) . self::length(strlen($value)) . $name . $value;
        }
        $connection = stream_socket_client("unix://$this->socket", $code, $message, 30) ?: throw new RuntimeException("$this->socket: $message");
        stream_set_timeout($connection, 60);
        fwrite($connection, self::record(1, "\0\1\0\0\0\0\0\0") . self::record(4, $params) . self::record(4, '') . self::record(5, ''));
        $out = '';
        while (strlen($head = (string) stream_get_contents($connection, 8)) === 8) {
            ['type' => $type, 'length' => $length, 'padding' => $padding] = unpack('Cversion/Ctype/nid/nlength/Cpadding/Creserved', $head);
            $body = $length + $padding > 0 ? substr((string) stream_get_contents($connection, $length + $padding), 0, $length) : '';
            if ($type === 6) {
                $out .= $body;
            } elseif ($type === 3) {
                break; // end of the request
            }
        }
        fclose($connection);
        return explode("\r\n\r\n", $out, 2) + [1 => ''];
    }

    private static function record(int $type, string $content): string
    {
        return pack('CCnnCx', 1, $type, 1, strlen($content), 0) . $content;
    }

    private static function length(int $n): string
    {
        return $n < 128 ? chr($n) : pack('N', $n | 0x80000000);
    }
}

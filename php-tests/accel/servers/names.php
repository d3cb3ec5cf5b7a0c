<?php
/** File names that have broken somebody's downloads. */

/** @return list<string> relative paths, each to be a file of its own */
function hostile_names(): array
{
    $names = [];
    for ($byte = 0x20; $byte <= 0x7e; $byte++) {
        $char = chr($byte);
        if ($char === '/') {
            continue;
        }
        $names[] = "one{$char}char.txt";
        $names[] = "dir{$char}/in it.bin";
        if ($char !== '.') {
            $names[] = "alone/$char";
        }
    }
    $printable = implode('', array_map('chr', array_diff(range(0x20, 0x7e), [ord('/')])));
    array_push($names, "all $printable", '90%.txt', '%', '%%', '%zz.txt', '100%25.txt', 'a b.txt', 'a%20b.txt', 'a%2520b.txt',
        'a+b.txt', '%2e%2e', '%2E', '..%2fx', '..%5cx', '%2fetc%2fpasswd', '%00', 'nul%00.txt', '..\\x', '...', '..a', 'a..', '.a',
        '?', '?x=1&y', '#', 'a#b?c', 'http:', ':80', ';type=a', 'x;.txt', '&amp;', '&#37;', '%u0041', '~', '-rf', '--', '*',
        '$HOME', '${HOME}', '%{HOME}', '`id`', '$(id)', '{a,b}', '[a]', '{{a}}', '<script>', "'quoted'", '"quoted"',
        'back\\slash', '\\', 'C:', 'C:\\x', '.htaccess', '.user.ini', 'x.php', 'x.phtml', 'x.PHP', 'index.html', 'index.php',
        'page.html', 'x.svg', 'x.shtml', 'x.cgi', 'x.gz', 'x.tar.gz', 'no extension', 'x.', 'x..', ' leading', 'trailing ',
        'tab	in name', '@named', '@', '=', 'a=b', 'a,b', "\xe2\x80\xaegpj.exe", 'LANG', str_repeat('l', 255),
        str_repeat("\xe2\x82\xac", 85), str_repeat('%', 255), str_repeat('deep/', 40) . 'file.txt', 'sub/%2e%2e/x', 'sub/a b/c%d/e?f');
    // One name composed and decomposed; scripts; an emoji of seven code points.
    array_push($names, "\xc3\xa4.txt", "a\xcc\x88.txt", "\xc3\x85ngstr\xc3\xb6m", "A\xcc\x8angstro\xcc\x88m",
        "\xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82.txt", "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e.txt",
        "\xd8\xb9\xd8\xb1\xd8\xa8\xd9\x8a.txt", "\xf0\x9f\x98\x80.png",
        "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7.png", "\xef\xbb\xbfbom.txt", "nb\xc2\xa0sp",
        "\xe2\x80\x8bzero", "\xe2\x80\xa8line", "\xef\xbc\x8fwide slash", "\xe2\x81\x84fraction");
    // Every byte that is not ASCII, alone and so not UTF-8.
    for ($byte = 0x80; $byte <= 0xff; $byte++) {
        $names[] = 'byte' . chr($byte) . '.txt';
    }
    // Control bytes.
    foreach ([...range(0x01, 0x1f), 0x7f] as $byte) {
        $names[] = 'control' . chr($byte) . '.txt';
    }
    array_push($names, "x\r\nSet-Cookie: a=1", "x\r\n\r\n<script>", "\n", "\r", "end\n", "\nstart");
    // Anything at all, the same in each run.
    mt_srand(5);
    for ($i = 0; $i < 150; $i++) {
        $name = '';
        for ($length = mt_rand(1, 40); $length > 0; $length--) {
            $name .= chr([37, 46, 43, 63, 35, mt_rand(1, 255)][mt_rand(0, 5)]);
        }
        $name = str_replace('/', '%', $name);
        if (trim($name, '.') !== '') {
            $names[] = "random/$i" . $name;
        }
    }
    return array_values(array_unique($names));
}

function content_of(string $name): string
{
    return 'content of ' . bin2hex($name) . "\n";
}

/** A control byte: X-Sendfile can't carry it. */
function has_control(string $name): bool
{
    return preg_match('/[\x00-\x1f\x7f]/', $name) === 1;
}

function is_utf8(string $name): bool
{
    return preg_match('//u', $name) === 1;
}

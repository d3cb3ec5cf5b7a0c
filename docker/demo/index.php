<?php
/** Lists the files, and hands the one that is asked for to nginx: /?file=hello.txt */

declare(strict_types=1);

use Rustio\{AccelRedirect, Disposition, NotServableException};

const ROOT = '/srv/files';

if (isset($_GET['file']) && is_string($_GET['file'])) {
    // Here an application asks whether this visitor may have this file.
    try {
        (new AccelRedirect(ROOT))->send(
            str_replace("\0", '', $_GET['file']),
            disposition: isset($_GET['show']) ? Disposition::Inline : Disposition::Attachment,
        );
    } catch (NotServableException $e) {
        http_response_code($e->status);
        header('Content-Type: text/plain');
        echo $e->status === 403 ? "not for you\n" : "no such file\n";
    }
    return;
}
header('Content-Type: text/html; charset=utf-8');
echo '<!doctype html><title>rustio</title><h1>Files sent by nginx, allowed by PHP</h1><ul>';
foreach (array_diff(scandir(ROOT), ['.', '..']) as $name) {
    printf('<li><a href="/?file=%s">%s</a> %s bytes', rawurlencode($name), htmlspecialchars($name, ENT_SUBSTITUTE), number_format(filesize(ROOT . '/' . $name)));
}
echo '</ul>';

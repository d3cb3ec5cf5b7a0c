<?php
/** One way of sending a file, chosen by the query. */

use Rustio\{AccelRedirect, SendfileBackend};

[$root, $file] = [$_SERVER['RIG_ROOT'] ?? getenv('RIG_ROOT'), $_GET['file']];
$memory = memory_get_peak_usage();
switch ($_GET['way']) {
    case 'header':
        header('Content-Type: application/octet-stream');
        header('Content-Disposition: attachment; filename="' . basename($file) . '"');
        header("X-Accel-Redirect: /protected/$file");
        break;
    case 'rustio':
        (new AccelRedirect($root))->send($file);
        break;
    case 'readfile':
        header('Content-Type: application/octet-stream');
        header('Content-Length: ' . filesize("$root/$file"));
        readfile("$root/$file");
        break;
    case 'fallback':
        (new AccelRedirect($root, backend: SendfileBackend::Php))->send($file);
        break;
}
if (isset($_GET['log'])) {
    file_put_contents($_GET['log'], memory_get_peak_usage() - $memory . "\n", FILE_APPEND);
}

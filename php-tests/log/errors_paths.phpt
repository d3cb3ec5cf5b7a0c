--TEST--
log: missing directory, directory, FIFO without a reader, no permission: raised by the write, never a hang (LG-18, LG-19)
--EXTENSIONS--
rustio
posix
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
function attempt(string $path, string $folder): void
{
    $log = new Rustio\BatchLogger($path, onError: Rustio\OnError::Raise);
    $log->append('x');
    try {
        $log->flush();
        echo "written\n";
    } catch (Rustio\IoException $e) {
        echo $e->getCode(), ' ', str_replace($folder, '', $e->getMessage()), "\n";
    }
    try {
        $log->close();
    } catch (Rustio\IoException $e) {
        echo 'close: ', $e->getCode(), "\n";
    }
}
ini_set('error_log', "$folder/errors");
attempt("$folder/no/app.log", $folder);
attempt($folder, $folder);
posix_mkfifo("$folder/fifo", 0600);
attempt("$folder/fifo", $folder);
symlink("$folder/target", "$folder/link");
attempt("$folder/link", $folder);
echo file_get_contents("$folder/target");
symlink('.', "$folder/dots");
attempt("$folder/dots", $folder);
$reader = fopen("$folder/fifo", 'r+');
attempt("$folder/fifo", $folder);
echo fgets($reader);
?>
--EXPECT--
2 open /no/app.log: No such file or directory
close: 2
21 open : Is a directory
close: 21
6 open /fifo: No such device or address
close: 6
written
x
21 open /dots: Is a directory
close: 21
written
x

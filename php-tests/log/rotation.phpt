--TEST--
log: rename with and without a new file, copytruncate and deletion are noticed at the next batch (LG-12)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
$file = "$folder/app.log";
$log = new Rustio\BatchLogger($file);
$put = function (string $record) use ($log): void {
    $log->append($record);
    $log->flush();
};
$put('one');
rename($file, "$file.1");
$put('two');
rename($file, "$file.2");
touch($file);
$put('three');
copy($file, "$file.3");
ftruncate(fopen($file, 'r+'), 0);
$put('four');
copy($file, "$file.4");
unlink($file);
$put('five');
$log->reopen();
$put('six');
foreach (['.1', '.2', '.3', '.4', ''] as $suffix) {
    echo $suffix, ' ', json_encode(file_get_contents("$file$suffix")), "\n";
}
echo $log->stats()['reopens'], " reopens\n";
$open = array_filter(scandir('/proc/self/fd'), fn($fd) => str_starts_with($at = (string) @readlink("/proc/self/fd/$fd"), $folder) && str_ends_with($at, '(deleted)'));
var_dump(count($open));
?>
--EXPECT--
.1 "one\n"
.2 "two\n"
.3 "three\n"
.4 "four\n"
 "five\nsix\n"
4 reopens
int(0)

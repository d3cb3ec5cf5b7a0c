--TEST--
log: one record is one line, any bytes, and the escape can be read back (LG-22, LG-24)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$file = folder() . '/app.log';

/** The record that was written as this line; as in the documentation. */
function record(string $line): string
{
    return preg_replace_callback(
        '/(\\\\+)n/',
        fn($m) => str_repeat('\\', intdiv(strlen($m[1]), 2)) . (strlen($m[1]) % 2 ? "\n" : 'n'),
        $line,
    );
}

$records = [
    "user\nroot logged in", "cr\rlf\r\n", "\v\f\e[2J\x07\x08\x7f", "nul\0after", "latin \xe4, cesu \xed\xa0\x80",
    '', "\n", "\\\n", '\n', '\\\n', 'App\Models\notify', '{"json":"a\nb"}', 'C:\temp\\', "\u{85}\u{2028}\u{2029}\u{202e}",
];
mt_srand(1);
for ($i = 0; $i < 2000; $i++) {
    $records[] = implode('', array_map(fn() => ["\\", "n", "\n", "\r", "x"][mt_rand(0, 4)], range(0, mt_rand(0, 9))));
}
$records[] = random_bytes(3_000_000);
$log = new Rustio\BatchLogger($file, maxPendingBytes: PHP_INT_MAX);
foreach ($records as $record) {
    $log->append($record);
}
$log->close();
$lines = explode("\n", file_get_contents($file));
var_dump(array_pop($lines), count($lines) === count($records), array_map('record', $lines) === $records);
echo $lines[0], "\n", $lines[10], "\n", $lines[11], "\n";

$log = new Rustio\BatchLogger("$file.raw", multiline: true);
$log->append("two\nlines \\n");
$log->close();
echo file_get_contents("$file.raw");
?>
--EXPECT--
string(0) ""
bool(true)
bool(true)
user\nroot logged in
App\Models\\notify
{"json":"a\\nb"}
two
lines \n

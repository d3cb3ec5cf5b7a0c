--TEST--
accel: send() streams the file alone, in constant memory, whatever is buffered before or printed after (AX-21, AX-22)
--EXTENSIONS--
rustio
--FILE--
<?php
$file = sys_get_temp_dir() . '/rustio-' . getmypid();
$handle = fopen($file, 'w');
ftruncate($handle, 100 << 20);
fclose($handle);
register_shutdown_function('unlink', $file);
$code = <<<'CODE'
    echo 'before';
    ob_start(fn ($text) => strtoupper($text));
    ob_start(null, 0, 0);
    echo 'buffered';
    $before = memory_get_peak_usage();
    (new Rustio\AccelRedirect(sys_get_temp_dir(), backend: Rustio\SendfileBackend::Php))->send($argv[1]);
    fwrite(STDERR, ob_get_level() . ' ' . var_export(memory_get_peak_usage() - $before < 1 << 20, true) . "\n");
    echo 'after';
    CODE;
preg_match('~/\S*rustio\S*\.so$~m', file_get_contents('/proc/self/maps'), $library);
$command = [PHP_BINARY, '-n', '-d', "extension=$library[0]", '-d', 'memory_limit=16M', '-d', 'output_buffering=4096', '-r', $code, basename($file)];
$process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes);
[$bytes, $other] = [0, 0];
while (!feof($pipes[1])) {
    $chunk = fread($pipes[1], 65536);
    $bytes += strlen($chunk);
    $other += strlen(trim($chunk, "\0"));
}
var_dump($bytes === 100 << 20, $other);
echo stream_get_contents($pipes[2]);
var_dump(proc_close($process));
?>
--EXPECT--
bool(true)
int(0)
0 true
int(0)

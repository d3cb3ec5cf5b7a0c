--TEST--
shm: exit, a fatal error or a suspended Fiber inside synchronized() leave no lock, though the process lives on (CT-22)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
$key = own_key();
$c = new Rustio\SharedCounter($key, 4);
// Each script's shutdown function runs in the same process, after the callback; it asks another process for the lock.
$try = tempnam(sys_get_temp_dir(), 'rustio-try-');
file_put_contents($try, "<?php try { echo Rustio\\SharedCounter::open($key)->synchronized(fn() => 'free', 0.0); } catch (Rustio\\LockTimeoutException) { echo 'held'; }");
$command = var_export(PHP_BINARY . ' -n -d extension=' . extension_file() . " $try", true);
$check = "register_shutdown_function(function () { ini_set('memory_limit', '-1'); echo ' then ', shell_exec($command), \"\\n\"; });";
$scripts = [
    'exit' => 'exit("exit");',
    'fatal' => 'echo "fatal"; ini_set("display_errors", "0"); $f = "no_such_function"; class A { function f(int $x) {} } (function () { eval("class A {}"); })();',
    'memory' => 'echo "memory"; ini_set("display_errors", "0"); ini_set("memory_limit", "4M"); str_repeat("x", 1 << 26);',
    'uncaught' => 'echo "uncaught"; ini_set("display_errors", "0"); throw new Exception;',
];
foreach ($scripts as $script) {
    echo php("\$c = new Rustio\\SharedCounter($key, 4); $check \$c->synchronized(function () use (\$c) { \$c->add(0); $script });");
}
echo php("\$c = new Rustio\\SharedCounter($key, 4); $check
    \$f = new Fiber(fn() => \$c->synchronized(function () { Fiber::suspend(); })); \$f->start(); echo 'fiber dropped'; unset(\$f);");
unlink($try);
var_dump($c->get(0), $c->synchronized(fn() => 'free', 1.0));
?>
--EXPECT--
exit then free
fatal then free
memory then free
uncaught then free
fiber dropped then free
int(4)
string(4) "free"

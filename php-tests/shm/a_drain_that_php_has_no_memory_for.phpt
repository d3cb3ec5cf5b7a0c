--TEST--
shm: drain() takes nothing that PHP has no memory for (RT-01)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
$key = own_key();
$c = new Rustio\SharedCounter($key, 40_000);
for ($i = 0; $i < 20_000; $i++) {
    $c->set($i, 1);
    $c->set("name $i", 2);
}
$script = "ini_set('display_errors', '0'); \$c = Rustio\\SharedCounter::open($key); ini_set('memory_limit', '2M'); \$c->drain(); echo 'not reached';";
var_dump(str_contains(php($script), 'not reached'));
var_dump(array_sum($c->snapshot()));
?>
--EXPECT--
bool(false)
int(60000)

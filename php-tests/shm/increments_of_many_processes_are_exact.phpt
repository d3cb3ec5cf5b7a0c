--TEST--
shm: 32 processes on one new name, on 50 names, up and down, and through update(): exact (CT-01, CT-27)
--EXTENSIONS--
pcntl
posix
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
watchdog();
$key = own_key();
in_processes(32, function (int $i) use ($key): void {
    $c = new Rustio\SharedCounter($key, 64);
    for ($n = 0; $n < 20_000; $n++) {
        $c->add('one');
        $c->add('name ' . ($n % 50), $n % 2 === 0 ? 3 : -1);
        if ($n % 100 === 0) {
            $c->update('updated', fn(int $value): int => $value + 1);
            $c->addMany(['many' => 1, 'more' => 2]);
        }
    }
});
$c = new Rustio\SharedCounter($key, 64);
$all = $c->snapshot();
ksort($all);
var_dump($all['one'], $all['updated'], $all['many'], $all['more']);
unset($all['one'], $all['updated'], $all['many'], $all['more']);
var_dump(count($all), array_sum($all), array_unique(array_values($all)));
?>
--EXPECT--
int(640000)
int(6400)
int(6400)
int(12800)
int(50)
int(640000)
array(2) {
  [0]=>
  int(38400)
  [1]=>
  int(-12800)
}

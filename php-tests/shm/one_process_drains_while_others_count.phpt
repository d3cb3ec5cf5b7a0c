--TEST--
shm: drain() beside adds neither loses nor doubles; snapshot() sees each addMany() whole: sum of buckets = count (CT-30)
--EXTENSIONS--
pcntl
posix
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
watchdog();
$key = own_key();
$c = new Rustio\SharedCounter($key, 300);
for ($i = 0; $i < 100; $i++) {
    $c->add("bucket $i", 0);
}
$writers = [];
for ($i = 0; $i < 4; $i++) {
    $writers[] = child(function () use ($key, $i): void {
        $mine = new Rustio\SharedCounter($key, 300);
        for ($n = 0; $n < 20_000; $n++) {
            $mine->addMany(['count' => 1, 'bucket ' . (($n * 7 + $i) % 100) => 1]);
            $mine->add('free');
        }
        $mine->add('finished');
    });
}
$reader = Rustio\SharedCounter::open($key, readOnly: true);
$torn = $free = $count = 0;
$whole = fn(array $all): bool => array_sum(array_filter($all, fn($k) => str_starts_with($k, 'bucket'), ARRAY_FILTER_USE_KEY)) === ($all['count'] ?? 0);
do {
    $finished = $c->get('finished');
    $torn += !$whole($c->snapshot());
    $torn += !$whole($reader->snapshot());
    $taken = $c->drain();
    $torn += !$whole($taken);
    $free += $taken['free'] ?? 0;
    $count += $taken['count'] ?? 0;
    $done = ($done ?? 0) + ($taken['finished'] ?? 0);
} while ($done < 4);
array_map('finished', $writers);
$taken = $c->drain();
var_dump($torn, $free + ($taken['free'] ?? 0), $count + ($taken['count'] ?? 0));
?>
--EXPECT--
int(0)
int(80000)
int(80000)

<?php

// One request in one thread: what it reads, writes and counts must be its own, whatever the other threads do meanwhile.

declare(strict_types=1);

$dir = getenv('THREADS_DIR');
$me = $_SERVER['THREAD'];
$i = (int) $_SERVER['REQUEST'];
$must = fn(bool $holds, string $else) => $holds || throw new LogicException($else);

if (class_exists(Rustio\LineIterator::class, false)) {
    file_put_contents("$dir/lines-$me", str_repeat("$me $i\n", 500));
    foreach (new Rustio\LineIterator("$dir/lines-$me") as $n => $line) {
        $must($line === "$me $i", "read '$line'");
    }
    $must($n === 499, "read $n lines");
    foreach (Rustio\lines("$dir/lines-$me", matches: "/^$me /") as $line) {
        break;
    }
    try {
        new Rustio\LineIterator("$dir/none-$me");
        $must(false, 'opened what is not there');
    } catch (Rustio\IoException $e) {
        $must(str_contains($e->getMessage(), "none-$me"), "another thread's error: " . $e->getMessage());
    }
}
if (class_exists(Rustio\BatchLogger::class, false)) {
    $log = new Rustio\BatchLogger("$dir/log", batchRecords: 3, spool: $i % 2 === 0);
    foreach (range(1, 5) as $r) {
        $log->append("$me $i $r");
    }
}
if (class_exists(Rustio\SharedCounter::class, false)) {
    $key = (int) file_get_contents("$dir/key");
    $c = new Rustio\SharedCounter($key, 8);
    $c->add('requests');
    $c->addMany(['a' => 1, 'b' => 1]);
    $c->synchronized(fn() => $c->set('s', $c->get('s') + 1));
}
if ($i % 5 === 4) {
    echo 'ok';
    exit; // with the logger's records still waiting
}
echo 'ok';

<?php

// One request of the soak test: a little of everything, the good way and the bad, then what this worker holds.

declare(strict_types=1);

$dir = getenv('SOAK_DIR');
$i = (int) ($_GET['i'] ?? 0);
$key = (int) file_get_contents("$dir/key");

if (class_exists(Rustio\LineIterator::class, false)) {
    $n = 0;
    foreach (new Rustio\LineIterator("$dir/lines.txt", contains: $i % 2 ? null : '7') as $line) {
        $n += strlen($line);
    }
    foreach (Rustio\lines("$dir/lines.txt") as $line) {
        break; // half-read
    }
    $kept = Rustio\lines(fopen("$dir/lines.txt", 'r'), matches: '/^1\d*$/')->batch(50);
    try {
        new Rustio\LineIterator("$dir/not-there");
    } catch (Rustio\IoException) {
    }
    Rustio\tail("$dir/lines.txt", 3);
}
if (class_exists(Rustio\BatchLogger::class, false)) {
    $log = new Rustio\BatchLogger("$dir/soak.log", batchRecords: 5, spool: $i % 3 === 0);
    for ($r = 0; $r < 7; $r++) {
        $log->append("request $i record $r"); // two stay for the end of the request
    }
}
if (class_exists(Rustio\SharedCounter::class, false)) {
    $counter = new Rustio\SharedCounter($key, 16);
    $counter->add('requests');
    $counter->addMany(['a' => 1, 'b' => 2]);
    $counter->synchronized(fn() => $counter->snapshot());
    try {
        $counter->synchronized(fn() => throw new DomainException('inside'));
    } catch (DomainException) {
    }
}
if (class_exists(Rustio\SharedSegment::class, false)) {
    $segment = new Rustio\SharedSegment($key + 1, 4096);
    $segment->write("request $i");
    $segment->read(0, 16);
}
if (class_exists(Rustio\AccelRedirect::class, false)) {
    (new Rustio\AccelRedirect($dir))->headers('lines.txt', name: "ü$i.txt");
}

// Some requests end badly, with everything above still open.
match (($_GET['end'] ?? '')) {
    'exit' => exit('left early'),
    'exception' => throw new LogicException('not caught'),
    'memory' => str_repeat('x', 1 << 30),
    'fatal' => not_a_function(),
    default => null,
};

gc_collect_cycles();
preg_match('/^VmRSS:\s+(\d+)/m', file_get_contents('/proc/self/status'), $rss);
echo json_encode([
    'pid' => getmypid(), 'rss_kb' => (int) $rss[1], 'descriptors' => count(scandir('/proc/self/fd')) - 3, // . .. and the listing's own
    'memory' => memory_get_usage(), 'jit' => function_exists('opcache_get_status') && (opcache_get_status(false)['jit']['on'] ?? false),
]);

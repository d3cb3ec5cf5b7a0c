--TEST--
log: appendAll() of an array and of a generator end alike: all accepted and the first error at the end, or stopped by a refusal
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
ini_set('error_log', "$folder/errors");
function attempt(string $name, iterable $records, mixed ...$options): void
{
    global $folder;
    $log = new Rustio\BatchLogger("$folder/no/app.log", ...$options);
    try {
        $log->appendAll($records);
        echo "$name: nothing thrown";
    } catch (Throwable $e) {
        echo "$name: ", get_class($e), ' ', $e->getCode();
    }
    $stats = $log->stats();
    echo ", $stats[records] accepted, $stats[pending_records] wait, $stats[refused] refused\n";
}
function give(?string $throws = null): Generator
{
    foreach (range(1, 6) as $n) {
        echo $n, ' ';
        yield "record $n";
    }
    if ($throws) {
        throw new DomainException($throws);
    }
}
$six = array_map(fn($n) => "record $n", range(1, 6));
$stringable = [...array_slice($six, 0, 5), new class { function __toString(): string { return 'record 6'; } }];
foreach (['errors' => ['batchRecords' => 2], 'refusals' => ['batchBytes' => 1, 'maxPendingBytes' => 30]] as $what => $options) {
    echo "$what\n";
    attempt('array', $six, ...$options);
    attempt('objects', $stringable, ...$options);
    attempt('generator', give(), ...$options);
    attempt('throwing', give('its own'), ...$options);
    echo @attempt('reported', $six, ...$options, onError: Rustio\OnError::Report);
    echo @attempt('reported', give(), ...$options, onError: Rustio\OnError::Report);
}
?>
--EXPECT--
errors
array: Rustio\IoException 2, 6 accepted, 6 wait, 0 refused
objects: Rustio\IoException 2, 6 accepted, 6 wait, 0 refused
1 2 3 4 5 6 generator: Rustio\IoException 2, 6 accepted, 6 wait, 0 refused
1 2 3 4 5 6 throwing: DomainException 0, 6 accepted, 6 wait, 0 refused
reported: nothing thrown, 6 accepted, 6 wait, 0 refused
1 2 3 4 5 6 reported: nothing thrown, 6 accepted, 6 wait, 0 refused
refusals
array: Rustio\IoException 105, 3 accepted, 3 wait, 1 refused
objects: Rustio\IoException 105, 3 accepted, 3 wait, 1 refused
1 2 3 4 generator: Rustio\IoException 105, 3 accepted, 3 wait, 1 refused
1 2 3 4 throwing: Rustio\IoException 105, 3 accepted, 3 wait, 1 refused
reported: nothing thrown, 3 accepted, 3 wait, 3 refused
1 2 3 4 5 6 reported: nothing thrown, 3 accepted, 3 wait, 3 refused

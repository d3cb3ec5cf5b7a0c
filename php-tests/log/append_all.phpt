--TEST--
log: appendAll() takes any iterable of strings; what a generator gave before its exception is kept, an array with a bad element is not taken
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
$file = "$folder/app.log";
$log = new Rustio\BatchLogger($file);
$three = 'three';
$log->appendAll(['one', 'k' => 'two', &$three]);
$log->appendAll(['four', 5, 6.5, true, new class { function __toString(): string { return 'stringable'; } }]);
$holes = ['x', 'seven', 'y', 'eight'];
unset($holes[0], $holes[2]);
$log->appendAll($holes);
$log->appendAll(new ArrayIterator(['nine']));
$log->appendAll((function () use ($log) {
    yield 'ten';
    $log->append('from inside');
    $log->flush();
    yield from ['eleven', 'twelve'];
})());
$log->appendAll([]);
try {
    $log->appendAll((function () {
        yield 'before';
        throw new DomainException('in the generator');
        yield 'after';
    })());
} catch (DomainException $e) {
    echo $e->getMessage(), "\n";
}
try {
    $log->appendAll(['good', new class { function __toString(): string { throw new DomainException('in a record'); } }, 'never']);
} catch (DomainException $e) {
    echo $e->getMessage(), "\n";
}
try {
    $log->appendAll((function () use ($log) { yield 'last'; $log->close(); yield 'late'; })());
} catch (Rustio\IoException $e) {
    echo $e->getCode(), "\n";
}
foreach ([['bad', null], ['bad', 'list' => []], ['bad', new stdClass]] as $bad) {
    try {
        $log = new Rustio\BatchLogger($file);
        $log->appendAll($bad);
    } catch (Error $e) {
        echo get_class($e), ' ', $log->stats()['records'], "\n";
    }
}
echo implode(' ', file($file, FILE_IGNORE_NEW_LINES)), "\n";
?>
--EXPECT--
in the generator
in a record
9
TypeError 0
TypeError 0
Error 0
one two three four 5 6.5 1 stringable seven eight nine ten from inside eleven twelve before last

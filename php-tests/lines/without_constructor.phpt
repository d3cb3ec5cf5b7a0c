--TEST--
lines: an object whose constructor has not run answers with an Error (LN-27)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$class = new ReflectionClass(LineIterator::class);
raises(fn () => $class->newInstanceWithoutConstructor());
// Where the engine makes one: a constructor that has thrown.
$lines = null;
try {
    $class->newInstance('/nonexistent');
} catch (IoException) {
    echo "no object\n";
}
// A second constructor call.
$lines = new LineIterator(text("a\nb\n"));
foreach ($lines as $line) {
    raises(fn () => $lines->__construct(text("other\n")));
    echo $line, "\n";
}
raises(fn () => $lines->__construct('/nonexistent'));
?>
--EXPECT--
ReflectionException(0): Class Rustio\LineIterator is an internal class marked as final that cannot be instantiated without invoking its constructor
no object
Error(0): Cannot call Rustio\LineIterator::__construct() twice
a
Error(0): Cannot call Rustio\LineIterator::__construct() twice
b
Error(0): Cannot call Rustio\LineIterator::__construct() twice

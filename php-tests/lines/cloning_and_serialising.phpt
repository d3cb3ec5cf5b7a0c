--TEST--
lines: an iterator can be dumped, not cloned or serialised (LN-27)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$lines = new LineIterator(text("a\nb\n"));
raises(fn () => clone $lines);
raises(fn () => serialize($lines));
raises(fn () => unserialize('O:19:"Rustio\LineIterator":0:{}'));
raises(fn () => unserialize('C:19:"Rustio\LineIterator":0:{}'));
var_dump($lines);
echo json_encode($lines), "\n";
var_export($lines);
echo "\n";
raises(function () use ($lines) { $lines->property = 1; });
$map = new WeakMap();
$map[$lines] = 'kept';
echo count($map);
unset($lines);
echo count($map), "\n";
echo (new ReflectionClass(LineIterator::class))->isCloneable() ? 'cloneable' : 'not cloneable', ' ', (new ReflectionClass(LineIterator::class))->isFinal() ? 'final' : '', "\n";
?>
--EXPECT--
Error(0): Trying to clone an uncloneable object of class Rustio\LineIterator
Exception(0): Serialization of 'Rustio\LineIterator' is not allowed
Exception(0): Unserialization of 'Rustio\LineIterator' is not allowed
Exception(0): Unserialization of 'Rustio\LineIterator' is not allowed
object(Rustio\LineIterator)#1 (0) {
}
{}
\Rustio\LineIterator::__set_state(array(
))
Error(0): Cannot create dynamic property Rustio\LineIterator::$property
10
not cloneable final

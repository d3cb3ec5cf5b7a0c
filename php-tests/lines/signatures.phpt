--TEST--
lines: Reflection shows every parameter with its type and default
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
foreach ([new ReflectionMethod(LineIterator::class, '__construct'), new ReflectionFunction('Rustio\lines')] as $function) {
    foreach ($function->getParameters() as $p) {
        $default = '';
        if ($p->isDefaultValueAvailable()) {
            $value = $p->getDefaultValue();
            $default = ' = ' . ($value instanceof UnitEnum ? $value::class . "::$value->name" : json_encode($value));
        }
        $all[$function->getShortName()][] = $p->getType() . ' $' . $p->getName() . $default;
    }
}
echo implode("\n", $all['__construct']), "\n";
echo $all['__construct'] === $all['lines'] ? 'lines() has the same' : 'lines() differs', "\n";
foreach ((new ReflectionClass(LineIterator::class))->getMethods() as $m) {
    echo $m->getName(), '(', implode(', ', array_map(fn ($p) => $p->getType() . ' $' . $p->getName(), $m->getName() === '__construct' ? [] : $m->getParameters())), '): ', $m->getReturnType(), "\n";
}
foreach (['count_lines', 'split_ranges', 'tail', 'page_cache_evict', 'page_cache_ratio', 'lines'] as $f) {
    echo $f, ': ', (new ReflectionFunction("Rustio\\$f"))->getReturnType(), "\n";
}
echo implode(', ', class_implements(LineIterator::class)), "\n";
?>
--EXPECT--
mixed $source
int $chunkSize = 65536
int $offset = 0
?int $length = null
Rustio\Newline $newline = Rustio\Newline::Lf
bool $keepNewline = false
bool $skipEmpty = false
bool $stripBom = true
int $maxLineLength = 16777216
Rustio\LongLine $onLongLine = Rustio\LongLine::Raise
array|string|null $contains = null
?string $matches = null
lines() has the same
__construct(): 
current(): ?string
key(): ?int
next(): void
rewind(): void
valid(): bool
offset(): int
nextOffset(): int
isComplete(): bool
isTruncated(): bool
batch(int $max): array
count_lines: int
split_ranges: array
tail: array
page_cache_evict: void
page_cache_ratio: float
lines: Rustio\LineIterator
Iterator, Traversable

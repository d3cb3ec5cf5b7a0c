--TEST--
lines: nested loops over one object raise, over two objects work (LN-24)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
watchdog(30);
$file = text("1\n2\n3\n4\n");
$lines = new LineIterator($file);
raises(function () use ($lines) {
    foreach ($lines as $outer) {
        foreach ($lines as $inner) {
            echo $outer, $inner, ' ';
        }
    }
});
raises(function () use ($lines) {
    foreach ($lines as $line) {
        $lines->rewind();
    }
});
$n = 0;
foreach (new LineIterator($file) as $outer) {
    foreach (new LineIterator($file) as $inner) {
        $n++;
    }
}
echo $n, "\n";
raises(function () use ($lines) { foreach ($lines as &$line); });
// A rewind that fails has moved nothing: the outer loop goes on.
$pipe = new LineIterator(slow_writer(["a\nb\nc\n"], 0));
foreach ($pipe as $key => $line) {
    echo $line, ' ';
    if ($key === 1) {
        raises(fn () => $pipe->rewind());
    }
}
echo "\n";
?>
--EXPECT--
11 12 13 14 LogicException(0): Another loop has rewound this Rustio\LineIterator; use one object for each loop
LogicException(0): Another loop has rewound this Rustio\LineIterator; use one object for each loop
16
Error(0): An iterator cannot be used with foreach by reference
a b Rustio\IoException(29): seek stream at byte 6, line 2: Illegal seek
c 

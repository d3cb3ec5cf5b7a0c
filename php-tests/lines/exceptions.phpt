--TEST--
lines: exceptions tell operation, path, errno and place, and where they were raised
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
try {
    $line = __LINE__ + 1;
    new LineIterator('/nonexistent/file');
} catch (IoException $e) {
    var_dump($e->getMessage(), $e->getCode(), $e->operation, $e->path, $e->getFile() === __FILE__, $e->getLine() === $line, count($e->getTrace()), $e->getPrevious());
}
$file = text("short\ntoo long\n");
try {
    foreach (new LineIterator($file, maxLineLength: 5) as $text);
} catch (RustioException $e) {
    var_dump($e::class, $e->offset, $e->lineNumber, $e instanceof RuntimeException, $e->getCode());
}
foreach (['offset', 'message'] as $name) {
    try {
        $e->$name = 1;
        echo "written\n";
    } catch (Error $error) {
        echo $error->getMessage(), "\n";
    }
}
// In a loop that runs in a function and in a generator.
function read(string $file) { yield from new LineIterator($file, maxLineLength: 5); }
try {
    foreach (read($file) as $text);
} catch (LineTooLongException $e) {
    echo $e->getTrace()[0]['function'], "\n";
}
?>
--EXPECT--
string(49) "open /nonexistent/file: No such file or directory"
int(2)
string(4) "open"
string(17) "/nonexistent/file"
bool(true)
bool(true)
int(1)
NULL
string(27) "Rustio\LineTooLongException"
int(6)
int(1)
bool(true)
int(0)
Cannot modify readonly property Rustio\LineTooLongException::$offset
Cannot access protected property Rustio\LineTooLongException::$message
read

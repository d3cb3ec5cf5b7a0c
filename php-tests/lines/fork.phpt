--TEST--
lines: a child that reads on takes no bytes from its parent
--EXTENSIONS--
rustio
pcntl
posix
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$file = text(implode("\n", range(1, 2000)));
$lines = new LineIterator($file, chunkSize: 16);
$seen = [];
foreach ($lines as $key => $line) {
    $seen[] = $line;
    if ($key === 100) {
        $child = pcntl_fork();
        if ($child === 0) {
            for ($n = 0; $lines->valid(); $lines->next()) $n++;
            echo "child: $n\n";
            posix_kill(getmypid(), SIGKILL);
        }
        pcntl_waitpid($child, $status);
    }
}
echo 'parent: ', $seen === array_map('strval', range(1, 2000)) ? 'all' : count($seen), "\n";
?>
--EXPECT--
child: 1900
parent: all

--TEST--
lines: a read error is an exception with errno, path and offset, for paths and for resources (LN-32)
--EXTENSIONS--
rustio
--SKIPIF--
<?php
if (!is_executable('/usr/bin/strace')) die('skip no strace'); exec('strace -o /dev/null true 2>&1', $o, $s); if ($s) die('skip strace can not trace here');
?>
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$file = text(str_repeat("0123456\n", 20_000));
foreach (["'$file'", "fopen('$file', 'r')"] as $i => $source) {
    $call = $i ? 'read' : 'pread64';
    echo run_php(<<<PHP
        \$n = 0;
        set_error_handler(function (\$no, \$text) { echo "notice: \$text\n"; file_exists('/nonexistent'); return true; });
        \$lines = new Rustio\\LineIterator($source, chunkSize: 8192);
        try {
            foreach (\$lines as \$line) {
                \$n++;
            }
            echo "taken for the end after \$n lines\n";
        } catch (Rustio\\IoException \$e) {
            echo get_class(\$e), ' ', \$e->getCode(), ' ', \$e->operation, ' ', \$e->path === '$file' ? 'the path' : \$e->path, ' ', str_replace('$file', 'FILE', \$e->getMessage()), ", \$n lines\n";
        }
        // The next step tries again.
        \$lines->next();
        while (\$lines->valid()) {
            \$n++;
            \$lines->next();
        }
        echo \$n, "\n";
        PHP, before: ['strace', '-qq', '-o', '/dev/null', '-P', $file, '-e', "trace=$call", '-e', "inject=$call:error=EIO:when=3"]);
}
foreach (['count_lines', 'tail'] as $function) {
    echo run_php("raises(fn () => Rustio\\$function('$file'));", before: ['strace', '-qq', '-o', '/dev/null', '-P', $file, '-e', 'trace=pread64', '-e', 'inject=pread64:error=EIO:when=1+']);
}
?>
--EXPECT--
Rustio\IoException 5 read the path read FILE at byte 16384, line 2048: Input/output error, 2048 lines
20000
Rustio\IoException 5 read stream read stream at byte 16384, line 2048: Input/output error, 2048 lines
20000
Rustio\IoException(5): read FILE at byte 0, line 0: Input/output error
Rustio\IoException(5): read FILE at byte 94464, line 0: Input/output error

--TEST--
lines: page_cache_ratio() of another user's file is refused, since the kernel would not tell the truth
--EXTENSIONS--
rustio
pcntl
posix
--SKIPIF--
<?php
if (posix_getuid() !== 0) die('skip needs root, to become another user');
if (getenv('USE_ZEND_ALLOC') === '0') die('skip valgrind can not clean up as another user');
?>
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$file = text(str_repeat('x', 8192));
chmod($file, 0o644);
$child = pcntl_fork();
if ($child === 0) {
    posix_setgid(65534);
    posix_setuid(65534);
    raises(fn () => page_cache_ratio($file));
    raises(fn () => page_cache_ratio('/etc/shadow'));
    posix_kill(getmypid(), SIGKILL);
}
pcntl_waitpid($child, $status);
chmod($file, 0o666);
$child = pcntl_fork();
if ($child === 0) {
    posix_setgid(65534);
    posix_setuid(65534);
    var_dump(page_cache_ratio($file)); // who may write may ask
    posix_kill(getmypid(), SIGKILL);
}
pcntl_waitpid($child, $status);
?>
--EXPECT--
Rustio\IoException(1): mincore FILE: Operation not permitted
Rustio\IoException(13): open /etc/shadow: Permission denied
float(1)

--TEST--
shm: save() goes through a symbolic link and refuses what is no regular file before it writes; restore() refuses it without reading (CT-20)
--EXTENSIONS--
posix
pcntl
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
watchdog();
$dir = sys_get_temp_dir() . '/rustio-save-' . getmypid();
mkdir("$dir/real", recursive: true);
chdir($dir);
$c = new Rustio\SharedCounter(own_key(), 4);
$c->addMany(['a' => 1]);

// To a file, to a file by two links, and to one that does not exist yet.
file_put_contents('real/old', 'x');
symlink('real/old', 'link');
symlink("$dir/link", 'second');
symlink('real/new', 'dangling');
foreach (['link', 'second', 'dangling'] as $i => $link) {
    $c->set('a', $i + 5);
    $c->save($link);
    $c->set('a', 0);
    $c->restore($link);
    var_dump(is_link($link), $c->get('a'));
}
var_dump(scandir("$dir/real"));

posix_mkfifo("$dir/fifo", 0o600); // on thread-safe builds posix knows nothing of chdir()
symlink('fifo', 'to-fifo');
symlink('round', 'round');
foreach (['fifo', 'to-fifo', 'real', 'round'] as $path) {
    foreach (['save', 'restore'] as $method) {
        try {
            $c->$method($path);
            echo "$method $path: done\n";
        } catch (Rustio\IoException $e) {
            echo "$method $path: ", $e->operation, ' ', posix_strerror($e->getCode()), "\n";
        }
    }
}
raises(fn() => $c->restore('/dev/null'));
var_dump(filetype('fifo'), $c->get('a'), implode(' ', scandir($dir)));

// A head that promises more than there can be.
file_put_contents('head', 'rustioC1' . pack('P', 5));
raises(fn() => $c->restore('head'));
// Of an endless file no more is read than could be in it.
file_put_contents('long', 'rustioC1' . pack('P', 1));
$sparse = fopen('long', 'r+');
ftruncate($sparse, 1 << 40);
raises(fn() => $c->restore('long'));
file_put_contents('magic', 'x');
ftruncate(fopen('magic', 'r+'), 1 << 40);
raises(fn() => $c->restore('magic'));
chdir('/');
array_map(unlink(...), array_merge(glob("$dir/real/*"), array_filter(glob("$dir/*"), fn($path) => is_link($path) || !is_dir($path))));
rmdir("$dir/real");
rmdir($dir);
?>
--EXPECTF--
bool(true)
int(5)
bool(true)
int(6)
bool(true)
int(7)
array(4) {
  [0]=>
  string(1) "."
  [1]=>
  string(2) ".."
  [2]=>
  string(3) "new"
  [3]=>
  string(3) "old"
}
save fifo: open Invalid argument
restore fifo: open Invalid argument
save to-fifo: open Invalid argument
restore to-fifo: open Invalid argument
save real: open Is a directory
restore real: open Is a directory
save round: open Too many levels of symbolic links
restore round: open Too many levels of symbolic links
Rustio\IoException (22): open /dev/null: Invalid argument
string(4) "fifo"
int(7)
string(49) ". .. dangling fifo link real round second to-fifo"
Rustio\SegmentException: restore %s/head: it holds 5 counters, and this segment has 4
Rustio\SegmentException: restore %s/long: its checksum does not fit: it is damaged or cut off
Rustio\SegmentException: restore %s/magic: not a file of SharedCounter::save(), or of a later version

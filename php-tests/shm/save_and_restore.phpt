--TEST--
shm: save() and restore(): everything or nothing, checked, over a removal (CT-20)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/common.php';
use Rustio\SharedCounter;
$dir = sys_get_temp_dir() . '/rustio-save-' . getmypid();
mkdir($dir);
$key = own_key();
$c = new SharedCounter($key, 6);
$c->addMany(['a' => 1, "b\0" => -2, 0 => 3]);
$c->add('zero', 0);
chdir($dir);
$c->save('counters');
$saved = $c->snapshot();
$c->destroy();
$c = new SharedCounter($key, 5);
$c->add(1, 99);
$c->add('a', 99);
$c->restore("$dir/counters");
var_dump($c->snapshot() == $saved, decoct(fileperms('counters') & 0o777), scandir($dir));

file_put_contents('cut', substr(file_get_contents('counters'), 0, -1));
file_put_contents('other', 'x');
raises(fn() => $c->restore('cut'));
raises(fn() => $c->restore('other'));
raises(fn() => $c->restore('missing'));
raises(fn() => $c->save('no/such/dir'));
raises(fn() => $c->save("nul\0"));
raises(fn() => $c->save(''));
$small = new SharedCounter(own_key(), 2);
raises(fn() => $small->restore('counters'));
var_dump($c->snapshot() == $saved, $small->get(0), count(scandir($dir)));
chmod('counters', 0o644);
$c->save('counters');
clearstatcache();
var_dump(decoct(fileperms('counters') & 0o777));
echo php("try { (new Rustio\\SharedCounter($key, 5))->save('/tmp/rustio-outside'); } catch (Rustio\\IoException \$e) { echo \$e->getCode(), ' ', \$e->getMessage(); }", ini: ['open_basedir' => $dir, 'display_errors' => '0'], before: "TMPDIR=$dir"), "\n";
chdir('/');
array_map(unlink(...), glob("$dir/*"));
rmdir($dir);
?>
--EXPECTF--
bool(true)
string(3) "600"
array(3) {
  [0]=>
  string(1) "."
  [1]=>
  string(2) ".."
  [2]=>
  string(8) "counters"
}
Rustio\SegmentException: restore %s/cut: its checksum does not fit: it is damaged or cut off
Rustio\SegmentException: restore %s/other: not a file of SharedCounter::save(), or of a later version
Rustio\IoException (2): open %s/missing: No such file or directory
Rustio\IoException (2): open %s/no/such/dir.%d-%d.tmp: No such file or directory
ValueError: Rustio\SharedCounter::save(): Argument #1 ($path) must not contain any null bytes
ValueError: Rustio\SharedCounter::save(): Argument #1 ($path) cannot be empty
Rustio\SegmentException: restore %s/counters: it holds 4 counters, and this segment has 2
bool(true)
int(0)
int(5)
string(3) "644"
1 open /tmp/rustio-outside: Operation not permitted

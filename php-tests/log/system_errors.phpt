--TEST--
log: ENOSPC, EDQUOT, EIO and EINTR from write(2): reported or retried, kept, written once later (LG-04, LG-38)
--EXTENSIONS--
rustio
--SKIPIF--
<?php
require __DIR__ . '/log.inc';
skip_without_strace();
?>
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
foreach (['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EINTR'] as $errno) {
    @unlink("$folder/app.log");
    echo run($folder, '$l = new Rustio\BatchLogger($log);
        foreach (["one", "two", "three"] as $r) {
            $l->append($r);
            try { $l->flush(); } catch (Rustio\IoException $e) { echo $e->operation, " ", $e->getCode(), " pending ", $l->stats()["pending_records"], "\n"; }
        }
        $s = $l->stats(); echo "$s[pending_records] pending, $s[errors] errors\n";',
        under: "strace -f -qq -o $folder/trace -P $folder/app.log -e inject=write:error=$errno:when=1..2");
    echo file_get_contents("$folder/app.log"), "\n";
}
?>
--EXPECT--
write 28 pending 1
write 28 pending 2
0 pending, 2 errors
one
two
three

write 122 pending 1
write 122 pending 2
0 pending, 2 errors
one
two
three

write 5 pending 1
write 5 pending 2
0 pending, 2 errors
one
two
three

write 30 pending 1
write 30 pending 2
0 pending, 2 errors
one
two
three

0 pending, 0 errors
one
two
three

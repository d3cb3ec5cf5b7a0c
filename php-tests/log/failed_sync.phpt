--TEST--
log: a failed fdatasync is reported for what it covered, not papered over, and new records go on (LG-32, LG-33)
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
$attempts = 'function attempt($name, $work) { try { $work(); echo "$name good\n"; } catch (Rustio\IoException $e) { echo "$name: $e->operation ", $e->getCode(), "\n"; } }';
foreach (["$folder/state", '/nonexistent'] as $state) {
    @unlink("$folder/app.log");
    echo run($folder, $attempts . '
        $l = new Rustio\BatchLogger($log, sync: Rustio\Sync::Record);
        attempt("one", fn() => $l->append("one"));
        attempt("two", fn() => $l->append("two"));
        attempt("three", fn() => $l->append("three"));
        $s = $l->stats(); echo "$s[pending_records] pending, $s[errors] errors, $s[syncs] syncs\n";
        $other = new Rustio\BatchLogger($log);
        $other->append("four");
        attempt("four", fn() => $other->sync());
        attempt("again", fn() => $other->sync());',
        "-d rustio.state_dir=$state",
        "strace -f -qq -o $folder/trace -P $folder/app.log -e inject=fdatasync:error=EIO:when=2");
    echo implode(' ', file("$folder/app.log", FILE_IGNORE_NEW_LINES)), "\n";
}
// The failure of one is the failure of all that it covered.
@unlink("$folder/app.log");
echo run($folder, $attempts . '
    $l = new Rustio\BatchLogger($log); $l->append("mine"); $l->flush();
    $r = new Rustio\BatchLogger($log, sync: Rustio\Sync::Record);
    attempt("leader", fn() => $r->append("leader"));
    attempt("mine", fn() => $l->sync());
    attempt("later", fn() => $r->append("later"));
    $l->append("mine too"); attempt("mine too", fn() => $l->sync());',
    '', "strace -f -qq -o $folder/trace -P $folder/app.log -e inject=fdatasync:error=EIO:when=1");
?>
--EXPECT--
one good
two: fdatasync 5
three good
0 pending, 1 errors, 3 syncs
four good
again good
one two three four
one good
two: fdatasync 5
three good
0 pending, 1 errors, 3 syncs
four good
again good
one two three four
leader: fdatasync 5
mine: fdatasync 5
later good
mine too good

--TEST--
lines: open_basedir holds for paths, .. and symbolic links (LN-21)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$dir = folder();
mkdir("$dir/in");
mkdir("$dir/out");
file_put_contents("$dir/in/ok", "fine\n");
file_put_contents("$dir/out/secret", "secret\n");
symlink("$dir/out/secret", "$dir/in/link");
echo str_replace($dir, 'DIR', run_php(<<<'PHP'
    set_error_handler(function ($no, $text) { echo 'warning; '; return true; });
    $d = getenv('D');
    foreach (["$d/in/ok", "$d/out/secret", "$d/in/../out/secret", "$d/in/link", "file://$d/out/secret", "compress.zlib://$d/out/secret"] as $path) {
        foreach (['lines', 'count_lines', 'tail', 'page_cache_ratio', 'split_ranges'] as $f) {
            if (str_contains($path, '://') && !str_ends_with($f, 'lines')) continue; // these take no streams
            try {
                $got = $f === 'split_ranges' ? Rustio\split_ranges($path, 1) : ("Rustio\\$f")($path);
                echo "$f $path: read\n";
            } catch (Rustio\IoException $e) {
                echo "$f: ", $e->getCode() === 1 || str_contains($e->getMessage(), 'not permitted') ? 'refused' : $e->getMessage(), "\n";
            }
        }
    }
    chdir("$d/in");
    try { Rustio\lines('../out/secret'); echo "read\n"; } catch (Rustio\IoException $e) { echo "refused\n"; }
    PHP, ["open_basedir=$dir/in:" . sys_get_temp_dir() . '/rustio-lines-script:' . __DIR__], ['env', "D=$dir"]));
?>
--EXPECT--
lines DIR/in/ok: read
count_lines DIR/in/ok: read
tail DIR/in/ok: read
page_cache_ratio DIR/in/ok: read
split_ranges DIR/in/ok: read
warning; lines: refused
warning; count_lines: refused
warning; tail: refused
warning; page_cache_ratio: refused
warning; split_ranges: refused
warning; lines: refused
warning; count_lines: refused
warning; tail: refused
warning; page_cache_ratio: refused
warning; split_ranges: refused
warning; lines: refused
warning; count_lines: refused
warning; tail: refused
warning; page_cache_ratio: refused
warning; split_ranges: refused
lines: refused
count_lines: refused
lines: refused
count_lines: refused
warning; refused

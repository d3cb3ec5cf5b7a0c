--TEST--
log: a flush that fails at the end of the request throws nothing and is reported once (LG-29)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
foreach (['', '$l = null;'] as $end) {
    echo run($folder, "mkdir('$folder/sub'); \$l = new Rustio\\BatchLogger('$folder/sub/log'); \$l->append('x'); \$l->append('y');
        rmdir('$folder/sub'); echo \"end\\n\"; $end", "-d log_errors=1 -d error_log=$folder/errors -d error_reporting=-1");
}
echo preg_replace(['/^\[.*?\] /m', '#/\S*(/sub/log)#'], ['', '$1'], file_get_contents("$folder/errors"));
?>
--EXPECT--
end
end
Rustio\BatchLogger: open /sub/log: No such file or directory (2 records not written)
Rustio\BatchLogger: open /sub/log: No such file or directory (2 records not written)

--TEST--
log: a flush that fails at the end of the request throws nothing and is reported once (LG-29)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
foreach ([['', 'false'], ['$l = null;', 'false'], ['', 'true'], ['$l = null;', 'true']] as $n => [$end, $spool]) {
    echo run($folder, "mkdir('$folder/sub$n'); \$l = new Rustio\\BatchLogger('$folder/sub$n/log', spool: $spool); \$l->append('x'); \$l->append('y');
        rmdir('$folder/sub$n'); echo \"end\\n\"; $end", "-d log_errors=1 -d error_log=$folder/errors -d error_reporting=-1");
}
echo preg_replace(['/^\[.*?\] /m', '#/\S*(/sub)\d(/log)#'], ['', '$1$2'], file_get_contents("$folder/errors"));
?>
--EXPECT--
end
end
end
end
Rustio\BatchLogger: open /sub/log: No such file or directory (2 records not written)
Rustio\BatchLogger: open /sub/log: No such file or directory (2 records not written)
Rustio\BatchLogger: open /sub/log: No such file or directory (2 records wait in the spool for the next logger of this path)
Rustio\BatchLogger: open /sub/log: No such file or directory (2 records wait in the spool for the next logger of this path)

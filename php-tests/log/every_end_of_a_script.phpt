--TEST--
log: however a script ends, its records are in the file, once and in order (LG-07, LG-08)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/log.inc';
$folder = folder();
file_put_contents("$folder/broken.php", '<?php this is no PHP');
$start = '$l = new Rustio\BatchLogger($log); $l->append("1"); $l->appendAll(["2", "3"]);';
$ends = [
    'return' => 'return;',
    'exit' => 'exit(3);',
    'released' => '$l = null; gc_collect_cycles();',
    'exception' => 'throw new Exception("uncaught");',
    'fatal error' => 'missing_function();',
    'missing class' => 'new Missing;',
    'parse error' => "include '$folder/broken.php';",
    'memory limit' => 'ini_set("memory_limit", "16M"); $a = str_repeat("x", 1 << 30);',
    'time limit' => 'set_time_limit(1); while (true);',
    'shutdown function' => 'register_shutdown_function(fn() => $l->append("4"));',
    'destructor' => 'class D { function __construct(public $l) {} function __destruct() { $this->l->append("4"); } } $d = new D($l); exit;',
    'exception in a destructor' => 'class D { function __destruct() { throw new Exception("late"); } } $d = new D;',
    'in a generator' => '$l->appendAll((function () { yield "4"; exit; })());',
    'in a callback' => 'array_map(function () use ($l) { $l->append("4"); exit; }, [1]);',
    'finished early' => 'ob_start(); echo "x"; ob_end_clean(); exit;',
    'a cycle' => '$o = new stdClass; $o->l = $l; $o->o = $o; $l = null; $o = null;',
];
foreach ($ends as $name => $end) {
    @unlink("$folder/app.log");
    run($folder, "$start\n$end", '-d error_log=/dev/null');
    echo str_pad($name, 28), str_replace("\n", ' ', file_get_contents("$folder/app.log")), "\n";
}
?>
--EXPECT--
return                      1 2 3 
exit                        1 2 3 
released                    1 2 3 
exception                   1 2 3 
fatal error                 1 2 3 
missing class               1 2 3 
parse error                 1 2 3 
memory limit                1 2 3 
time limit                  1 2 3 
shutdown function           1 2 3 4 
destructor                  1 2 3 4 
exception in a destructor   1 2 3 
in a generator              1 2 3 4 
in a callback               1 2 3 4 
finished early              1 2 3 
a cycle                     1 2 3 

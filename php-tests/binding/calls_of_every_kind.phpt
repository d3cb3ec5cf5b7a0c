--TEST--
binding: functions and methods are called by name, by closure, by array and with spread arguments
--EXTENSIONS--
rustio
--FILE--
<?php
$file = tempnam(sys_get_temp_dir(), 'rustio-binding-');
file_put_contents($file, "a\nb\n");
echo call_user_func('Rustio\count_lines', $file), ' ', call_user_func_array('Rustio\tail', ['lines' => 1, 'path' => $file])[0], ' ';
$count = Rustio\count_lines(...);
echo $count($file), ' ', (new ReflectionFunction('Rustio\count_lines'))->invoke($file), ' ', array_map('Rustio\count_lines', [$file])[0], ' ';
$lines = Rustio\lines(...['source' => $file, 'chunkSize' => 1]);
echo implode(',', iterator_to_array($lines)), ' ', [$lines, 'key']() ?? 'null', ' ', $lines->valid(...)() ? 'valid' : 'end', "\n";
foreach ([fn () => Rustio\count_lines(wrong: 1), fn () => Rustio\tail(lines: 3), fn () => Rustio\LineIterator::current(), fn () => (new ReflectionMethod('Rustio\LineIterator', 'current'))->invoke(new stdClass())] as $call) {
    try { $call(); echo "taken\n"; } catch (Throwable $t) { echo get_class($t), ': ', $t->getMessage(), "\n"; }
}
unlink($file);
?>
--EXPECT--
2 b 2 2 2 a,b null end
Error: Unknown named parameter $wrong
ArgumentCountError: Rustio\tail(): Argument #1 ($path) not passed
Error: Non-static method Rustio\LineIterator::current() cannot be called statically
ReflectionException: Given object is not an instance of the class this method was declared in

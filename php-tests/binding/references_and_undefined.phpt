--TEST--
binding: references, undefined variables and Stringable objects as arguments
--EXTENSIONS--
rustio
--FILE--
<?php
set_error_handler(function ($no, $text) { echo "[$text] "; return true; });
$file = tempnam(sys_get_temp_dir(), 'rustio-binding-');
file_put_contents($file, "a\nb\n");
$reference = &$file;
echo Rustio\count_lines($reference), ' ', Rustio\count_lines(path: $file), ' ';
class Path { public function __construct(private $p) {} public function __toString() { return $this->p; } }
echo Rustio\count_lines(new Path($file)), ' ';
class Bad { public function __toString() { throw new DomainException('no text'); } }
try { Rustio\count_lines(new Bad()); } catch (DomainException $e) { echo $e->getMessage(), ' '; }
try { Rustio\tail($file, $undefined ?? 1); Rustio\tail(new Bad(), []); } catch (Throwable $e) { echo get_class($e), ' '; }
$argument = $file;
foreach ([1, '1', 1.0, true] as $n) { echo Rustio\tail($file, $n)[0]; }
echo "\n";
echo gettype($argument), ' ', gettype($n), "\n"; // arguments by value stay what they were
unlink($file);
?>
--EXPECT--
2 2 2 no text DomainException bbbb
string boolean

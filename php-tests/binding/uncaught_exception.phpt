--TEST--
binding: an uncaught exception ends the script with PHP's own report
--EXTENSIONS--
rustio
--FILE--
<?php
function inner() { new Rustio\LineIterator('/nonexistent'); }
inner();
?>
--EXPECTF--
Fatal error: Uncaught Rustio\IoException: open /nonexistent: No such file or directory in %s:%d
Stack trace:
#0 %s(%d): Rustio\LineIterator->__construct('/nonexistent')
#1 %s(%d): inner()
#2 {main}
  thrown in %s on line %d

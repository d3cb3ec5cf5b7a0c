--TEST--
accel: objects are neither copied nor built twice, and an unbuilt one answers with an Error
--EXTENSIONS--
rustio
--FILE--
<?php
use Rustio\AccelRedirect;

$accel = new AccelRedirect(__DIR__);
foreach ([
    static fn () => clone $accel,
    static fn () => serialize($accel),
    static fn () => unserialize('O:20:"Rustio\AccelRedirect":0:{}'),
    static fn () => $accel->__construct(__DIR__),
    static fn () => $accel->more = 1,
    static fn () => (new ReflectionClass(AccelRedirect::class))->newInstanceWithoutConstructor()->serverConfig(),
] as $call) {
    try {
        $call();
        echo "accepted\n";
    } catch (Throwable $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
}
echo strlen($accel->serverConfig()) > 0 ? "alive\n" : '';
?>
--EXPECT--
Error: Trying to clone an uncloneable object of class Rustio\AccelRedirect
Exception: Serialization of 'Rustio\AccelRedirect' is not allowed
Exception: Unserialization of 'Rustio\AccelRedirect' is not allowed
Error: Cannot call Rustio\AccelRedirect::__construct() twice
Error: Cannot create dynamic property Rustio\AccelRedirect::$more
ReflectionException: Class Rustio\AccelRedirect is an internal class marked as final that cannot be instantiated without invoking its constructor
alive

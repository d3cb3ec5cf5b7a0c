--TEST--
accel: open_basedir holds for the root, when the object is made and at each call
--EXTENSIONS--
rustio
--FILE--
<?php
$accel = new Rustio\AccelRedirect('/etc');
ini_set('open_basedir', __DIR__);
foreach ([static fn () => new Rustio\AccelRedirect('/etc'), static fn () => $accel->headers('passwd')] as $call) {
    try {
        @$call();
    } catch (Rustio\IoException $e) {
        echo $e->getCode(), ' ', $e->operation, ' ', $e->path, "\n";
    }
}
echo count((new Rustio\AccelRedirect(__DIR__))->headers(basename(__FILE__))), "\n";
?>
--EXPECT--
1 open /etc
1 open /etc
3

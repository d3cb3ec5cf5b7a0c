--TEST--
binding: classes are final, without properties of users, and not cloneable
--EXTENSIONS--
rustio
--FILE--
<?php
foreach (['LineIterator', 'BatchLogger', 'AccelRedirect', 'SharedCounter', 'SharedSegment'] as $name) {
    if (!class_exists("Rustio\\$name")) {
        continue;
    }
    $class = new ReflectionClass("Rustio\\$name");
    $said[$name] = [$class->isFinal(), $class->isCloneable(), $class->isInternal(), $class->getExtensionName(), $class->getShortName()];
    try { $class->newInstanceWithoutConstructor(); echo "made\n"; } catch (ReflectionException $e) { }
    try { unserialize('O:' . strlen("Rustio\\$name") . ":\"Rustio\\$name\":0:{}"); echo "unserialised\n"; } catch (Exception $e) { }
    if ($said[$name] !== [true, false, true, 'rustio', $name]) {
        echo $name, json_encode($said[$name]), "\n";
    }
}
echo count($said) > 0 ? "done\n" : "none\n";
?>
--EXPECT--
done

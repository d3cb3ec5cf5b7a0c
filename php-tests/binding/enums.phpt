--TEST--
binding: enums have cases, values and types like any other
--EXTENSIONS--
rustio
--FILE--
<?php
foreach (['Newline', 'LongLine', 'Sync', 'OnError', 'SendfileBackend', 'Disposition'] as $name) {
    $enum = "Rustio\\$name";
    if (!enum_exists($enum)) {
        continue;
    }
    foreach ($enum::cases() as $case) {
        if ($enum::from($case->value) !== $case || $enum::tryFrom($case->value) !== $case || constant("$enum::$case->name") !== $case || unserialize(serialize($case)) !== $case) {
            echo "$enum::$case->name\n";
        }
    }
    if ($enum::tryFrom('none') !== null || !is_subclass_of($enum, BackedEnum::class)) {
        echo $enum, "\n";
    }
}
echo json_encode([Rustio\Newline::cases(), Rustio\LongLine::cases()]), "\n";
echo match (Rustio\Newline::from('any')) { Rustio\Newline::Any => 'any', Rustio\Newline::Lf => 'lf' }, "\n";
try { Rustio\Newline::from('x'); } catch (ValueError $e) { echo get_class($e), "\n"; }
try { clone Rustio\Newline::Lf; } catch (Error $e) { echo $e->getMessage(), "\n"; }
?>
--EXPECT--
[["lf","any"],["raise","truncate","skip"]]
any
ValueError
Trying to clone an uncloneable object of class Rustio\Newline

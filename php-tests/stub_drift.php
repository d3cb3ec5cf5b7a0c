<?php

/**
 * Compares stubs/rustio.stub.php with the loaded extension, member by member, and fails on any difference.
 *
 *   php -n php-tests/stub_drift.php                    both sides, in processes of their own
 *   php -n php-tests/stub_drift.php contains FILE      does the stub have everything that another stub file has?
 *   php -n php-tests/stub_drift.php describe [FILE]    one side as lines: a stub file's, or the loaded extension's
 *
 * Reflection looks at both: names, finality, parents, interfaces, modifiers, parameters with types and defaults,
 * return types, constants, enum cases. Documentation comments are not compared. SO names the extension.
 */

declare(strict_types=1);

$root = dirname(__DIR__);
$stub = "$root/stubs/rustio.stub.php";
$so = getenv('SO') ?: "$root/target/release/librustio.so";
$side = fn(string ...$args): array => lines_of([PHP_BINARY, '-n', ...$args]);

switch ($argv[1] ?? '') {
    case 'describe':
        echo implode("\n", isset($argv[2]) ? describe_stub($argv[2]) : describe_extension()), "\n";
        exit(0);
    case 'contains':
        exit(report($side(__FILE__, 'describe', $argv[2]), $side(__FILE__, 'describe', $stub), $argv[2], 'the stub', false));
    default:
        $extension = $side('-d', "extension=$so", __FILE__, 'describe');
        exit(report($side(__FILE__, 'describe', $stub), $extension, 'the stub', 'the extension', true));
}

/** Prints what only one side has; returns the exit status. */
function report(array $left, array $right, string $left_name, string $right_name, bool $both_ways): int
{
    $failed = 0;
    foreach (array_diff($left, $right) as $line) {
        echo "FAIL only in $left_name: $line\n";
        $failed++;
    }
    foreach ($both_ways ? array_diff($right, $left) : [] as $line) {
        echo "FAIL only in $right_name: $line\n";
        $failed++;
    }
    echo count(array_intersect($left, $right)), " passed, $failed failed\n";
    return $failed === 0 ? 0 : 1;
}

/** @return list<string> the lines that a process prints; ends this one if it fails or prints nothing */
function lines_of(array $command): array
{
    $process = proc_open($command, [1 => ['pipe', 'w'], 2 => STDERR], $pipes);
    $text = trim(stream_get_contents($pipes[1]));
    if (proc_close($process) !== 0 || $text === '') {
        fwrite(STDERR, "$text\nfailed: " . implode(' ', $command) . "\n");
        exit(1);
    }
    return explode("\n", $text);
}

/** @return list<string> */
function describe_extension(): array
{
    if (!extension_loaded('rustio')) {
        fwrite(STDERR, "the extension is not loaded\n");
        exit(1);
    }
    $extension = new ReflectionExtension('rustio');
    return describe($extension->getClasses(), $extension->getFunctions(), $extension->getConstants());
}

/** @return list<string> */
function describe_stub(string $file): array
{
    if (extension_loaded('rustio')) {
        fwrite(STDERR, "a stub can't be read where the extension is loaded\n");
        exit(1);
    }
    require $file;
    $ours = fn(array $names): array => array_filter($names, fn($name) => str_starts_with(strtolower($name), 'rustio\\'));
    $constants = get_defined_constants(true)['user'] ?? [];
    return describe(
        array_map(fn($name) => new ReflectionClass($name), $ours([...get_declared_classes(), ...get_declared_interfaces()])),
        array_map(fn($name) => new ReflectionFunction($name), $ours(get_defined_functions()['user'])),
        array_filter($constants, fn($name) => $ours([$name]) !== [], ARRAY_FILTER_USE_KEY),
    );
}

/**
 * @param iterable<ReflectionClass> $classes
 * @param iterable<ReflectionFunction> $functions
 * @param array<string, mixed> $constants
 * @return list<string>
 */
function describe(iterable $classes, iterable $functions, array $constants): array
{
    $lines = [];
    foreach ($constants as $name => $value) {
        $lines[] = "const $name = " . shown($value);
    }
    foreach ($functions as $function) {
        $lines[] = 'function ' . $function->getName() . signature($function);
    }
    foreach ($classes as $class) {
        array_push($lines, ...describe_class($class));
    }
    sort($lines);
    return $lines;
}

/** @return list<string> */
function describe_class(ReflectionClass $class): array
{
    $name = $class->getName();
    $own = fn($member): bool => $member->getDeclaringClass()->getName() === $name;
    $interfaces = $class->getInterfaceNames();
    sort($interfaces);
    $kind = $class->isEnum() ? 'enum' : ($class->isInterface() ? 'interface' : 'class');
    $lines = [sprintf(
        '%s%s%s %s%s%s%s',
        $class->isFinal() && !$class->isEnum() ? 'final ' : '', // an enum of an extension is not marked final, one in PHP code is
        $class->isAbstract() && !$class->isInterface() ? 'abstract ' : '',
        $kind,
        $name,
        $class->isEnum() ? ': ' . (new ReflectionEnum($name))->getBackingType() : '',
        $class->getParentClass() ? ' extends ' . $class->getParentClass()->getName() : '',
        $interfaces ? ' implements ' . implode(', ', $interfaces) : '',
    )];
    foreach (array_filter($class->getReflectionConstants(), $own) as $constant) {
        $value = $constant->getValue();
        $lines[] = "$name::" . $constant->getName() . ' = ' . shown($value instanceof BackedEnum ? $value->value : $value)
            . ($constant->isEnumCase() ? ' (case)' : ' ' . modifiers($constant));
    }
    foreach (array_filter($class->getProperties(), $own) as $property) {
        $lines[] = "$name: " . modifiers($property) . ' ' . ($property->getType() ?? 'untyped') . ' $' . $property->getName();
    }
    foreach (array_filter($class->getMethods(), $own) as $method) {
        $lines[] = "$name: " . modifiers($method) . ' function ' . $method->getName() . signature($method);
    }
    return $lines;
}

function modifiers(ReflectionMethod|ReflectionProperty|ReflectionClassConstant $member): string
{
    return implode(' ', Reflection::getModifierNames($member->getModifiers()));
}

function signature(ReflectionFunctionAbstract $function): string
{
    $parameters = array_map(function (ReflectionParameter $p): string {
        return ($p->getType() ?? 'untyped') . ' '
            . ($p->isPassedByReference() ? '&' : '') . ($p->isVariadic() ? '...' : '') . '$' . $p->getName()
            . ($p->isOptional() && !$p->isVariadic()
                ? ' = ' . ($p->isDefaultValueAvailable() ? shown($p->getDefaultValue()) : 'unknown') : '');
    }, $function->getParameters());
    $type = $function->getReturnType() ?? $function->getTentativeReturnType();
    return '(' . implode(', ', $parameters) . ')' . ($type === null ? '' : ": $type")
        . ($function->isDeprecated() ? ' deprecated' : '');
}

/** A value in one line. */
function shown(mixed $value): string
{
    return preg_replace('/\s+/', ' ', var_export($value, true));
}

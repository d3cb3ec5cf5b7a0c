<?php

declare(strict_types=1);

namespace Bench;

/**
 * The cases that a selection names, completed and checked.
 *
 * @return list<array<string, mixed>>
 */
function cases(string $selection): array
{
    $wanted = array_filter(array_map('trim', explode(',', $selection)));
    $found = [];
    foreach (glob(dirname(__DIR__) . '/cases/*.php') as $file) {
        $name = basename($file, '.php');
        foreach ($wanted ?: [''] as $start) {
            if (str_starts_with($name, $start)) {
                $found[] = load_case($file);
                break;
            }
        }
    }
    $order = ['lines', 'log', 'shm', 'accel', 'system'];
    usort($found, fn($a, $b) => [array_search($a['family'], $order), $a['name']] <=> [array_search($b['family'], $order), $b['name']]);
    return $found;
}

/** @return array<string, mixed> */
function load_case(string $file): array
{
    $name = basename($file, '.php');
    $case = (static fn(string $file) => require $file)($file);
    $case += [
        'table' => '', 'state' => '', 'amount' => 1, 'calls' => [], 'process' => 'fresh', 'rounds' => 5, 'reps' => 1,
        'warmup' => true, 'readme' => false, 'notes' => [], 'floors' => [], 'data' => fn(Setup $s): array => [],
    ];
    $case['name'] = $name;
    $case['file'] = $file;
    $case['family'] = strstr($name, '_', true) ?: $name;
    foreach ($case['sides'] as $side => $spec) {
        if ($spec instanceof \Closure) {
            $spec = ['run' => $spec];
        }
        $case['sides'][$side] = $spec + [
            'before' => null, 'after' => null, 'needs' => [], 'ext' => [], 'ini' => [], 'note' => '',
            'role' => str_starts_with($side, 'rustio') ? 'rustio' : 'peer', 'amount' => $case['amount'],
        ];
    }
    $case['reference'] ??= array_key_first(array_filter($case['sides'], fn($s) => $s['role'] === 'peer')) ?? array_key_first($case['sides']);
    if (!isset($case['sides'][$case['reference']])) {
        throw new \LogicException("$name: the reference '{$case['reference']}' is no side");
    }
    return $case;
}

/** Why a side can't run here, or null. */
function lacks(array $side): ?string
{
    foreach ([...$side['needs'], ...array_map(fn($e) => "ext:$e", $side['ext'])] as $need) {
        if ($need instanceof \Closure) {
            $why = $need();
        } else {
            [$kind, $what] = explode(':', $need, 2);
            $why = match ($kind) {
                'cmd' => command($what) === null ? "no command $what" : null,
                'file' => is_file($what) ? null : "no $what",
                'ext' => extension_loaded($what) || is_file(ini_get('extension_dir') . "/$what.so") ? null : "no PHP extension $what",
                'class' => class_exists($what) ? null : "no class $what",
                'env' => (string) getenv($what) !== '' ? null : "no $what",
                'function' => function_exists($what) ? null : "no function $what",
                default => throw new \LogicException("unknown need '$need'"),
            };
        }
        if ($why !== null) {
            return $why;
        }
    }
    return null;
}

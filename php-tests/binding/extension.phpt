--TEST--
binding: the extension names itself, its version, its functions and its settings
--EXTENSIONS--
rustio
--INI--
pcre.jit=0
--FILE--
<?php
$extension = new ReflectionExtension('rustio');
echo preg_match('/^\d+\.\d+\.\d+/', $extension->getVersion()) ? "version\n" : "no version\n";
foreach (['lines', 'count_lines', 'split_ranges', 'tail', 'page_cache_evict', 'page_cache_ratio'] as $f) {
    if (!isset($extension->getFunctions()["Rustio\\$f"]) && !isset($extension->getFunctions()["rustio\\$f"])) echo "no $f\n";
    if (!function_exists("Rustio\\$f") || !function_exists("RUSTIO\\$f")) echo "$f can't be called\n";
}
ob_start();
phpinfo(INFO_MODULES);
$info = ob_get_clean();
echo str_contains($info, "\nrustio\n") && str_contains($info, $extension->getVersion()) ? "phpinfo\n" : "no section\n";
foreach (array_keys($extension->getINIEntries()) as $entry) {
    if (!str_starts_with($entry, 'rustio.') || !str_contains($info, $entry)) echo "$entry\n";
}
?>
--EXPECT--
version
phpinfo

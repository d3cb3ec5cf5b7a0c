--TEST--
lines: a place to resume at that lies behind the end is told, whatever the source; the end itself is none (LN-36)
--EXTENSIONS--
rustio
--FILE--
<?php
$path = tempnam(sys_get_temp_dir(), 'rustio');
file_put_contents($path, "a\nb\nc\n");
$memory = function () {
    $stream = fopen('php://memory', 'w+');
    fwrite($stream, "a\nb\nc\n");
    rewind($stream);
    return $stream;
};
$pipe = fn() => popen('printf "a\\nb\\nc\\n"', 'r');
foreach (['path' => fn() => $path, 'file' => fn() => fopen($path, 'r'), 'memory' => $memory, 'pipe' => $pipe] as $kind => $source) {
    foreach ([4, 5, 6, 7, 100, PHP_INT_MAX] as $offset) {
        $it = Rustio\lines($source(), offset: $offset);
        try {
            $found = json_encode(iterator_to_array($it)) . ' end ' . $it->nextOffset();
        } catch (Rustio\FileTruncatedException $e) {
            $found = preg_replace('/^.*?: /', '', $e->getMessage());
        }
        echo "$kind $offset: $found\n";
    }
}
unlink($path);
?>
--EXPECT--
path 4: ["c"] end 6
path 5: [] end 6
path 6: [] end 6
path 7: the file is shorter than it was: it ends before byte 7, up to which it had been read
path 100: the file is shorter than it was: it ends before byte 100, up to which it had been read
path 9223372036854775807: the file is shorter than it was: it ends before byte 9223372036854775807, up to which it had been read
file 4: ["c"] end 6
file 5: [] end 6
file 6: [] end 6
file 7: the file is shorter than it was: it ends before byte 7, up to which it had been read
file 100: the file is shorter than it was: it ends before byte 100, up to which it had been read
file 9223372036854775807: the file is shorter than it was: it ends before byte 9223372036854775807, up to which it had been read
memory 4: ["c"] end 6
memory 5: [] end 6
memory 6: [] end 6
memory 7: the file is shorter than it was: it ends before byte 7, up to which it had been read
memory 100: the file is shorter than it was: it ends before byte 100, up to which it had been read
memory 9223372036854775807: the file is shorter than it was: it ends before byte 9223372036854775807, up to which it had been read
pipe 4: ["c"] end 6
pipe 5: [] end 6
pipe 6: [] end 6
pipe 7: the file is shorter than it was: it ends before byte 7, up to which it had been read
pipe 100: the file is shorter than it was: it ends before byte 100, up to which it had been read
pipe 9223372036854775807: the file is shorter than it was: it ends before byte 9223372036854775807, up to which it had been read

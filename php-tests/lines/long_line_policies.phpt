--TEST--
lines: a too long line is raised, cut or left out, the same for every chunk size (LN-12)
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$file = text("one\nabcdefgh\ntwo\r\nabcde\n\nabcdef");
foreach ([1, 2, 3, 4, 5, 8, 65536] as $chunk) {
    $said = [];
    foreach ([LongLine::Truncate, LongLine::Skip] as $policy) {
        $lines = new LineIterator($file, chunkSize: $chunk, maxLineLength: 5, onLongLine: $policy);
        foreach ($lines as $key => $line) {
            $said[] = "$key:$line@" . $lines->offset() . '-' . $lines->nextOffset() . ($lines->isTruncated() ? '!' : '') . ($lines->isComplete() ? '' : '?');
        }
        $said[] = '/';
    }
    $lines = new LineIterator($file, chunkSize: $chunk, maxLineLength: 5);
    for ($i = 0; $i < 10; $i++) {
        try {
            $said[] = $lines->valid() ? $lines->key() . ':' . $lines->current() : 'end';
            $lines->next();
        } catch (LineTooLongException $e) {
            $said[] = "too long: $e->lineNumber at $e->offset, resume " . $lines->nextOffset();
            $lines->next();
        }
        if (end($said) === 'end') {
            break;
        }
    }
    $all[implode(' ', $said)][] = $chunk;
}
foreach ($all as $said => $chunks) {
    echo implode(',', $chunks), "\n", $said, "\n";
}
?>
--EXPECT--
1,2,3,4,5,8,65536
0:one@0-4 1:abcde@4-13! 2:two@13-18 3:abcde@18-24 4:@24-25 5:abcde@25-25!? / 0:one@0-4 2:two@13-18 3:abcde@18-24 4:@24-25 / 0:one too long: 1 at 4, resume 4 2:two 3:abcde 4: too long: 5 at 25, resume 25 end

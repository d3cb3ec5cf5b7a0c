--TEST--
lines: a pattern that can't be used is a ValueError that says where
--EXTENSIONS--
rustio
--FILE--
<?php
require __DIR__ . '/inc/lines.php';
use Rustio\{LineIterator, Newline, LongLine, RustioException, IoException, LineTooLongException, FileTruncatedException};
use function Rustio\{lines, count_lines, split_ranges, tail, page_cache_ratio, page_cache_evict};
$file = text("a\n");
foreach (['/(/', '/a', 'abc', '', '/(a)\1/', '/a(?=b)/', '/(?<!x)a/', '/a++/', '/[z-a]/', '/a/m', '/a/e', "/\xFF/u", '/\p{Greek}/u', '/\bx/u', '/a{2}{3}/', '/*a/', '/[/', '/(((a{1000}){1000}){1000})/'] as $pattern) {
    try {
        new LineIterator($file, matches: $pattern);
        echo "$pattern: taken\n";
    } catch (ValueError $e) {
        echo addcslashes($pattern, "\0..\37\177..\377"), ': ', $e->getMessage(), "\n";
    }
}
raises(fn () => new LineIterator($file, matches: []));
raises(fn () => new LineIterator($file, contains: []));
raises(fn () => new LineIterator($file, contains: ['a', 5]));
raises(fn () => new LineIterator($file, contains: 1.5 + 1));
raises(fn () => new LineIterator($file, contains: new stdClass()));
?>
--EXPECT--
/(/: Rustio\LineIterator::__construct(): Argument #12 ($matches) is no valid pattern: unclosed group at offset 0
/a: Rustio\LineIterator::__construct(): Argument #12 ($matches) has no ending delimiter '/'
abc: Rustio\LineIterator::__construct(): Argument #12 ($matches) must start with a delimiter that is not alphanumeric, backslash, or NUL
: Rustio\LineIterator::__construct(): Argument #12 ($matches) must not be empty
/(a)\1/: Rustio\LineIterator::__construct(): Argument #12 ($matches) has a backreference, which this engine can't do at offset 3
/a(?=b)/: Rustio\LineIterator::__construct(): Argument #12 ($matches) has a lookaround assertion, which this engine can't do at offset 1
/(?<!x)a/: Rustio\LineIterator::__construct(): Argument #12 ($matches) has a lookaround assertion, which this engine can't do at offset 0
/a++/: Rustio\LineIterator::__construct(): Argument #12 ($matches) has a possessive quantifier, which this engine can't do at offset 2
/[z-a]/: Rustio\LineIterator::__construct(): Argument #12 ($matches) is no valid pattern: invalid character class range, the start must be <= the end at offset 1
/a/m: Rustio\LineIterator::__construct(): Argument #12 ($matches) has the flag 'm'; the flags are i, s, x and u
/a/e: Rustio\LineIterator::__construct(): Argument #12 ($matches) has the flag 'e'; the flags are i, s, x and u
/\377/u: Rustio\LineIterator::__construct(): Argument #12 ($matches) is not valid UTF-8, which the flag u asks for
/\p{Greek}/u: Rustio\LineIterator::__construct(): Argument #12 ($matches) has a property other than a general category at offset 0
/\bx/u: Rustio\LineIterator::__construct(): Argument #12 ($matches) has \b under the flag u, where the engines' words differ at offset 0
/a{2}{3}/: Rustio\LineIterator::__construct(): Argument #12 ($matches) has a quantifier that follows nothing it can repeat at offset 4
/*a/: Rustio\LineIterator::__construct(): Argument #12 ($matches) has a quantifier that follows nothing it can repeat at offset 0
/[/: Rustio\LineIterator::__construct(): Argument #12 ($matches) has a class without ] at offset 0
/(((a{1000}){1000}){1000})/: Rustio\LineIterator::__construct(): Argument #12 ($matches) is too large
TypeError(0): Rustio\LineIterator::__construct(): Argument #12 ($matches) must be of type ?string, array given
ValueError(0): Rustio\LineIterator::__construct(): Argument #11 ($contains) must not be empty
TypeError(0): Rustio\LineIterator::__construct(): Argument #11 ($contains) must be a list of strings, int given in it
nothing raised
TypeError(0): Rustio\LineIterator::__construct(): Argument #11 ($contains) must be of type array|string|null, stdClass given

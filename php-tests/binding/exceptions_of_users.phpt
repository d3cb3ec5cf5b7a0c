--TEST--
binding: exceptions are created, subclassed, chained and caught by their parents
--EXTENSIONS--
rustio
--INI--
pcre.jit=0
--FILE--
<?php
use Rustio\{RustioException, IoException, LineTooLongException, FileTruncatedException, SegmentException, NotServableException, LockTimeoutException};

$cause = new DomainException('cause');
foreach ([
    new RustioException('a', 1, $cause),
    new IoException('b', 2, $cause, 'read', '/x'),
    new LineTooLongException('c', 3, $cause, 10, 2),
    new FileTruncatedException('d', 4, $cause),
    new SegmentException('e', 5, $cause),
    new NotServableException('f', 6, $cause, 403),
    new LockTimeoutException('g', 7, $cause),
] as $e) {
    try {
        throw $e;
    } catch (RustioException $caught) {
        echo $e::class, ' ', $caught->getMessage(), $caught->getCode(), ' ', $caught->getPrevious() === $cause ? 'chained' : '', ' ', $caught->getLine() > 0 && $caught->getFile() === __FILE__ ? 'placed' : '',
            ' ', $e instanceof RuntimeException ? 'runtime' : '', ' ', (new ReflectionClass($e))->isFinal() ? 'final' : 'open', ' ',
            implode(',', array_map(fn ($p) => $p->getName() . '=' . $p->getValue($e) . ($p->isReadOnly() ? '' : ' writable') . ':' . $p->getType(), array_filter((new ReflectionClass($e))->getProperties(), fn ($p) => $p->isPublic()))), "\n";
    }
}
// Defaults, names, types.
$e = new IoException(operation: 'open', path: '/p');
var_dump($e->getMessage(), $e->getCode(), $e->getPrevious(), $e->operation, $e->path);
var_dump((new IoException())->operation, (new LineTooLongException())->offset, (new NotServableException())->status);
foreach ([fn () => new IoException([]), fn () => new IoException('', 'x'), fn () => new IoException('', 0, new stdClass()), fn () => new LineTooLongException(offset: 'x'), fn () => new IoException('', 0, null, '', '', 1)] as $call) {
    try { $call(); echo "taken\n"; } catch (Throwable $t) { echo get_class($t), ': ', $t->getMessage(), "\n"; }
}
// A subclass of the open one.
class MyException extends RustioException { public function __construct(public readonly string $extra) { parent::__construct("my $extra", 9); } }
try { throw new MyException('e'); } catch (RustioException $e) { echo get_class($e), ' ', $e->getMessage(), ' ', $e->extra, ' ', $e->getCode(), "\n"; }
// Copies.
$copy = unserialize(serialize(new IoException('m', 5, null, 'read', '/x')));
echo get_class($copy), ' ', $copy->getMessage(), ' ', $copy->operation, ' ', $copy->path, "\n";
try { $copy->__construct('again'); } catch (Error $e) { echo $e->getMessage(), "\n"; }
echo preg_match('/^Rustio\\\\IoException: m in .*:\d+\nStack trace:\n#0 \{main\}/', (string) new IoException('m')) ? "as text\n" : (string) new IoException('m');
?>
--EXPECT--
Rustio\RustioException a1 chained placed runtime open 
Rustio\IoException b2 chained placed runtime final operation=read:string,path=/x:string
Rustio\LineTooLongException c3 chained placed runtime final offset=10:int,lineNumber=2:int
Rustio\FileTruncatedException d4 chained placed runtime final 
Rustio\SegmentException e5 chained placed runtime final 
Rustio\NotServableException f6 chained placed runtime final status=403:int
Rustio\LockTimeoutException g7 chained placed runtime final 
string(0) ""
int(0)
NULL
string(4) "open"
string(2) "/p"
string(0) ""
int(0)
int(404)
TypeError: Rustio\IoException::__construct(): Argument #1 ($message) must be of type string, array given
TypeError: Rustio\IoException::__construct(): Argument #2 ($code) must be of type int, string given
TypeError: Rustio\IoException::__construct(): Argument #3 ($previous) must be of type ?Throwable, stdClass given
TypeError: Rustio\LineTooLongException::__construct(): Argument #4 ($offset) must be of type int, string given
ArgumentCountError: Rustio\IoException::__construct() expects at most 5 arguments, 6 given
MyException my e e 9
Rustio\IoException m read /x
Cannot modify readonly property Rustio\IoException::$operation
as text

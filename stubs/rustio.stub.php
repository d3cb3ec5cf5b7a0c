<?php

/**
 * rustio: everything that the extension declares, for IDEs and static analysers.
 *
 * A test compares this file with the loaded extension by Reflection and fails on any difference. Sizes are bytes, times
 * are seconds (float) unless a name says otherwise, offsets count from the first byte of the (decompressed) input. Bad
 * arguments raise \ValueError or \TypeError in PHP's own wording; a system call that fails raises Rustio\IoException.
 * Nothing only warns (unless OnError::Report asks for it), and nothing fails silently.
 */

namespace Rustio {

    // ------------------------------------------------------------------------------------------- exceptions

    /** Parent of every exception of this extension. */
    class RustioException extends \RuntimeException {}

    /** A system call failed: getCode() is errno; the message names operation, path and the system's reason. */
    final class IoException extends RustioException
    {
        /** "open", "read", "write", "fdatasync", "shmget", ... */
        public readonly string $operation;

        /** The path, or "key 0x0000abcd" for System V objects. */
        public readonly string $path;

        public function __construct(string $message = '', int $code = 0, ?\Throwable $previous = null, string $operation = '', string $path = '') {}
    }

    /** A line is longer than maxLineLength. The iterator goes on behind it with the next call of next(). */
    final class LineTooLongException extends RustioException
    {
        /** Where that line starts. */
        public readonly int $offset;

        /** Its number, as key() would give it. */
        public readonly int $lineNumber;

        public function __construct(string $message = '', int $code = 0, ?\Throwable $previous = null, int $offset = 0, int $lineNumber = 0) {}
    }

    /**
     * The file is, at a read, shorter than what was already read, or than the offset to resume at: what follows can't be
     * trusted. A file that was cut and has grown past that point again between two reads can't be told.
     */
    final class FileTruncatedException extends RustioException {}

    /** A shared segment is not what this version can use: foreign, of another size or layout, or removed. */
    final class SegmentException extends RustioException {}

    /** A file that must not or can't be sent. */
    final class NotServableException extends RustioException
    {
        /** The HTTP status to answer: 403 or 404. */
        public readonly int $status;

        public function __construct(string $message = '', int $code = 0, ?\Throwable $previous = null, int $status = 404) {}
    }

    /** A lock could not be had within its timeout. */
    final class LockTimeoutException extends RustioException {}

    // ------------------------------------------------------------------------------------------------ lines

    enum Newline: string
    {
        /** "\n" ends a line; one "\r" before it is dropped with it, as file() and SplFileObject do. */
        case Lf = 'lf';

        /** "\n", "\r\n" and a lone "\r" each end a line. */
        case Any = 'any';
    }

    enum LongLine: string
    {
        /** LineTooLongException. */
        case Raise = 'raise';

        /** Give the first maxLineLength bytes, without a newline, go on after the next newline. */
        case Truncate = 'truncate';

        /** Leave the line out; its number is still counted. */
        case Skip = 'skip';
    }

    /**
     * The lines of a file, in constant memory: the reader's own buffer holds at most chunkSize + maxLineLength bytes and
     * a few kilobytes, whatever the file's size; the string given to PHP is extra (long ones are not kept for reuse).
     *
     * A newline ends a line: "a\nb\n" and "a\nb" both have two. Lines are exact bytes (NUL, invalid UTF-8 and all), and
     * the result never depends on chunkSize. foreach starts over at the first line of the range each time, like any
     * Iterator, and runs natively: it costs no method calls. All loops over one object share its cursor: a loop whose
     * cursor another loop has rewound raises \LogicException at its next step.
     *
     * A path is opened natively; one that names a wrapper ("php://stdin", "data:...", "compress.zlib://x.gz") and any
     * open stream are read through PHP's stream layer. A resource is read from its position at construction: offsets
     * count from there, rewind() goes back there, and it is never closed here.
     *
     * A file that starts as gzip or zstd raises RustioException and names the stream wrapper that decodes it; so does
     * the byte order mark of UTF-16 or UTF-32.
     */
    final class LineIterator implements \Iterator
    {
        /**
         * @param string|resource $source a path, or an open readable stream of any wrapper
         * @param int $chunkSize bytes asked of the source at once, 1 to 1 GiB
         * @param int $offset start at the first line that begins at or after this byte; FileTruncatedException at the
         *        first read if the source ends before it
         * @param int|null $length give only lines that begin before offset + length: ranges from split_ranges() cover a
         *        file exactly once, whatever bytes they cut at
         * @param bool $keepNewline give each line with what ended it
         * @param bool $skipEmpty leave empty lines out; their numbers are counted
         * @param bool $stripBom leave out one UTF-8 byte order mark at the start of the file; it still belongs to line 0,
         *        whose offset() is 0
         * @param int $maxLineLength bytes of a line's content, its newline not counted
         * @param string|list<string>|null $contains only lines that contain (one of) these bytes
         * @param string|null $matches only lines that match this pattern, written as for preg_match (delimiters, flags
         *        i s x u); linear time; what the engine can't do (backreferences, lookaround) is a \ValueError. Each line
         *        is matched by itself, without its newline, exactly as preg_match would.
         * @throws IoException the file can't be opened
         */
        public function __construct(
            mixed $source,
            int $chunkSize = 65536,
            int $offset = 0,
            ?int $length = null,
            Newline $newline = Newline::Lf,
            bool $keepNewline = false,
            bool $skipEmpty = false,
            bool $stripBom = true,
            int $maxLineLength = 16777216,
            LongLine $onLongLine = LongLine::Raise,
            string|array|null $contains = null,
            ?string $matches = null,
        ) {}

        /** The current line; null past the end. */
        public function current(): ?string {}

        /** 0-based number of the line in this range, filtered lines counted; null past the end. */
        public function key(): ?int {}

        /**
         * @throws IoException a read failed; errno, path, offset and line are told
         * @throws LineTooLongException
         * @throws FileTruncatedException
         */
        public function next(): void {}

        /** @throws IoException (ESPIPE) on a pipe that has moved on */
        public function rewind(): void {}

        public function valid(): bool {}

        /** First byte of the current line; at the end: the end. */
        public function offset(): int {}

        /**
         * Where to resume: store it, pass it as offset: later. The first byte after the current line; but while
         * isComplete() is false it equals offset(), so that an unfinished tail is read whole next time. After batch(),
         * until the next line is looked at, the first byte after the last line it gave. At the end: the end.
         */
        public function nextOffset(): int {}

        /** False: the current line had no newline (the file's unfinished tail). */
        public function isComplete(): bool {}

        /** True: LongLine::Truncate cut it. */
        public function isTruncated(): bool {}

        /**
         * The next lines from the current one on; the line after them is current then. Mixes with next().
         *
         * @return list<string> at most $max lines; [] at the end
         */
        public function batch(int $max = 1000): array {}
    }

    /**
     * new LineIterator(...), all its parameters included.
     *
     * @param string|resource $source
     * @param string|list<string>|null $contains
     */
    function lines(
        mixed $source,
        int $chunkSize = 65536,
        int $offset = 0,
        ?int $length = null,
        Newline $newline = Newline::Lf,
        bool $keepNewline = false,
        bool $skipEmpty = false,
        bool $stripBom = true,
        int $maxLineLength = 16777216,
        LongLine $onLongLine = LongLine::Raise,
        string|array|null $contains = null,
        ?string $matches = null,
    ): LineIterator {}

    /** Number of lines, as a loop would count them; without building any. */
    function count_lines(string $path, Newline $newline = Newline::Lf): int {}

    /**
     * Cuts a file for several processes: pass each offset and length on to lines().
     *
     * @return list<array{offset: int, length: int}> at most $parts non-empty ranges of about equal size; [] for an empty file
     */
    function split_ranges(string $path, int $parts): array {}

    /** @return list<string> the last $lines lines, read from the end of the file */
    function tail(string $path, int $lines = 10, Newline $newline = Newline::Lf): array {}

    // -------------------------------------------------------------------------------------------------- log

    enum Sync: string
    {
        /** Records reach the kernel; the kernel decides when they reach the disk. */
        case Never = 'never';

        /** Every write of a batch is followed by fdatasync before it counts as flushed. */
        case Batch = 'batch';

        /**
         * append() returns when its record is on disk, sharing the fdatasync with every other process that waits on the
         * same file (group commit).
         */
        case Record = 'record';
    }

    enum OnError: string
    {
        /**
         * The call that met it raises IoException; the record is accepted and pending, tried again later, except errno
         * ENOBUFS with operation "append": that record was refused.
         */
        case Raise = 'raise';

        /** The application goes on: one E_WARNING a minute, and stats() counts what is not stored. */
        case Report = 'report';
    }

    /**
     * Appends records to a file in batches. Any number of processes may write to one file: records are never torn,
     * interleaved, doubled or lost while the process can still write them.
     *
     * One record is one line: a newline inside a record is written as \n (two characters) unless multiline is true.
     */
    final class BatchLogger
    {
        /**
         * @param int $batchBytes written when this many bytes wait,
         * @param int $batchRecords or this many records,
         * @param float $batchSeconds or the oldest has waited this long (seen at the next append),
         * @param Sync $sync or the request, script or object ends
         * @param int $mode exactly, whatever the umask, when the file is created
         * @param bool $spool waiting records survive even SIGKILL: they wait in a small shared mapping under INI
         *        rustio.state_dir, and the next logger of that path under the same user (or root) appends them, once;
         *        possibly twice, never lost, if the log was rotated or truncated between the write and the kill
         * @param int $maxPendingBytes while the disk refuses; then the newest record is refused, never a silent loss
         * @throws IoException
         */
        public function __construct(
            string $path,
            int $batchBytes = 65536,
            int $batchRecords = 1000,
            float $batchSeconds = 1.0,
            Sync $sync = Sync::Never,
            int $mode = 0o644,
            bool $multiline = false,
            bool $spool = false,
            OnError $onError = OnError::Raise,
            int $maxPendingBytes = 8388608,
        ) {}

        /** @throws IoException */
        public function append(string $record): void {}

        /**
         * @param iterable<string> $records
         * @throws IoException
         */
        public function appendAll(iterable $records): void {}

        /**
         * All appended records are in the kernel.
         *
         * @throws IoException
         */
        public function flush(): void {}

        /**
         * All appended records are in the kernel and on the disk.
         *
         * @throws IoException
         */
        public function sync(): void {}

        /**
         * After rotation; a renamed or deleted file is noticed by itself, too.
         *
         * @throws IoException
         */
        public function reopen(): void {}

        /**
         * flush(), and report what went wrong; append() afterwards raises. After a close that failed, another close() or
         * flush() tries again.
         *
         * @throws IoException
         */
        public function close(): void {}

        /**
         * What is in force and what was done.
         *
         * @return array{records: int, bytes: int, writes: int, syncs: int, shared_syncs: int, reopens: int, pending_records: int, pending_bytes: int, recovered: int, refused: int, errors: int, sync: string, batch_bytes: int, group: bool, spool: bool}
         */
        public function stats(): array {}
    }

    // ------------------------------------------------------------------------------------------------ accel

    enum SendfileBackend: string
    {
        /** X-Accel-Redirect. */
        case Nginx = 'nginx';

        /** X-Sendfile: Apache mod_xsendfile, lighttpd, Caddy. */
        case XSendfile = 'xsendfile';

        /** No help from the server: streamed from here in constant memory. */
        case Php = 'php';
    }

    enum Disposition: string
    {
        case Attachment = 'attachment';
        case Inline = 'inline';
    }

    /**
     * Hands a file to the web server to send, and frees the PHP worker.
     *
     * Only files under $root can be sent (after resolving symbolic links; links that stay inside are fine, absolute ones
     * too); where they live for the server is decided here, never by a request header. What must not or can't be sent
     * raises NotServableException before any header is sent. An option that the backend can't honour is a \ValueError.
     */
    final class AccelRedirect
    {
        /**
         * @param string $root directory on disk
         * @param string|null $location nginx's internal location; null: INI rustio.accel_location, else /protected/
         * @param SendfileBackend|null $backend null: INI rustio.accel_backend, else Nginx
         * @param string|null $server which X-Sendfile server reads the headers, 'apache' or 'lighttpd', because they read a
         *        path differently; null: what SERVER_SOFTWARE says. The other backends know theirs ('nginx', 'php').
         * @throws IoException root is no directory, or outside open_basedir
         */
        public function __construct(
            string $root,
            ?string $location = null,
            ?SendfileBackend $backend = null,
            ?string $server = null,
        ) {}

        /**
         * For PSR-7 or framework responses (with backend Php: the headers of the whole file).
         *
         * @param string $file relative to root
         * @param string|null $name the download's name; any string is made safe (RFC 6266), never refused
         * @param string|null $type Content-Type; null: by extension, application/octet-stream if unknown
         * @param int|null $limitRate bytes a second; 0: no limit, whatever the server's configuration says
         * @param bool|null $buffering whether the server may buffer
         * @param int|null $expires seconds for which the server may cache
         * @param string|null $charset character set of a text; types that are no text are sent without
         * @return array<string, string> header name => value
         * @throws NotServableException
         */
        public function headers(
            string $file,
            ?string $name = null,
            Disposition $disposition = Disposition::Attachment,
            ?string $type = null,
            ?int $limitRate = null,
            ?bool $buffering = null,
            ?int $expires = null,
            ?string $charset = null,
        ): array {}

        /**
         * Sends the headers (and with backend Php the body: Range, If-Range, conditional, HEAD). Output buffers are
         * discarded, and what is printed afterwards reaches nobody; the script goes on, also when the client has gone
         * (connection_aborted() tells).
         *
         * @throws NotServableException
         * @throws RustioException output has started; the message names where
         * @throws FileTruncatedException with backend Php: the file got shorter while it was sent
         */
        public function send(
            string $file,
            ?string $name = null,
            Disposition $disposition = Disposition::Attachment,
            ?string $type = null,
            ?int $limitRate = null,
            ?bool $buffering = null,
            ?int $expires = null,
            ?string $charset = null,
        ): void {}

        /** The server's configuration that fits this object, ready to paste. */
        public function serverConfig(): string {}
    }

    // --------------------------------------------------------------------------------------------- counters

    /**
     * 64-bit counters in a System V shared memory segment, for every process of the machine (FPM, CLI, cron).
     *
     * shmop-compatible: counter i is the signed 64-bit integer in machine byte order at byte 8*i of the segment that
     * shmop_open($key, 'a', 0, 0) opens, so plain PHP reads it with unpack('q', shmop_read($shm, 8 * $i, 8)). The lock,
     * the names and the version live behind the counters. A process that is killed at any moment blocks nobody and leaves
     * no half-done update (what a synchronized() callback has already done stays).
     *
     * A counter is named by its index, or by a string that claims a free slot at its first use: the highest slot that has
     * no name and holds 0; forgotten ones last. A string that is a canonical integer ("7") is a \ValueError.
     */
    final class SharedCounter implements \Countable
    {
        /**
         * @param int|string $key System V key as for shmop_open(), or a name of your own (hashed; a collision is found
         *        and raised, never shared)
         * @param int $slots capacity: exactly that many counters; reopening with another number raises SegmentException
         * @param int $mode permissions of a new segment
         * @throws SegmentException
         * @throws IoException
         */
        public function __construct(int|string $key, int $slots = 256, int $mode = 0o600) {}

        /**
         * An existing segment of any capacity; with $readOnly it needs read permission alone and can only be read.
         *
         * @throws SegmentException
         * @throws IoException
         */
        public static function open(int|string $key, bool $readOnly = false): static {}

        /**
         * The new value.
         *
         * @throws \ArithmeticError on overflow; the value is unchanged
         */
        public function add(int|string $counter, int $delta = 1): int {}

        /** The value. Never waits; a name that nobody has used holds 0 and is not claimed by asking. */
        public function get(int|string $counter): int {}

        /** The previous value. */
        public function set(int|string $counter, int $value): int {}

        /** True: the counter held $expected and holds $value now. */
        public function compareAndSet(int|string $counter, int $expected, int $value): bool {}

        /** Raises the counter to $value if it is lower; the new value. */
        public function max(int|string $counter, int $value): int {}

        /** Lowers the counter to $value if it is higher; the new value. */
        public function min(int|string $counter, int $value): int {}

        /**
         * All or nothing, also when the process is killed half way. From then on single calls on these counters take the
         * lock. Like all calls without a timeout it waits at most 30 seconds for the lock.
         *
         * @param array<int|string, int> $deltas
         * @throws \ArithmeticError on overflow; nothing is changed, and no name is claimed
         * @throws SegmentException when not all new names fit; nothing is changed
         * @throws LockTimeoutException
         */
        public function addMany(array $deltas): void {}

        /**
         * Compare-and-set until it holds; the new value.
         *
         * @param callable(int): int $fn
         */
        public function update(int|string $counter, callable $fn): int {}

        /** @return array<int|string, int> every used counter; each addMany(), drain() and restore() is in it whole or not at all */
        public function snapshot(): array {}

        /**
         * The same, each set to 0 as it is read: no concurrent add is counted twice or lost. A drainer that is killed
         * leaves what it had taken to be put back by the next lock holder; on counters that were never in an addMany() the
         * one counter being taken at that instant can be lost, never doubled.
         *
         * @return array<int|string, int>
         */
        public function drain(): array {}

        /**
         * Runs $fn alone among all processes: excludes other synchronized(), addMany(), snapshot(), drain() and restore().
         * Single calls (add, set, ...) are atomic by themselves and never wait, except on counters that have ever been in
         * an addMany(): these take the lock, too, which is what makes addMany() exact. get() never waits. The lock is
         * released when $fn returns, throws, exits or its process dies. Re-entrant in one Fiber; another Fiber of the same
         * thread gets \LogicException.
         *
         * @param float|null $timeout seconds; null waits without end
         * @throws LockTimeoutException
         */
        public function synchronized(callable $fn, ?float $timeout = null): mixed {}

        /** @return array<string, int> name => slot */
        public function names(): array {}

        /**
         * True: the name was there, and has gone with its value; its slot is used again. A call under the name that is under way
         * in another process has either gone with it or begins its next life.
         *
         * @throws SegmentException when a process of another PID namespace has counted under the name
         */
        public function forget(string $name): bool {}

        /** Slots. */
        public function count(): int {}

        /**
         * @return array{key: int, name: ?string, id: int, size: int, slots: int, used: int, attached: int, mode: int, owner: int, generation: int, created: int, layout: int, pid_namespace: int, ipc_namespace: int, max_size: int, max_segments: int, segments: int}
         */
        public function info(): array {}

        /**
         * Names and values into a file: atomic replace, synced. Of a symbolic link the target is replaced.
         *
         * @throws IoException also, with nothing written, for what is no regular file
         */
        public function save(string $path): void {}

        /**
         * Names and values out of such a file, all other counters 0; overwrites what was counted meanwhile. All or nothing.
         *
         * @throws IoException also for what is no regular file
         * @throws SegmentException
         */
        public function restore(string $path): void {}

        /** For everyone; other handles raise SegmentException from then on. */
        public function destroy(): void {}
    }

    /** @return list<array{key: int, id: int, kind: string, name: ?string, size: int, attached: int, owner: int, mode: int, generation: int}> rustio's own segments on this machine that this user may read; kind is SharedCounter or SharedSegment */
    function segments(): array {}

    /**
     * Raw bytes in a System V segment with the same lock: what shmop_* and sem_* do together, kill-safe.
     * The bytes start at offset 0, so shmop_open() sees them.
     */
    final class SharedSegment
    {
        /**
         * @param int|null $semKey also hold the semaphore of sem_get($semKey), so that old sem_acquire() code stays excluded
         * @throws SegmentException
         * @throws IoException
         */
        public function __construct(int|string $key, int $size, int $mode = 0o600, ?int $semKey = null) {}

        /** Never a torn write, and no waiting for a writer. */
        public function read(int $offset = 0, ?int $length = null): string {}

        /** Whole or not at all, also when the process is killed half way: the segment holds the bytes twice. */
        public function write(string $data, int $offset = 0): void {}

        /** @throws LockTimeoutException */
        public function synchronized(callable $fn, ?float $timeout = null): mixed {}

        public function size(): int {}

        public function info(): array {}

        public function destroy(): void {}
    }

    // ------------------------------------------------------------------------------------------- page cache

    /** Asks the kernel to drop this one file's clean pages (sync + POSIX_FADV_DONTNEED), to measure cold reads. */
    function page_cache_evict(string $path): void {}

    /**
     * Share of the file that is in the page cache now, 0.0 to 1.0; 0.0 for an empty file.
     *
     * @throws IoException (EPERM) where the kernel would not tell the truth
     */
    function page_cache_ratio(string $path): float {}
}

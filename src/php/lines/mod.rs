//! LineIterator and the functions beside it.

mod arguments;
mod functions;
mod iterator;
mod stream;
mod strings;

use std::cell::{Cell, UnsafeCell};

use self::strings::Strings;
use super::enums::Enum;
use super::error::{self, LINE_TOO_LONG, RUSTIO, TRUNCATED};
use super::guard::{bailed_out, guard};
use super::object::{self, Native, Slot, init, not_yet, this_shared};
use super::signature::{BadSignature, Method, method};
use super::zend::{
    self, ExecuteData, Push, Result, Set, Thrown, Zval, current_frame, ffi, interrupted, pending, run_interrupt, zval,
};
use super::zpp::{Args, in_range};
use crate::lines::{LinesError, Reader, Step};

static NEWLINE: Enum = Enum::new(c"Rustio\\Newline", &[("Lf", "lf"), ("Any", "any")]);
static LONG_LINE: Enum =
    Enum::new(c"Rustio\\LongLine", &[("Raise", "raise"), ("Truncate", "truncate"), ("Skip", "skip")]);

/// What stands behind a LineIterator. A stream's wrapper or a signal handler may run PHP code in the middle of a read,
/// and that code may call the same object: it finds `busy` set and gets an Error.
pub struct Lines {
    busy: Cell<bool>,
    inner: UnsafeCell<Inner>,
}

struct Inner {
    reader: Reader,
    name: Vec<u8>,
    cursor: Cursor,
    strings: Strings,
    /// Moved on by each rewind: a loop that remembers another number has lost its cursor.
    generation: u64,
    /// A line behind the first was asked for, so that a rewind has something to undo.
    advanced: bool,
    /// Where to resume while there is no current line: behind the last one given, or at the one that is too long.
    resume: u64,
    /// A signal handler has thrown in the middle of a step; the next one goes on with it.
    midway: bool,
    /// What batch() met behind lines that it could give; the next step raises it.
    put_off: Option<LinesError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cursor {
    /// The current line was not read yet.
    Due,
    /// The reader's line is the current one.
    At,
    /// There is no current line: an error was raised, and the next step goes on.
    Failed,
    /// There is no current line: the end.
    Off,
}

impl Native for Lines {
    const NAME: &'static str = "Rustio\\LineIterator";

    fn slot() -> &'static Slot<Self> {
        static SLOT: Slot<Lines> = Slot::new();
        &SLOT
    }
}

/// Exclusive use of the inner state until it is dropped; a bailout leaves the object busy, and the request is over.
struct Entered<'a> {
    busy: &'a Cell<bool>,
    inner: &'a mut Inner,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.busy.set(false);
    }
}

impl Lines {
    fn new(reader: Reader, name: Vec<u8>) -> Self {
        let inner = Inner {
            reader,
            name,
            cursor: Cursor::Due,
            strings: Strings::new(),
            generation: 0,
            advanced: false,
            resume: 0,
            midway: false,
            put_off: None,
        };
        Self { busy: Cell::new(false), inner: UnsafeCell::new(inner) }
    }

    #[inline]
    fn enter(&self) -> Result<Entered<'_>> {
        if self.busy.replace(true) {
            return Err(error::error(
                "The Rustio\\LineIterator is being read and can't be used by code that runs meanwhile",
            ));
        }
        // SAFETY: `busy` was false, so no other Entered of this object exists.
        Ok(Entered { busy: &self.busy, inner: unsafe { &mut *self.inner.get() } })
    }
}

impl Inner {
    /// Moves to the next line.
    #[inline]
    fn advance(&mut self) -> Result {
        let Some(line) = self.reader.next_at_hand() else { return self.advance_slowly(false) };
        self.strings.put(line);
        self.cursor = Cursor::At;
        Ok(())
    }

    /// The same through the reader's states. Lines that a batch has gathered must not be lost by what comes behind them:
    /// then an error is put off and a signal ends the batch early, which the engine sees right behind it.
    #[cold]
    fn advance_slowly(&mut self, gathered: bool) -> Result {
        if !self.midway {
            self.resume = if self.advanced { self.reader.line().next } else { self.reader.position() };
        }
        loop {
            match self.reader.advance() {
                Ok(Step::Line) => {
                    self.strings.put(self.reader.bytes());
                    self.cursor = Cursor::At;
                    break;
                }
                Ok(Step::End) => {
                    self.cursor = Cursor::Off;
                    break;
                }
                Ok(Step::Pending) if !interrupted() => {}
                Err(err) if !err.is_interrupt() => {
                    if gathered && !stopped() {
                        self.put_off = Some(err);
                        self.cursor = Cursor::Due;
                        return Ok(());
                    }
                    return Err(self.fail(err));
                }
                Ok(Step::Pending) | Err(_) => {
                    self.midway = true;
                    self.cursor = Cursor::Due;
                    if gathered {
                        return Ok(());
                    }
                    run_interrupt(current_frame())?;
                }
            }
        }
        self.midway = false;
        Ok(())
    }

    #[cold]
    fn fail(&mut self, err: LinesError) -> Thrown {
        if let LinesError::TooLong { offset, .. } = err {
            self.resume = offset;
        }
        (self.cursor, self.advanced, self.midway) = (Cursor::Failed, true, false);
        throw(err, &self.name)
    }

    /// Reads the current line if that was put off.
    #[inline]
    fn settle(&mut self) -> Result {
        if self.cursor == Cursor::Due { self.settle_slowly() } else { Ok(()) }
    }

    #[cold]
    fn settle_slowly(&mut self) -> Result {
        match self.put_off.take() {
            Some(err) => Err(self.fail(err)),
            None => self.advance(),
        }
    }

    fn next(&mut self) -> Result {
        self.settle()?;
        self.advanced = true;
        self.advance()
    }

    /// Back to the first line of the range; nothing to do while it is the current one. A source that can't go back is
    /// where it was, and so are the loops over it.
    fn rewind(&mut self) -> Result {
        if self.advanced {
            self.reader.rewind().map_err(|err| throw(err, &self.name))?;
            (self.advanced, self.midway, self.put_off) = (false, false, None);
            self.cursor = Cursor::Due;
        }
        self.generation += 1;
        self.settle()
    }

    /// The next lines, at most `max`, for `give`; the first of them is the current one.
    fn batch(&mut self, max: i64, mut give: impl FnMut(&[u8])) -> Result {
        let mut gathered = false;
        if self.put_off.is_some() {
            return self.settle_slowly();
        }
        for _ in 0..max {
            match self.cursor {
                Cursor::Off => break,
                Cursor::At => {}
                Cursor::Due | Cursor::Failed => {
                    if let Some(line) = self.reader.next_at_hand() {
                        give(line);
                        (gathered, self.advanced, self.cursor) = (true, true, Cursor::Due);
                        continue;
                    }
                    self.advance_slowly(gathered)?;
                    if self.cursor != Cursor::At {
                        return Ok(());
                    }
                }
            }
            give(self.reader.bytes());
            (gathered, self.advanced, self.cursor) = (true, true, Cursor::Due);
            if !self.reader.line().complete {
                break; // the unfinished tail: to be read again from its start
            }
        }
        if self.cursor == Cursor::Due {
            self.resume = self.reader.line().next;
        }
        Ok(())
    }
}

/// Has PHP code ended the call: by an exception, or by a bailout that waits for our values to be released?
fn stopped() -> bool {
    pending() || bailed_out()
}

/// The one map from the core's errors to exceptions.
#[cold]
fn throw(err: LinesError, name: &[u8]) -> Thrown {
    if stopped() {
        return Thrown; // a stream's wrapper has thrown: that is the cause
    }
    let shown = error::lossy(name).into_owned();
    let message = format!("{shown}: {err}");
    match err {
        LinesError::Io { operation, offset, line, source } => {
            let message = format!("{operation} {shown} at byte {offset}, line {line}: {}", error::reason(&source));
            let code = source.raw_os_error().unwrap_or(0);
            error::throw(&error::IO, &message, code.into(), &mut [zval(operation), zval(name)])
        }
        LinesError::TooLong { offset, line, .. } => {
            error::throw(&LINE_TOO_LONG, &message, 0, &mut [zval(offset), zval(line)])
        }
        LinesError::Truncated { .. } => error::throw(&TRUNCATED, &message, 0, &mut []),
        LinesError::Encoding { .. } | LinesError::Compressed { .. } => error::throw(&RUSTIO, &message, 0, &mut []),
    }
}

unsafe extern "C" fn construct(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        not_yet::<Lines>(ex)?;
        let lines = arguments::lines(&Args::new(ex, 1, arguments::COUNT)?)?;
        // A wrapper's code that ran meanwhile could have called the constructor again.
        not_yet::<Lines>(ex)?;
        init(ex, lines);
        Ok(())
    });
}

/// A method without arguments that looks at the current line.
fn look(ex: *mut ExecuteData, f: impl FnOnce(&mut Inner) -> Result) {
    guard(|| {
        Args::new(ex, 0, 0)?;
        let entered = this_shared::<Lines>(ex)?.enter()?;
        entered.inner.settle()?;
        f(entered.inner)
    });
}

/// The return value of a handler.
fn ret<'a>(rv: *mut Zval) -> &'a mut Zval {
    // SAFETY: the engine hands each handler a place of its own for the return value.
    unsafe { &mut *rv }
}

unsafe extern "C" fn current(ex: *mut ExecuteData, rv: *mut Zval) {
    look(ex, |inner| {
        if inner.cursor == Cursor::At {
            // SAFETY: a copy of the current value that counts its own reference.
            unsafe {
                std::ptr::copy_nonoverlapping(inner.strings.value(), rv, 1);
                zend::zval_add_ref(rv);
            }
        }
        Ok(())
    });
}

unsafe extern "C" fn key(ex: *mut ExecuteData, rv: *mut Zval) {
    look(ex, |inner| {
        if inner.cursor == Cursor::At {
            ret(rv).put_long(inner.reader.line().number.cast_signed());
        }
        Ok(())
    });
}

unsafe extern "C" fn valid(ex: *mut ExecuteData, rv: *mut Zval) {
    look(ex, |inner| {
        ret(rv).put_bool(inner.cursor == Cursor::At);
        Ok(())
    });
}

unsafe extern "C" fn next(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        Args::new(ex, 0, 0)?;
        this_shared::<Lines>(ex)?.enter()?.inner.next()
    });
}

unsafe extern "C" fn rewind(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        Args::new(ex, 0, 0)?;
        this_shared::<Lines>(ex)?.enter()?.inner.rewind()
    });
}

unsafe extern "C" fn offset(ex: *mut ExecuteData, rv: *mut Zval) {
    look(ex, |inner| {
        let offset = match inner.cursor {
            Cursor::At => inner.reader.line().offset,
            Cursor::Due | Cursor::Failed => inner.resume,
            Cursor::Off => inner.reader.position(),
        };
        ret(rv).put_long(offset.cast_signed());
        Ok(())
    });
}

/// Behind a batch the current line is not read before somebody looks at it: until then the place to resume is the end
/// of the batch.
unsafe extern "C" fn next_offset(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        Args::new(ex, 0, 0)?;
        let entered = this_shared::<Lines>(ex)?.enter()?;
        if !entered.inner.advanced {
            entered.inner.settle()?;
        }
        let offset = match entered.inner.cursor {
            Cursor::At => entered.inner.reader.line().next,
            Cursor::Due | Cursor::Failed => entered.inner.resume,
            Cursor::Off => entered.inner.reader.position(),
        };
        ret(rv).put_long(offset.cast_signed());
        Ok(())
    });
}

unsafe extern "C" fn is_complete(ex: *mut ExecuteData, rv: *mut Zval) {
    look(ex, |inner| {
        ret(rv).put_bool(inner.cursor == Cursor::At && inner.reader.line().complete);
        Ok(())
    });
}

unsafe extern "C" fn is_truncated(ex: *mut ExecuteData, rv: *mut Zval) {
    look(ex, |inner| {
        ret(rv).put_bool(inner.cursor == Cursor::At && inner.reader.line().truncated);
        Ok(())
    });
}

unsafe extern "C" fn batch(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 0, 1)?;
        let max = in_range(0, args.long_or(0, 1000)?, 1, i64::MAX)?;
        let entered = this_shared::<Lines>(ex)?.enter()?;
        // The array is the return value from the start, so that an exception frees it.
        let lines = ret(rv).put_array(max.min(1024) as usize);
        entered.inner.batch(max, |line| {
            let mut value = Zval::new();
            value.put_bytes(line);
            lines.append(value);
        })
    });
}

/// The functions of the namespace.
pub fn functions() -> Vec<Method> {
    functions::all()
}

/// Registers the classes; module start only.
pub fn register() -> std::result::Result<(), BadSignature> {
    NEWLINE.register();
    LONG_LINE.register();
    let methods = [
        method(arguments::CONSTRUCTOR, construct),
        method("current(): ?string", current),
        method("key(): ?int", key),
        method("next(): void", next),
        method("rewind(): void", rewind),
        method("valid(): bool", valid),
        method("offset(): int", offset),
        method("nextOffset(): int", next_offset),
        method("isComplete(): bool", is_complete),
        method("isTruncated(): bool", is_truncated),
        method("batch(int $max = 1000): array", batch),
    ];
    // SAFETY: the engine's interface exists before any module starts.
    let iterator = unsafe { ffi::zend_ce_iterator };
    object::register::<Lines>(&methods, &[iterator], Some(iterator::get_iterator))
}

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
use super::guard::guard;
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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cursor {
    /// The current line was not read yet.
    Due,
    /// The reader's line is the current one.
    At,
    /// There is no current line: the end, or an error.
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
        let inner =
            Inner { reader, name, cursor: Cursor::Due, strings: Strings::new(), generation: 0, advanced: false };
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
        let Some(line) = self.reader.next_at_hand() else { return self.advance_slowly() };
        self.strings.put(line);
        self.cursor = Cursor::At;
        Ok(())
    }

    #[cold]
    fn advance_slowly(&mut self) -> Result {
        self.cursor = Cursor::Off;
        loop {
            match self.reader.advance() {
                Ok(Step::Line) => {
                    self.strings.put(self.reader.bytes());
                    self.cursor = Cursor::At;
                    return Ok(());
                }
                Ok(Step::End) => return Ok(()),
                Ok(Step::Pending) => {
                    if interrupted() {
                        run_interrupt(current_frame())?;
                    }
                }
                Err(err) if err.is_interrupt() => run_interrupt(current_frame())?,
                Err(err) => {
                    self.advanced = true;
                    return Err(throw(err, &self.name));
                }
            }
        }
    }

    /// Reads the current line if that was put off.
    #[inline]
    fn settle(&mut self) -> Result {
        if self.cursor == Cursor::Due { self.advance() } else { Ok(()) }
    }

    fn next(&mut self) -> Result {
        self.settle()?;
        self.advanced = true;
        self.advance()
    }

    /// Back to the first line of the range; nothing to do while it is the current one.
    fn rewind(&mut self) -> Result {
        self.generation += 1;
        if self.advanced {
            self.reader.rewind().map_err(|err| throw(err, &self.name))?;
            self.advanced = false;
            self.cursor = Cursor::Due;
        }
        self.settle()
    }
}

/// The one map from the core's errors to exceptions.
#[cold]
fn throw(err: LinesError, name: &[u8]) -> Thrown {
    if pending() {
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
        let at = inner.cursor == Cursor::At;
        let offset = if at { inner.reader.line().offset } else { inner.reader.position() };
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
        let reader = &entered.inner.reader;
        let offset = match entered.inner.cursor {
            Cursor::At | Cursor::Due => reader.line().next,
            Cursor::Off => reader.position(),
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
        let inner = &mut *entered.inner;
        // The array is the return value from the start, so that an exception frees it.
        let lines = ret(rv).put_array(max.min(1024) as usize);
        for _ in 0..max {
            inner.settle()?;
            if inner.cursor != Cursor::At {
                break;
            }
            let mut line = Zval::new();
            line.put_bytes(inner.reader.bytes());
            lines.append(line);
            inner.advanced = true;
            inner.cursor = Cursor::Due;
        }
        Ok(())
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

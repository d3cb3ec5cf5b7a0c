//! Every function that the engine calls goes through [`guard`]: a Rust panic becomes a PHP Error there, because one that
//! leaves an `extern "C"` function ends the process.

use std::any::Any;
use std::cell::Cell;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ext_php_rs::zend::{CatchError, bailout, try_catch};

use super::zend::{Result, Thrown, ffi, pending};

thread_local! {
    static BAILED_OUT: Cell<bool> = const { Cell::new(false) };
}

/// Runs a handler's body; the pending exception, if any, is the whole of its error.
pub fn guard(body: impl FnOnce() -> Result) {
    if guard_or(Ok(()), body).is_err() {
        go_on_bailing_out();
    }
}

/// Runs what may bail out (PHP code, the time limit, an allocation of the engine's) while a handler holds values that the
/// engine doesn't know, such as an open file. The bailout becomes an error on the way out, which releases them, and
/// [`guard`] goes on with it.
///
/// # Errors
/// A bailout. What `f` has captured by value is lost then, so it should only borrow.
pub fn hold_bailout<T>(f: impl FnOnce() -> T) -> Result<T> {
    match try_catch(AssertUnwindSafe(f)) {
        Ok(value) => Ok(value),
        Err(CatchError::Panic(text)) => {
            throw_panic(&text);
            Err(Thrown)
        }
        Err(_) => {
            BAILED_OUT.set(true);
            Err(Thrown)
        }
    }
}

/// Is a bailout on its way to [`guard`]? No PHP value may be made then.
pub fn bailed_out() -> bool {
    BAILED_OUT.get()
}

/// For the end of an engine callback that does not use [`guard`] and has failed.
#[cold]
pub fn go_on_bailing_out() {
    if BAILED_OUT.replace(false) {
        // SAFETY: called at the end of a function that the engine has called, whose Rust values are all released; above
        // it is the engine's own setjmp.
        unsafe { bailout() };
    }
}

/// Runs the body of an engine callback that has to give a value; `fallback` after a panic.
pub fn guard_or<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    // What the body borrows is an object of the engine's, which stays valid whatever state the panic left it in: the
    // core's own invariants do not span a panic, and its locks are guard objects.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        throw_panic(payload.as_ref());
        fallback
    })
}

fn throw_panic(payload: &(dyn Any + Send)) {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    let text = CString::new(format!("rustio internal error: {text}").replace('\0', "")).unwrap_or_default();
    if !pending() {
        // SAFETY: the text is a C string, passed as the argument of a fixed format.
        unsafe { ffi::zend_throw_error(std::ptr::null_mut(), c"%s".as_ptr(), text.as_ptr()) };
    }
}

/// Panics are reported as PHP Errors, so the default report on standard error would only double them.
pub fn quiet_panics() {
    std::panic::set_hook(Box::new(|_| {}));
}

//! Every function that the engine calls goes through [`guard`]: a Rust panic becomes a PHP Error there, because one that
//! leaves an `extern "C"` function ends the process.

use std::any::Any;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::zend::{Result, ffi, pending};

/// Runs a handler's body; the pending exception, if any, is the whole of its error.
pub fn guard(body: impl FnOnce() -> Result) {
    guard_or((), || body().unwrap_or(()));
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

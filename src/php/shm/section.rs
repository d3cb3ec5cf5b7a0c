//! synchronized(): the one place where PHP code runs while a lock is held, and the lock never outlives it: not by a
//! return, an exception, exit, a fatal error (which leaves by longjmp), a forked child, or a Fiber that never ends.
//! [`giving`] is the same care for memory.

use std::cell::RefCell;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use ext_php_rs::zend::{CatchError, bailout, try_catch};

use super::super::error::error;
use super::super::zend::{Result, Zval, call};
use super::super::zpp::{Args, value_error};
use crate::shm::lock::Wait;

/// Something with sections, kept alive for as long as one may be open.
pub trait Sections {
    /// Releases what the end of the request finds held.
    fn release(&self);
}

thread_local! {
    /// Sections whose callback runs now, the outermost first.
    static OPEN: RefCell<Vec<Box<dyn Sections>>> = const { RefCell::new(Vec::new()) };
}

/// The `?float $timeout`.
pub fn timeout(args: &Args, i: u32) -> Result<Wait> {
    match args.opt_double(i)? {
        None => Ok(Wait::Forever),
        Some(seconds) if seconds >= 0.0 => Ok(Duration::try_from_secs_f64(seconds).map_or(Wait::Forever, Wait::AtMost)),
        Some(_) => Err(value_error(i, "must be greater than or equal to 0")),
    }
}

/// Calls back with `section` held, then releases it, whatever the callback did.
pub fn run<S>(owner: Box<dyn Sections>, section: S, callable: *mut Zval) -> Result<Zval> {
    OPEN.with_borrow_mut(|open| open.push(owner));
    let outcome = try_catch(AssertUnwindSafe(|| call(callable, &mut [])));
    drop(section);
    let owner = OPEN.with_borrow_mut(Vec::pop);
    match outcome {
        Ok(answer) => answer,
        Err(CatchError::Bailout) => {
            drop(owner);
            // SAFETY: goes on with the bailout that try_catch has stopped; nothing of ours is left to drop.
            unsafe { bailout() }
        }
        Err(err) => Err(error(&err.to_string())),
    }
}

/// Makes PHP values of what the core gave, so that what it owns is freed when the engine runs out of its memory and
/// leaves by longjmp; `undo` gets it then, for the caller will never see it.
pub fn giving<T>(values: T, make: impl FnOnce(&T), undo: impl FnOnce(T)) -> Result {
    match try_catch(AssertUnwindSafe(|| make(&values))) {
        Ok(()) => Ok(()),
        Err(CatchError::Bailout) => {
            undo(values);
            // SAFETY: as in run().
            unsafe { bailout() }
        }
        Err(err) => Err(error(&err.to_string())),
    }
}

/// The end of a request. Sections are left only where a fatal error dropped a suspended Fiber's stack.
pub fn release_all() {
    while let Some(owner) = OPEN.with_borrow_mut(Vec::pop) {
        owner.release();
    }
}

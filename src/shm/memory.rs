//! The words of a segment as the protocols see them: few operations, each of them one step that a kill can follow.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::sys::robust::Mutex;

/// Shared 64-bit words. The protocols are written over this trait, so that the tests run the very same code on a
/// memory where any process may be stopped for good, or overtaken, after each of these calls.
pub trait Memory {
    /// Why an operation did not happen: never in a real segment.
    type Stop;

    /// Reads a word; nothing after it is done before it.
    ///
    /// # Errors
    /// The process is stopped here (in a simulation).
    fn load(&self, word: usize) -> Result<u64, Self::Stop>;

    /// Writes a word; nothing before it is done after it.
    ///
    /// # Errors
    /// As for [`Memory::load`].
    fn store(&self, word: usize, value: u64) -> Result<(), Self::Stop>;

    /// Writes a word and gives what it held.
    ///
    /// # Errors
    /// As for [`Memory::load`].
    fn swap(&self, word: usize, value: u64) -> Result<u64, Self::Stop>;

    /// Writes `new` if the word holds `old`; else gives what it holds.
    ///
    /// # Errors
    /// As for [`Memory::load`].
    fn compare_exchange(&self, word: usize, old: u64, new: u64) -> Result<Result<(), u64>, Self::Stop>;

    /// As [`Memory::load`], and in one order for all processes with every swap and compare-and-swap: of two that each
    /// write one word and then look at the other's, at least one sees what the other wrote.
    ///
    /// # Errors
    /// As for [`Memory::load`].
    fn load_in_order(&self, word: usize) -> Result<u64, Self::Stop> {
        self.load(word)
    }

    /// True when the owner of the hazard entry at this word is gone: its announcement is taken back then, and the entry
    /// is free. The segment's lock is held.
    ///
    /// # Errors
    /// As for [`Memory::load`].
    fn bury(&self, _entry: usize) -> Result<bool, Self::Stop> {
        Ok(false)
    }

    /// Gives calls that are under way on other processors a moment to end. Nothing depends on it.
    fn settle(&self) {}
}

/// The words of an attached segment. Every index comes from a layout that was checked against the kernel's size.
#[derive(Debug, Clone, Copy)]
pub struct Words<'s>(pub &'s [AtomicU64]);

impl Memory for Words<'_> {
    type Stop = Infallible;

    #[inline(always)]
    fn load(&self, word: usize) -> Result<u64, Infallible> {
        Ok(self.0[word].load(Ordering::Acquire))
    }

    #[inline(always)]
    fn store(&self, word: usize, value: u64) -> Result<(), Infallible> {
        self.0[word].store(value, Ordering::Release);
        Ok(())
    }

    #[inline(always)]
    fn swap(&self, word: usize, value: u64) -> Result<u64, Infallible> {
        Ok(self.0[word].swap(value, Ordering::SeqCst))
    }

    #[inline(always)]
    fn compare_exchange(&self, word: usize, old: u64, new: u64) -> Result<Result<(), u64>, Infallible> {
        Ok(self.0[word].compare_exchange(old, new, Ordering::SeqCst, Ordering::Acquire).map(drop))
    }

    #[inline(always)]
    fn load_in_order(&self, word: usize) -> Result<u64, Infallible> {
        Ok(self.0[word].load(Ordering::SeqCst))
    }

    fn bury(&self, entry: usize) -> Result<bool, Infallible> {
        Ok(super::hazard::take(*self, entry).map(Mutex::unlock).is_some())
    }

    fn settle(&self) {
        for _ in 0..1000 {
            std::hint::spin_loop();
        }
    }
}

/// Why a protocol step could not be finished.
#[derive(Debug, PartialEq, Eq)]
pub enum Fault<S> {
    /// See [`Memory::Stop`].
    Stop(S),
    /// The segment holds what no version of this code wrote there.
    Damaged(&'static str),
    /// The counter in this slot would leave the range of a signed 64-bit integer; nothing was changed.
    Overflow(usize),
    /// No slot is free for another name.
    Full,
    /// A call in flight in another process still refers to a slot whose name is gone. Nothing was changed.
    InFlight,
    /// The name was used by a process that could not say when it has ended: it stays.
    Pinned,
}

impl<S> From<S> for Fault<S> {
    fn from(stop: S) -> Self {
        Fault::Stop(stop)
    }
}

/// The result of an operation that nothing can stop.
#[inline(always)]
pub(super) fn sure<T>(result: Result<T, Infallible>) -> T {
    match result {
        Ok(value) => value,
        Err(never) => match never {},
    }
}

//! The segment's lock: one robust mutex, held as a guard.
//!
//! ```text
//!   free ---lock---> held ---guard dropped---> free
//!                    held ---owner dies------> owner died ---lock---> held, to be repaired ---repair---> held
//! ```
//!
//! The kernel alone decides that an owner has died (pthread_mutexattr_setrobust(3)); a stopped one has not. Whoever gets
//! the lock repairs first when the segment's words say that something is half done, however that came about. If that is
//! impossible the mutex is given back unrepaired and nobody gets it again: everybody is told that the segment is damaged.
//!
//! A thread holds a lock at most once. Inside `synchronized()` its calls go on under the lock it has, but only in the
//! Fiber that took it: another one would walk into the half-done work of the first. A forked child owns nothing, though
//! it inherits the memory of having locked.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use super::error::{Kind, ShmError};
use super::handle::Handle;
use super::layout::{self, mutex_byte};
use super::memory::{Memory, sure};
use super::table::Table;
use super::{block, hooks, journal};
use crate::sys::fork;
use crate::sys::robust::{Acquired, Mutex, Refused};

/// How long calls that take no timeout wait for the lock.
pub const DEFAULT_WAIT: Duration = Duration::from_secs(30);

/// A waiter looks this often whether it is interrupted.
pub(super) const SLICE: Duration = Duration::from_millis(10);
/// Attempts before it sleeps: the lock is mostly held for some tens of nanoseconds.
const SPINS: u32 = 40;

/// How long to wait for a lock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wait {
    /// [`DEFAULT_WAIT`].
    Usual,
    /// At most so long; zero tries once.
    AtMost(Duration),
    /// As long as it takes.
    Forever,
}

#[derive(Debug)]
struct Held {
    id: i32,
    context: usize,
    born: u64,
    depth: u32,
}

thread_local! {
    /// Locks that this thread holds over code of its caller.
    static HELD: RefCell<Vec<Held>> = const { RefCell::new(Vec::new()) };
}

/// The lock is held while this lives. Work that needs it takes the guard.
#[derive(Debug)]
#[must_use]
pub struct Guard<'h> {
    handle: &'h Handle,
    /// None: an outer section of this Fiber holds it.
    mutex: Option<Mutex<'h>>,
}

impl Drop for Guard<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(mutex) = self.mutex {
            mutex.unlock();
        }
    }
}

impl Guard<'_> {
    /// The handle whose lock it is.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        self.handle
    }

    /// True when an outer section of this Fiber holds the lock.
    #[must_use]
    pub fn is_nested(&self) -> bool {
        self.mutex.is_none()
    }
}

impl Handle {
    fn mutex(&self) -> Result<Mutex<'_>, ShmError> {
        self.may_lock()?;
        self.map.mutex(mutex_byte(self.trailer)).ok_or_else(|| self.damaged("lock"))
    }

    /// Takes the lock and repairs what a dead holder left.
    ///
    /// # Errors
    /// `Timeout`, `OtherFiber`, `Interrupted`, `Removed`, `Damaged`, `ReadOnly`, `NoLock`.
    #[inline]
    pub(super) fn lock(&self, wait: Wait) -> Result<Guard<'_>, ShmError> {
        let mutex = self.mutex()?;
        let acquired = match mutex.try_lock() {
            Ok(acquired) => acquired,
            Err(Refused::Busy | Refused::AlreadyHeld) => match self.wait_for(mutex, wait)? {
                Some(acquired) => acquired,
                None => return Ok(Guard { handle: self, mutex: None }),
            },
            Err(refused) => return Err(self.unusable(refused)),
        };
        let guard = Guard { handle: self, mutex: Some(mutex) };
        if acquired == Acquired::OwnerDied || self.needs_repair() {
            if let Err(err) = self.repair() {
                // Said in a word of ours, too: the mutex, given back unrepaired, is of no use to anybody, and some C
                // libraries then hang those who try.
                sure(self.words().store(self.trailer + layout::trailer::STATE, layout::BROKEN));
                return Err(err);
            }
            if acquired == Acquired::OwnerDied && mutex.make_consistent().is_err() {
                return Err(self.damaged("lock"));
            }
        }
        self.check()?; // destroyed while this one waited
        Ok(guard)
    }

    /// None: this Fiber holds it already.
    #[cold]
    fn wait_for<'h>(&'h self, mutex: Mutex<'h>, wait: Wait) -> Result<Option<Acquired>, ShmError> {
        for spin in 0..SPINS {
            match mutex.try_lock() {
                Ok(acquired) => return Ok(Some(acquired)),
                Err(Refused::Busy) => {}
                Err(Refused::AlreadyHeld) => return self.nested(),
                Err(refused) => return Err(self.unusable(refused)),
            }
            for _ in 0..spin {
                std::hint::spin_loop();
            }
        }
        let limit = match wait {
            Wait::Usual => Some(DEFAULT_WAIT),
            Wait::AtMost(time) => Some(time),
            Wait::Forever => None,
        };
        let start = Instant::now();
        loop {
            let left = limit.map_or(SLICE, |limit| limit.saturating_sub(start.elapsed()).min(SLICE));
            match mutex.lock_for(left) {
                Ok(acquired) => return Ok(Some(acquired)),
                Err(Refused::AlreadyHeld) => return self.nested(),
                Err(Refused::Busy) => {}
                Err(refused) => return Err(self.unusable(refused)),
            }
            if let Some(limit) = limit.filter(|limit| start.elapsed() >= *limit) {
                return Err(ShmError::Timeout { key: self.text(), seconds: limit.as_secs_f64() });
            }
            if hooks::interrupted() {
                return Err(ShmError::Interrupted { key: self.text() });
            }
            self.check()?;
        }
    }

    fn nested(&self) -> Result<Option<Acquired>, ShmError> {
        let context = hooks::context();
        let mine = HELD.with_borrow(|held| held.iter().any(|held| held.id == self.id && held.context == context));
        if mine { Ok(None) } else { Err(ShmError::OtherFiber { key: self.text() }) }
    }

    fn unusable(&self, refused: Refused) -> ShmError {
        match refused {
            Refused::NotRecoverable => self.damaged("what a killed process left could not be repaired"),
            _ => self.damaged("lock"),
        }
    }

    #[inline]
    fn needs_repair(&self) -> bool {
        let words = self.words();
        sure(match self.header.kind {
            Kind::Counters => journal::needs_repair(&words, self.trailer),
            Kind::Block => block::needs_repair(&words, self.trailer),
        })
    }

    #[cold]
    fn repair(&self) -> Result<(), ShmError> {
        match self.header.kind {
            Kind::Counters => {
                let at = layout::Counters::new(self.header.capacity);
                let repaired = Table { memory: &self.words(), at: &at }.repair();
                repaired.map_err(|fault| self.fault(fault, |slot| slot.to_string()))
            }
            Kind::Block => block::repair(self).map_err(|fault| self.fault(fault, |slot| slot.to_string())),
        }
    }

    /// Takes the lock over code of the caller: other calls of the same Fiber go on under it until the section is
    /// dropped.
    ///
    /// # Errors
    /// As for [`Handle::lock`].
    pub fn section(&self, wait: Wait) -> Result<Section<'_>, ShmError> {
        self.look()?;
        let guard = self.lock(wait)?;
        let (id, born, context) = (self.id, fork::generation(), hooks::context());
        HELD.with_borrow_mut(|held| {
            held.retain(|held| held.born == born);
            match held.iter_mut().find(|held| held.id == id) {
                Some(held) => held.depth += 1,
                None => held.push(Held { id, context, born, depth: 1 }),
            }
        });
        Ok(Section { guard: Some(guard), born })
    }
}

impl Handle {
    /// Releases what sections of this thread hold that were never dropped: a fatal error drops a suspended Fiber's stack
    /// without running it. For the end of a request; a section that is dropped later does nothing.
    ///
    /// Gives true when something was held.
    pub fn release_sections(&self) -> bool {
        let born = fork::generation();
        let mine = HELD.with_borrow_mut(|held| {
            let at = held.iter().position(|held| held.id == self.id && held.born == born);
            at.map(|at| held.remove(at))
        });
        if let (Some(_), Ok(mutex)) = (&mine, self.mutex()) {
            mutex.unlock();
        }
        mine.is_some()
    }
}

/// The lock is held over code of the caller.
#[derive(Debug)]
#[must_use]
pub struct Section<'h> {
    guard: Option<Guard<'h>>,
    born: u64,
}

impl Section<'_> {
    /// True when an outer section of this Fiber holds the lock.
    #[must_use]
    pub fn is_nested(&self) -> bool {
        self.guard.as_ref().is_some_and(Guard::is_nested)
    }
}

impl Drop for Section<'_> {
    fn drop(&mut self) {
        let Some(guard) = self.guard.take() else { return };
        if self.born != fork::generation() {
            std::mem::forget(guard); // a child: the lock is its parent's
            return;
        }
        HELD.with_borrow_mut(|held| {
            if let Some(at) = held.iter().position(|held| held.id == guard.handle.id) {
                held[at].depth -= 1;
                if held[at].depth == 0 {
                    held.remove(at);
                }
            }
        });
    }
}

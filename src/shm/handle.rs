//! An attached segment: what it says of itself, and whether it is still there.

use std::cell::Cell;
use std::io;
use std::sync::atomic::Ordering;

use super::error::Kind;
use super::error::ShmError;
use super::hazard::Entry;
use super::layout::{self, BROKEN, Header, LIVE, trailer};
use super::memory::{Fault, Words};
use crate::sys::sysv::{self, Attachment, Stat};
use crate::sys::{clock, fork, namespace};

/// Single calls between two looks at whether the kernel still has the segment under its key.
pub const CALLS_BETWEEN_LOOKS: u32 = 4096;

/// An attached segment whose header was found sound.
#[derive(Debug)]
pub struct Handle {
    pub(super) map: Attachment,
    pub(super) id: i32,
    pub(super) trailer: usize,
    pub(super) header: Header,
    pub(super) entry: Entry,
    calls_left: Cell<u32>,
    removed: Cell<bool>,
    /// When the kernel was asked last, by [`clock::ticks`].
    looked: Cell<u64>,
    /// The line of forks for which `same_namespace` was found out.
    checked_in: Cell<u64>,
    same_namespace: Cell<bool>,
}

impl Handle {
    pub(super) fn new(map: Attachment, id: i32, trailer: usize, header: Header) -> Self {
        let handle = Handle {
            map,
            id,
            trailer,
            header,
            entry: Entry::none(),
            calls_left: Cell::new(CALLS_BETWEEN_LOOKS),
            removed: Cell::new(false),
            looked: Cell::new(clock::ticks()),
            checked_in: Cell::new(0),
            same_namespace: Cell::new(false),
        };
        handle.look_at_namespace();
        handle
    }

    fn look_at_namespace(&self) {
        self.checked_in.set(fork::generation());
        let mine = namespace::pid_namespace().unwrap_or(0);
        self.same_namespace.set(mine != 0 && mine == self.header.pid_namespace);
    }

    #[inline(always)]
    pub(super) fn words(&self) -> Words<'_> {
        Words(self.map.words())
    }

    /// Cheap enough for each call: has destroy() begun, and now and then, has the kernel dropped it?
    ///
    /// # Errors
    /// `Removed`, for ever.
    #[inline(always)]
    pub(super) fn check(&self) -> Result<(), ShmError> {
        if self.is_fine() { Ok(()) } else { self.look() }
    }

    /// [`Handle::check`] for the fast path, false when there is anything to say.
    #[inline(always)]
    pub(super) fn is_fine(&self) -> bool {
        let left = self.calls_left.get();
        let fine = left != 0 && self.map.words()[self.trailer + trailer::STATE].load(Ordering::Relaxed) == LIVE;
        self.calls_left.set(left - u32::from(fine));
        fine
    }

    /// Asks the kernel.
    ///
    /// # Errors
    /// `Removed`, for ever.
    #[cold]
    pub(super) fn look(&self) -> Result<(), ShmError> {
        let state = self.map.words()[self.trailer + trailer::STATE].load(Ordering::Acquire);
        if state == BROKEN && !is_gone(&sysv::stat(self.id)) {
            return Err(self.damaged("what a killed process left could not be repaired"));
        }
        if state != LIVE || self.removed.get() || is_gone(&sysv::stat(self.id)) {
            self.removed.set(true);
            self.calls_left.set(0);
            return Err(self.gone());
        }
        self.calls_left.set(CALLS_BETWEEN_LOOKS);
        self.looked.set(clock::ticks());
        Ok(())
    }

    /// As [`Handle::look`], unless the last look was some microseconds ago: asking costs as much as a call of many
    /// counters.
    ///
    /// # Errors
    /// `Removed`, for ever.
    #[inline]
    pub(super) fn look_again(&self) -> Result<(), ShmError> {
        let passed = clock::ticks().wrapping_sub(self.looked.get());
        if passed < clock::FEW_MICROSECONDS { self.check() } else { self.look() }
    }

    pub(super) fn gone(&self) -> ShmError {
        ShmError::Removed { key: self.text(), generation: self.header.generation }
    }

    pub(super) fn text(&self) -> String {
        self.header.key.text()
    }

    pub(super) fn damaged(&self, what: &'static str) -> ShmError {
        ShmError::Damaged { key: self.text(), what }
    }

    /// What to say of a fault; `counter` names a slot.
    #[cold]
    pub(super) fn fault<S>(&self, fault: Fault<S>, counter: impl FnOnce(usize) -> String) -> ShmError {
        match fault {
            Fault::Overflow(slot) => ShmError::Overflow { key: self.text(), counter: counter(slot) },
            Fault::Damaged(what) => self.damaged(what),
            Fault::InFlight => ShmError::InFlight { key: self.text() },
            Fault::Pinned => ShmError::Pinned { key: self.text() },
            Fault::Full | Fault::Stop(_) => self.damaged("state"),
        }
    }

    /// Whether this process may take the segment's lock.
    ///
    /// # Errors
    /// `ReadOnly`, `NoLock` with the reason.
    #[inline]
    pub(super) fn may_lock(&self) -> Result<(), ShmError> {
        if self.checked_in.get() != fork::generation() {
            self.look_at_namespace(); // a child may have been born into another PID namespace
        }
        if self.same_namespace.get() && self.map.is_writable() && self.header.same_libc() {
            return Ok(());
        }
        Err(self.why_no_lock())
    }

    #[cold]
    fn why_no_lock(&self) -> ShmError {
        let why = if !self.map.is_writable() {
            return ShmError::ReadOnly { key: self.text() };
        } else if !self.header.same_libc() {
            "made by a process with another C library, whose mutex this one can't use; use one image for all, or only indexes and get()"
        } else {
            "made in another PID namespace (or it can't be told), where thread ids mean other threads, so its lock can't be used here; let the containers share the PID namespace, or use only indexes and names that exist already"
        };
        ShmError::NoLock { key: self.text(), why }
    }

    /// What the kernel knows of the segment now.
    ///
    /// # Errors
    /// `Removed`, or the failure of shmctl(2).
    pub fn stat(&self) -> Result<Stat, ShmError> {
        self.look()?;
        sysv::stat(self.id).map_err(|source| ShmError::Io {
            op: "shmctl",
            key: self.text(),
            source,
            advice: String::new(),
        })
    }

    /// What the segment says of itself.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.header.kind == Kind::Counters {
            self.disown(&layout::Counters::new(self.header.capacity));
        }
    }
}

/// Removed, or removed and used up. A segment that this user may no longer stat is still there.
pub(super) fn is_gone(stat: &io::Result<Stat>) -> bool {
    match stat {
        Ok(stat) => stat.removed,
        Err(err) => matches!(err.raw_os_error(), Some(libc::EIDRM | libc::EINVAL)),
    }
}

//! One block of bytes: the public face.

use std::mem::MaybeUninit;
use std::time::Instant;

use super::block::{Mapped, phase, try_read, write};
use super::error::{BadArgument, Kind, ShmError};
use super::handle::Handle;
use super::hooks;
use super::key::Key;
use super::layout::{Block, MAX_BLOCK_BYTES};
use super::lock::{DEFAULT_WAIT, Guard, SLICE, Section, Wait};
use super::oldsem::OldSemaphore;
use super::open::{self, Wanted, obtain};

/// Reads without the lock before a reader takes it, lest writers starve it.
const TRIES: u32 = 64;

/// Bytes in a System V segment: the first copy starts at its byte 0.
#[derive(Debug)]
pub struct Segment {
    handle: Handle,
    at: Block,
    old: Option<OldSemaphore>,
}

/// The old semaphore is held while this lives.
#[derive(Debug)]
struct OldHeld<'s>(Option<&'s OldSemaphore>);

impl Drop for OldHeld<'_> {
    fn drop(&mut self) {
        if let Some(old) = self.0 {
            old.release();
        }
    }
}

/// The lock, and the old semaphore if there is one, are held over code of the caller.
#[derive(Debug)]
#[must_use]
pub struct SegmentSection<'s> {
    // In this order: the lock goes first, so that nobody who has it ever waits for a semaphore of ours.
    _section: Section<'s>,
    old: Option<OldHeld<'s>>,
    born: u64,
}

impl Drop for SegmentSection<'_> {
    fn drop(&mut self) {
        if self.born != crate::sys::fork::generation() {
            std::mem::forget(self.old.take()); // a child: its parent will release it
        }
    }
}

impl Segment {
    /// Opens the segment or creates it with `size` bytes of 0. `mode` counts only at creation.
    ///
    /// # Errors
    /// See [`ShmError`]; `OtherCapacity` when it exists with another size.
    pub fn create(key: Key, size: i64, mode: i64, old: Option<&Key>) -> Result<Self, ShmError> {
        let size = usize::try_from(size).ok().filter(|size| (1..=MAX_BLOCK_BYTES).contains(size));
        let capacity = Some(size.ok_or(BadArgument::Size)?);
        let mode = open::mode(mode)?;
        let handle = obtain(Wanted { key, kind: Kind::Block, capacity, mode, writable: true })?;
        let old = old.map(|key| OldSemaphore::open(key, mode)).transpose()?;
        let at = Block::new(handle.header.capacity);
        Ok(Segment { handle, at, old })
    }

    /// The segment itself.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.at.len
    }

    /// The range that starts at `offset` and goes on for `len` bytes, or to the end.
    ///
    /// # Errors
    /// `Argument`: it is not inside the segment.
    pub fn range(&self, offset: i64, len: Option<i64>) -> Result<(usize, usize), ShmError> {
        let offset = usize::try_from(offset).ok().filter(|offset| *offset <= self.at.len);
        let offset = offset.ok_or(BadArgument::Offset(self.at.len))?;
        let left = self.at.len - offset;
        let len = match len {
            None => left,
            Some(len) => usize::try_from(len).ok().filter(|len| *len <= left).ok_or(BadArgument::Length(left))?,
        };
        Ok((offset, len))
    }

    /// The lock alone: for calls that end before any code of the caller runs.
    fn lock(&self, wait: Wait) -> Result<(Guard<'_>, OldHeld<'_>), ShmError> {
        let start = Instant::now();
        loop {
            let guard = self.handle.lock(wait)?;
            let Some(old) = self.old.as_ref().filter(|_| !guard.is_nested()) else {
                return Ok((guard, OldHeld(None)));
            };
            if old.acquire(SLICE)? {
                return Ok((guard, OldHeld(Some(old))));
            }
            drop(guard); // signal handlers may run now
            self.wait_again(start, wait)?;
        }
    }

    fn wait_again(&self, start: Instant, wait: Wait) -> Result<(), ShmError> {
        let limit = match wait {
            Wait::Usual => Some(DEFAULT_WAIT),
            Wait::AtMost(time) => Some(time),
            Wait::Forever => None,
        };
        if let Some(limit) = limit.filter(|limit| start.elapsed() >= *limit) {
            return Err(ShmError::Timeout { key: self.handle.text(), seconds: limit.as_secs_f64() });
        }
        if hooks::interrupted() {
            return Err(ShmError::Interrupted { key: self.handle.text() });
        }
        Ok(())
    }

    /// Replaces bytes at `offset`: readers see all of it or nothing, whatever kills this process.
    ///
    /// # Errors
    /// `Argument` when the range is not inside; `Removed`, and those of the lock.
    pub fn write(&self, offset: i64, data: &[u8]) -> Result<(), ShmError> {
        let (offset, left) = self.range(offset, None)?;
        if data.len() > left {
            return Err(BadArgument::Data(left).into());
        }
        self.handle.check()?;
        let (_guard, _old) = self.lock(Wait::Usual)?;
        write(&Mapped(&self.handle.map), &self.at, offset, data, self.old.is_some())
            .map_err(|fault| self.handle.fault(fault, |slot| slot.to_string()))
    }

    /// Fills `to` with the bytes from `offset` on, from a moment between two writes. Never waits for a writer, unless
    /// there is an old semaphore, or writers overtake it many times.
    ///
    /// # Errors
    /// `Argument` when the range is not inside; `Removed`, and those of the lock.
    pub fn read_into(&self, offset: usize, to: &mut [MaybeUninit<u8>]) -> Result<(), ShmError> {
        self.handle.check()?;
        let memory = Mapped(&self.handle.map);
        let mut read = || {
            try_read(&memory, &self.at, offset, to).map_err(|fault| self.handle.fault(fault, |slot| slot.to_string()))
        };
        if self.old.is_none() {
            for _ in 0..TRIES {
                if read()? {
                    return Ok(());
                }
            }
        }
        let (_guard, _old) = self.lock(Wait::Usual)?;
        if read()? { Ok(()) } else { Err(self.handle.damaged("phase")) }
    }

    /// See [`Handle::release_sections`]; the old semaphore is released, too.
    pub fn release_sections(&self) {
        if self.handle.release_sections()
            && let Some(old) = &self.old
        {
            old.release();
        }
    }

    /// Number of writes so far.
    #[must_use]
    pub fn writes(&self) -> u64 {
        phase(&self.handle) / 4
    }

    /// Holds the lock, and the old semaphore if there is one, over code of the caller.
    ///
    /// # Errors
    /// As for [`Handle::section`]; `Timeout` of the semaphore.
    pub fn section(&self, wait: Wait) -> Result<SegmentSection<'_>, ShmError> {
        let start = Instant::now();
        let born = crate::sys::fork::generation();
        loop {
            let section = self.handle.section(wait)?;
            let Some(old) = self.old.as_ref().filter(|_| !section.is_nested()) else {
                return Ok(SegmentSection { _section: section, old: None, born });
            };
            if old.acquire(SLICE)? {
                return Ok(SegmentSection { _section: section, old: Some(OldHeld(Some(old))), born });
            }
            drop(section);
            self.wait_again(start, wait)?;
        }
    }
}

//! Counters of one segment: the public face.

mod many;

use std::cell::RefCell;

use super::error::{BadArgument, Kind, ShmError};
use super::handle::Handle;
use super::key::Key;
use super::layout::{self, MAX_SLOTS};
use super::lock::{Guard, Section, Wait};
use super::memory::{Fault, Words, sure};
use super::names::{Found, Name};
use super::open::{self, Wanted, obtain};
use super::table::{Change, GROUPED, NAMED, Single, Table};

/// How a caller names a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter<'n> {
    /// By its slot.
    Index(i64),
    /// By a string, with any hash of it that is always the same (for the handle's own memory of names).
    Name(&'n [u8], u64),
}

impl std::fmt::Display for Counter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const SHOWN: usize = 80; // of a name that is too long for a message, too
        match self {
            Counter::Index(index) => write!(f, "{index}"),
            Counter::Name(bytes, _) if bytes.len() <= SHOWN => write!(f, "\"{}\"", bytes.escape_ascii()),
            Counter::Name(bytes, _) => {
                write!(f, "\"{}...\" of {} bytes", bytes[..SHOWN].escape_ascii(), bytes.len())
            }
        }
    }
}

/// How a counter is named in a result.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Label {
    /// A slot without a name.
    Index(usize),
    /// Its name.
    Name(Vec<u8>),
}

/// What a handle remembers of a name.
#[derive(Debug, Clone)]
struct Remembered {
    hash: u64,
    name: Box<[u8]>,
    found: Found,
}

const REMEMBERED: usize = 1024; // a power of two

/// 64-bit counters in a System V segment.
#[derive(Debug)]
pub struct Counters {
    handle: Handle,
    at: layout::Counters,
    remembered: RefCell<Box<[Option<Remembered>]>>,
    scratch: RefCell<Vec<(usize, i64)>>,
}

/// A name that may be claimed.
///
/// # Errors
/// Too long, empty, or what PHP's arrays would make an index of.
#[inline]
fn name(bytes: &[u8]) -> Result<Name<'_>, BadArgument> {
    if is_canonical_integer(bytes) {
        return Err(BadArgument::IntegerName);
    }
    Name::new(bytes).ok_or(BadArgument::NameLength)
}

/// "7" and "-7", not "07", "+7" or "-0": what PHP makes an int of when it is an array's key.
#[must_use]
pub fn is_canonical_integer(bytes: &[u8]) -> bool {
    let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
    match digits {
        [b'0'] => digits.len() == bytes.len(),
        [b'1'..=b'9', rest @ ..] if digits.len() <= 19 && rest.iter().all(u8::is_ascii_digit) => {
            std::str::from_utf8(bytes).is_ok_and(|text| text.parse::<i64>().is_ok())
        }
        _ => false,
    }
}

impl Counters {
    fn new(handle: Handle) -> Self {
        let at = layout::Counters::new(handle.header.capacity);
        Counters { handle, at, remembered: RefCell::default(), scratch: RefCell::default() }
    }

    /// Opens the segment or creates it with `slots` counters. `mode` counts only at creation.
    ///
    /// # Errors
    /// See [`ShmError`]; `OtherCapacity` when it exists with another number of slots.
    pub fn create(key: Key, slots: i64, mode: i64) -> Result<Self, ShmError> {
        let slots = usize::try_from(slots).ok().filter(|slots| (1..=MAX_SLOTS).contains(slots));
        let capacity = Some(slots.ok_or(BadArgument::Slots)?);
        let mode = open::mode(mode)?;
        obtain(Wanted { key, kind: Kind::Counters, capacity, mode, writable: true }).map(Self::new)
    }

    /// Opens an existing segment of any capacity.
    ///
    /// # Errors
    /// See [`ShmError`]; `Missing` when there is none.
    pub fn open(key: Key, read_only: bool) -> Result<Self, ShmError> {
        obtain(Wanted { key, kind: Kind::Counters, capacity: None, mode: 0, writable: !read_only }).map(Self::new)
    }

    /// The segment itself.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Number of counters.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.at.slots
    }

    #[inline(always)]
    fn with_table<T>(&self, work: impl FnOnce(Table<'_, Words<'_>>) -> T) -> T {
        work(Table { memory: &self.handle.words(), at: &self.at })
    }

    #[inline]
    fn slot(&self, index: i64) -> Result<usize, ShmError> {
        match usize::try_from(index) {
            Ok(slot) if slot < self.at.slots => Ok(slot),
            _ => Err(BadArgument::Index(self.at.slots - 1).into()),
        }
    }

    #[cold]
    fn failed<S>(&self, fault: Fault<S>) -> ShmError {
        if matches!(fault, Fault::Full) {
            return self.full(1, 0);
        }
        self.handle.fault(fault, |slot| match self.with_table(|table| table.name_of(slot)) {
            Ok(Some(name)) => format!("\"{}\"", name.escape_ascii()),
            _ => slot.to_string(),
        })
    }

    /// Not so many new names: only so many slots are free for them.
    #[cold]
    fn full(&self, wanted: usize, free: usize) -> ShmError {
        let named =
            self.with_table(|table| (0..self.at.slots).filter(|slot| sure(table.state(*slot)) & NAMED != 0).count());
        let capacity = self.at.slots;
        ShmError::Full { key: self.handle.text(), capacity, named, indexed: capacity - named - free, wanted, free }
    }

    /// The slot of a name that this handle has met before, if the name is still there.
    #[inline]
    fn remembered(&self, bytes: &[u8], hash: u64) -> Option<Found> {
        let remembered = self.remembered.borrow();
        match remembered.get(hash as usize & (REMEMBERED - 1)) {
            Some(Some(known)) if known.hash == hash && *known.name == *bytes => {
                let state = self.with_table(|table| sure(table.state(known.found.slot)));
                (state & !GROUPED == known.found.state).then_some(known.found)
            }
            _ => None,
        }
    }

    #[cold]
    fn remember(&self, bytes: &[u8], hash: u64, found: Found) {
        let mut remembered = self.remembered.borrow_mut();
        if remembered.is_empty() {
            *remembered = vec![None; REMEMBERED].into();
        }
        remembered[hash as usize & (REMEMBERED - 1)] = Some(Remembered { hash, name: bytes.into(), found });
    }

    /// The slot of a name that somebody has claimed.
    #[inline]
    fn find(&self, bytes: &[u8], hash: u64) -> Result<Option<Found>, ShmError> {
        match self.remembered(bytes, hash) {
            None => self.look_up(bytes, hash),
            found => Ok(found),
        }
    }

    #[cold]
    fn look_up(&self, bytes: &[u8], hash: u64) -> Result<Option<Found>, ShmError> {
        let name = name(bytes)?;
        let found = self.with_table(|table| table.find(name)).map_err(|fault| self.failed(fault))?;
        if let Some(found) = found {
            self.remember(bytes, hash, found);
        }
        Ok(found)
    }

    fn claim(&self, _lock: &Guard<'_>, bytes: &[u8], hash: u64) -> Result<Found, ShmError> {
        let name = name(bytes)?;
        let found = self.with_table(|table| table.claim(name)).map_err(|fault| self.failed(fault))?;
        self.remember(bytes, hash, found);
        Ok(found)
    }

    /// The value. Never waits; a name that nobody has claimed holds 0, and is not claimed by this.
    ///
    /// # Errors
    /// `Removed`, `Argument`.
    #[inline]
    pub fn get(&self, counter: Counter<'_>) -> Result<i64, ShmError> {
        self.handle.check()?;
        let slot = match counter {
            Counter::Index(index) => self.slot(index)?,
            Counter::Name(bytes, hash) => match self.find(bytes, hash)? {
                Some(found) => found.slot,
                None => return Ok(0),
            },
        };
        Ok(self.with_table(|table| sure(table.value(slot))))
    }

    /// The slot of a counter that nothing stands in the way of.
    #[inline(always)]
    fn plain(&self, counter: Counter<'_>) -> Option<usize> {
        let slot = match counter {
            Counter::Index(index) => usize::try_from(index).ok().filter(|slot| *slot < self.at.slots)?,
            Counter::Name(bytes, hash) => self.remembered(bytes, hash)?.slot,
        };
        self.handle.is_fine().then_some(slot)
    }

    /// [`Counters::get`] when that is plain, else None: for callers that inline it.
    #[inline(always)]
    pub fn get_fast(&self, counter: Counter<'_>) -> Option<i64> {
        let slot = self.plain(counter)?;
        Some(self.with_table(|table| sure(table.value(slot))))
    }

    /// [`Counters::single`] when that is plain, else None with nothing done: for callers that inline it.
    #[inline(always)]
    pub fn single_fast(&self, counter: Counter<'_>, call: Single) -> Option<Change> {
        let slot = self.plain(counter)?;
        self.with_table(|table| {
            if sure(table.state(slot)) & GROUPED != 0 || !self.handle.map.is_writable() {
                return None;
            }
            table.change(slot, call).ok()
        })
    }

    /// One atomic change. Lock-free on a counter that was never in [`Counters::add_many`]; else under the lock.
    ///
    /// # Errors
    /// `Overflow` with the value unchanged, `Full`, `Removed`, `ReadOnly`, and those of the lock.
    #[inline]
    pub fn single(&self, counter: Counter<'_>, call: Single) -> Result<Change, ShmError> {
        self.handle.check()?;
        if !self.handle.map.is_writable() {
            return Err(ShmError::ReadOnly { key: self.handle.text() });
        }
        match counter {
            Counter::Index(index) => {
                let slot = self.slot(index)?;
                let state = self.with_table(|table| sure(table.state(slot)));
                if state & GROUPED != 0 {
                    return self.locked_single(slot, call);
                }
                self.change(slot, call)
            }
            Counter::Name(bytes, hash) => match self.find(bytes, hash)? {
                Some(found) if self.with_table(|table| sure(table.state(found.slot))) == found.state => {
                    self.change(found.slot, call)
                }
                _ => self.named_single(bytes, hash, call),
            },
        }
    }

    #[inline(always)]
    fn change(&self, slot: usize, call: Single) -> Result<Change, ShmError> {
        self.with_table(|table| table.change(slot, call)).map_err(|fault| self.failed(fault))
    }

    fn locked_single(&self, slot: usize, call: Single) -> Result<Change, ShmError> {
        let _lock = self.handle.lock(Wait::Usual)?;
        self.change(slot, call)
    }

    /// A grouped counter, or one without a slot yet: claiming and the first change are one step for everybody else.
    fn named_single(&self, bytes: &[u8], hash: u64, call: Single) -> Result<Change, ShmError> {
        let lock = self.handle.lock(Wait::Usual)?;
        let found = match self.remembered(bytes, hash) {
            Some(found) => found,
            None => self.claim(&lock, bytes, hash)?,
        };
        self.change(found.slot, call)
    }

    /// All names and their slots. Never waits.
    ///
    /// # Errors
    /// `Removed`, `Damaged`.
    pub fn names(&self) -> Result<Vec<(Vec<u8>, usize)>, ShmError> {
        self.handle.look()?;
        let mut names = Vec::new();
        for slot in 0..self.at.slots {
            if let Some(Label::Name(name)) = self.label(slot, false)? {
                names.push((name, slot));
            }
        }
        Ok(names)
    }

    /// Takes a name and its value away; false if there is no such name. An add under that name that is in flight at this
    /// moment may land in the slot afterwards.
    ///
    /// # Errors
    /// `Argument`, `Removed`, and those of the lock.
    pub fn forget(&self, bytes: &[u8]) -> Result<bool, ShmError> {
        let name = name(bytes).map_err(|_| BadArgument::ForgottenName)?;
        let _lock = self.lock()?;
        self.with_table(|table| table.forget(name)).map_err(|fault| self.failed(fault))
    }

    /// Counters with a name, and without one that do not hold 0.
    #[must_use]
    pub fn used(&self) -> usize {
        self.with_table(|table| {
            (0..self.at.slots)
                .filter(|slot| sure(table.state(*slot)) & NAMED != 0 || sure(table.value(*slot)) != 0)
                .count()
        })
    }

    /// Holds the lock over code of the caller.
    ///
    /// # Errors
    /// As for [`Handle::section`].
    pub fn section(&self, wait: Wait) -> Result<Section<'_>, ShmError> {
        self.handle.section(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_as_phps_arrays_see_them() {
        for int in [&b"0"[..], b"7", b"-7", b"9223372036854775807", b"-9223372036854775808"] {
            assert!(is_canonical_integer(int), "{}", int.escape_ascii());
        }
        for text in [
            &b""[..],
            b"-",
            b"-0",
            b"07",
            b"+7",
            b" 7",
            b"7 ",
            b"7.0",
            b"1e3",
            b"9223372036854775808",
            b"-9223372036854775809",
            b"a",
        ] {
            assert!(!is_canonical_integer(text), "{}", text.escape_ascii());
        }
    }
}

//! Counters of one segment: the public face.

mod many;
mod single;

use std::cell::RefCell;
use std::thread;
use std::time::{Duration, Instant};

use super::error::{BadArgument, Kind, ShmError};
use super::handle::Handle;
use super::hooks;
use super::key::Key;
use super::layout::{self, MAX_SLOTS};
use super::lock::{DEFAULT_WAIT, Guard, SLICE, Section, Wait};
use super::memory::{Fault, Words, sure};
use super::names::{Found, Name};
use super::open::{self, Wanted, obtain};
use super::table::{NAMED, Table};

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

    /// Where this handle has met a name before, which may have gone since.
    #[inline(always)]
    fn known(&self, bytes: &[u8], hash: u64) -> Option<Found> {
        let remembered = self.remembered.borrow();
        match remembered.get(hash as usize & (REMEMBERED - 1)) {
            Some(Some(known)) if known.hash == hash && *known.name == *bytes => Some(known.found),
            _ => None,
        }
    }

    /// The slot of a name that this handle has met before, if the name is still there.
    #[inline]
    fn remembered(&self, bytes: &[u8], hash: u64) -> Option<Found> {
        self.known(bytes, hash).filter(|found| self.with_table(|table| sure(table.is_still(*found))))
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

    /// Does the work again while a process that is in the middle of a call keeps it from a slot.
    fn when_settled<T>(&self, work: impl Fn() -> Result<T, ShmError>) -> Result<T, ShmError> {
        let mut start = None;
        let mut pause = Duration::from_micros(20);
        loop {
            match work() {
                Err(ShmError::InFlight { .. }) if start.get_or_insert_with(Instant::now).elapsed() < DEFAULT_WAIT => {
                    thread::sleep(pause);
                    pause = (2 * pause).min(SLICE);
                    if hooks::interrupted() {
                        return Err(ShmError::Interrupted { key: self.handle.text() });
                    }
                }
                other => return other,
            }
        }
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

    /// Takes a name and its value away; false if there is no such name. An add under that name at this very moment is
    /// either gone with it or counted under the name's next life: see [`hazard`](super::hazard).
    ///
    /// # Errors
    /// `Argument`, `Removed`, `Pinned`, and those of the lock.
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
                .filter(|slot| sure(table.state(*slot)) & NAMED != 0 || sure(table.shown(*slot)) != 0)
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

//! Calls under a name that are in flight while the name goes: hazard pointers.
//!
//! A single call under a name looks the name up, makes sure that it is still there, and swaps the counter's word: three
//! steps without the lock, and before the last one [`forget()`](Table::forget) may take the name away and somebody may
//! claim the slot for another one. A plain 64-bit word can't tell whose it is, so the swap would succeed whenever the
//! word happens to hold the expected value. So each handle has an *entry*, where it announces what it is about to do:
//!
//! ```text
//!   call under a name, without the lock               forget(), under the lock
//!     1  load the word: `expected`                      1  state: no name, another number, retired
//!     2  entry := (slot, expected)                      2  look at all entries
//!     3  load the state: the name has gone? -> 6        3  word := a value that no entry of this slot expects
//!     4  compare-and-swap the word; else -> 1           4  no entry of this slot: not retired any more
//!     5  it is done
//!     6  entry := 0 (then, if the name has gone,      claim, or any use of a retired slot, under the lock
//!        the call starts over: it claims the name)      1  look at all entries: one of this slot -> leave it alone
//!                                                       2  word := 0, not retired any more
//! ```
//!
//! Steps 2 and 3 of a call, and 1 and 2 of forget(), are each a write and a look at the other's word, in one order for
//! all processes. So either the call sees that the name has gone, or forget() sees the entry, and then the word does not
//! hold what the call expects until the entry is gone. Hence, whoever is stopped or killed wherever:
//!
//! - A swap that succeeds did so before step 3 of forget(), on a value of the name's own. The call saw the name after it
//!   had begun, so it counts as done just before forget()'s step 1, with the exact value it returned, and is gone with the
//!   name like everything that was added before. It is never in another name, and never in nobody's slot.
//! - A call that fails instead has changed nothing. It is done under the name that it claims anew: once.
//! - `get()` loads the word, then the state: a value is the name's, or is not returned.
//! - A slot is kept back only while a *living* process is between 2 and 6. Each entry is owned through a robust mutex,
//!   which its handle holds for life; when the kernel says that the owner died, the entry means nothing: a dead process
//!   swaps no more. Nothing leaks.
//!
//! Who needs such a slot waits (without the lock) for that process to go on: a few instructions, unless it was stopped.
//! While a slot is retired its word means nothing (0 mostly; another small number only if a call in flight expects 0), and
//! nobody shows it, drains it, or writes to it; calls by its index take the lock.
//!
//! The price is one atomic exchange for a call under a name. A handle that gets no entry ([`layout::HAZARDS`] are all
//! owned) takes the lock for each such call. A process that can't use the lock (another PID namespace, another C library)
//! can't own an entry either: it *pins* the name before it writes under it, by one atomic change of the state that fails if
//! the name has gone. forget() refuses a pinned name.
//!
//! [`layout::HAZARDS`]: super::layout::HAZARDS

use std::cell::Cell;
use std::io;

use super::handle::Handle;
use super::layout::{Counters, OWNER};
use super::memory::{Fault, Memory, Words, sure};
use super::names::Found;
use super::table::{Change, MARKS, PINNED, RETIRED, Single, Table};
use crate::sys::fork;
use crate::sys::robust::{Acquired, Mutex};

/// An entry's word: the slot plus 1 above, what the call expects there below (as much as there is room for).
const EXPECTED_BITS: u32 = 39;
const EXPECTED: u64 = (1 << EXPECTED_BITS) - 1;

fn announcement(slot: usize, expected: i64) -> u64 {
    (slot as u64 + 1) << EXPECTED_BITS | expected.cast_unsigned() & EXPECTED
}

impl<M: Memory> Table<'_, M> {
    /// A single call under a name, without the lock, by the owner of this entry. None, with nothing changed, when the
    /// name has gone or its slot has become grouped: then it needs the lock.
    ///
    /// # Errors
    /// `Overflow`, the value unchanged.
    #[inline(always)]
    pub fn change_named(&self, entry: usize, found: Found, call: Single) -> Result<Option<Change>, Fault<M::Stop>> {
        let own = self.at.hazard(entry);
        let mut before = self.value(found.slot)?;
        let done = loop {
            self.memory.swap(own, announcement(found.slot, before))?;
            if self.memory.load_in_order(self.at.state(found.slot))? & !PINNED != found.state {
                break Ok(None);
            }
            let Some(after) = call.next(before) else { break Err(Fault::Overflow(found.slot)) };
            if after == before {
                break Ok(Some(Change { before, after }));
            }
            match self.memory.compare_exchange(found.slot, before.cast_unsigned(), after.cast_unsigned())? {
                Ok(()) => break Ok(Some(Change { before, after })),
                Err(now) => before = now.cast_signed(),
            }
        };
        self.memory.store(own, 0)?;
        done
    }

    /// Makes sure that the name that was found stays for good; false when it has gone.
    ///
    /// # Errors
    /// Only [`Memory::Stop`].
    pub fn pin(&self, found: Found) -> Result<bool, M::Stop> {
        let mut state = self.state(found.slot)?;
        while state & !MARKS == found.state {
            if state & PINNED != 0 {
                return Ok(true);
            }
            match self.memory.compare_exchange(self.at.state(found.slot), state, state | PINNED)? {
                Ok(()) => return Ok(true),
                Err(now) => state = now,
            }
        }
        Ok(false)
    }

    /// What living owners of entries expect in this slot. The lock is held.
    fn in_flight(&self, slot: usize) -> Result<Vec<u64>, M::Stop> {
        let used = usize::try_from(self.memory.load_in_order(self.at.hazards_used())?).unwrap_or(usize::MAX);
        let mut expected = Vec::new();
        for entry in 0..used.min(self.at.hazards) {
            let word = self.memory.load_in_order(self.at.hazard(entry))?;
            if word >> EXPECTED_BITS == slot as u64 + 1 && !self.memory.bury(self.at.hazard(entry))? {
                expected.push(word & EXPECTED);
            }
        }
        Ok(expected)
    }

    /// What becomes of a slot whose name has just gone. The lock is held.
    pub(super) fn retire(&self, slot: usize) -> Result<(), M::Stop> {
        let expected = self.in_flight(slot)?;
        let unexpected = (0..=EXPECTED).find(|value| !expected.contains(value)).unwrap_or(0); // always found: few entries
        self.memory.swap(slot, unexpected)?;
        if expected.is_empty() { self.unretire(slot) } else { Ok(()) }
    }

    fn unretire(&self, slot: usize) -> Result<(), M::Stop> {
        let state = self.state(slot)?;
        self.memory.store(self.at.state(slot), state & !RETIRED)
    }

    /// Whether the slot's word may be written to: not while it is retired and a call in flight refers to it. The lock is
    /// held.
    ///
    /// # Errors
    /// Only [`Memory::Stop`].
    pub fn is_usable(&self, slot: usize) -> Result<bool, M::Stop> {
        if self.state(slot)? & RETIRED == 0 {
            return Ok(true);
        }
        if !self.in_flight(slot)?.is_empty() {
            return Ok(false);
        }
        self.memory.swap(slot, 0)?;
        self.unretire(slot)?;
        Ok(true)
    }

    /// The value of a slot as everybody may see it: 0 while it is retired.
    ///
    /// # Errors
    /// Only [`Memory::Stop`].
    #[inline(always)]
    pub fn shown(&self, slot: usize) -> Result<i64, M::Stop> {
        // In this order: a slot that is not retired any more holds 0 already.
        if self.state(slot)? & RETIRED != 0 { Ok(0) } else { self.value(slot) }
    }
}

/// Takes an entry that nobody living owns, without an announcement; it is owned while the mutex is held.
pub(super) fn take(words: Words<'_>, entry: usize) -> Option<Mutex<'_>> {
    let mutex = Mutex::over(words.0.get(entry + OWNER..)?)?;
    let acquired = mutex.try_lock().ok()?;
    sure(words.store(entry, 0));
    if acquired == Acquired::OwnerDied {
        mutex.make_consistent().ok()?;
    }
    Some(mutex)
}

/// Makes all entries of a segment that nobody else uses yet.
///
/// # Errors
/// Those of pthread_mutex_init(3).
pub(super) fn make_entries(words: Words<'_>, at: &Counters) -> io::Result<()> {
    (0..at.hazards).filter_map(|entry| Mutex::over(words.0.get(at.hazard(entry) + OWNER..)?)).try_for_each(Mutex::init)
}

/// How a handle may write under names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// By its own entry.
    Entry(usize),
    /// Under the lock: no entry is free.
    Lock,
    /// After pinning the name: it can't use the lock.
    Pin,
}

/// The entry that a handle owns.
#[derive(Debug)]
pub(super) struct Entry {
    number: Cell<usize>,
    /// The process that owns it, by [`fork::generation`]; a forked child owns nothing.
    born: Cell<u64>,
    /// Calls until it looks for a free entry again.
    patience: Cell<u32>,
}

const NOBODY: u64 = u64::MAX;
const PATIENCE: u32 = 1000;

impl Entry {
    pub(super) fn none() -> Self {
        Entry { number: Cell::new(0), born: Cell::new(NOBODY), patience: Cell::new(0) }
    }
}

thread_local! {
    /// The entry that a handle of this thread had last: likely to be free, and in a near cache.
    static LAST: Cell<usize> = const { Cell::new(0) };
}

impl Handle {
    /// The entry that this handle owns already.
    #[inline(always)]
    pub(super) fn entry(&self) -> Option<usize> {
        (self.entry.born.get() == fork::generation()).then(|| self.entry.number.get())
    }

    /// How this handle may write under names. Never waits.
    pub(super) fn way(&self, at: &Counters) -> Way {
        match self.entry() {
            Some(entry) => Way::Entry(entry),
            None if self.may_lock().is_err() => Way::Pin,
            None => self.own_an_entry(at).map_or(Way::Lock, Way::Entry),
        }
    }

    #[cold]
    fn own_an_entry(&self, at: &Counters) -> Option<usize> {
        let patience = self.entry.patience.get();
        if patience > 0 {
            self.entry.patience.set(patience - 1);
            return None;
        }
        let words = self.words();
        let last = LAST.get().min(at.hazards - 1);
        let Some(entry) =
            [last].into_iter().chain(0..at.hazards).find(|entry| take(words, at.hazard(*entry)).is_some())
        else {
            self.entry.patience.set(PATIENCE);
            return None;
        };
        // Before the first announcement in it, so that whoever has to see that one looks at the entry.
        let mut used = sure(words.load(at.hazards_used()));
        while used <= entry as u64 {
            match sure(words.compare_exchange(at.hazards_used(), used, entry as u64 + 1)) {
                Ok(()) => break,
                Err(now) => used = now,
            }
        }
        LAST.set(entry);
        self.entry.number.set(entry);
        self.entry.born.set(fork::generation());
        Some(entry)
    }

    /// Gives the entry back, if there is one.
    pub(super) fn disown(&self, at: &Counters) {
        if let Some(entry) = self.entry()
            && let Some(mutex) = self.words().0.get(at.hazard(entry) + OWNER..).and_then(Mutex::over)
        {
            self.entry.born.set(NOBODY);
            mutex.unlock();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::super::names::Name;
    use super::*;

    #[test]
    fn a_slot_is_kept_back_while_a_living_owner_refers_to_it() {
        let at = Counters::with_hazards(1, 2);
        let words: Vec<AtomicU64> = (0..at.bytes() / 8).map(|_| AtomicU64::new(0)).collect();
        let memory = Words(&words);
        let table = Table { memory: &memory, at: &at };
        make_entries(memory, &at).unwrap();
        sure(memory.store(at.named_from(), 1));
        sure(memory.store(at.hazards_used(), 2));
        let (x, y) = (Name::new(b"x").unwrap(), Name::new(b"y").unwrap());
        let found = table.claim(x).unwrap();
        for owner_dies in [false, true] {
            let owner = take(memory, at.hazard(1)).unwrap();
            sure(memory.store(at.hazard(1), announcement(0, 0)));
            assert!(table.forget(x).unwrap());
            // Not what the call expects, and nobody sees it.
            assert_ne!(sure(table.value(0)), 0);
            assert_eq!(sure(table.shown(0)), 0);
            assert_eq!(table.claim(y), Err(Fault::InFlight));
            assert_eq!(table.add_many(&[(0, 1)], &[]), Err(Fault::InFlight));
            assert_eq!(table.drain().unwrap(), []);
            if owner_dies {
                owner.unlock(); // as the kernel would, with the announcement left behind
            } else {
                assert_eq!(table.change_named(1, found, Single::Add(1)), Ok(None));
                owner.unlock();
            }
            let next = table.claim(y).unwrap();
            assert_eq!((next.slot, sure(table.value(0))), (0, 0));
            assert!(table.forget(y).unwrap());
            table.claim(x).unwrap();
        }
    }

    #[test]
    fn what_a_call_expects_never_hides_its_slot() {
        for (slot, expected) in [(0, i64::MIN), (0, -1), (0, i64::MAX), ((1 << 24) - 1, -1), (7, 1 << 39)] {
            assert_eq!(announcement(slot, expected) >> EXPECTED_BITS, slot as u64 + 1);
        }
    }
}

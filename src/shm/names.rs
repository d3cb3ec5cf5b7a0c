//! Names of counters: a hash index over the slots, read without the lock, changed under it.
//!
//! A slot's state word is the truth: bit "named", and a number that moves on whenever a name comes or goes. The index
//! (chain heads and links) can be made anew from the states and names at any time, which is what a repair does.
//!
//! - **Claim:** hash and name bytes, names-version odd, length, state "named" (from here on the name exists), link,
//!   names-version even. In a call of many counters all of it but the bytes belongs to its
//!   [`journal`](super::journal).
//! - **Forget:** journal (phase Forget), names-version odd, state "unnamed" and retired, unlink, names-version even,
//!   phase None. What becomes of the slot, beside calls under the name that are in flight, is [`hazard`](super::hazard)'s.
//! - **Find:** walk the chain. A hit counts if the slot's state is the same before and after the comparison. A miss
//!   counts if the names-version was even and the same before and after; else the states are searched one by one, so a
//!   reader never waits for a writer, not even for a dead one.

use super::journal::Phase;
use super::key::fnv1a;
use super::layout::MAX_NAME_BYTES;
use super::memory::{Fault, Memory};
use super::table::{MARKS, NAMED, PINNED, RENAMED, RETIRED, Table};

/// A counter's name, with its hash.
#[derive(Debug, Clone, Copy)]
pub struct Name<'n> {
    bytes: &'n [u8],
    hash: u64,
}

impl<'n> Name<'n> {
    /// None when it is empty or longer than [`MAX_NAME_BYTES`].
    #[must_use]
    pub fn new(bytes: &'n [u8]) -> Option<Self> {
        (!bytes.is_empty() && bytes.len() <= MAX_NAME_BYTES).then(|| Name { bytes, hash: fnv1a(bytes) })
    }

    /// Its bytes' number, 1 to [`MAX_NAME_BYTES`].
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    fn words(self) -> impl Iterator<Item = u64> {
        self.bytes.chunks(8).map(|chunk| {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(bytes)
        })
    }
}

/// A slot and the state it had when its name was found: the name is still there while the state, but for
/// [`MARKS`], is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The slot.
    pub slot: usize,
    /// Its state, without [`MARKS`].
    pub state: u64,
}

impl<M: Memory> Table<'_, M> {
    fn head(&self, hash: u64) -> usize {
        self.at.heads + (hash as usize & (self.at.chains - 1))
    }

    /// The slot's name is this one, now.
    fn holds(&self, slot: usize, name: Name<'_>) -> Result<Option<Found>, M::Stop> {
        let state = self.state(slot)?;
        let at = self.at.name(slot);
        if state & NAMED == 0
            || self.memory.load(at)? != name.hash
            || self.memory.load(at + 1)? != name.bytes.len() as u64
        {
            return Ok(None);
        }
        for (index, word) in name.words().enumerate() {
            if self.memory.load(at + 2 + index)? != word {
                return Ok(None);
            }
        }
        let found = Found { slot, state: state & !MARKS };
        Ok(self.is_still(found)?.then_some(found))
    }

    /// The name that was found is still there: what was read of its slot since then was the name's.
    #[inline(always)]
    pub(super) fn is_still(&self, found: Found) -> Result<bool, M::Stop> {
        Ok(self.state(found.slot)? & !MARKS == found.state)
    }

    /// The slot of a name, None if nobody has claimed it. Needs no lock.
    ///
    /// # Errors
    /// `Damaged` when the index leads nowhere.
    pub fn find(&self, name: Name<'_>) -> Result<Option<Found>, Fault<M::Stop>> {
        let version = self.memory.load(self.at.names_version())?;
        let mut link = self.memory.load(self.head(name.hash))?;
        for _ in 0..self.at.slots {
            if link == 0 {
                break;
            }
            let slot = self.slot(link - 1)?;
            if let Some(found) = self.holds(slot, name)? {
                return Ok(Some(found));
            }
            link = self.memory.load(self.at.next(slot))?;
        }
        if version.is_multiple_of(2) && self.memory.load(self.at.names_version())? == version {
            return if link == 0 { Ok(None) } else { Err(Fault::Damaged("name index")) };
        }
        for slot in 0..self.at.slots {
            if let Some(found) = self.holds(slot, name)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn names_change(&self) -> Result<(), M::Stop> {
        let version = self.memory.load(self.at.names_version())?;
        self.memory.store(self.at.names_version(), version.wrapping_add(1)) // whatever a damaged segment holds
    }

    /// The slot of a name, claimed if need be: the first of [`Table::free_slots`]. The lock is held.
    ///
    /// # Errors
    /// `Full`; `InFlight` when a slot will be free in a moment.
    pub fn claim(&self, name: Name<'_>) -> Result<Found, Fault<M::Stop>> {
        if let Some(found) = self.find(name)? {
            return Ok(found);
        }
        let slot = *self.free_slots(1, |_| false)?.first().ok_or(Fault::Full)?;
        self.write_name(slot, name)?;
        self.names_change()?;
        let state = self.make_named(slot, name.len())?;
        self.link(slot, name.hash)?;
        self.names_change()?;
        Ok(Found { slot, state: state & !MARKS })
    }

    /// The name's hash and bytes, where nobody sees them yet: in a free slot. The lock is held.
    pub(super) fn write_name(&self, slot: usize, name: Name<'_>) -> Result<(), M::Stop> {
        let at = self.at.name(slot);
        self.memory.store(at, name.hash)?;
        for (index, word) in name.words().enumerate() {
            self.memory.store(at + 2 + index, word)?;
        }
        Ok(())
    }

    /// From here on the name that was written into a free slot exists; gives the slot's new state.
    pub(super) fn make_named(&self, slot: usize, len: usize) -> Result<u64, M::Stop> {
        self.memory.store(self.at.name(slot) + 1, len as u64)?;
        let state = self.state(slot)?;
        if state & NAMED != 0 {
            return Ok(state); // a repair that was begun before
        }
        let state = (state | NAMED).wrapping_add(RENAMED);
        self.memory.store(self.at.state(slot), state)?;
        Ok(state)
    }

    /// Makes all these names that were written into free slots, and puts them into the index. The lock is held.
    pub(super) fn make_all_named(&self, new: &[(usize, Name<'_>)]) -> Result<(), M::Stop> {
        if new.is_empty() {
            return Ok(());
        }
        self.names_change()?;
        for (slot, name) in new {
            self.make_named(*slot, name.len())?;
            self.link(*slot, name.hash)?;
        }
        self.names_change()
    }

    fn link(&self, slot: usize, hash: u64) -> Result<(), M::Stop> {
        let head = self.memory.load(self.head(hash))?;
        self.memory.store(self.at.next(slot), head)?;
        self.memory.store(self.head(hash), slot as u64 + 1)
    }

    /// At most so many slots that have no name and hold 0: the highest first, forgotten ones last. `reserved` ones are
    /// left alone. The lock is held.
    ///
    /// # Errors
    /// `Damaged`; `InFlight` when there are fewer, but another one will be free in a moment.
    pub fn free_slots(&self, wanted: usize, reserved: impl Fn(usize) -> bool) -> Result<Vec<usize>, Fault<M::Stop>> {
        let top = self.memory.load(self.at.named_from())?;
        let top = usize::try_from(top).ok().filter(|top| *top <= self.at.slots).ok_or(Fault::Damaged("name index"))?;
        let mut named_from = top;
        let (mut free, mut forgotten, mut retired) = (Vec::new(), Vec::new(), Vec::new());
        for slot in (0..top).rev() {
            if free.len() == wanted {
                break;
            }
            let state = self.state(slot)?;
            if state & NAMED != 0 {
                if slot + 1 == named_from {
                    named_from = slot;
                }
                continue;
            }
            if reserved(slot) {
                continue;
            }
            if state & RETIRED != 0 {
                retired.push(slot);
                continue;
            }
            if self.value(slot)? != 0 {
                continue;
            }
            if state < RENAMED {
                free.push(slot);
            } else if forgotten.len() < wanted {
                forgotten.push(slot);
            }
        }
        if named_from != top {
            self.memory.store(self.at.named_from(), named_from as u64)?;
        }
        forgotten.truncate(wanted - free.len());
        free.append(&mut forgotten);
        let mut in_flight = false;
        for slot in retired {
            if free.len() < wanted {
                match self.is_usable(slot)? {
                    true => free.push(slot),
                    false => in_flight = true,
                }
            }
        }
        if free.len() < wanted && in_flight { Err(Fault::InFlight) } else { Ok(free) }
    }

    /// Takes a name and its value away; false if there is no such name. The lock is held.
    ///
    /// # Errors
    /// `Pinned`, `Damaged`.
    pub fn forget(&self, name: Name<'_>) -> Result<bool, Fault<M::Stop>> {
        let Some(Found { slot, .. }) = self.find(name)? else { return Ok(false) };
        if self.state(slot)? & PINNED != 0 {
            return Err(Fault::Pinned);
        }
        self.put_entry(0, slot, 0)?;
        self.memory.store(self.at.count(), 1)?;
        self.begin(Phase::Forget)?;
        self.names_change()?;
        if !self.unname(slot)? {
            self.names_change()?;
            self.end()?;
            return Err(Fault::Pinned);
        }
        let mut link = self.head(name.hash);
        for _ in 0..=self.at.slots {
            let next = self.memory.load(link)?;
            if next == 0 {
                break;
            }
            let candidate = self.slot(next - 1)?;
            if candidate == slot {
                let behind = self.memory.load(self.at.next(slot))?;
                self.memory.store(link, behind)?;
                break;
            }
            link = self.at.next(candidate);
        }
        self.memory.store(self.at.name(slot) + 1, 0)?;
        if slot as u64 >= self.memory.load(self.at.named_from())? {
            self.memory.store(self.at.named_from(), slot as u64 + 1)?;
        }
        self.retire(slot)?;
        self.names_change()?;
        self.end()?;
        Ok(true)
    }

    /// From here on the name is not there; false when it was pinned meanwhile, and stays.
    pub(super) fn unname(&self, slot: usize) -> Result<bool, M::Stop> {
        let mut state = self.state(slot)?;
        while state & PINNED == 0 {
            let new = (state & !NAMED | RETIRED).wrapping_add(RENAMED);
            match self.memory.compare_exchange(self.at.state(slot), state, new)? {
                Ok(()) => return Ok(true),
                Err(now) => state = now,
            }
        }
        Ok(false)
    }

    /// Makes the index anew from the states and names; ends with an even names-version. The lock is held.
    ///
    /// # Errors
    /// Only [`Memory::Stop`].
    pub fn rebuild_index(&self) -> Result<(), Fault<M::Stop>> {
        if self.memory.load(self.at.names_version())?.is_multiple_of(2) {
            self.names_change()?;
        }
        for chain in 0..self.at.chains {
            self.memory.store(self.at.heads + chain, 0)?;
        }
        for slot in 0..self.at.slots {
            if self.state(slot)? & NAMED != 0 {
                let hash = self.memory.load(self.at.name(slot))?;
                self.link(slot, hash)?;
            }
        }
        self.memory.store(self.at.named_from(), self.at.slots as u64)?;
        Ok(self.names_change()?)
    }

    /// The slot's name, None if it has none. Needs no lock.
    ///
    /// # Errors
    /// `Damaged` when its length can't be one.
    pub fn name_of(&self, slot: usize) -> Result<Option<Vec<u8>>, Fault<M::Stop>> {
        loop {
            let state = self.state(slot)?;
            if state & NAMED == 0 {
                return Ok(None);
            }
            let at = self.at.name(slot);
            let len = usize::try_from(self.memory.load(at + 1)?).unwrap_or(usize::MAX);
            let mut bytes = Vec::with_capacity(len.min(MAX_NAME_BYTES).next_multiple_of(8));
            for index in 0..len.min(MAX_NAME_BYTES).div_ceil(8) {
                bytes.extend(self.memory.load(at + 2 + index)?.to_ne_bytes());
            }
            if (self.state(slot)? ^ state) & !MARKS != 0 {
                continue; // it went, and perhaps another one came, while it was read
            }
            if len == 0 || len > MAX_NAME_BYTES {
                return Err(Fault::Damaged("a name's length"));
            }
            bytes.truncate(len);
            return Ok(Some(bytes));
        }
    }
}

#[cfg(test)]
mod tests;

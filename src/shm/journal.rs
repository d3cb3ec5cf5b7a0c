//! Changes of many counters that are done whole or not at all, whatever kills the process that makes them.
//!
//! All of it happens under the segment's lock. The phase word says what is under way:
//!
//! ```text
//!          entries written             all written
//!   None ------------------> Redo  ------------------> None     addMany(), restore(): entry = slot, new value, and
//!                                                               the length of the name that the slot gets, if any
//!   None ------------------> Take  ------------------> None     drain(): entry = slot, value taken from it
//!   None ------------------> Forget -----------------> None     forget(): entry = slot, 0
//! ```
//!
//! Whoever gets the lock and finds another phase than None repairs first ([`Table::repair`]):
//!
//! - **Redo** is finished: each entry's value is stored. It is absolute, so doing it twice, or dying in between and
//!   leaving it to the next, changes nothing. So are new names, whose bytes lie in their slots already. Before the phase
//!   is Redo, no counter has been touched and no name exists; all that can be refused is refused before.
//! - **Take** is undone. Grouped slots stand in the journal before the first of them is set to 0 and nobody else can
//!   write to them, so their values are stored back: exact. From a free-standing slot the value is taken by one atomic
//!   swap and journaled after it, so a drainer that dies between the two loses that one; going back, the entry is dropped
//!   before its value is added, so a repairer that dies between the two loses that one. Never is one added twice.
//! - **Forget** is finished: no name, value 0, index made anew.
//!
//! Words of counters are only ever swapped by living writers, never stored: see [`table`](super::table).

use super::layout::{MAX_NAME_BYTES, trailer};
use super::memory::{Fault, Memory};
use super::names::Name;
use super::table::{GROUPED, NAMED, RENAMED, Single, Table};

const KIND_BITS: u64 = 0xff;
/// The first word of an entry: the slot below, the length of its new name from here up.
const NAMING: u32 = 32;

/// What is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Phase {
    /// Nothing.
    None = 0,
    /// See the module.
    Redo = 1,
    /// See the module.
    Take = 2,
    /// See the module.
    Forget = 3,
}

/// The phase in a phase word, None if it can't be one.
#[must_use]
pub fn phase_of(word: u64) -> Option<Phase> {
    match word & KIND_BITS {
        0 => Some(Phase::None),
        1 => Some(Phase::Redo),
        2 => Some(Phase::Take),
        3 => Some(Phase::Forget),
        _ => None,
    }
}

/// True when a dead holder left something for [`Table::repair`] in the segment with this trailer.
///
/// # Errors
/// Only [`Memory::Stop`].
#[inline]
pub fn needs_repair<M: Memory>(memory: &M, trailer: usize) -> Result<bool, M::Stop> {
    let phase = memory.load(trailer + trailer::PHASE)? & KIND_BITS;
    Ok(phase != Phase::None as u64 || memory.load(trailer + trailer::NAMES)? % 2 != 0)
}

impl<M: Memory> Table<'_, M> {
    pub(super) fn begin(&self, phase: Phase) -> Result<(), M::Stop> {
        let number = self.memory.load(self.at.phase())? >> 8;
        self.memory.store(self.at.phase(), (number + 1) << 8 | phase as u64)
    }

    pub(super) fn end(&self) -> Result<(), M::Stop> {
        let word = self.memory.load(self.at.phase())?;
        self.memory.store(self.at.phase(), word & !KIND_BITS)
    }

    pub(super) fn put_entry(&self, index: usize, slot: usize, value: i64) -> Result<(), M::Stop> {
        self.memory.store(self.at.entry(index), slot as u64)?;
        self.memory.store(self.at.entry(index) + 1, value.cast_unsigned())
    }

    /// Notes in the journal that the slot gets this name, too, and writes the name's bytes, which nobody sees yet.
    fn put_name(&self, index: usize, slot: usize, name: Name<'_>) -> Result<(), M::Stop> {
        self.write_name(slot, name)?;
        self.memory.store(self.at.entry(index), slot as u64 | (name.len() as u64) << NAMING)
    }

    fn entry(&self, index: usize) -> Result<(usize, i64), Fault<M::Stop>> {
        let (slot, _) = self.entry_of(index)?;
        Ok((slot, self.memory.load(self.at.entry(index) + 1)?.cast_signed()))
    }

    /// An entry's slot and the length of the name that it gets, 0 if it gets none.
    fn entry_of(&self, index: usize) -> Result<(usize, usize), Fault<M::Stop>> {
        let word = self.memory.load(self.at.entry(index))?;
        let len = usize::try_from(word >> NAMING).ok().filter(|len| *len <= MAX_NAME_BYTES);
        Ok((self.slot(word & ((1 << NAMING) - 1))?, len.ok_or(Fault::Damaged("journal"))?))
    }

    /// A slot's number out of the segment: checked at each use.
    pub(super) fn slot(&self, word: u64) -> Result<usize, Fault<M::Stop>> {
        usize::try_from(word).ok().filter(|slot| *slot < self.at.slots).ok_or(Fault::Damaged("a slot's number"))
    }

    fn entries(&self) -> Result<usize, Fault<M::Stop>> {
        let count = self.memory.load(self.at.count())?;
        usize::try_from(count).ok().filter(|count| *count <= self.at.slots).ok_or(Fault::Damaged("journal"))
    }

    /// Adds all deltas or none, and gives the `new` slots, which are free and among those of the deltas, their names.
    /// The lock is held; the slots of either are distinct, those of `new` in order.
    ///
    /// # Errors
    /// `Overflow` with nothing changed.
    pub fn add_many(&self, deltas: &[(usize, i64)], new: &[(usize, Name<'_>)]) -> Result<(), Fault<M::Stop>> {
        let mut first = false;
        for &(slot, _) in deltas {
            let state = self.state(slot)?;
            if state & GROUPED == 0 {
                self.memory.store(self.at.state(slot), state | GROUPED)?;
                first = true;
            }
        }
        if first {
            self.memory.settle();
        }
        for (index, &(slot, delta)) in deltas.iter().enumerate() {
            let sum = self.value(slot)?.checked_add(delta).ok_or(Fault::Overflow(slot))?;
            self.put_entry(index, slot, sum)?;
        }
        self.put_names(deltas, new)?;
        self.memory.store(self.at.count(), deltas.len() as u64)?;
        self.begin(Phase::Redo)?;
        self.make_all_named(new)?;
        for (index, &(slot, delta)) in deltas.iter().enumerate() {
            let mut new = self.memory.load(self.at.entry(index) + 1)?.cast_signed();
            let mut old = new.wrapping_sub(delta);
            while let Err(now) = self.memory.compare_exchange(slot, old.cast_unsigned(), new.cast_unsigned())? {
                // A call that had seen the slot free-standing, or somebody's plain shmop_write(). Too late to refuse an
                // overflow, which such a call would have to bring about within these few instructions.
                old = now.cast_signed();
                new = old.saturating_add(delta);
                self.memory.store(self.at.entry(index) + 1, new.cast_unsigned())?;
            }
        }
        Ok(self.end()?)
    }

    fn put_names(&self, entries: &[(usize, i64)], new: &[(usize, Name<'_>)]) -> Result<(), M::Stop> {
        if new.is_empty() {
            return Ok(());
        }
        for (index, (slot, _)) in entries.iter().enumerate() {
            if let Ok(at) = new.binary_search_by_key(slot, |(slot, _)| *slot) {
                self.put_name(index, *slot, new[at].1)?;
            }
        }
        Ok(())
    }

    /// Sets all these counters, and names the `new` ones as [`Table::add_many`] does. What others add meanwhile to
    /// free-standing ones is overwritten or not. The lock is held; the slots are distinct.
    ///
    /// # Errors
    /// Only [`Memory::Stop`].
    pub fn set_many(&self, values: &[(usize, i64)], new: &[(usize, Name<'_>)]) -> Result<(), Fault<M::Stop>> {
        for (index, &(slot, value)) in values.iter().enumerate() {
            self.put_entry(index, slot, value)?;
        }
        self.put_names(values, new)?;
        self.memory.store(self.at.count(), values.len() as u64)?;
        self.begin(Phase::Redo)?;
        self.make_all_named(new)?;
        for &(slot, value) in values {
            self.memory.swap(slot, value.cast_unsigned())?;
        }
        Ok(self.end()?)
    }

    /// Takes all values that are not 0 and leaves 0: gives slot and value. The lock is held.
    ///
    /// # Errors
    /// Only [`Memory::Stop`].
    pub fn drain(&self) -> Result<Vec<(usize, i64)>, Fault<M::Stop>> {
        let mut taken = Vec::new();
        let mut free_standing = Vec::new();
        for slot in 0..self.at.slots {
            let value = self.value(slot)?;
            if self.state(slot)? & GROUPED == 0 {
                free_standing.push(slot);
            } else if value != 0 {
                self.put_entry(taken.len(), slot, value)?;
                taken.push((slot, value));
            }
        }
        self.memory.store(self.at.count(), taken.len() as u64)?;
        self.begin(Phase::Take)?;
        for (index, (slot, value)) in taken.iter_mut().enumerate() {
            while let Err(now) = self.memory.compare_exchange(*slot, value.cast_unsigned(), 0)? {
                *value = now.cast_signed();
                self.memory.store(self.at.entry(index) + 1, now)?;
            }
        }
        for slot in free_standing {
            if self.value(slot)? == 0 {
                continue;
            }
            let value = self.memory.swap(slot, 0)?.cast_signed();
            if value != 0 {
                self.put_entry(taken.len(), slot, value)?;
                taken.push((slot, value));
                self.memory.store(self.at.count(), taken.len() as u64)?;
            }
        }
        self.end()?;
        Ok(taken)
    }

    /// Finishes or undoes what a dead holder of the lock left. The lock is held. Dying in here is fine, too.
    ///
    /// # Errors
    /// `Damaged`; nothing can be trusted then.
    pub fn repair(&self) -> Result<(), Fault<M::Stop>> {
        let phase = phase_of(self.memory.load(self.at.phase())?).ok_or(Fault::Damaged("phase"))?;
        match phase {
            Phase::None => {}
            Phase::Redo => self.finish_redo()?,
            Phase::Take => self.undo_take()?,
            Phase::Forget => self.finish_forget()?,
        }
        if self.memory.load(self.at.names_version())? % 2 != 0 {
            self.rebuild_index()?;
        }
        if phase != Phase::None {
            self.end()?;
        }
        Ok(())
    }

    fn finish_redo(&self) -> Result<(), Fault<M::Stop>> {
        let mut named = false;
        for index in 0..self.entries()? {
            let (slot, len) = self.entry_of(index)?;
            let value = self.memory.load(self.at.entry(index) + 1)?.cast_signed();
            if len > 0 {
                named = true;
                self.make_named(slot, len)?;
            }
            self.memory.swap(slot, value.cast_unsigned())?;
        }
        if named { self.rebuild_index() } else { Ok(()) }
    }

    fn undo_take(&self) -> Result<(), Fault<M::Stop>> {
        for index in (0..self.entries()?).rev() {
            let (slot, value) = self.entry(index)?;
            if self.state(slot)? & GROUPED != 0 {
                self.memory.swap(slot, value.cast_unsigned())?;
                self.memory.store(self.at.count(), index as u64)?;
            } else {
                self.memory.store(self.at.count(), index as u64)?;
                self.put_back(slot, value)?;
            }
        }
        Ok(())
    }

    /// Adds what was taken; what does not fit beside what was added since stays at the limit.
    fn put_back(&self, slot: usize, value: i64) -> Result<(), Fault<M::Stop>> {
        match self.change(slot, Single::Add(value)) {
            Err(Fault::Overflow(_)) => {
                let limit = if value < 0 { Single::Min(i64::MIN) } else { Single::Max(i64::MAX) };
                self.change(slot, limit).map(drop)
            }
            other => other.map(drop),
        }
    }

    fn finish_forget(&self) -> Result<(), Fault<M::Stop>> {
        if self.entries()? != 1 {
            return Err(Fault::Damaged("journal"));
        }
        let (slot, _) = self.entry(0)?;
        let state = self.state(slot)?;
        if state & NAMED != 0 {
            self.memory.store(self.at.state(slot), (state & !NAMED).wrapping_add(RENAMED))?;
        }
        self.memory.store(self.at.name(slot) + 1, 0)?;
        self.memory.swap(slot, 0)?;
        self.rebuild_index()
    }
}

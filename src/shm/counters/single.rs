//! Calls that look at or change one counter.

use super::super::error::ShmError;
use super::super::hazard::Way;
use super::super::lock::Wait;
use super::super::memory::{Fault, sure};
use super::super::names::Found;
use super::super::table::{Change, GROUPED, MARKS, NAMED, RETIRED, Single, Table};
use super::{Counter, Counters};

impl Counters {
    /// The value. Never waits; a name that nobody has claimed holds 0, and is not claimed by this.
    ///
    /// # Errors
    /// `Removed`, `Argument`.
    #[inline]
    pub fn get(&self, counter: Counter<'_>) -> Result<i64, ShmError> {
        self.handle.check()?;
        match counter {
            Counter::Index(index) => {
                let slot = self.slot(index)?;
                Ok(self.with_table(|table| sure(table.shown(slot))))
            }
            Counter::Name(bytes, hash) => loop {
                let Some(found) = self.find(bytes, hash)? else { return Ok(0) };
                if let Some(value) = self.value_of(found) {
                    return Ok(value);
                }
            },
        }
    }

    /// The value of a name that was found, None if it has gone since.
    #[inline(always)]
    fn value_of(&self, found: Found) -> Option<i64> {
        self.with_table(|table| {
            let value = sure(table.value(found.slot));
            sure(table.is_still(found)).then_some(value)
        })
    }

    /// [`Counters::get`] when that is plain, else None: for callers that inline it.
    #[inline(always)]
    pub fn get_fast(&self, counter: Counter<'_>) -> Option<i64> {
        match counter {
            Counter::Index(index) => {
                let slot = usize::try_from(index).ok().filter(|slot| *slot < self.at.slots)?;
                self.handle.is_fine().then(|| self.with_table(|table| sure(table.shown(slot))))
            }
            Counter::Name(bytes, hash) => {
                let found = self.known(bytes, hash)?;
                if self.handle.is_fine() { self.value_of(found) } else { None }
            }
        }
    }

    /// [`Counters::single`] of a counter by its index when that is plain, else None with nothing done: for callers that
    /// inline it.
    #[inline(always)]
    pub fn index_fast(&self, index: i64, call: Single) -> Option<Change> {
        let slot = usize::try_from(index).ok().filter(|slot| *slot < self.at.slots)?;
        if !self.handle.is_fine() || !self.handle.map.is_writable() {
            return None;
        }
        // No closure, which the compiler would not inline here.
        let table = Table { memory: &self.handle.words(), at: &self.at };
        if sure(table.state(slot)) & (GROUPED | NAMED | RETIRED) != 0 {
            return None;
        }
        table.change(slot, call).ok()
    }

    /// The same of a counter by its name.
    #[inline(always)]
    pub fn named_fast(&self, bytes: &[u8], hash: u64, call: Single) -> Option<Change> {
        let found = self.known(bytes, hash)?;
        let entry = self.handle.entry()?; // only a writable handle owns one
        if !self.handle.is_fine() {
            return None;
        }
        Table { memory: &self.handle.words(), at: &self.at }.change_named(entry, found, call).ok().flatten()
    }

    /// One atomic change. Lock-free on a counter that was never in [`Counters::add_many`]; else under the lock.
    ///
    /// # Errors
    /// `Overflow` with the value unchanged, `Full`, `InFlight`, `Removed`, `ReadOnly`, and those of the lock.
    #[inline]
    pub fn single(&self, counter: Counter<'_>, call: Single) -> Result<Change, ShmError> {
        self.handle.check()?;
        if !self.handle.map.is_writable() {
            return Err(ShmError::ReadOnly { key: self.handle.text() });
        }
        let without_the_lock = match counter {
            Counter::Index(index) => {
                let slot = self.slot(index)?;
                let state = self.with_table(|table| sure(table.state(slot)));
                if state & (GROUPED | NAMED | RETIRED) == 0 {
                    return self.change(slot, call);
                }
                // Of a name, too, whatever it is: forget() has to see it in flight.
                let named = state & (GROUPED | NAMED | RETIRED) == NAMED;
                if named { self.change_named(Found { slot, state: state & !MARKS }, call)? } else { None }
            }
            Counter::Name(bytes, hash) => match self.find(bytes, hash)? {
                Some(found) => self.change_named(found, call)?,
                None => None,
            },
        };
        match without_the_lock {
            Some(change) => Ok(change),
            None => self.when_settled(|| self.single_locked(counter, call)),
        }
    }

    #[inline(always)]
    fn change(&self, slot: usize, call: Single) -> Result<Change, ShmError> {
        self.with_table(|table| table.change(slot, call)).map_err(|fault| self.failed(fault))
    }

    /// Changes the slot of a name without the lock; None when that takes the lock.
    fn change_named(&self, found: Found, call: Single) -> Result<Option<Change>, ShmError> {
        match self.handle.way(&self.at) {
            Way::Lock => Ok(None),
            Way::Entry(entry) => {
                self.with_table(|table| table.change_named(entry, found, call)).map_err(|fault| self.failed(fault))
            }
            Way::Pin
                if self.with_table(|table| sure(table.pin(found)) && sure(table.state(found.slot)) & GROUPED == 0) =>
            {
                self.change(found.slot, call).map(Some)
            }
            Way::Pin => Ok(None),
        }
    }

    /// Under the lock no name comes or goes: claiming one and the first change are one step for everybody else.
    fn single_locked(&self, counter: Counter<'_>, call: Single) -> Result<Change, ShmError> {
        let lock = self.handle.lock(Wait::Usual)?;
        let slot = match counter {
            Counter::Index(index) => self.slot(index)?,
            Counter::Name(bytes, hash) => match self.remembered(bytes, hash) {
                Some(found) => found.slot,
                None => self.claim(&lock, bytes, hash)?.slot,
            },
        };
        if !self.with_table(|table| sure(table.is_usable(slot))) {
            return Err(self.failed::<()>(Fault::InFlight));
        }
        self.change(slot, call)
    }
}

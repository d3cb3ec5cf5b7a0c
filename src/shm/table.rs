//! One counter: how it is read and changed.
//!
//! # Two ways to write one word
//!
//! A slot starts *free-standing*: every write is one compare-and-swap of the counter's own word, and waits for nobody.
//! At its first addMany() it becomes *grouped* for good: from then on every write to it takes the lock (see
//! [`journal`](super::journal)), because no journal beside lock-free writers can tell, after a death, whether a plain
//! word holds the old or the new value. Reading is one load, always.
//!
//! A single call looks at the slot's state, then swaps. A slot may become grouped between the two; the swap is atomic
//! even then, and all writers under the lock swap, too, so nothing is lost or doubled while everybody lives. The one
//! thing it can cost: an add that had seen "free-standing" lands while an addMany() of the same slot is between its
//! journal and its end, and that addMany() is killed there. Then recovery writes the value without that add. It takes a
//! single call that was stopped between two instructions before the slot's first addMany() and goes on inside a killed
//! one, and costs at most that call.

use super::layout::Counters;
use super::memory::{Fault, Memory};

/// The slot is written under the lock.
pub const GROUPED: u64 = 1;
/// The slot has a name.
pub const NAMED: u64 = 2;
/// Processes that can't say what they are doing write under the slot's name, so it never goes: see
/// [`hazard`](super::hazard).
pub const PINNED: u64 = 4;
/// The slot's name went while calls under it were in flight: its word means nothing and it is not free yet. See
/// [`hazard`](super::hazard).
pub const RETIRED: u64 = 8;
/// One coming or going of a name.
pub const RENAMED: u64 = 16;
/// What of a state may change while the name stays.
pub const MARKS: u64 = GROUPED | PINNED;

/// The counters of one segment in some memory.
#[derive(Debug)]
pub struct Table<'t, M> {
    /// The words.
    pub memory: &'t M,
    /// Where they are.
    pub at: &'t Counters,
}

/// What a single call found and did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The value before.
    pub before: i64,
    /// The value after: the same when the call kept it.
    pub after: i64,
}

/// A single call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Single {
    /// Adds; refused when it would overflow.
    Add(i64),
    /// Replaces.
    Set(i64),
    /// Replaces the second by the third if the counter holds it.
    CompareAndSet(i64, i64),
    /// Raises to at least this.
    Max(i64),
    /// Lowers to at most this.
    Min(i64),
}

impl Single {
    /// The value after, None on overflow.
    #[inline(always)]
    pub(super) fn next(self, value: i64) -> Option<i64> {
        match self {
            Single::Add(delta) => value.checked_add(delta),
            Single::Set(new) => Some(new),
            Single::CompareAndSet(expected, new) => Some(if value == expected { new } else { value }),
            Single::Max(least) => Some(value.max(least)),
            Single::Min(most) => Some(value.min(most)),
        }
    }
}

impl<M: Memory> Table<'_, M> {
    /// The counter's value.
    ///
    /// # Errors
    /// Only [`Memory::Stop`].
    #[inline(always)]
    pub fn value(&self, slot: usize) -> Result<i64, M::Stop> {
        self.memory.load(slot).map(u64::cast_signed)
    }

    /// The slot's state: [`GROUPED`], [`NAMED`], and the number of renames.
    ///
    /// # Errors
    /// Only [`Memory::Stop`].
    #[inline(always)]
    pub fn state(&self, slot: usize) -> Result<u64, M::Stop> {
        self.memory.load(self.at.state(slot))
    }

    /// Sets a mark of a slot; false when it is there already. Others may set another one at this very moment.
    ///
    /// # Errors
    /// Only [`Memory::Stop`].
    pub(super) fn mark(&self, slot: usize, mark: u64) -> Result<bool, M::Stop> {
        let mut state = self.state(slot)?;
        while state & mark == 0 {
            match self.memory.compare_exchange(self.at.state(slot), state, state | mark)? {
                Ok(()) => return Ok(true),
                Err(now) => state = now,
            }
        }
        Ok(false)
    }

    /// One atomic change of one word. Who may call it: anybody while the slot is free-standing and has no name, the lock's
    /// holder ever. Under a name without the lock it is [`Table::change_named`].
    ///
    /// # Errors
    /// `Overflow`, the value unchanged.
    #[inline(always)]
    pub fn change(&self, slot: usize, single: Single) -> Result<Change, Fault<M::Stop>> {
        let mut before = self.value(slot)?;
        loop {
            let Some(after) = single.next(before) else { return Err(Fault::Overflow(slot)) };
            if after == before {
                return Ok(Change { before, after });
            }
            match self.memory.compare_exchange(slot, before.cast_unsigned(), after.cast_unsigned())? {
                Ok(()) => return Ok(Change { before, after }),
                Err(now) => before = now.cast_signed(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::{Words, sure};
    use super::*;
    use proptest::prelude::*;
    use std::sync::atomic::AtomicU64;

    fn single() -> impl Strategy<Value = Single> {
        let value = prop_oneof![any::<i64>(), -3i64..3, Just(i64::MAX), Just(i64::MIN)];
        (0..5, value.clone(), value).prop_map(|(which, a, b)| match which {
            0 => Single::Add(a),
            1 => Single::Set(a),
            2 => Single::CompareAndSet(a, b),
            3 => Single::Max(a),
            _ => Single::Min(a),
        })
    }

    proptest! {
        #[test]
        fn singles_agree_with_wide_arithmetic(calls in prop::collection::vec(single(), 1..40)) {
            let at = Counters::new(1);
            let words: Vec<AtomicU64> = (0..at.bytes() / 8).map(|_| AtomicU64::new(0)).collect();
            let memory = Words(&words);
            let table = Table { memory: &memory, at: &at };
            let mut twin: i64 = 0;
            for call in calls {
                let wide: i128 = match call {
                    Single::Add(delta) => i128::from(twin) + i128::from(delta),
                    Single::Set(value) => value.into(),
                    Single::CompareAndSet(expected, value) if expected == twin => value.into(),
                    Single::CompareAndSet(..) => twin.into(),
                    Single::Max(value) if value > twin => value.into(),
                    Single::Min(value) if value < twin => value.into(),
                    Single::Max(_) | Single::Min(_) => twin.into(),
                };
                match table.change(0, call) {
                    Ok(change) => {
                        prop_assert_eq!(change.before, twin);
                        prop_assert_eq!(i128::from(change.after), wide);
                        twin = change.after;
                    }
                    Err(fault) => {
                        prop_assert_eq!(fault, Fault::Overflow(0));
                        prop_assert!(i64::try_from(wide).is_err());
                    }
                }
                prop_assert_eq!(sure(table.value(0)), twin);
            }
        }
    }
}

//! Calls that look at or change many counters as one.

use std::collections::{HashMap, HashSet};
use std::thread;
use std::time::{Duration, Instant};

use super::super::error::{BadArgument, ShmError};
use super::super::journal::{Phase, phase_of};
use super::super::lock::{DEFAULT_WAIT, Guard, SLICE, Wait};
use super::super::memory::{Fault, Memory, sure};
use super::super::names::Name;
use super::super::table::{NAMED, Single};
use super::super::{hooks, layout};
use super::{Counter, Counters, Label, name};

/// Makes one delta of those for the same slot; gives the slot whose sum overflows.
fn merge(slots: &mut Vec<(usize, i64)>) -> Option<usize> {
    slots.sort_unstable_by_key(|(slot, _)| *slot);
    let mut overflow = None;
    slots.dedup_by(|(slot, delta), (kept, sum)| {
        let same = slot == kept;
        if same {
            match sum.checked_add(*delta) {
                Some(total) => *sum = total,
                None => overflow = Some(*slot),
            }
        }
        same
    });
    overflow
}

impl Counters {
    /// The lock for a call of many counters. The kernel is asked whether the segment is still there.
    pub(super) fn lock(&self) -> Result<Guard<'_>, ShmError> {
        self.handle.look()?;
        self.handle.lock(Wait::Usual)
    }

    /// Adds all deltas or none, whatever kills this process. The counters are grouped from then on: see
    /// [`table`](super::table). A counter that is named twice gets the sum.
    ///
    /// # Errors
    /// `ManyArgument`, `Overflow`, `Full` and `InFlight` with nothing changed and no name claimed, `Removed`, and those of the lock.
    pub fn add_many<'n, D>(&self, deltas: D) -> Result<(), ShmError>
    where
        D: IntoIterator<Item = (Counter<'n>, i64), IntoIter: Clone>,
    {
        self.handle.look_again()?;
        let mut slots = self.scratch.take();
        let deltas = deltas.into_iter();
        let mut done = self.add_many_with(deltas.clone(), &mut slots);
        if matches!(done, Err(ShmError::InFlight { .. })) {
            done = self.when_settled(|| self.add_many_with(deltas.clone(), &mut Vec::new()));
        }
        slots.clear();
        self.scratch.replace(slots);
        done
    }

    fn add_many_with<'n>(
        &self,
        deltas: impl Iterator<Item = (Counter<'n>, i64)> + Clone,
        slots: &mut Vec<(usize, i64)>,
    ) -> Result<(), ShmError> {
        // All arguments are looked at before the lock is taken.
        let version = || self.with_table(|table| sure(table.memory.load(self.at.names_version())));
        let before = version();
        let mut known = before.is_multiple_of(2);
        for (counter, delta) in deltas.clone() {
            let refused = |why| ShmError::ManyArgument { counter: counter.to_string(), why };
            let slot = match counter {
                Counter::Index(index) => match usize::try_from(index).ok().filter(|slot| *slot < self.at.slots) {
                    Some(slot) => slot,
                    None => return Err(refused(BadArgument::Index(self.at.slots - 1))),
                },
                Counter::Name(bytes, hash) => match self.remembered(bytes, hash) {
                    Some(found) => found.slot,
                    None => {
                        name(bytes).map_err(refused)?;
                        known = false;
                        0
                    }
                },
            };
            slots.push((slot, delta));
        }
        let lock = self.handle.lock(Wait::Usual)?;
        // Names are missing, or some came or went meanwhile; from here on none does.
        let new = if !known || version() != before {
            self.place(&lock, deltas.map(|(counter, _)| counter), slots)?
        } else {
            Vec::new()
        };
        let distinct = slots.is_sorted_by(|(a, _), (b, _)| a < b) || slots.is_sorted_by(|(a, _), (b, _)| a > b);
        if !distinct && let Some(slot) = merge(slots) {
            return Err(self.failed::<()>(Fault::Overflow(slot)));
        }
        self.with_table(|table| table.add_many(slots, &new)).map_err(|fault| self.failed(fault))
    }

    /// Sets the slots of all `counters`, and gives those that are for names which do not exist yet, in order. Nothing is
    /// claimed by this, so whatever is refused after it leaves nothing behind.
    ///
    /// # Errors
    /// `Full` when the new names do not all fit.
    fn place<'n>(
        &self,
        _lock: &Guard<'_>,
        counters: impl Iterator<Item = Counter<'n>>,
        slots: &mut [(usize, i64)],
    ) -> Result<Vec<(usize, Name<'n>)>, ShmError> {
        let mut reserved = HashSet::new(); // by index: they may hold 0 until all is done
        let mut numbers: HashMap<&[u8], usize> = HashMap::new();
        let (mut names, mut places) = (Vec::new(), Vec::new());
        for (position, counter) in counters.enumerate() {
            let Counter::Name(bytes, hash) = counter else {
                reserved.insert(slots[position].0);
                continue;
            };
            if let Some(found) = self.find(bytes, hash)? {
                slots[position].0 = found.slot;
                continue;
            }
            let number = *numbers.entry(bytes).or_insert(names.len());
            if number == names.len() {
                names.push(name(bytes)?);
            }
            places.push((position, number));
        }
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let free = self.with_table(|table| table.free_slots(names.len(), |slot| reserved.contains(&slot)));
        let free = free.map_err(|fault| self.failed(fault))?;
        if free.len() < names.len() {
            return Err(self.full(names.len(), free.len()));
        }
        for (position, number) in places {
            slots[position].0 = free[number];
        }
        let mut new: Vec<_> = free.into_iter().zip(names).collect();
        new.sort_unstable_by_key(|(slot, _)| *slot);
        Ok(new)
    }

    /// Every used counter: those with a name, and those without that do not hold 0. Each call of many counters is in it
    /// whole or not at all. A read-only handle reads without the lock, again if such a call came between.
    ///
    /// # Errors
    /// `Removed`, those of the lock; of a read-only handle `Timeout` when a dead writer left something half done that
    /// nobody repairs, `Damaged` when its phase can't be one.
    pub fn snapshot(&self) -> Result<Vec<(Label, i64)>, ShmError> {
        if self.handle.map.is_writable() {
            let _lock = self.lock()?;
            return self.collect();
        }
        self.handle.look()?;
        let start = Instant::now();
        let mut pause = Duration::from_micros(20);
        while start.elapsed() < DEFAULT_WAIT {
            let phase = || sure(self.handle.words().load(self.at.phase()));
            let before = phase();
            match phase_of(before) {
                None => return Err(self.handle.damaged("phase")),
                Some(Phase::None) => {
                    let all = self.collect()?;
                    if phase() == before {
                        return Ok(all);
                    }
                }
                Some(_) => {}
            }
            thread::sleep(pause);
            pause = (2 * pause).min(SLICE);
            if hooks::interrupted() {
                return Err(ShmError::Interrupted { key: self.handle.text() });
            }
            self.handle.look()?;
        }
        Err(ShmError::Timeout { key: self.handle.text(), seconds: DEFAULT_WAIT.as_secs_f64() })
    }

    pub(super) fn label(&self, slot: usize, used: bool) -> Result<Option<Label>, ShmError> {
        let name = self.with_table(|table| table.name_of(slot)).map_err(|fault| self.failed(fault))?;
        Ok(match name {
            Some(name) => Some(Label::Name(name)),
            None if used => Some(Label::Index(slot)),
            None => None,
        })
    }

    fn collect(&self) -> Result<Vec<(Label, i64)>, ShmError> {
        let mut all = Vec::new();
        for slot in 0..self.at.slots {
            let value = self.with_table(|table| sure(table.shown(slot)));
            if let Some(label) = self.label(slot, value != 0)? {
                all.push((label, value));
            }
        }
        Ok(all)
    }

    /// As [`Counters::snapshot`], and leaves 0 in each: nothing that is added meanwhile is counted twice or lost.
    ///
    /// # Errors
    /// `Removed`, and those of the lock.
    pub fn drain(&self) -> Result<Vec<(Label, i64)>, ShmError> {
        let _lock = self.lock()?;
        // Names first: an error must come before anything is taken.
        let names: Vec<Option<Label>> =
            (0..self.at.slots).map(|slot| self.label(slot, false)).collect::<Result<_, _>>()?;
        let taken = self.with_table(|table| table.drain()).map_err(|fault| self.failed(fault))?;
        let taken: HashMap<usize, i64> = taken.into_iter().collect();
        let all = names.into_iter().enumerate().filter_map(|(slot, name)| match (name, taken.get(&slot)) {
            (Some(name), value) => Some((name, value.copied().unwrap_or(0))),
            (None, Some(value)) => Some((Label::Index(slot), *value)),
            (None, None) => None,
        });
        Ok(all.collect())
    }

    /// How many counters [`Counters::drain`] would give now, and the bytes of their names.
    #[must_use]
    pub fn to_be_given(&self) -> (usize, usize) {
        self.with_table(|table| {
            (0..self.at.slots).fold((0, 0), |(count, bytes), slot| {
                let named = sure(table.state(slot)) & NAMED != 0;
                let len = if named { sure(table.memory.load(self.at.name(slot) + 1)) as usize } else { 0 };
                let used = named || sure(table.shown(slot)) != 0;
                (count + usize::from(used), bytes + len.min(layout::MAX_NAME_BYTES))
            })
        })
    }

    /// Adds again what [`Counters::drain`] has taken, for a caller that could not be given it. What can't be added (the
    /// segment is gone, a counter is full) is lost with the process that took it.
    pub fn put_back(&self, taken: &[(Label, i64)]) {
        for (label, value) in taken {
            let counter = match label {
                Label::Index(slot) => Counter::Index(*slot as i64),
                Label::Name(name) => Counter::Name(name, 0),
            };
            let _ = self.single(counter, Single::Add(*value)); // see above
        }
    }

    /// Sets every counter to what is given here, the others to 0; names that are missing are claimed, others stay.
    /// Whole or not at all; what is added meanwhile may be overwritten.
    ///
    /// # Errors
    /// `Full`, `Argument` for an index that the segment does not have or that has a name here, `Removed`, and those of
    /// the lock.
    pub fn replace_all(&self, values: &[(Label, i64)]) -> Result<(), ShmError> {
        self.when_settled(|| self.replace_all_now(values))
    }

    fn replace_all_now(&self, values: &[(Label, i64)]) -> Result<(), ShmError> {
        let lock = self.lock()?;
        let mut new = vec![0; self.at.slots];
        let mut slots = Vec::with_capacity(values.len());
        for (label, value) in values {
            let slot = match label {
                Label::Index(slot) => *slot,
                Label::Name(_) => 0,
            };
            let by_index = matches!(label, Label::Index(_));
            if by_index && (slot >= self.at.slots || self.with_table(|table| sure(table.state(slot))) & NAMED != 0) {
                return Err(BadArgument::Index(self.at.slots - 1).into());
            }
            slots.push((slot, *value));
        }
        let counters = values.iter().map(|(label, _)| match label {
            Label::Index(slot) => Counter::Index(*slot as i64),
            Label::Name(bytes) => Counter::Name(bytes, 0),
        });
        let named = self.place(&lock, counters, &mut slots)?;
        for (slot, value) in slots {
            new[slot] = value;
        }
        let mut all: Vec<(usize, i64)> = new.into_iter().enumerate().collect();
        // What is shown as 0 is left alone.
        all.retain(|(slot, value)| *value != 0 || self.with_table(|table| sure(table.is_usable(*slot))));
        if all.iter().any(|(slot, _)| !self.with_table(|table| sure(table.is_usable(*slot)))) {
            return Err(self.failed::<()>(Fault::InFlight));
        }
        self.with_table(|table| table.set_many(&all, &named)).map_err(|fault| self.failed(fault))
    }
}

//! Names of counters, and the journal that they share a segment with.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Input;
use crate::shm::layout::{Counters, MAX_NAME_BYTES};
use crate::shm::memory::{Fault, Words};
use crate::shm::names::Name;
use crate::shm::table::{GROUPED, NAMED, Single, Table};

/// Calls on the counters of a segment, by name and by slot. In a sound segment they are a map from names to numbers; in one
/// that holds any words at all they end, without a panic, and what is found is there. The first byte says how many slots
/// and which of the two, the calls follow; words that are there before come first.
pub fn names(input: &[u8]) {
    let mut input = Input(input);
    let first = input.byte();
    let at = Counters::new(1 + usize::from(first % 8));
    let words: Vec<AtomicU64> = (0..at.bytes() / 8).map(|_| AtomicU64::new(0)).collect();
    let memory = Words(&words);
    let table = Table { memory: &memory, at: &at };
    if first < 128 {
        words[at.named_from()].store(at.slots as u64, Ordering::Relaxed);
        sound(&table, &mut input);
    } else {
        spoil(&table, &mut input);
        unsound(&table, &mut input);
    }
}

/// A name of up to 12 bytes, or a long one.
fn name(input: &mut Input<'_>) -> Vec<u8> {
    let len = match usize::from(input.byte()) {
        short @ 0..240 => short % 13,
        long => MAX_NAME_BYTES - 14 + long - 240, // the limit, and what is one over it
    };
    let mut name = input.bytes(len).to_vec();
    name.resize(len, b'n');
    name
}

type T<'t> = Table<'t, Words<'t>>;

/// What the counters should be: names of slots, and all values.
struct Twin {
    names: BTreeMap<Vec<u8>, usize>,
    values: Vec<i64>,
    ever_named: Vec<bool>,
}

impl Twin {
    fn is_named(&self, slot: usize) -> bool {
        self.names.values().any(|named| *named == slot)
    }

    /// Slots for new names: from the top, those that never had a name before those that were forgotten.
    fn free(&self) -> Vec<usize> {
        let mut free: Vec<usize> =
            (0..self.values.len()).rev().filter(|slot| !self.is_named(*slot) && self.values[*slot] == 0).collect();
        free.sort_by_key(|slot| self.ever_named[*slot]);
        free
    }

    fn name(&mut self, name: &[u8], slot: usize) {
        self.names.insert(name.to_vec(), slot);
        self.ever_named[slot] = true;
    }
}

fn sound(table: &T<'_>, input: &mut Input<'_>) {
    let slots = table.at.slots;
    let mut twin = Twin { names: BTreeMap::new(), values: vec![0; slots], ever_named: vec![false; slots] };
    while !input.is_empty() {
        match input.below(8) {
            0..3 => {
                let bytes = name(input);
                let Some(name) = checked(&bytes) else { continue };
                let known = twin.names.get(&bytes).copied();
                let expected = known.or(twin.free().first().copied());
                assert_eq!(table.claim(name).map(|found| found.slot), expected.ok_or(Fault::Full));
                if let Some(slot) = expected {
                    twin.name(&bytes, slot);
                }
            }
            3 => {
                let bytes = name(input);
                let Some(name) = checked(&bytes) else { continue };
                let known = twin.names.remove(&bytes);
                assert_eq!(table.forget(name), Ok(known.is_some()));
                if let Some(slot) = known {
                    twin.values[slot] = 0;
                }
            }
            4 => {
                let (slot, delta) = (input.below(slots), input.word().cast_signed());
                let sum = twin.values[slot].checked_add(delta);
                let change = table.change(slot, Single::Add(delta)).map(|change| (change.before, change.after));
                assert_eq!(change, sum.map(|sum| (twin.values[slot], sum)).ok_or(Fault::Overflow(slot)));
                twin.values[slot] = sum.unwrap_or(twin.values[slot]);
            }
            5 => many(table, input, &mut twin),
            6 => {
                let mut taken = table.drain();
                if let Ok(taken) = &mut taken {
                    taken.sort_unstable();
                }
                let expected = twin.values.iter().copied().enumerate().filter(|(_, value)| *value != 0).collect();
                assert_eq!(taken, Ok(expected));
                twin.values.fill(0);
            }
            _ => assert_eq!(table.rebuild_index(), Ok(())),
        }
        agree(table, &twin);
    }
}

/// Several deltas at once, one of them to a name that may be new.
fn many(table: &T<'_>, input: &mut Input<'_>, twin: &mut Twin) {
    let bytes = name(input);
    let Some(name) = checked(&bytes) else { return };
    let known = twin.names.get(&bytes).copied();
    let Some(first) = known.or(twin.free().first().copied()) else { return };
    let delta = input.word().cast_signed();
    let other = input.below(table.at.slots);
    let mut deltas = vec![(first, delta)];
    if other != first {
        deltas.push((other, 1));
    }
    let new = if known.is_none() { vec![(first, name)] } else { Vec::new() };
    let sums: Option<Vec<i64>> = deltas.iter().map(|(slot, delta)| twin.values[*slot].checked_add(*delta)).collect();
    match (table.add_many(&deltas, &new), sums) {
        (Ok(()), Some(sums)) => {
            for ((slot, _), sum) in deltas.iter().zip(sums) {
                twin.values[*slot] = sum;
            }
            twin.name(&bytes, first);
        }
        (done, sums) => assert!(matches!(done, Err(Fault::Overflow(_))) && sums.is_none(), "{done:?}"),
    }
}

fn agree(table: &T<'_>, twin: &Twin) {
    for slot in 0..table.at.slots {
        assert_eq!(table.value(slot), Ok(twin.values[slot]));
        let name = twin.names.iter().find(|(_, named)| **named == slot).map(|(name, _)| name.clone());
        assert_eq!(table.name_of(slot), Ok(name));
    }
    for (bytes, slot) in &twin.names {
        let found = Name::new(bytes).map(|name| table.find(name));
        assert_eq!(found.map(|found| found.map(|found| found.map(|found| found.slot))), Some(Ok(Some(*slot))));
    }
    assert_eq!(table.free_slots(table.at.slots, |_| false), Ok(twin.free()));
}

/// A name has 1 to 240 bytes, whatever they are.
fn checked(bytes: &[u8]) -> Option<Name<'_>> {
    let name = Name::new(bytes);
    assert_eq!(name.is_some(), (1..=MAX_NAME_BYTES).contains(&bytes.len()));
    name
}

/// Words anywhere: where, then what. Small numbers and those near the ends of 64 bits are the ones that lead somewhere.
fn spoil(table: &T<'_>, input: &mut Input<'_>) {
    let words = table.memory.0;
    for _ in 0..input.byte() {
        let place = input.byte();
        let at = match place % 8 {
            0 => table.at.names_version(),
            1 => table.at.named_from(),
            2 => table.at.phase(),
            3 => table.at.count(),
            4 => table.at.heads + usize::from(place / 8),
            5 => table.at.entry(0) + usize::from(place / 8),
            _ => (usize::from(input.byte()) << 8 | usize::from(place)) % words.len(),
        };
        let word = match input.byte() {
            255 => input.word(),
            byte @ 240.. => u64::MAX - u64::from(byte - 240),
            byte => byte.into(),
        };
        words[at % words.len()].store(word, Ordering::Relaxed);
    }
}

fn unsound(table: &T<'_>, input: &mut Input<'_>) {
    while !input.is_empty() {
        let bytes = name(input);
        let Some(name) = checked(&bytes) else { continue };
        match input.below(8) {
            0 => drop(table.claim(name)),
            1 => drop(table.forget(name)),
            2 => drop(table.repair()),
            3 => drop(table.drain()),
            4 => drop(table.free_slots(input.below(9), |slot| slot == 1)),
            5 => {
                let slot = input.below(table.at.slots);
                drop(table.add_many(&[(slot, input.word().cast_signed())], &[(slot, name)]));
            }
            6 => drop(table.set_many(&[(input.below(table.at.slots), 1)], &[])),
            _ => {
                assert_eq!(table.rebuild_index(), Ok(()));
                let there = holders(table, &bytes);
                let found = table.find(name).map(|found| found.map(|found| found.slot));
                assert!(found.is_ok_and(|slot| slot.map_or(there.is_empty(), |slot| there.contains(&slot))));
            }
        }
        if let Ok(Some(found)) = table.find(name) {
            assert!(holders(table, &bytes).contains(&found.slot));
            assert_eq!(found.state & GROUPED, 0);
        }
        for slot in 0..table.at.slots {
            let len = table.name_of(slot).map(|name| name.map(|name| name.len()));
            assert!(!matches!(len, Ok(Some(len)) if len == 0 || len > MAX_NAME_BYTES));
        }
    }
}

/// Slots whose words are this name's.
fn holders(table: &T<'_>, name: &[u8]) -> Vec<usize> {
    let word = |at: usize| table.memory.0[at].load(Ordering::Relaxed);
    let hash = name
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    let holds = |slot: &usize| {
        let at = table.at.name(*slot);
        let bytes: Vec<u8> = (0..30).flat_map(|index| word(at + 2 + index).to_ne_bytes()).collect();
        // The last word's bytes behind the name are zeros.
        let mut padded = name.to_vec();
        padded.resize(name.len().next_multiple_of(8), 0);
        word(table.at.state(*slot)) & NAMED != 0
            && word(at) == hash
            && word(at + 1) == name.len() as u64
            && bytes.starts_with(&padded)
    };
    (0..table.at.slots).filter(holds).collect()
}

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;

use proptest::prelude::*;

use super::super::layout::Counters;
use super::super::memory::{Words, sure};
use super::super::table::Single;
use super::*;

#[derive(Debug, Clone)]
enum Call {
    Claim(u8),
    Forget(u8),
    Add(usize, i64),
    Rebuild,
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        4 => (0u8..12).prop_map(Call::Claim),
        2 => (0u8..12).prop_map(Call::Forget),
        2 => (0usize..8, -1i64..2).prop_map(|(slot, delta)| Call::Add(slot, delta)),
        1 => Just(Call::Rebuild),
    ]
}

/// Names of every length up to the limit, that differ in their last byte.
fn text(number: u8) -> Vec<u8> {
    let mut text = vec![b'n'; 1 + usize::from(number) * 21 % MAX_NAME_BYTES];
    text[usize::from(number) * 21 % MAX_NAME_BYTES] = number;
    text
}

proptest! {
    #[test]
    fn names_are_a_map_with_exactly_the_capacity(slots in 1usize..8, calls in prop::collection::vec(call(), 1..120)) {
        let at = Counters::new(slots);
        let words: Vec<AtomicU64> = (0..at.bytes() / 8).map(|_| AtomicU64::new(0)).collect();
        let memory = Words(&words);
        let table = Table { memory: &memory, at: &at };
        sure(memory.store(at.named_from(), slots as u64));
        let mut names: HashMap<u8, usize> = HashMap::new();
        let mut ever = vec![false; slots];
        for call in calls {
            match call {
                Call::Claim(number) => {
                    let bytes = text(number);
                    let claimed = table.claim(Name::new(&bytes).unwrap());
                    // The rule, word by word: highest first, never named before forgotten.
                    let free: Vec<usize> = (0..slots)
                        .rev()
                        .filter(|slot| !names.values().any(|used| used == slot) && sure(table.value(*slot)) == 0)
                        .collect();
                    let expected = free.iter().find(|slot| !ever[**slot]).or(free.first()).copied();
                    match (names.get(&number), claimed) {
                        (Some(slot), Ok(found)) => prop_assert_eq!(*slot, found.slot),
                        (None, Ok(found)) => {
                            prop_assert_eq!(Some(found.slot), expected);
                            ever[found.slot] = true;
                            names.insert(number, found.slot);
                        }
                        (known, Err(fault)) => {
                            prop_assert_eq!(fault, Fault::Full);
                            prop_assert!(known.is_none() && expected.is_none());
                        }
                    }
                }
                Call::Forget(number) => {
                    let forgotten = table.forget(Name::new(&text(number)).unwrap()).unwrap();
                    let slot = names.remove(&number);
                    prop_assert_eq!(forgotten, slot.is_some());
                    if let Some(slot) = slot {
                        prop_assert_eq!(sure(table.value(slot)), 0);
                    }
                }
                Call::Add(slot, delta) if slot < slots => {
                    table.change(slot, Single::Add(delta)).unwrap();
                }
                Call::Add(..) => {}
                Call::Rebuild => table.rebuild_index().unwrap(),
            }
            for number in 0..12 {
                let bytes = text(number);
                let found = table.find(Name::new(&bytes).unwrap()).unwrap().map(|found| found.slot);
                prop_assert_eq!(found, names.get(&number).copied());
                if let Some(slot) = found {
                    prop_assert_eq!(table.name_of(slot).unwrap(), Some(bytes));
                }
            }
        }
    }
}

#[test]
fn names_are_bytes_with_a_length() {
    assert!(Name::new(b"").is_none());
    assert!(Name::new(&[0xff; MAX_NAME_BYTES + 1]).is_none());
    for fine in [&b"\0"[..], b"a\0b", &[0xff; MAX_NAME_BYTES]] {
        Name::new(fine).unwrap();
    }
}

//! Calls of many counters that bring new names with them.

use super::*;

/// An addMany() of slot 0 and the name "x", as the handle makes it: 1 done, 2 refused.
fn add_many_with_a_new_name(at: &Counters, delta: i64) -> Program<'_> {
    Box::new(move |steps| {
        locked(at, steps, |table| {
            let x = Name::new(b"x").unwrap();
            let (slot, new) = match table.find(x)? {
                Some(found) => (found.slot, vec![]),
                None => match table.free_slots(1, |slot| slot == 0)?.first() {
                    Some(slot) => (*slot, vec![(*slot, x)]),
                    None => return Ok(2),
                },
            };
            match table.add_many(&[(0, delta), (slot, 1)], &new) {
                Err(Fault::Overflow(_)) => Ok(2),
                other => other.map(|()| 1),
            }
        })
    })
}

#[test]
fn a_new_name_of_a_killed_add_many_is_there_with_its_value_or_not_at_all() {
    let at = counters(3);
    let programs = [add_many_with_a_new_name(&at, 10), claim(&at, b"y")];
    let endings = explore(words(&at, &[5, 0, 0], 1), &programs, 2, &next_locker(&at), |ending| {
        let names = names(&at, ending);
        let x = names.iter().find(|(_, name)| name == b"x").map(|(slot, _)| *slot);
        let whole = match x {
            Some(slot) => value(ending, 0) == 15 && value(ending, slot) == 1,
            None => value(ending, 0) == 5 && ending.reports[0].is_none(),
        };
        let y = names.iter().find(|(_, name)| name == b"y").map(|(slot, _)| *slot);
        whole && (ending.reports[1].is_none() || y.is_some_and(|slot| value(ending, slot) == 1))
    });
    assert!(endings.unwrap() > 10);
}

#[test]
fn a_refused_add_many_leaves_no_name_whoever_dies() {
    let at = counters(3);
    let programs = [add_many_with_a_new_name(&at, 10), next_locker(&at)];
    let endings = explore(words(&at, &[i64::MAX - 5, 0, 0], 1), &programs, 2, &next_locker(&at), |ending| {
        names(&at, ending).is_empty()
            && value(ending, 0) == i64::MAX - 5
            && (value(ending, 1), value(ending, 2)) == (0, 0)
            && ending.reports[0].is_none_or(|report| report == 2)
    });
    endings.unwrap();
}

#[test]
fn two_add_many_of_one_new_name_share_its_slot_whoever_dies() {
    let at = counters(3);
    let programs = [add_many_with_a_new_name(&at, 1), add_many_with_a_new_name(&at, 1)];
    let endings = explore(words(&at, &[0, 0, 0], 1), &programs, 2, &next_locker(&at), |ending| {
        let names = names(&at, ending);
        let done = ending.reports.iter().flatten().count() as i64;
        let sum = value(ending, 0);
        names.len() <= 1
            && (done..=2).contains(&sum)
            && names.first().map_or(0, |(slot, _)| value(ending, *slot)) == sum
    });
    endings.unwrap();
}

#[test]
fn a_killed_restore_makes_its_names_with_its_values() {
    let at = counters(2);
    let x = Name::new(b"x").unwrap();
    let set: Program<'_> = Box::new(|steps| {
        locked(&at, steps, |table| {
            let new: Vec<_> = if table.find(x)?.is_none() { vec![(1, x)] } else { vec![] };
            table.set_many(&[(0, 8), (1, 9)], &new)
        })
        .map(|()| 1)
    });
    let endings = explore(words(&at, &[1, 0], 1), &[set, next_locker(&at)], 2, &next_locker(&at), |ending| {
        let now = (value(ending, 0), value(ending, 1), names(&at, ending).len());
        now == (8, 9, 1) || now == (1, 0, 0) && ending.reports[0].is_none()
    });
    endings.unwrap();
}

//! Names that go while others count under them: see [`hazard`](super::super::hazard).

use super::super::names::Found;
use super::super::sim::{AGAIN, explore_with, mark_dead};
use super::super::table::{PINNED, RENAMED, RETIRED};
use super::*;

/// Words with the name "x" in the last slot, which holds this, and all entries in use: process i owns entry i.
fn with_x(at: &Counters, value: i64) -> Vec<u64> {
    let prepared = std::cell::RefCell::new(Vec::new());
    let claim: Program<'_> = Box::new(|steps| {
        locked(at, steps, |table| {
            let found = table.claim(Name::new(b"x").unwrap())?;
            table.change(found.slot, Single::Add(value)).map(|_| 1)
        })
    });
    explore(words(at, &[], 0), &[claim], 0, &next_locker(at), |ending| {
        prepared.replace(ending.words.clone());
        true
    })
    .unwrap();
    let mut words = prepared.into_inner();
    words[at.hazards_used()] = at.hazards as u64;
    words
}

/// While a call in flight keeps a slot: again.
fn settled(outcome: Outcome) -> Outcome {
    if outcome == Err(Fault::InFlight) { Ok(AGAIN) } else { outcome }
}

/// What a call under a name does without the lock; None: it takes the lock.
type Unlocked = fn(&Table<'_, Steps>, usize, Found) -> Result<Option<u64>, Fault<Stop>>;

fn announced(table: &Table<'_, Steps>, me: usize, found: Found) -> Result<Option<u64>, Fault<Stop>> {
    Ok(table.change_named(me, found, Single::Add(1))?.map(|change| change.after.cast_unsigned()))
}

/// As it was: look, then swap.
fn unannounced(table: &Table<'_, Steps>, _: usize, found: Found) -> Result<Option<u64>, Fault<Stop>> {
    let still = table.state(found.slot)? == found.state;
    Ok(if still { Some(table.change(found.slot, Single::Add(1))?.after.cast_unsigned()) } else { None })
}

/// Look, swap, look again, and take back what landed in another one's slot.
fn taken_back(table: &Table<'_, Steps>, _: usize, found: Found) -> Result<Option<u64>, Fault<Stop>> {
    let change = table.change(found.slot, Single::Add(1))?;
    if table.is_still(found)? {
        return Ok(Some(change.after.cast_unsigned()));
    }
    table.change(found.slot, Single::Add(-1))?;
    Ok(None)
}

/// add("x") of a handle that remembers where it was at first: reports the new value.
fn add_x(at: &Counters, unlocked: Unlocked) -> Program<'_> {
    Box::new(move |steps| {
        if let Some(after) = unlocked(&Table { memory: steps, at }, steps.me(), first_x(at))? {
            return Ok(after);
        }
        settled(locked(at, steps, |table| match table.claim(Name::new(b"x").unwrap()) {
            Err(Fault::Full) => Ok(0), // "y" came before
            Err(other) => Err(other),
            Ok(found) => Ok(table.change(found.slot, Single::Add(1))?.after.cast_unsigned()),
        }))
    })
}

/// The part of it without the lock: reports 0 when it would start over.
fn try_to_add_x(at: &Counters) -> Program<'_> {
    Box::new(move |steps| Ok(announced(&Table { memory: steps, at }, steps.me(), first_x(at))?.unwrap_or(0)))
}

fn first_x(at: &Counters) -> Found {
    Found { slot: at.slots - 1, state: NAMED | RENAMED }
}

fn forget_x(at: &Counters) -> Program<'_> {
    Box::new(move |steps| match locked(at, steps, |table| table.forget(Name::new(b"x").unwrap())) {
        Err(Fault::Pinned) => Ok(2),
        other => other.map(u64::from),
    })
}

/// The first use of another name: 10 is added.
fn add_y(at: &Counters) -> Program<'_> {
    Box::new(move |steps| {
        settled(locked(at, steps, |table| match table.claim(Name::new(b"y").unwrap()) {
            Err(Fault::Full) => Ok(0), // "x" came again before
            Err(other) => Err(other),
            Ok(found) => table.change(found.slot, Single::Add(10)).map(|_| 1),
        }))
    })
}

/// The next locker finds a slot for a new name wherever there is no name: nothing has leaked.
fn everything_else_is_free(at: &Counters) -> Program<'_> {
    Box::new(move |steps| {
        locked(at, steps, |table| {
            let named = (0..at.slots).filter(|slot| table.state(*slot).is_ok_and(|state| state & NAMED != 0)).count();
            let free = table.free_slots(at.slots, |_| false)?;
            Ok(u64::from(named + free.len() == at.slots))
        })
        .map(|all| if all == 1 { 0 } else { steps.store(at.phase(), 0xff).map(|()| 0).unwrap_or(0) })
    })
}

fn nothing_leaked(at: &Counters, ending: &Ending) -> bool {
    ending.words[at.phase()] & 0xff == 0 && (0..at.slots).all(|slot| ending.words[at.state(slot)] & RETIRED == 0)
}

fn explored(
    at: &Counters,
    start: i64,
    programs: &[Program<'_>],
    deaths: usize,
    judge: impl Fn(&Ending) -> bool,
) -> Result<usize, Ending> {
    let bury = |words: &mut [u64], me: usize| {
        if me < at.hazards {
            mark_dead(words, at.hazard(me));
        }
    };
    explore_with(with_x(at, start), programs, deaths, &everything_else_is_free(at), bury, judge)
}

/// The value under a name, None if it is not there.
fn under(at: &Counters, ending: &Ending, name: &[u8]) -> Option<i64> {
    names(at, ending).iter().find(|(_, other)| other == name).map(|(slot, _)| value(ending, *slot))
}

/// One add() of "x" beside its forget() and the first use of "y" in a segment with room for one name.
fn one_add_is_exact(at: &Counters, start: i64, ending: &Ending) -> bool {
    let (x, y) = (under(at, ending, b"x"), under(at, ending, b"y"));
    let forgotten = ending.reports[1] == Some(1);
    let add = ending.reports[0].map(u64::cast_signed);
    let add_is_exact = match add {
        // Before forget(), on what was there, and gone with it; or there still.
        Some(0) => x.is_none() && y.is_some(),
        Some(after) if after == start + 1 && x.is_none() => ending.reports[1] != Some(0),
        Some(after) if after == start + 1 && x == Some(start + 1) => !forgotten || start == 0,
        // After it, in the name's next life.
        Some(after) => after == 1 && x == Some(1) && ending.reports[1] != Some(0),
        None => x.is_none() || x == Some(start) || x == Some(start + 1) || x == Some(0) || x == Some(1),
    };
    add_is_exact
        && nothing_leaked(at, ending)
        && matches!(y, None | Some(0 | 10))
        && (ending.reports[2] != Some(1) || y == Some(10))
        && (!forgotten || add.is_some() || matches!(x, None | Some(0 | 1)))
}

#[test]
fn an_add_beside_a_forget_is_gone_with_the_name_or_in_its_next_life_whoever_dies() {
    let at = counters(1);
    for start in [0, 5] {
        let programs = [add_x(&at, announced), forget_x(&at), add_y(&at)];
        let endings = explored(&at, start, &programs, 1, |ending| one_add_is_exact(&at, start, ending));
        assert!(endings.unwrap() > 10);
    }
}

#[test]
fn a_look_before_the_swap_or_behind_it_is_seen_to_fail() {
    let at = counters(1);
    for (unlocked, deaths) in [(unannounced as Unlocked, 0), (taken_back as Unlocked, 0), (taken_back as Unlocked, 1)] {
        let programs = [add_x(&at, unlocked), forget_x(&at), add_y(&at)];
        explored(&at, 0, &programs, deaths, |ending| one_add_is_exact(&at, 0, ending)).unwrap_err();
    }
}

#[test]
fn two_adds_beside_a_forget_count_on_from_each_other() {
    let at = counters(1);
    for start in [0, 5] {
        let programs = [try_to_add_x(&at), try_to_add_x(&at), forget_x(&at)];
        let endings = explored(&at, start, &programs, 1, |ending| {
            let mut done: Vec<i64> = ending.reports[..2].iter().flatten().map(|after| after.cast_signed()).collect();
            done.retain(|after| *after != 0);
            done.sort_unstable();
            let one_died_unheard = ending.reports[..2].iter().any(Option::is_none);
            let on_from_the_start = match done[..] {
                [] => true,
                [one] => one == start + 1 || one_died_unheard && one == start + 2,
                [one, two] => (one, two) == (start + 1, start + 2),
                _ => false,
            };
            on_from_the_start
                && nothing_leaked(&at, ending)
                && (ending.reports[2].is_none() || names(&at, ending).is_empty())
        });
        assert!(endings.unwrap() > 10);
    }
}

fn one_try_is_exact(at: &Counters, start: i64, ending: &Ending) -> bool {
    let x = under(at, ending, b"x");
    let value = match ending.reports[0] {
        Some(0) => x.is_none(),
        Some(after) => after.cast_signed() == start + 1 && x.is_none_or(|x| x == start + 1),
        None => x.is_none_or(|x| x == start || x == start + 1),
    };
    value && nothing_leaked(at, ending) && (ending.reports[1].is_none() || x.is_none())
}

#[test]
fn forget_dies_and_its_repairer_dies_beside_an_add() {
    let at = counters(2);
    for start in [0, 5] {
        let programs = [try_to_add_x(&at), forget_x(&at), next_locker(&at)];
        let endings = explored(&at, start, &programs, 2, |ending| one_try_is_exact(&at, start, ending));
        assert!(endings.unwrap() > 10);
    }
}

#[test]
fn a_value_that_is_read_is_the_names_own() {
    let at = counters(1);
    let get: Program<'_> = Box::new(|steps| {
        let table = Table { memory: steps, at: &at };
        while let Some(found) = table.find(Name::new(b"x").unwrap())? {
            let value = table.value(found.slot)?;
            if table.is_still(found)? {
                return Ok(value.cast_unsigned());
            }
        }
        Ok(0)
    });
    let programs = [get, forget_x(&at), add_y(&at)];
    let endings = explored(&at, 5, &programs, 1, |ending| matches!(ending.reports[0], None | Some(0 | 5)));
    assert!(endings.unwrap() > 5);
}

/// By its index a slot that was forgotten is nobody's, or not yet to be had.
#[test]
fn an_add_by_index_beside_a_forget_is_not_lost_in_a_slot_that_is_free_again() {
    let at = counters(2);
    let by_index: Program<'_> = Box::new(|steps| {
        let table = Table { memory: steps, at: &at };
        let state = table.state(1)?;
        let call = Single::Add(100);
        if state & (NAMED | RETIRED) == 0 {
            return Ok(table.change(1, call)?.after.cast_unsigned());
        }
        if state & RETIRED == 0
            && let Some(change) = table.change_named(steps.me(), Found { slot: 1, state }, call)?
        {
            return Ok(change.after.cast_unsigned());
        }
        settled(locked(&at, steps, |table| {
            if !table.is_usable(1)? {
                return Err(Fault::InFlight);
            }
            Ok(table.change(1, call)?.after.cast_unsigned())
        }))
    });
    let programs = [try_to_add_x(&at), forget_x(&at), by_index];
    let judge = |ending: &Ending| {
        let retired = ending.words[at.state(1)] & RETIRED != 0;
        let unnamed = !names(&at, ending).iter().any(|(slot, _)| *slot == 1);
        let kept = match ending.reports[2] {
            Some(100) if unnamed => value(ending, 1) == 100,
            _ => !unnamed || [0, 100].contains(&value(ending, 1)),
        };
        !retired && kept && ending.reports[0].is_none_or(|after| [0, 6, 106].contains(&after))
    };
    let bury = |words: &mut [u64], me: usize| mark_dead(words, at.hazard(me));
    let last: Program<'_> =
        Box::new(|steps| locked(&at, steps, |table| table.is_usable(1).map(|_| 0).map_err(Fault::from)));
    explore_with(with_x(&at, 5), &programs, 1, &last, bury, judge).unwrap();
}

#[test]
fn a_pinned_name_stays_and_one_that_has_gone_is_not_pinned() {
    let at = counters(1);
    let by_pin: Program<'_> = Box::new(|steps| {
        let table = Table { memory: steps, at: &at };
        match table.find(Name::new(b"x").unwrap())? {
            Some(found) if table.pin(found)? => Ok(table.change(found.slot, Single::Add(1))?.after.cast_unsigned()),
            _ => Ok(0),
        }
    });
    let programs = [by_pin, forget_x(&at), add_many(&at, &[(0, 10)])];
    let endings = explored(&at, 5, &programs, 1, |ending| {
        let pinned = ending.words[at.state(0)] & PINNED != 0;
        let added = match ending.reports[0] {
            Some(0) | None => true,
            Some(_) => pinned && matches!(under(&at, ending, b"x"), Some(6 | 16)),
        };
        let refused = ending.reports[1] != Some(2) || pinned;
        added && refused && pinned <= under(&at, ending, b"x").is_some()
    });
    // The one exception of grouping applies to this call, too: see `table`.
    drop(endings);
}

#[test]
fn marks_are_below_the_number_of_renames() {
    const { assert!(GROUPED | NAMED | PINNED | RETIRED == RENAMED - 1) };
}

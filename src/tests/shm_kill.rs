//! Counters under many processes that are killed at any instruction.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "shm_support.rs"]
mod support;

use std::fs::File;
use std::time::Duration;

use rustio::shm::counters::{Counter, Counters, Label};
use rustio::shm::error::ShmError;
use rustio::shm::key::Key;
use rustio::shm::layout::{trailer, trailer_word};
use rustio::shm::lock::Wait;
use rustio::shm::segment::Segment;
use rustio::shm::table::Single;
use rustio::sys::sysv::{self, Attachment};
use support::{Random, TestKey, finish, kill, role, spawn, until};

fn key(args: &[String]) -> Key {
    Key::number(args[0].parse().unwrap()).unwrap()
}

fn index(slot: i64) -> Counter<'static> {
    Counter::Index(slot)
}

fn name(text: &str) -> Counter<'_> {
    Counter::Name(text.as_bytes(), text.len() as u64)
}

/// The other processes: this binary with a role. In the test run itself there is nothing to do.
#[test]
fn child() {
    let Some((role, args)) = role() else { return };
    match role.as_str() {
        "add" => {
            let counters = Counters::create(key(&args), 4, 0o600).unwrap();
            for _ in 0..args[2].parse::<u64>().unwrap() {
                counters.single(name(&args[1]), Single::Add(1)).unwrap();
            }
        }
        "storm" => storm(&args, |counters| {
            counters.add_many((0..TOGETHER).map(|slot| (index(slot), 1))).unwrap();
        }),
        "trusting storm" => {
            let journal = Counters::create(key(&args[2..]), TOGETHER + 1, 0o600).unwrap();
            storm(&args, |counters| trusting_values_alone(counters, &journal));
        }
        "forget" => add_and_forget(&args),
        "drain" => {
            let counters = Counters::create(key(&args), 4, 0o600).unwrap();
            let mut sum = 0i64;
            let mut last = false;
            loop {
                sum += counters.drain().unwrap().iter().map(|(_, value)| value).sum::<i64>();
                if last {
                    break;
                }
                last = std::path::Path::new(&args[2]).exists();
            }
            std::fs::write(&args[1], sum.to_le_bytes()).unwrap();
        }
        "hold" => {
            let counters = Counters::create(key(&args), 4, 0o600).unwrap();
            let _section = counters.section(Wait::Usual).unwrap();
            counters.single(index(3), Single::Set(1)).unwrap();
            std::io::stdin().read_line(&mut String::new()).unwrap();
        }
        "write" => {
            let segment = Segment::create(key(&args), 4096, 0o600, None).unwrap();
            for byte in (0u8..=255).cycle() {
                segment.write(0, &[byte; 4096]).unwrap();
            }
        }
        other => panic!("{other}"),
    }
}

/// How many counters one addMany() of the storm changes: enough that most kills hit its middle.
const TOGETHER: i64 = 64;

/// addMany() in a tight loop beside single adds of the same delta to all its counters but the last. What a worker has
/// begun and what it was told is done stands in the counters of another segment, which are free-standing: begun and done
/// addMany() behind, for each counter, begun and done add().
fn storm(args: &[String], together: impl Fn(&Counters)) {
    let counters = Counters::create(key(args), TOGETHER, 0o600).unwrap();
    let ledger = Counters::create(key(&args[1..]), 2 * TOGETHER, 0o600).unwrap();
    let note = |slot| ledger.single(index(slot), Single::Add(1)).map(drop).unwrap();
    loop {
        for slot in 0..TOGETHER - 1 {
            note(2 * TOGETHER - 2);
            together(&counters);
            note(2 * TOGETHER - 1);
            note(2 * slot);
            counters.single(index(slot), Single::Add(1)).unwrap();
            note(2 * slot + 1);
        }
    }
}

/// What addMany() must not be: a journal of old values beside lock-free single adds, whose recovery takes a value that
/// has changed for one that was done.
fn trusting_values_alone(counters: &Counters, journal: &Counters) {
    let _lock = counters.section(Wait::Usual).unwrap();
    let value = |counters: &Counters, slot| counters.get(index(slot)).unwrap();
    let add = |slot| counters.single(index(slot), Single::Add(1)).map(drop).unwrap();
    let put = |slot, value| journal.single(index(slot), Single::Set(value)).map(drop).unwrap();
    if value(journal, TOGETHER) == 1 {
        (0..TOGETHER).filter(|slot| value(counters, *slot) == value(journal, *slot)).for_each(add);
        put(TOGETHER, 0);
    }
    (0..TOGETHER).for_each(|slot| put(slot, value(counters, slot)));
    put(TOGETHER, 1);
    (0..TOGETHER).for_each(add);
    put(TOGETHER, 0);
}

/// Names that all processes add to and forget.
const SHARED: [&str; 3] = ["one", "two", "three"];
/// What is added to each at a time: no sum of one is ever a sum of another.
const STEPS: [i64; 3] = [1, 1 << 20, 1 << 40];

/// add(), forget() and get() of the same few names in a tight loop; `args[1]`: a file that is made when a value is
/// another name's.
fn add_and_forget(args: &[String]) {
    let counters = Counters::create(key(args), SHARED.len() as i64, 0o600).unwrap();
    let mut random = Random::new();
    random.0 ^= u64::from(std::process::id()) << 32;
    loop {
        let which = random.below(3) as usize;
        let counter = name(SHARED[which]);
        let value = match random.below(8) {
            0 => counters.forget(SHARED[which].as_bytes()).map(|_| 0),
            1 => counters.get(counter),
            _ => counters.single(counter, Single::Add(STEPS[which])).map(|change| change.after),
        };
        let value = value.unwrap();
        if value % STEPS[which] != 0 || value / STEPS[which] >= 1 << 20 {
            std::fs::write(&args[1], format!("{value} under {}", SHARED[which])).unwrap();
        }
    }
}

/// Runs a storm of 300 kills, then says what is wrong with the sums.
fn after_a_storm(counters: &Counters, role: &str, keys: &[&TestKey]) -> Result<(), String> {
    let keys: Vec<String> = keys.iter().map(|key| key.raw.to_string()).collect();
    let args: Vec<&str> = keys.iter().map(String::as_str).collect();
    let mut random = Random::new();
    let mut workers: Vec<_> = (0..4).map(|_| spawn(role, &args)).collect();
    for _ in 0..300 {
        std::thread::sleep(Duration::from_micros(500 + random.below(6000)));
        kill(std::mem::replace(&mut workers[random.below(4) as usize], spawn(role, &args)));
    }
    workers.into_iter().for_each(kill);
    // Nobody is left, whatever they held: the next one gets the lock, within a bound that only a hang exceeds.
    drop(counters.section(Wait::AtMost(Duration::from_secs(5))).unwrap());
    let ledger = Counters::create(Key::number(keys[1].parse().unwrap()).unwrap(), 2 * TOGETHER, 0o600).unwrap();
    let noted = |slot| ledger.get(index(slot)).unwrap();
    let value = |slot| counters.get(index(slot)).unwrap();
    let many = value(TOGETHER - 1); // has no single adds
    let (begun, done) = (noted(2 * TOGETHER - 2), noted(2 * TOGETHER - 1));
    if done < 1000 || !(done..=begun).contains(&many) {
        return Err(format!("addMany(): {many}, begun {begun}, acknowledged {done}"));
    }
    for slot in 0..TOGETHER - 1 {
        let (single, begun, done) = (value(slot) - many, noted(2 * slot), noted(2 * slot + 1));
        if !(done..=begun).contains(&single) {
            return Err(format!("add() of counter {slot}: {single}, begun {begun}, acknowledged {done}"));
        }
    }
    Ok(())
}

/// CT-01
#[test]
fn four_processes_and_250000_increments_each_of_one_new_name_are_exact() {
    let key = TestKey::new();
    let raw = key.raw.to_string();
    // The name does not exist at the start: claiming it is part of the race (CT-01).
    let children: Vec<_> = (0..4).map(|_| spawn("add", &[&raw, "hits", "250000"])).collect();
    children.into_iter().for_each(finish);
    let counters = Counters::create(key.key(), 4, 0o600).unwrap();
    assert_eq!(counters.snapshot().unwrap(), [(Label::Name(b"hits".to_vec()), 1_000_000)]);
}

/// CT-02, CT-03
#[test]
fn a_storm_of_kills_leaves_exact_sums_and_no_lock() {
    let (key, ledger) = (TestKey::new(), TestKey::new());
    let counters = Counters::create(key.key(), TOGETHER, 0o600).unwrap();
    counters.add_many((0..TOGETHER).map(|slot| (index(slot), 0))).unwrap(); // grouped from the start: no exception
    after_a_storm(&counters, "storm", &[&key, &ledger]).unwrap();
}

#[test]
fn the_storm_finds_a_journal_that_trusts_values_alone() {
    let (key, ledger, journal) = (TestKey::new(), TestKey::new(), TestKey::new());
    let counters = Counters::create(key.key(), TOGETHER, 0o600).unwrap();
    after_a_storm(&counters, "trusting storm", &[&key, &ledger, &journal]).unwrap_err();
}

/// Three names in three slots: a single one that leaks, and a process that comes later finds the segment full.
#[test]
fn a_storm_of_kills_beside_forget_leaks_no_slot_and_no_value_to_another_name() {
    let key = TestKey::new();
    let raw = key.raw.to_string();
    let dir = tempfile::tempdir().unwrap();
    let wrong = dir.path().join("wrong");
    let args = [&*raw, wrong.to_str().unwrap()];
    let counters = Counters::create(key.key(), SHARED.len() as i64, 0o600).unwrap();
    let mut random = Random::new();
    let mut workers: Vec<_> = (0..4).map(|_| spawn("forget", &args)).collect();
    for round in 0..300 {
        std::thread::sleep(Duration::from_micros(500 + random.below(6000)));
        if round % 10 == 0 {
            // Stopped anywhere for a moment: the others wait, and go on.
            let pid = nix::unistd::Pid::from_raw(workers[0].id() as i32);
            nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGSTOP).unwrap();
            std::thread::sleep(Duration::from_millis(2));
            nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGCONT).unwrap();
        }
        kill(std::mem::replace(&mut workers[random.below(4) as usize], spawn("forget", &args)));
        assert!(workers.iter_mut().all(|worker| worker.try_wait().unwrap().is_none()), "a worker was refused a slot");
        assert!(counters.used() <= SHARED.len());
    }
    workers.into_iter().for_each(kill);
    assert!(!wrong.exists(), "{}", std::fs::read_to_string(&wrong).unwrap());
    for name in counters.names().unwrap() {
        assert!(counters.forget(&name.0).unwrap());
    }
    assert_eq!(counters.snapshot().unwrap(), []);
    let all = ["a", "b", "c"].map(|text| (Label::Name(text.into()), 7));
    for (label, value) in &all {
        let Label::Name(text) = label else { continue };
        assert_eq!(counters.single(Counter::Name(text, 9), Single::Add(*value)).unwrap().after, 7);
    }
    assert_eq!(counters.snapshot().unwrap().len(), all.len());
}

/// CT-30
#[test]
fn drain_beside_adds_loses_and_doubles_nothing() {
    let key = TestKey::new();
    let raw = key.raw.to_string();
    drop(Counters::create(key.key(), 4, 0o600).unwrap());
    let dir = tempfile::tempdir().unwrap();
    let (out, stop) = (dir.path().join("sum"), dir.path().join("stop"));
    let drainer = spawn("drain", &[&raw, out.to_str().unwrap(), stop.to_str().unwrap()]);
    let adders: Vec<_> = (0..3).map(|i| spawn("add", &[&raw, ["a", "b", "a"][i], "100000"])).collect();
    adders.into_iter().for_each(finish);
    File::create(&stop).unwrap();
    finish(drainer);
    let sum = i64::from_le_bytes(std::fs::read(&out).unwrap().try_into().unwrap());
    assert_eq!(sum, 300_000);
}

/// CT-02
#[test]
fn a_killed_holder_blocks_nobody_and_a_stopped_one_is_waited_for() {
    let key = TestKey::new();
    let counters = Counters::create(key.key(), 4, 0o600).unwrap();
    let holder = spawn("hold", &[&key.raw.to_string()]);
    until(|| counters.get(index(3)).unwrap() == 1);
    let signal = |signal| nix::sys::signal::kill(nix::unistd::Pid::from_raw(holder.id() as i32), signal).unwrap();
    signal(nix::sys::signal::Signal::SIGSTOP);
    // A stopped holder is not a dead one: the lock is not stolen (CT-02).
    let err = counters.section(Wait::AtMost(Duration::from_millis(200))).unwrap_err();
    assert!(matches!(err, ShmError::Timeout { .. }), "{err}");
    // Reading and free-standing counters never wait.
    assert_eq!(counters.single(index(0), Single::Add(2)).unwrap().after, 2);
    kill(holder);
    drop(counters.section(Wait::AtMost(Duration::from_secs(5))).unwrap());
    assert_eq!(counters.get(index(3)).unwrap(), 1); // what the section had done stays
}

/// CT-02
#[test]
fn a_storm_of_kills_never_leaves_a_torn_block() {
    let key = TestKey::new();
    let raw = key.raw.to_string();
    let segment = Segment::create(key.key(), 4096, 0o600, None).unwrap();
    let mut random = Random::new();
    let mut writers: Vec<_> = (0..2).map(|_| spawn("write", &[&raw])).collect();
    let read = || {
        let mut block = [std::mem::MaybeUninit::new(0u8); 4096];
        segment.read_into(0, &mut block).unwrap();
        #[allow(unsafe_code)]
        // SAFETY: initialised above, and copied over with initialised bytes.
        let block = block.map(|byte| unsafe { byte.assume_init() });
        assert!(block.iter().all(|byte| *byte == block[0]), "a torn block");
        block[0]
    };
    until(|| read() != 0);
    for _ in 0..150 {
        let next = std::time::Instant::now() + Duration::from_micros(500 + random.below(5000));
        while std::time::Instant::now() < next {
            read();
        }
        let victim = random.below(2) as usize;
        kill(std::mem::replace(&mut writers[victim], spawn("write", &[&raw])));
    }
    writers.into_iter().for_each(kill);
    segment.write(0, &[7; 4096]).unwrap();
    assert_eq!(read(), 7);
}

/// CT-03
#[test]
fn what_no_repair_can_mend_is_reported_to_everybody_and_can_be_created_anew() {
    let key = TestKey::new();
    let counters = Counters::create(key.key(), 4, 0o600).unwrap();
    let holder = spawn("hold", &[&key.raw.to_string()]);
    until(|| counters.get(index(3)).unwrap() == 1);
    let map = Attachment::new(sysv::shmget(key.raw, 0, 0).unwrap(), true).unwrap();
    let phase = trailer_word(map.len()).unwrap() + trailer::PHASE;
    map.words()[phase].store(0x77, std::sync::atomic::Ordering::SeqCst); // no phase of ours
    kill(holder);
    for _ in 0..3 {
        let err = counters.add_many([(index(0), 1)]).unwrap_err();
        assert!(matches!(err, ShmError::Damaged { .. }), "{err}");
    }
    let another = Counters::create(key.key(), 4, 0o600).unwrap();
    assert!(matches!(another.get(index(3)), Err(ShmError::Damaged { .. })));
    another.handle().destroy().unwrap();
    assert!(matches!(counters.get(index(3)), Err(ShmError::Removed { .. })));
    let again = Counters::create(key.key(), 4, 0o600).unwrap();
    again.add_many([(index(0), 1)]).unwrap();
}

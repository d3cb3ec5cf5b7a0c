//! Counters under many processes that are killed at any instruction.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "shm_support.rs"]
mod support;

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use rustio::shm::counters::{Counter, Counters, Label};
use rustio::shm::error::ShmError;
use rustio::shm::key::Key;
use rustio::shm::lock::Wait;
use rustio::shm::segment::Segment;
use rustio::shm::table::Single;
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
        "storm" => storm(&args),
        "drain" => {
            let counters = Counters::create(key(&args), 4, 0o600).unwrap();
            let out = File::create(&args[1]).unwrap();
            let mut sum = 0i64;
            let mut last = false;
            loop {
                sum += counters.drain().unwrap().iter().map(|(_, value)| value).sum::<i64>();
                if last {
                    break;
                }
                last = std::path::Path::new(&args[2]).exists();
            }
            out.write_all_at(&sum.to_le_bytes(), 0).unwrap();
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

/// Ledger of one worker: what it has begun and what it was told is done, for addMany() and for add().
struct Ledger(File);

impl Ledger {
    fn put(&self, word: u64, value: u64) {
        self.0.write_all_at(&value.to_le_bytes(), word * 8).unwrap();
    }

    fn get(&self) -> [u64; 4] {
        let mut bytes = [0; 32];
        self.0.read_exact_at(&mut bytes, 0).unwrap();
        std::array::from_fn(|word| u64::from_le_bytes(bytes[word * 8..word * 8 + 8].try_into().unwrap()))
    }
}

/// addMany() of counters 0 and 1 in a tight loop beside single adds of the same delta to counter 0.
fn storm(args: &[String]) {
    let counters = Counters::create(key(args), 4, 0o600).unwrap();
    let ledger = Ledger(File::options().write(true).read(true).open(&args[1]).unwrap());
    for done in 1.. {
        ledger.put(0, done);
        counters.add_many([(index(0), 1), (index(1), 1)]).unwrap();
        ledger.put(1, done);
        ledger.put(2, done);
        counters.single(index(0), Single::Add(1)).unwrap();
        ledger.put(3, done);
    }
}

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

#[test]
fn a_storm_of_kills_leaves_exact_sums_and_no_lock() {
    let key = TestKey::new();
    let raw = key.raw.to_string();
    let counters = Counters::create(key.key(), 4, 0o600).unwrap();
    counters.add_many([(index(0), 0), (index(1), 0)]).unwrap(); // grouped from the start: the promise has no exception
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random::new();
    let mut ledgers = Vec::new();
    let start = |ledgers: &mut Vec<Ledger>| {
        let path = dir.path().join(ledgers.len().to_string());
        let file = File::options().create_new(true).write(true).read(true).open(&path).unwrap();
        file.set_len(32).unwrap();
        ledgers.push(Ledger(file));
        spawn("storm", &[&raw, path.to_str().unwrap()])
    };
    let mut workers: Vec<_> = (0..4).map(|_| start(&mut ledgers)).collect();
    for _ in 0..300 {
        std::thread::sleep(Duration::from_micros(500 + random.below(6000)));
        let victim = random.below(4) as usize;
        let next = start(&mut ledgers);
        kill(std::mem::replace(&mut workers[victim], next));
    }
    workers.into_iter().for_each(kill);
    // Nobody is left, whatever they held: the next one gets the lock, within a bound that only a hang exceeds.
    drop(counters.section(Wait::AtMost(Duration::from_secs(5))).unwrap());
    let sums = ledgers
        .iter()
        .map(Ledger::get)
        .fold([0; 4], |sums, ledger| std::array::from_fn(|word| sums[word] + ledger[word]));
    let many = counters.get(index(1)).unwrap() as u64;
    let single = counters.get(index(0)).unwrap() as u64 - many;
    assert!(sums[1] > 300, "the storm has done something: {sums:?}");
    assert!((sums[1]..=sums[0]).contains(&many), "addMany: {many} of {sums:?}");
    assert!((sums[3]..=sums[2]).contains(&single), "add: {single} of {sums:?}");
}

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

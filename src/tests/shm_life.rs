//! How segments come, are found, are refused and go.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "shm_support.rs"]
mod support;

use std::process::Command;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use proptest::prelude::*;
use rustio::shm::counters::{Counter, Counters, Label};
use rustio::shm::error::{Kind, ShmError};
use rustio::shm::key::Key;
use rustio::shm::layout::{LIVE, MAKING, REMOVED, TRAILER_BYTES, trailer, trailer_word};
use rustio::shm::listing::segments;
use rustio::shm::segment::Segment;
use rustio::shm::table::Single;
use rustio::shm::{handle::CALLS_BETWEEN_LOOKS, layout};
use rustio::sys::sysv::{self, Attachment};
use support::{Random, TestKey, command, finish, kill, role, spawn};

fn index(slot: i64) -> Counter<'static> {
    Counter::Index(slot)
}

fn name(text: &[u8]) -> Counter<'_> {
    Counter::Name(text, text.len() as u64)
}

fn create(key: &TestKey, slots: i64) -> Result<Counters, ShmError> {
    Counters::create(key.key(), slots, 0o600)
}

/// A segment as another program would make it.
fn foreign(key: &TestKey, bytes: usize) -> i32 {
    sysv::shmget(key.raw, bytes, libc::IPC_CREAT | libc::IPC_EXCL | 0o600).unwrap()
}

/// The other processes: this binary with a role. In the test run itself there is nothing to do.
#[test]
fn child() {
    let Some((role, args)) = role() else { return };
    let key = Key::number(args[0].parse().unwrap()).unwrap();
    match role.as_str() {
        "create" => {
            let counters = Counters::create(key, 16, 0o600).unwrap();
            counters.single(name(args[1].as_bytes()), Single::Add(1)).unwrap();
        }
        "names" => {
            let counters = Counters::create(key, 2000, 0o600).unwrap();
            for number in 0..20 {
                let text = format!("{}-{number}", args[1]);
                counters.single(name(text.as_bytes()), Single::Add(1)).unwrap();
            }
        }
        "namespace" => {
            // Indexes and names that exist are fine, the lock is refused.
            let counters = Counters::create(key, 16, 0o600).unwrap();
            assert_eq!(counters.single(index(0), Single::Add(1)).unwrap().after, 2);
            assert_eq!(counters.single(name(b"known"), Single::Add(1)).unwrap().after, 2);
            for refused in [
                counters.add_many([(index(0), 1)]),
                counters.single(name(b"new"), Single::Add(1)).map(drop),
                counters.single(index(1), Single::Add(1)).map(drop), // grouped
                counters.snapshot().map(drop),
                counters.drain().map(drop),
            ] {
                assert!(matches!(refused, Err(ShmError::NoLock { .. })), "{refused:?}");
            }
        }
        other => panic!("{other}"),
    }
}

/// CT-01, CT-12
#[test]
fn a_hundred_creators_at_once_end_with_one_segment() {
    let key = TestKey::new();
    let children: Vec<_> = (0..100).map(|_| spawn("create", &[&key.raw.to_string(), "x"])).collect();
    children.into_iter().for_each(finish);
    assert_eq!(create(&key, 16).unwrap().get(name(b"x")).unwrap(), 100);
}

/// CT-28
#[test]
fn a_hundred_processes_register_twenty_names_each_and_all_are_listed() {
    let key = TestKey::new();
    let children: Vec<_> = (0..100).map(|i| spawn("names", &[&key.raw.to_string(), &i.to_string()])).collect();
    children.into_iter().for_each(finish);
    let counters = create(&key, 2000).unwrap();
    let mut names = counters.names().unwrap();
    names.sort();
    assert_eq!(names.len(), 2000, "CT-28");
    let full = counters.single(name(b"one more"), Single::Add(1)).unwrap_err();
    assert!(matches!(full, ShmError::Full { capacity: 2000, named: 2000, indexed: 0, .. }), "{full}");
}

/// CT-03
#[test]
fn killed_creators_poison_nothing() {
    let mut random = Random::new();
    for _ in 0..60 {
        let key = TestKey::new();
        let raw = key.raw.to_string();
        let victims: Vec<_> = (0..2).map(|_| spawn("create", &[&raw, "x"])).collect();
        std::thread::sleep(Duration::from_micros(random.below(4000)));
        victims.into_iter().for_each(kill);
        let counters = create(&key, 16).unwrap();
        assert!((0..=2).contains(&counters.get(name(b"x")).unwrap()));
        counters.add_many([(name(b"x"), 1)]).unwrap();
    }
}

#[test]
fn a_creator_that_died_at_each_stage_is_taken_over_from() {
    let bytes = layout::Counters::new(16).bytes();
    // Before it attached; with its claim alone; with garbage of an initialisation behind it; with another capacity.
    for (bytes, state, garbage) in [
        (bytes, 0, false),
        (bytes, MAKING | 1, false),
        (bytes, MAKING | 7, true),
        (layout::Counters::new(99).bytes(), MAKING | 1, true),
    ] {
        let key = TestKey::new();
        let id = foreign(&key, bytes);
        if state != 0 {
            let map = Attachment::new(id, true).unwrap();
            let at = trailer_word(bytes).unwrap();
            for word in at..at + TRAILER_BYTES / 8 {
                map.words()[word].store(if garbage { 0x5a5a } else { 0 }, SeqCst);
            }
            map.words()[at].store(state, SeqCst);
        }
        let counters = create(&key, 16).unwrap();
        counters.add_many([(name(b"x"), 1), (index(0), 2)]).unwrap();
        assert_eq!(counters.get(name(b"x")).unwrap(), 1);
    }
}

/// CT-10, CT-12
#[test]
fn foreign_segments_are_refused_and_left_as_they_are() {
    let ours = layout::Counters::new(16).bytes();
    for bytes in [1, 8, 64, 128, 1023, 1024, 4095, 4096, ours, ours + 64] {
        for fill in [0u64, 0x0123_4567_89ab_cdef, u64::MAX] {
            if bytes == ours && fill == 0 {
                continue; // indistinguishable from a creator that died before it wrote anything
            }
            let key = TestKey::new();
            let id = foreign(&key, bytes);
            let map = Attachment::new(id, true).unwrap();
            map.words().iter().for_each(|word| word.store(fill, SeqCst));
            let err = create(&key, 16).unwrap_err();
            assert!(matches!(err, ShmError::Foreign { .. }), "{bytes} bytes of {fill:x}: {err}");
            assert!(map.words().iter().all(|word| word.load(SeqCst) == fill), "written to");
            assert_eq!(sysv::stat(id).unwrap().attached, 1, "left attached");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// A header of garbage, and garbage under a header that is sound: an error or plain values, never a fault (CT-12).
    #[test]
    fn crafted_segments_never_lead_outside(
        words in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![any::<u64>(), 0u64..40]), 1..60),
        sound in any::<bool>(),
    ) {
        let key = TestKey::new();
        let counters = create(&key, 16).unwrap();
        counters.add_many([(name(b"x"), 1), (index(0), 2)]).unwrap();
        let id = sysv::shmget(key.raw, 0, 0).unwrap();
        let map = Attachment::new(id, true).unwrap();
        let at = trailer_word(map.len()).unwrap();
        for (word, value) in words {
            // Sound: the header and the mutex are spared (a wild mutex is the C library's to survive).
            let range = if sound { at } else { map.words().len() };
            let word = word.index(range);
            if !(at + 48..at + 64).contains(&word) {
                map.words()[word].store(value, SeqCst);
            }
        }
        let _ = counters.get(name(b"x"));
        let _ = counters.get(name(b"y"));
        let _ = counters.snapshot();
        let _ = counters.names();
        let _ = counters.add_many([(name(b"x"), 1), (name(b"z"), 1)]);
        let _ = counters.forget(b"x");
        let _ = counters.drain();
        let _ = create(&key, 16).map(|again| again.single(name(b"y"), Single::Add(1)).map(drop));
        let _ = Counters::open(key.key(), true).map(|again| again.names().map(drop));
    }

    /// The same for a block: its phase and the range of the write under way.
    #[test]
    fn a_crafted_block_never_leads_outside(
        words in prop::collection::vec((0usize..4, prop_oneof![any::<u64>(), 0u64..300]), 1..6),
    ) {
        let key = TestKey::new();
        let segment = Segment::create(key.key(), 200, 0o600, None).unwrap();
        let map = Attachment::new(sysv::shmget(key.raw, 0, 0).unwrap(), true).unwrap();
        let at = trailer_word(map.len()).unwrap() + trailer::BLOCK_PHASE;
        for (word, value) in words {
            map.words()[at + word].store(value, SeqCst);
            let mut block = [std::mem::MaybeUninit::new(0u8); 200];
            let _ = segment.read_into(0, &mut block);
            let _ = segment.write(100, &[1; 100]);
        }
    }
}

/// CT-14, CT-19
#[test]
fn a_removal_is_noticed_at_the_next_compound_call_and_then_by_every_call() {
    let key = TestKey::new();
    let counters = create(&key, 4).unwrap();
    counters.single(index(0), Single::Add(1)).unwrap();
    sysv::remove(sysv::shmget(key.raw, 0, 0).unwrap()).unwrap(); // what ipcrm and RemoveIPC do
    let err = counters.snapshot().unwrap_err();
    assert!(matches!(err, ShmError::Removed { .. }), "{err}");
    let new = create(&key, 4).unwrap(); // another process makes a new one: never a silent re-attach (CT-14)
    for _ in 0..3 {
        assert!(matches!(counters.get(index(0)), Err(ShmError::Removed { .. })));
        assert!(matches!(counters.single(index(0), Single::Add(1)), Err(ShmError::Removed { .. })));
    }
    assert_eq!(new.get(index(0)).unwrap(), 0);
    assert!(new.handle().header().generation > counters.handle().header().generation);
}

#[test]
fn a_removal_is_noticed_within_4096_single_calls() {
    let key = TestKey::new();
    let counters = create(&key, 4).unwrap();
    sysv::remove(sysv::shmget(key.raw, 0, 0).unwrap()).unwrap();
    let fine = (0..=CALLS_BETWEEN_LOOKS).take_while(|_| counters.single(index(0), Single::Add(1)).is_ok()).count();
    assert!(fine <= 4096, "{fine}");
}

#[test]
fn destroy_is_noticed_by_the_very_next_call_of_other_handles() {
    let key = TestKey::new();
    let (one, other) = (create(&key, 4).unwrap(), create(&key, 4).unwrap());
    one.handle().destroy().unwrap();
    assert!(matches!(other.get(index(0)), Err(ShmError::Removed { .. })));
    assert!(matches!(one.handle().destroy(), Err(ShmError::Removed { .. })));
    assert!(sysv::shmget(key.raw, 0, 0).is_err());
}

#[test]
fn a_destroyer_that_died_before_the_removal_is_finished_by_the_next_opener() {
    let key = TestKey::new();
    let old = create(&key, 4).unwrap();
    let map = Attachment::new(sysv::shmget(key.raw, 0, 0).unwrap(), true).unwrap();
    let state = &map.words()[trailer_word(map.len()).unwrap()];
    assert_eq!(state.load(SeqCst), LIVE);
    state.store(REMOVED, SeqCst);
    let new = create(&key, 8).unwrap();
    assert_eq!(new.slots(), 8);
    assert!(matches!(old.get(index(0)), Err(ShmError::Removed { .. })));
}

#[test]
fn a_creator_that_neither_finishes_nor_dies_ends_in_an_error() {
    let key = TestKey::new();
    let bytes = layout::Counters::new(16).bytes();
    let map = Attachment::new(foreign(&key, bytes), true).unwrap(); // stays attached, as a stopped creator would
    map.words()[trailer_word(bytes).unwrap()].store(MAKING | 1, SeqCst);
    let err = create(&key, 16).unwrap_err();
    assert!(matches!(err, ShmError::Unfinished { .. }), "{err}");
}

#[test]
fn a_segment_that_says_it_is_being_made_but_holds_what_no_maker_writes_is_damaged() {
    let key = TestKey::new();
    let bytes = layout::Block::new(4096).bytes();
    let map = Attachment::new(foreign(&key, bytes), true).unwrap(); // somebody else has it attached
    let trailer = trailer_word(bytes).unwrap();
    map.words()[trailer].store(MAKING | 1, SeqCst);
    map.words()[trailer + 1].store(0xdead, SeqCst);
    let err = Segment::create(key.key(), 4096, 0o600, None).unwrap_err();
    assert!(matches!(err, ShmError::Damaged { .. }), "{err}");
    // When nobody else has, it is what a dead maker left.
    drop(map);
    Segment::create(key.key(), 4096, 0o600, None).unwrap();
}

/// CT-10, CT-11
#[test]
fn another_capacity_kind_or_owner_of_the_key_is_refused_and_says_so() {
    let key = TestKey::new();
    let counters = create(&key, 64).unwrap();
    for other in [16, 128] {
        let err = create(&key, other).unwrap_err().to_string();
        assert!(err.contains("has 64 counters, not"), "{err}");
    }
    assert_eq!(Counters::open(key.key(), false).unwrap().slots(), 64);
    let err = Segment::create(key.key(), 64, 0o600, None).unwrap_err();
    assert!(matches!(err, ShmError::OtherKind { found: Kind::Counters, .. }), "{err}");
    drop(counters);

    // A name, and a number that is its hash.
    let text = format!("test {}", key.raw);
    let named = Counters::create(Key::name(text.as_bytes(), Kind::Counters).unwrap(), 4, 0o600).unwrap();
    let number = named.handle().header().key.raw();
    let err = Counters::open(Key::number(number.into()).unwrap(), false).unwrap_err();
    assert!(matches!(err, ShmError::Collision { .. }), "{err}");
    let listed = segments().unwrap();
    assert!(listed.iter().any(|one| *one.name == *text.as_bytes() && one.kind == Kind::Counters));
    named.handle().destroy().unwrap();
}

/// CT-16
#[test]
fn a_read_only_handle_reads_and_never_writes() {
    let key = TestKey::new();
    let counters = create(&key, 4).unwrap();
    counters.add_many([(name(b"x"), 5), (index(0), 2)]).unwrap();
    let reader = Counters::open(key.key(), true).unwrap();
    assert_eq!(reader.get(name(b"x")).unwrap(), 5);
    assert_eq!(reader.snapshot().unwrap(), [(Label::Index(0), 2), (Label::Name(b"x".to_vec()), 5)]);
    for refused in [
        reader.single(index(0), Single::Add(1)).map(drop),
        reader.single(name(b"new"), Single::Add(1)).map(drop),
        reader.add_many([(index(0), 1)]),
        reader.drain().map(drop),
        reader.forget(b"x").map(drop),
        reader.handle().destroy(),
    ] {
        assert!(matches!(refused, Err(ShmError::ReadOnly { .. })), "{refused:?}");
    }
}

/// CT-17
#[test]
fn twenty_thousand_openings_leave_one_segment_and_one_mapping() {
    let key = TestKey::new();
    let kept = create(&key, 4).unwrap();
    for _ in 0..20_000 {
        create(&key, 4).unwrap();
    }
    assert_eq!(kept.handle().stat().unwrap().attached, 1, "CT-17");
}

/// CT-04
#[test]
fn a_process_in_another_pid_namespace_is_refused_the_lock() {
    let key = TestKey::new();
    let mut unshare = Command::new("unshare");
    unshare.args(["--pid", "--fork", "--kill-child", "true"]);
    if !unshare.status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: a_process_in_another_pid_namespace_is_refused_the_lock (unshare is not allowed here)");
        return;
    }
    let counters = create(&key, 16).unwrap();
    counters.single(index(0), Single::Set(1)).unwrap();
    counters.add_many([(index(1), 1)]).unwrap();
    counters.single(name(b"known"), Single::Set(1)).unwrap();
    let mut unshare = Command::new("unshare");
    unshare.args(["--pid", "--fork", "--kill-child"]).arg(std::env::current_exe().unwrap());
    finish(command(unshare, "namespace", &[&key.raw.to_string()]));
    assert_eq!(counters.get(index(0)).unwrap(), 2);
}

/// CT-20
#[test]
fn counters_survive_in_a_file() {
    let key = TestKey::new();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("counters");
    let counters = create(&key, 8).unwrap();
    counters.add_many([(name(b"x"), 5), (name(b"\0\xff"), -7), (index(0), 2)]).unwrap();
    counters.save(&path).unwrap();
    let saved = counters.snapshot().unwrap();
    counters.single(index(3), Single::Add(1)).unwrap();
    counters.single(name(b"x"), Single::Add(1)).unwrap();
    counters.restore(&path).unwrap();
    assert_eq!(counters.snapshot().unwrap(), saved);
    counters.handle().destroy().unwrap();

    let again = create(&key, 3).unwrap(); // exactly as many as are needed
    again.restore(&path).unwrap();
    assert_eq!(again.get(name(b"\0\xff")).unwrap(), -7);
    let left = std::fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(left, 1, "no temporary file stays");

    let small = TestKey::new();
    let err = create(&small, 2).unwrap().restore(&path).unwrap_err();
    assert!(matches!(err, ShmError::BadFile { .. }), "{err}");
    let other = TestKey::new();
    let named = create(&other, 3).unwrap();
    named.single(name(b"other"), Single::Add(1)).unwrap();
    let err = named.restore(&path).unwrap_err();
    assert!(matches!(err, ShmError::Full { wanted: 2, free: 1, .. }), "{err}");
    assert_eq!(named.names().unwrap().len(), 1);
    std::fs::write(&path, b"rustioC1").unwrap();
    assert!(matches!(again.restore(&path).unwrap_err(), ShmError::BadFile { .. }));
}

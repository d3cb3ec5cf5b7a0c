//! Every death: writers are killed at each step, inside each write at each byte, and so are those who repair after them.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::*;

/// A file with its shared words and spools; the running process dies when its steps are used up.
#[derive(Clone, Default)]
struct World {
    file: Vec<u8>,
    intent: Option<Intent>,
    journal: Vec<u8>,
    journal_fails: Option<io::ErrorKind>,
    known_end: Option<u64>,
    spools: BTreeMap<u64, Vec<u8>>,
    steps_left: Option<usize>,
    dies_after_bytes: usize,
    steps: usize,
    /// At which step which bytes are appended by somebody who knows no lock.
    foreign: Option<(usize, &'static [u8])>,
    /// The disk is full at this size.
    full_at: Option<usize>,
    append_only: bool,
    short_writes: bool,
    /// Batches without a spool are announced by a sketch, and killed writes end at borders of so many bytes.
    page: Option<usize>,
}

impl World {
    /// One step of the process is about to happen; false: it dies instead.
    fn lives(&mut self) -> bool {
        if let Some((step, bytes)) = self.foreign
            && step == self.steps
        {
            self.file.extend_from_slice(bytes);
            self.foreign = None;
        }
        self.steps += 1;
        match &mut self.steps_left {
            None => true,
            Some(0) => false,
            Some(left) => {
                *left -= 1;
                true
            }
        }
    }

    fn step(&mut self) {
        if !self.lives() {
            resume_unwind(Box::new("killed"));
        }
    }

    /// Runs one process that may be killed; true if it lived to the end.
    fn run(&mut self, death: Option<(usize, usize)>, work: impl FnOnce(&mut World)) -> bool {
        self.steps = 0;
        self.steps_left = death.map(|(step, _)| step);
        self.dies_after_bytes = death.map_or(0, |(_, bytes)| bytes);
        let end = catch_unwind(AssertUnwindSafe(|| work(self)));
        self.steps_left = None;
        match end {
            Err(cause) if cause.downcast_ref() != Some(&"killed") => resume_unwind(cause),
            end => end.is_ok(),
        }
    }

    fn append(&mut self, lines: &str, spool: u64) -> Outcome {
        let sketched = self.page.is_some();
        append(self, format!("\n{lines}").as_bytes(), spool, sketched)
    }

    /// What the next logger does with orphans.
    fn recover(&mut self) {
        let orphans: Vec<u64> = self.spools.keys().copied().collect();
        for orphan in orphans {
            repair(self).unwrap();
            let lines = String::from_utf8(self.spools[&orphan].clone()).unwrap();
            if !lines.is_empty() {
                self.append(&lines, orphan);
            }
            self.spools.remove(&orphan);
        }
    }

    fn lines(&self) -> Vec<String> {
        let text = String::from_utf8(self.file.clone()).unwrap();
        assert!(text.ends_with('\n'), "{text:?}");
        text.lines().map(String::from).collect()
    }
}

impl Desk for World {
    fn page(&self) -> usize {
        self.page.unwrap_or(4096)
    }

    fn size(&mut self) -> io::Result<u64> {
        self.step();
        Ok(self.file.len() as u64)
    }

    fn read_at(&mut self, offset: u64, len: usize) -> io::Result<Option<Vec<u8>>> {
        let offset = usize::try_from(offset).unwrap();
        Ok(Some(self.file[offset..].iter().copied().take(len).collect()))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let lives = self.lives();
        let mut n = if lives { bytes.len() } else { bytes.len().min(self.dies_after_bytes) };
        if let Some(full_at) = self.full_at {
            n = n.min(full_at.saturating_sub(self.file.len()));
        }
        if self.short_writes {
            n = n.min(2);
        }
        if let (Some(page), false) = (self.page, lives)
            && n < bytes.len()
        {
            n -= ((self.file.len() + n) % page).min(n);
        }
        self.file.extend_from_slice(&bytes[..n]);
        if !lives {
            resume_unwind(Box::new("killed"));
        }
        if n == 0 { Err(io::Error::from_raw_os_error(libc::ENOSPC)) } else { Ok(n) }
    }

    fn truncate(&mut self, size: u64) -> io::Result<()> {
        self.step();
        if self.append_only {
            return Err(io::Error::from_raw_os_error(libc::EPERM));
        }
        self.file.truncate(usize::try_from(size).unwrap());
        Ok(())
    }

    fn intent(&mut self) -> Option<Intent> {
        self.intent
    }

    fn announce(&mut self, intent: Intent, lines: &[u8]) {
        self.step();
        self.journal = lines.to_vec();
        self.step();
        self.intent = Some(intent);
    }

    fn amend(&mut self, intent: Intent) {
        self.step();
        self.intent = Some(intent);
    }

    fn withdraw(&mut self) {
        self.step();
        self.intent = None;
    }

    fn journal(&mut self, intent: &Intent) -> io::Result<Vec<u8>> {
        if let Some(kind) = self.journal_fails {
            return Err(kind.into());
        }
        Ok(self.journal[intent.offset..intent.offset + intent.len].to_vec())
    }

    fn settle(&mut self, spool: u64, stored: Option<usize>) {
        self.step();
        if let Some(lines) = self.spools.get_mut(&spool) {
            lines.drain(..stored.unwrap_or(lines.len()));
        }
    }

    fn known_end(&mut self) -> Option<u64> {
        self.known_end
    }

    fn set_known_end(&mut self, end: u64) {
        self.step();
        self.known_end = Some(end);
    }
}

/// Every death of a process that appends `lines` in `world`, and its survival.
fn deaths(world: &World, spool: u64, lines: &str) -> Vec<World> {
    every_death(world, |world| {
        if spool != 0 {
            world.spools.insert(spool, lines.as_bytes().to_vec());
        }
        world.append(lines, spool);
    })
}

fn every_death(world: &World, work: impl Fn(&mut World)) -> Vec<World> {
    let mut out = Vec::new();
    for step in 0.. {
        let mut here: Vec<Vec<u8>> = Vec::new();
        for bytes in 0.. {
            let mut next = world.clone();
            let lived = next.run(Some((step, bytes)), &work);
            if lived {
                out.push(next);
                return out;
            }
            if here.contains(&next.file) {
                if bytes % world.page.unwrap_or(1) == 0 && bytes > 0 {
                    break; // not a write, or more bytes than it had
                }
                continue;
            }
            here.push(next.file.clone());
            out.push(next);
        }
    }
    out
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

const A: &str = "a1\na22\n";
const B: &str = "b1\nb22\n";

#[test]
fn with_spools_everything_stands_once() {
    let mut tried = 0;
    for first in deaths(&World::default(), 1, A) {
        for second in deaths(&first, 2, B) {
            for mut third in every_death(&second, World::recover) {
                third.run(None, World::recover);
                third.run(None, |world| drop(world.append("c\n", 0)));
                assert_eq!(sorted(third.lines()), ["a1", "a22", "b1", "b22", "c"]);
                tried += 1;
            }
        }
    }
    assert!(tried > 1000, "{tried}");
}

#[test]
fn equal_records_are_not_taken_for_each_other() {
    for first in deaths(&World::default(), 1, "x\nx\n") {
        for mut second in deaths(&first, 2, "x\n") {
            second.run(None, World::recover);
            second.run(None, |world| drop(world.append("x\n", 0)));
            assert_eq!(second.lines(), ["x"; 4]);
        }
    }
}

#[test]
fn without_spools_nothing_is_torn_or_doubled() {
    for first in deaths(&World::default(), 0, A) {
        for mut second in deaths(&first, 0, B) {
            second.run(None, |world| drop(world.append("c\n", 0)));
            let lines = second.lines();
            let whole = ["a1", "a22", "b1", "b22", "c"];
            assert!(lines.iter().all(|line| whole.contains(&line.as_str())), "{lines:?}");
            let mut once = sorted(lines.clone());
            once.dedup();
            assert_eq!(once.len(), lines.len(), "{lines:?}");
            assert_eq!(lines.last().unwrap(), "c");
        }
    }
}

#[test]
fn foreign_appenders_lose_nothing_and_records_stand_once() {
    // Longer than what is taken for chance, so that a fragment behind foreign bytes is a torn record at most.
    let long = |name: &str| format!("{name}{}", "-".repeat(OVERLAP_BYTES));
    let [a1, a22, b1, b22] = ["a1", "a22", "b1", "b22"].map(long);
    let (a, b) = (format!("{a1}\n{a22}\n"), format!("{b1}\n{b22}\n"));
    for at in 0..14 {
        let start = World { foreign: Some((at, b"foreign\n")), ..World::default() };
        for first in deaths(&start, 1, &a) {
            for mut second in deaths(&first, 2, &b) {
                second.run(None, World::recover);
                second.run(None, |world| drop(world.append("c\n", 0)));
                let text = String::from_utf8(second.file.clone()).unwrap();
                let lines = second.lines();
                for record in [a1.as_str(), &a22, &b1, &b22, "c"] {
                    assert_eq!(lines.iter().filter(|line| line.as_str() == record).count(), 1, "{record} in {text:?}");
                }
                if second.foreign.is_none() {
                    assert_eq!(text.matches("foreign\n").count(), 1, "{text:?}");
                }
            }
        }
    }
}

#[test]
fn writers_that_share_no_words_start_their_own_line() {
    for mut first in deaths(&World::default(), 1, A) {
        let (intent, known_end, journal) = (first.intent.take(), first.known_end.take(), first.journal.clone());
        first.run(None, |world| drop(world.append("other\n", 0))); // another user, with words of its own
        (first.intent, first.known_end, first.journal) = (intent, known_end, journal);
        first.run(None, World::recover);
        let lines = first.lines();
        for record in ["a1", "a22", "other"] {
            assert_eq!(lines.iter().filter(|line| *line == record).count(), 1, "{record} in {lines:?}");
        }
    }
}

#[test]
fn a_full_disk_leaves_no_fragment_and_the_batch_waits() {
    for room in 0..6 {
        for append_only in [false, true] {
            let mut world = World { full_at: Some(room), append_only, ..World::default() };
            world.spools.insert(1, A.into());
            let outcome = world.append(A, 1);
            assert_eq!(outcome.error.unwrap().raw_os_error(), Some(libc::ENOSPC));
            let left = &A[outcome.stored..];
            assert_eq!(world.spools[&1], left.as_bytes());
            if !append_only {
                assert!(world.file.is_empty());
            }
            world.full_at = None;
            assert!(world.append(left, 1).error.is_none());
            let lines = world.lines();
            for record in ["a1", "a22"] {
                assert_eq!(lines.iter().filter(|line| *line == record).count(), 1, "{lines:?}");
            }
        }
    }
}

#[test]
fn a_death_on_a_full_disk_is_repaired_when_there_is_room() {
    for room in 0..8 {
        let start = World { full_at: Some(room), ..World::default() };
        for mut first in deaths(&start, 1, A) {
            first.full_at = None;
            first.run(None, World::recover);
            first.run(None, |world| drop(world.append("c\n", 0)));
            assert_eq!(sorted(first.lines()), ["a1", "a22", "c"]);
        }
    }
}

#[test]
fn short_writes_are_finished() {
    let start = World { short_writes: true, ..World::default() };
    for mut first in deaths(&start, 1, A) {
        first.run(None, World::recover);
        first.run(None, |world| drop(world.append("c\n", 0)));
        assert_eq!(sorted(first.lines()), ["a1", "a22", "c"]);
    }
}

#[test]
fn a_truncation_after_a_death_may_double_but_never_loses() {
    for mut first in deaths(&World { file: b"old\n".to_vec(), ..World::default() }, 1, A) {
        let copy = first.file.clone();
        first.file.clear();
        first.run(None, World::recover);
        first.run(None, |world| drop(world.append("c\n", 0)));
        let both = [copy, first.file.clone()].join(&b'\n');
        let both = String::from_utf8(both).unwrap();
        for record in ["a1", "a22", "c"] {
            assert!(both.lines().any(|line| line == record), "{record} in {both:?}");
        }
    }
}

#[test]
fn a_sketched_batch_keeps_its_whole_records_and_loses_the_torn_one() {
    let a = "a1\na22\na333\na4\na55555\n";
    let b = "b1\nb22\nb333\nb4\nb55555\n";
    let mut cut_short = 0;
    for torn in ["", "old\n", "torn"] {
        for foreign in [None, Some(3), Some(5), Some(6), Some(7), Some(9)] {
            let foreign = foreign.map(|at| (at, &b"foreign and long\n"[..]));
            let start = World { page: Some(4), file: torn.into(), foreign, ..World::default() };
            for first in deaths(&start, 0, a) {
                for mut second in deaths(&first, 0, b) {
                    second.run(None, |world| drop(world.append("c\n", 0)));
                    let text = String::from_utf8(second.file.clone()).unwrap();
                    let lines = second.lines();
                    assert!(lines.iter().any(|line| line == "c"), "{text:?}");
                    let known = format!("{a}{b}c\nold\ntorn\n");
                    let whole = |line: &str| known.lines().any(|one| one == line);
                    if foreign.is_none() {
                        assert!(lines.iter().all(|line| whole(line)), "{text:?}");
                    } else if second.foreign.is_none() {
                        assert_eq!(text.matches("foreign and long\n").count(), 1, "{text:?}");
                    }
                    let mut mine: Vec<_> = lines.iter().filter(|line| line.starts_with('a') && whole(line)).collect();
                    cut_short += usize::from(!mine.is_empty() && mine.len() < 5);
                    mine.dedup();
                    assert!(a.lines().zip(&mine).all(|(one, other)| one == *other), "{text:?}");
                }
            }
        }
    }
    assert!(cut_short > 100, "{cut_short}");
}

#[test]
fn a_fragment_behind_foreign_bytes_is_found() {
    let bytes: Vec<u8> = (0..200u8).collect();
    let region = [b"foreign\n".as_slice(), &bytes[..77]].concat();
    assert_eq!(overlap(&region, &bytes), Some(77));
    assert_eq!(overlap(b"foreign\n", &bytes), None);
    assert_eq!(overlap(&region[..20], &bytes), None);
}

#[test]
fn a_journal_that_can_not_be_read_never_stops_the_writers() {
    for journal_fails in [io::ErrorKind::UnexpectedEof, io::ErrorKind::NotFound, io::ErrorKind::Other] {
        for page in [None, Some(4)] {
            for spool in [0, 7].into_iter().filter(|&spool| spool == 0 || page.is_none()) {
                for mut world in deaths(&World { page, ..World::default() }, spool, "a1\na22\na333\n") {
                    world.journal_fails = Some(journal_fails);
                    let mut outcome = Outcome::default();
                    world.run(None, |world| outcome = world.append("b\n", 0));
                    assert!(outcome.error.is_none() && world.intent.is_none(), "{outcome:?}");
                    assert_eq!(world.lines().last().unwrap(), "b");
                }
            }
        }
    }
}

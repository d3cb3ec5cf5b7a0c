//! The words that all writers of one inode share: a small mapped file in the state directory, named after the inode and
//! its time of birth, so that an inode used again never meets old words.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::time::{Duration, SystemTime};

use crate::sys::append::FileId;
use crate::sys::mapping::{Mapping, punch_hole};
use crate::sys::private_fd::PrivateFd;
use crate::sys::{fd, flock};

use super::protocol::Intent;
use super::state::StateDir;

// Offsets in the file. The version is part of its name.
const WRITTEN: usize = 0;
const SYNCED: usize = 8;
const FAILURES: usize = 16;
const GAP: usize = 24;
const NAME_SYNCED: usize = 32;
const KNOWN_END: usize = 40;
const CROWD: usize = 48;
const INTENT: usize = 56; // 0: none stands; 1, 2: the slot that holds it
const SLOTS: [usize; 2] = [64, 128]; // size, offset, len, newline, spool, sketched
const SEQUENCE: usize = 192; // 32 bits each from here
const SLEEPERS: usize = 196;
const UNLOCKS: usize = 200;
const LOCK_WAITERS: usize = 204;
const ROUND: usize = 208;
const JOURNAL: usize = 4096;

const PREFIX: &str = "words1-";
/// The journal keeps at most this much memory between batches.
const JOURNAL_KEPT: usize = 1 << 20;
/// A batch above this size is written without a journal: a kill inside its write leaves a torn line, ended by the next.
pub const JOURNAL_MAX: usize = 64 << 20;
/// An empty file whose time tells when the last cleaning was.
const CLEANED: &str = "cleaned";
const CLEAN_PAUSE: Duration = Duration::from_secs(60);
/// Words that nobody has opened for this long go when others are made.
const STALE: Duration = Duration::from_secs(3600);
/// ... and those with an intent that nobody came to finish.
const STALE_WITH_INTENT: Duration = Duration::from_secs(7 * 24 * 3600);

/// The shared words of one inode, mapped.
#[derive(Debug)]
pub struct Words {
    file: PrivateFd,
    map: Mapping,
    next_slot: usize,
}

fn name(id: FileId, birth: u64) -> String {
    format!("{PREFIX}{:x}-{:x}-{birth:x}", id.device, id.inode)
}

impl Words {
    /// Opens or makes the words of a file. `None` where there are none in another user's directory, and where the file
    /// system tells no time of birth: a later file with the same inode could not be told apart.
    ///
    /// # Errors
    /// ENOSPC and the rest of open(2), fallocate(2), mmap(2).
    pub fn open(state: &StateDir, id: FileId) -> io::Result<Option<Self>> {
        let Some(birth) = id.birth else { return Ok(None) };
        let path = state.path().join(name(id, birth));
        for _ in 0..16 {
            let file = fs::OpenOptions::new()
                .read(true)
                .write(true)
                .create(state.is_own())
                .mode(0o600)
                .custom_flags(libc::O_NOFOLLOW)
                .open(&path);
            let file = match file {
                Err(err) if err.kind() == io::ErrorKind::NotFound && !state.is_own() => return Ok(None),
                other => other?,
            };
            // Shared while anyone uses them: a cleaner needs them exclusively. It may have been faster than this.
            if !flock::try_shared(file.as_fd())? || file.metadata()?.nlink() == 0 {
                std::thread::yield_now();
                continue;
            }
            let made = file.metadata()?.size() == 0;
            // With room for a small batch, or for what earlier ones needed: remapping costs more than memory.
            let size = usize::try_from(file.metadata()?.size()).unwrap_or(0);
            let map = Mapping::reserve(file.as_fd(), size.clamp(JOURNAL + 4096, JOURNAL + JOURNAL_KEPT))?;
            file.set_modified(SystemTime::now())?;
            if made {
                clean(state, &path);
            }
            return Ok(Some(Words { file: PrivateFd::new(file.into())?, map, next_slot: 0 }));
        }
        Err(io::Error::from_raw_os_error(libc::EAGAIN))
    }

    /// Tickets given out.
    pub fn written(&self) -> &AtomicU64 {
        self.map.word(WRITTEN)
    }

    /// Every ticket up to it is on disk, but for `gap` and `failures`.
    pub fn synced(&self) -> &AtomicU64 {
        self.map.word(SYNCED)
    }

    /// Failed syncs.
    pub fn failures(&self) -> &AtomicU64 {
        self.map.word(FAILURES)
    }

    /// Tickets up to it are synced by their own writers.
    pub fn gap(&self) -> &AtomicU64 {
        self.map.word(GAP)
    }

    /// 1 when the directory was synced after the file was made.
    pub fn name_synced(&self) -> &AtomicU64 {
        self.map.word(NAME_SYNCED)
    }

    /// The file's size after the last good append.
    pub fn known_end(&self) -> &AtomicU64 {
        self.map.word(KNOWN_END)
    }

    /// How many tickets the last sync has served.
    pub fn crowd(&self) -> &AtomicU64 {
        self.map.word(CROWD)
    }

    /// Which sync was begun last: its number in the upper 16 bits, the last ticket that it covers in the others. One word,
    /// so that the two are never read apart.
    pub fn round(&self) -> &AtomicU64 {
        self.map.word(ROUND)
    }

    /// Moves on when a leader is done: what followers sleep on.
    pub fn sequence(&self) -> &AtomicU32 {
        self.map.half_word(SEQUENCE)
    }

    /// How many sleep there, at least; a killed sleeper is counted for ever, which costs a system call and nothing else.
    pub fn sleepers(&self) -> &AtomicU32 {
        self.map.half_word(SLEEPERS)
    }

    /// Moves on when the log's lock is released while others wait for it.
    pub fn unlocks(&self) -> &AtomicU32 {
        self.map.half_word(UNLOCKS)
    }

    /// How many wait for the lock, at least.
    pub fn lock_waiters(&self) -> &AtomicU32 {
        self.map.half_word(LOCK_WAITERS)
    }

    /// Tries to become the one who syncs.
    ///
    /// # Errors
    /// See fcntl(2).
    pub fn try_lead(&self) -> io::Result<bool> {
        flock::try_byte(self.file.borrow())
    }

    /// Lets another be that.
    ///
    /// # Errors
    /// See fcntl(2).
    pub fn stop_leading(&self) -> io::Result<()> {
        flock::release_byte(self.file.borrow())
    }

    /// The descriptor of the words.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.file.borrow()
    }

    /// The intent that stands.
    pub fn intent(&mut self) -> Option<Intent> {
        let standing = self.map.word(INTENT).load(SeqCst);
        let slot = *SLOTS.get(usize::try_from(standing.checked_sub(1)?).ok()?)?;
        self.next_slot = usize::from(standing == 1);
        let word = |n: usize| self.map.word(slot + 8 * n).load(SeqCst);
        Some(Intent {
            size: word(0),
            offset: usize::try_from(word(1)).ok()?,
            len: usize::try_from(word(2)).ok()?,
            newline: word(3) != 0,
            spool: word(4),
            sketched: word(5) != 0,
        })
    }

    /// Lets an intent stand: its fields first, then the one word that makes them count.
    pub fn stand(&mut self, intent: Intent) {
        let Some(&slot) = SLOTS.get(self.next_slot) else { return };
        let fields = [
            intent.size,
            intent.offset as u64,
            intent.len as u64,
            u64::from(intent.newline),
            intent.spool,
            u64::from(intent.sketched),
        ];
        for (n, value) in fields.into_iter().enumerate() {
            self.map.word(slot + 8 * n).store(value, SeqCst);
        }
        self.map.word(INTENT).store(self.next_slot as u64 + 1, SeqCst);
        self.next_slot = 1 - self.next_slot;
    }

    /// Copies lines to the journal; false when there is no room for them.
    pub fn record(&mut self, lines: &[u8]) -> bool {
        let need = JOURNAL + lines.len();
        if lines.len() > JOURNAL_MAX {
            return false;
        }
        // What was punched out must be reserved again, or a full tmpfs is a SIGBUS.
        if need > self.map.len() || lines.len() > JOURNAL_KEPT {
            let size = need.next_power_of_two().max(JOURNAL + 4096);
            match Mapping::reserve(self.file.borrow(), size) {
                Ok(map) => self.map = map,
                Err(_) => return false,
            }
        }
        self.map.write(JOURNAL, lines);
        true
    }

    /// An intent's lines.
    ///
    /// # Errors
    /// See pread(2).
    pub fn recorded(&self, intent: &Intent) -> io::Result<Vec<u8>> {
        if intent.offset > JOURNAL_MAX || intent.len > JOURNAL_MAX {
            return Err(io::ErrorKind::UnexpectedEof.into()); // no writer of ours stored that
        }
        let mut lines = vec![0; intent.len];
        let mut done = 0;
        while let Some(rest @ [_, ..]) = lines.get_mut(done..) {
            match fd::pread(self.file.borrow(), rest, (JOURNAL + intent.offset + done) as u64)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => done += n,
            }
        }
        Ok(lines)
    }

    /// No intent stands any more.
    pub fn withdraw(&mut self) {
        self.map.word(INTENT).store(0, SeqCst);
        self.next_slot = 0;
        if self.map.len() > JOURNAL + 2 * JOURNAL_KEPT {
            let start = JOURNAL + JOURNAL_KEPT;
            if let Ok(map) = Mapping::reserve(self.file.borrow(), start) {
                self.map = map;
                let _ = punch_hole(self.file.borrow(), start as u64); // else it stays in memory until the next
            }
        }
    }
}

/// Removes words that nobody uses: those of rotated and deleted logs. Once in a while is enough for that.
fn clean(state: &StateDir, keep: &PathBuf) {
    let mark = state.path().join(CLEANED);
    let age = fs::metadata(&mark).and_then(|meta| meta.modified()).map(|time| time.elapsed().unwrap_or_default());
    if age.is_ok_and(|age| age < CLEAN_PAUSE) || fs::File::create(&mark).is_err() {
        return;
    }
    for entry in fs::read_dir(state.path()).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_words = entry.file_name().to_str().is_some_and(|name| name.starts_with("words"));
        let age = entry.metadata().and_then(|meta| meta.modified()).map(|time| time.elapsed().unwrap_or_default());
        if !is_words || path == *keep || !age.is_ok_and(|age| age > STALE) {
            continue;
        }
        let Ok(file) = fs::OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(&path) else { continue };
        let mut standing = [1; 8];
        let known = file.read_exact_at(&mut standing, INTENT as u64).is_ok();
        let old = file.metadata().and_then(|meta| meta.modified()).is_ok_and(|time| {
            let limit = if known && standing == [0; 8] { STALE } else { STALE_WITH_INTENT };
            time.elapsed().unwrap_or_default() > limit
        });
        if old && flock::try_exclusive(file.as_fd()).unwrap_or(false) {
            let _ = fs::remove_file(&path); // another cleaner may have been faster
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(inode: u64, birth: Option<u64>) -> FileId {
        FileId { device: 1, inode, birth }
    }

    fn state() -> (tempfile::TempDir, StateDir) {
        let base = tempfile::tempdir().unwrap();
        let state = StateDir::open(Some(base.path())).unwrap();
        (base, state)
    }

    fn intent(size: u64) -> Intent {
        Intent { size, offset: 0, len: 3, newline: true, spool: 9, sketched: false }
    }

    #[test]
    fn two_openers_share_and_another_birth_does_not() {
        let (_base, state) = state();
        let one = Words::open(&state, id(1, Some(5))).unwrap().unwrap();
        let two = Words::open(&state, id(1, Some(5))).unwrap().unwrap();
        let reused = Words::open(&state, id(1, Some(6))).unwrap().unwrap();
        one.written().store(7, SeqCst);
        assert_eq!((two.written().load(SeqCst), reused.written().load(SeqCst)), (7, 0));
        assert!(Words::open(&state, id(1, None)).unwrap().is_none());
    }

    #[test]
    fn an_intent_stands_until_it_is_withdrawn_and_is_replaced_in_one_step() {
        let (_base, state) = state();
        let mut one = Words::open(&state, id(1, Some(5))).unwrap().unwrap();
        assert_eq!(one.intent(), None);
        assert!(one.record(b"abcdef"));
        one.stand(intent(10));
        let mut two = Words::open(&state, id(1, Some(5))).unwrap().unwrap();
        assert_eq!(two.intent(), Some(intent(10)));
        assert_eq!(two.recorded(&intent(10)).unwrap(), b"abc");
        let amended = Intent { offset: 2, newline: false, sketched: true, ..intent(20) };
        two.stand(amended);
        assert_eq!(two.map.word(INTENT).load(SeqCst), 2);
        assert_eq!(one.intent(), Some(amended));
        assert_eq!(one.recorded(&amended).unwrap(), b"cde");
        one.withdraw();
        assert_eq!(two.intent(), None);
    }

    #[test]
    fn an_intent_beyond_the_journal_is_an_error_and_nothing_worse() {
        let (_base, state) = state();
        let words = Words::open(&state, id(1, Some(5))).unwrap().unwrap();
        for (offset, len) in [(usize::MAX, 1), (0, usize::MAX), (JOURNAL_MAX, 1)] {
            let err = words.recorded(&Intent { offset, len, ..intent(0) }).unwrap_err();
            assert_eq!(err.kind(), io::ErrorKind::UnexpectedEof);
        }
    }

    #[test]
    fn a_huge_journal_is_given_back() {
        let (_base, state) = state();
        let mut words = Words::open(&state, id(1, Some(5))).unwrap().unwrap();
        let lines = vec![b'x'; 5 << 20];
        assert!(words.record(&lines));
        let big = Intent { len: lines.len(), ..intent(0) };
        words.stand(big);
        assert_eq!(words.recorded(&big).unwrap(), lines);
        words.withdraw();
        let path = state.path().join(name(id(1, Some(5)), 5));
        assert!(fs::metadata(path).unwrap().blocks() * 512 < 3 << 20);
        assert!(words.record(&lines));
    }

    #[test]
    fn leftovers_go_and_what_is_in_use_or_unfinished_stays() {
        let (_base, state) = state();
        let day = SystemTime::now() - Duration::from_secs(24 * 3600);
        let path = |inode| state.path().join(name(id(inode, Some(5)), 5));
        let age = |inode| fs::File::options().write(true).open(path(inode)).unwrap().set_modified(day).unwrap();
        drop(Words::open(&state, id(1, Some(5))).unwrap());
        Words::open(&state, id(2, Some(5))).unwrap().unwrap().stand(intent(1));
        let used = Words::open(&state, id(3, Some(5))).unwrap();
        (1..4).for_each(age);
        fs::remove_file(state.path().join(CLEANED)).unwrap(); // as if some time had passed
        drop(Words::open(&state, id(4, Some(5))).unwrap());
        assert_eq!([1, 2, 3, 4].map(|inode| path(inode).exists()), [false, true, true, true]);
        drop(used);
    }
}

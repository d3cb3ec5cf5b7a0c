//! Making a log durable: one process alone, or many that share the syncs as [`group`](crate::log::group) says.

use std::io;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use super::LogFile;
use crate::log::error::LogError;
use crate::log::group::{Action, Answer, Claim, Commit, Verdict};
use crate::log::open::sync_directory;
use crate::log::words::Words;
use crate::sys::{append, fd, futex};

/// How long a follower sleeps before it looks whether its leader lives.
const FOLLOWER_SLEEP: Duration = Duration::from_millis(5);
/// How long a leader lets others write before its fdatasync, at most.
const GATHER: Duration = Duration::from_micros(150);

impl LogFile {
    /// Everything written before is on disk when this returns without an error.
    ///
    /// # Errors
    /// "fdatasync", "syncfs", "fsync": then none of it may be, and no later sync can tell.
    pub fn sync(&mut self) -> Result<(), LogError> {
        if self.open.as_ref().is_some_and(|open| !open.fd.is_ours()) {
            self.open = None;
        }
        if std::mem::take(&mut self.left_failed) {
            return Err(self.error("fdatasync")(io::Error::from_raw_os_error(libc::EIO)));
        }
        if self.left_unsynced {
            self.sync_left()?;
        }
        let Some(open) = &self.open else { return Ok(()) };
        match open.claim {
            Some(claim) => self.commit(claim),
            None if open.unsynced => self.sync_alone(),
            None => Ok(()),
        }
    }

    /// The rotated file can't be found any more, its file system can.
    fn sync_left(&mut self) -> Result<(), LogError> {
        if self.open.is_none() {
            self.open = Some(self.open_file()?);
        }
        if let Some(open) = &self.open {
            self.counts.syncs += 1;
            append::sync_file_system(open.fd.borrow()).map_err(self.error("syncfs"))?;
        }
        self.left_unsynced = false;
        Ok(())
    }

    fn sync_alone(&mut self) -> Result<(), LogError> {
        let Some(open) = &mut self.open else { return Ok(()) };
        if open.regular && !open.name_synced {
            sync_directory(&self.path)?;
            open.name_synced = true;
        }
        self.counts.syncs += 1;
        open.unsynced = false;
        fd::fdatasync(open.fd.borrow()).map_err(|err| {
            self.open = None; // the next record goes on with a new description
            self.error("fdatasync")(err)
        })
    }

    /// Runs the group commit machine on the shared words.
    fn commit(&mut self, claim: Claim) -> Result<(), LogError> {
        let Some(open) = &mut self.open else { return Ok(()) };
        let Some(words) = &open.words else { return Ok(()) };
        open.claim = None;
        open.unsynced = false;
        let mut commit = Commit::new(claim, open.opened.unwrap_or(u64::MAX));
        let (mut seen, mut published, mut error) = (0, false, None);
        let verdict = loop {
            let answer = match commit.action() {
                Action::LoadSynced => {
                    seen = words.sequence().load(SeqCst); // before the words: a publication in between wakes at once
                    Answer::Value(words.synced().load(SeqCst))
                }
                Action::LoadGap => Answer::Value(words.gap().load(SeqCst)),
                Action::LoadFailures => Answer::Value(words.failures().load(SeqCst)),
                Action::LoadWritten => Answer::Value(begin_round(words)),
                Action::TryLead => Answer::Flag(words.try_lead().unwrap_or(false)),
                Action::SyncDirectory if words.name_synced().load(SeqCst) == 1 => Answer::Flag(true),
                Action::SyncDirectory => match sync_directory(&self.path) {
                    Ok(()) => {
                        words.name_synced().store(1, SeqCst);
                        Answer::Flag(true)
                    }
                    Err(err) => {
                        error = Some(err);
                        Answer::Flag(false)
                    }
                },
                Action::Gather => {
                    gather(words);
                    Answer::Done
                }
                Action::Sync => {
                    self.counts.syncs += 1;
                    let synced = fd::fdatasync(open.fd.borrow());
                    let success = synced.is_ok();
                    error = synced.err().map(|err| LogError::io("fdatasync", &self.path, err));
                    Answer::Flag(success)
                }
                Action::StoreGap(value) => {
                    words.gap().fetch_max(value, SeqCst);
                    Answer::Done
                }
                Action::StoreSynced(value) => {
                    let before = words.synced().fetch_max(value, SeqCst);
                    words.crowd().store(value.saturating_sub(before), SeqCst);
                    published = true;
                    Answer::Done
                }
                Action::AddFailure => {
                    words.failures().fetch_add(1, SeqCst);
                    Answer::Done
                }
                Action::StopLeading => {
                    let _ = words.stop_leading(); // the descriptor is open and the lock is held
                    wake_followers(words, published);
                    Answer::Done
                }
                Action::Sleep => {
                    words.sleepers().fetch_add(1, SeqCst);
                    let group = group_of(words, claim.last);
                    let _ = futex::wait_in(words.sequence(), seen, FOLLOWER_SLEEP, group); // whatever woke us, we look
                    words.sleepers().fetch_sub(1, SeqCst);
                    Answer::Done
                }
                Action::Finish(verdict) => break verdict,
            };
            commit.answer(answer);
        };
        match verdict {
            Verdict::Durable { shared } => {
                self.counts.shared_syncs += u64::from(shared);
                Ok(())
            }
            Verdict::Failed => {
                let unknown = || LogError::io("fdatasync", &self.path, io::Error::from_raw_os_error(libc::EIO));
                Err(error.unwrap_or_else(unknown))
            }
        }
    }
}

// Followers sleep in groups, by the number of the sync that will cover them, so that the end of one wakes those that it
// has served and of the rest a single one, who leads next. A group is a guess of who needs to be woken; what is true is
// in the words, where everybody looks after waking, and after `FOLLOWER_SLEEP` in any case.

const TICKET_BITS: u32 = 48;
const TICKETS: u64 = (1 << TICKET_BITS) - 1;

/// A sync begins: it covers every ticket given out by now. Leaders only.
fn begin_round(words: &Words) -> u64 {
    let number = words.round().load(SeqCst) >> TICKET_BITS;
    let written = words.written().load(SeqCst);
    words.round().store(number.wrapping_add(1) << TICKET_BITS | (written & TICKETS), SeqCst);
    written
}

fn group(number: u64) -> u32 {
    1 << (number % 32)
}

/// The group of one who waits for that ticket: the sync on its way, or the one after it. If that has ended meanwhile,
/// `sequence` has moved, and there is no sleep.
fn group_of(words: &Words, ticket: u64) -> u32 {
    let round = words.round().load(SeqCst);
    let covered = ticket <= round & TICKETS;
    group((round >> TICKET_BITS) + u64::from(!covered))
}

fn wake_followers(words: &Words, published: bool) {
    words.sequence().fetch_add(1, SeqCst);
    if words.sleepers().load(SeqCst) == 0 {
        return;
    }
    if !published {
        return futex::wake_all(words.sequence()); // a failure, a gap: everybody has to look
    }
    let number = words.round().load(SeqCst) >> TICKET_BITS;
    futex::wake_group(words.sequence(), i32::MAX, group(number));
    futex::wake_group(words.sequence(), 1, group(number + 1));
}

/// Lets others write before the fdatasync: as long as more records arrive, up to as many as the last sync has served,
/// and not at all for one who is alone.
fn gather(words: &Words) {
    let crowd = words.crowd().load(SeqCst);
    let synced = words.synced().load(SeqCst);
    let mut written = words.written().load(SeqCst);
    if crowd <= 1 && written - synced.min(written) <= 1 {
        return;
    }
    let start = Instant::now();
    let mut quiet = 0;
    while quiet < 3 && written - synced.min(written) < crowd.max(2) && start.elapsed() < GATHER {
        append::yield_now();
        let now = words.written().load(SeqCst);
        quiet = if now == written { quiet + 1 } else { 0 };
        written = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::state::StateDir;
    use crate::sys::append::FileId;

    #[test]
    fn followers_are_grouped_by_the_sync_that_will_cover_them() {
        let base = tempfile::tempdir().unwrap();
        let state = StateDir::open(Some(base.path())).unwrap();
        let words = Words::open(&state, FileId { device: 1, inode: 2, birth: Some(3) }).unwrap().unwrap();
        words.written().store(7, SeqCst);
        assert_eq!(group_of(&words, 7), group(1)); // nobody syncs: the first to come
        assert_eq!(begin_round(&words), 7);
        words.written().store(8, SeqCst);
        assert_eq!((group_of(&words, 7), group_of(&words, 8)), (group(1), group(2)));
        for _ in 0..70_000 {
            begin_round(&words); // the number wraps
        }
        assert_ne!(group_of(&words, 8), group_of(&words, 9));
        assert_eq!(words.round().load(SeqCst) & TICKETS, 8);
    }
}

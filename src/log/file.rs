//! The log file of one logger: opened, locked, followed through rotation, written to, synced.

mod durable;

use std::ffi::CString;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use crate::sys::append::{self, FileId};
use crate::sys::private_fd::PrivateFd;
use crate::sys::{fd, flock, futex};

use super::desk::{FileDesk, Source};
use super::error::LogError;
use super::group::Claim;
use super::open::{RACE_LIMIT, c_path, open, place};
use super::options::Access;
use super::protocol::{self, Outcome};
use super::state::StateDir;
use super::stream::{self, Tail};
use super::words::Words;

/// What has been done, for stats.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Calls of write(2).
    pub writes: u64,
    /// Calls of fdatasync(2).
    pub syncs: u64,
    /// Times that another process's fdatasync served this one.
    pub shared_syncs: u64,
    /// Times the log was opened again.
    pub reopens: u64,
}

#[derive(Debug)]
struct Open {
    fd: PrivateFd,
    place: (u64, u64),
    id: FileId,
    regular: bool,
    readable: bool,
    words: Option<Words>,
    known_end: Option<u64>, // without words
    /// `written` when the lock was first held: what was written before is not vouched for.
    opened: Option<u64>,
    /// `failures` when it was opened: any more, and the description is of no use.
    failures: u64,
    /// Written and not known to be on disk.
    claim: Option<Claim>,
    tail: Tail,
    unsynced: bool,    // the same without words
    name_synced: bool, // without words
}

/// A log file.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    c_path: CString,
    access: Access,
    /// False once a lock or a full pipe was waited for in vain: until it is had again, it is tried once.
    patient: bool,
    state: Option<StateDir>,
    open: Option<Open>,
    /// A file that was rotated away took writes along that nobody has synced.
    left_unsynced: bool,
    /// A pipe was left with a part of a record in it.
    left_torn: bool,
    /// A sync has failed for writes whose file is closed by now.
    left_failed: bool,
    /// What has been done.
    pub counts: Counts,
}

/// How long a waiter for the lock sleeps at once: those without our words, and the dead, wake nobody.
const LOCK_SLEEP: Duration = Duration::from_millis(1);

impl LogFile {
    /// Nothing is opened before the first write.
    ///
    /// # Errors
    /// `InvalidInput` for a path with a NUL.
    pub fn new(path: &Path, access: Access, state: Option<StateDir>) -> Result<Self, LogError> {
        let c_path = c_path(path).map_err(|err| LogError::io("open", path, err))?;
        let path = path.to_owned();
        let counts = Counts::default();
        Ok(LogFile {
            path,
            c_path,
            access,
            patient: true,
            state,
            open: None,
            left_unsynced: false,
            left_torn: false,
            left_failed: false,
            counts,
        })
    }

    fn error(&self, op: &'static str) -> impl FnOnce(io::Error) -> LogError + use<> {
        let path = self.path.clone();
        move |err| LogError::io(op, &path, err)
    }

    /// Whether syncs are shared with other processes.
    pub fn is_grouped(&self) -> bool {
        match &self.open {
            Some(open) => open.words.is_some(),
            None => self.state.is_some(),
        }
    }

    /// A batch, with its spare newline in front; `lines` tells that each line of it is a record. Gives how many of its bytes are stored for good.
    pub fn write(&mut self, batch: &[u8], mut source: Source<'_>, lines: bool) -> (usize, Option<LogError>) {
        let mut pipes_left = 1;
        let start = Instant::now();
        while start.elapsed() < RACE_LIMIT {
            if let Err(err) = self.lock_current() {
                return (0, Some(err));
            }
            let outcome = self.write_locked(batch, &mut source, lines);
            self.patient = outcome.error.as_ref().is_none_or(|err| err.kind() != io::ErrorKind::WouldBlock);
            let deleted = self.after_write(&outcome);
            self.unlock();
            match outcome.error {
                None if deleted => {} // between the look at the path and the write: once more, into a new file
                Some(err) if err.raw_os_error() == Some(libc::EPIPE) => {
                    self.leave_stream(); // a new reader may be there
                    if outcome.stored > 0 || pipes_left == 0 {
                        return (outcome.stored, Some(self.error("write")(err)));
                    }
                    pipes_left -= 1;
                }
                error => return (outcome.stored, error.map(self.error("write"))),
            }
        }
        (0, Some(self.error("open")(io::Error::from_raw_os_error(libc::ESTALE))))
    }

    fn write_locked(&mut self, batch: &[u8], source: &mut Source<'_>, lines: bool) -> Outcome {
        let limit = self.limit();
        let Some(open) = &mut self.open else { return Outcome::default() };
        if !open.regular {
            if matches!(source, Source::Orphan(_)) {
                open.tail.abandon(); // these are not the records of which one was torn
            }
            let (fd, writes) = (open.fd.borrow(), &mut self.counts.writes);
            let outcome = stream::write(fd, batch, &mut open.tail, limit, writes);
            if let (Source::Orphan(orphan), Some(_)) = (source, &outcome.error) {
                open.tail.abandon(); // ours come next
                orphan.settle(Some(outcome.stored));
            }
            return outcome;
        }
        if let Source::Own(spool) = source {
            spool.set_target(open.id);
        }
        let nonce = source.nonce();
        let mut desk = FileDesk {
            file: open.fd.borrow(),
            readable: open.readable,
            words: open.words.as_mut(),
            known_end: &mut open.known_end,
            source,
            state: self.state.as_ref(),
            writes: &mut self.counts.writes,
        };
        protocol::append(&mut desk, batch, nonce, lines)
    }

    /// Takes a ticket for what was written; tells whether the file was deleted meanwhile.
    fn after_write(&mut self, outcome: &Outcome) -> bool {
        let Some(open) = &mut self.open else { return false };
        if outcome.stored > 0 {
            open.unsynced = true;
            if let Some(words) = &open.words {
                let ticket = words.written().fetch_add(1, SeqCst) + 1;
                let claim = open.claim.get_or_insert(Claim { first: ticket, last: ticket, failures: open.failures });
                claim.last = ticket;
            }
        }
        open.regular && fd::fstat(open.fd.borrow()).is_ok_and(|stat| stat.st_nlink == 0)
    }

    /// Opens if need be, locks, and makes sure that the locked file is the one the path leads to.
    fn lock_current(&mut self) -> Result<(), LogError> {
        let start = Instant::now();
        while start.elapsed() < RACE_LIMIT.max(self.access.wait_limit) {
            if self.open.as_ref().is_some_and(|open| !open.fd.is_ours()) {
                self.open = None; // the parent's: closed here already, its claims are not ours
            }
            if self.open.is_none() {
                self.open = Some(self.open_file()?);
            }
            let locked = self.lock();
            self.patient = !locked.as_ref().is_err_and(|err| err.errno() == libc::EAGAIN);
            locked?;
            if self.is_current() {
                return Ok(());
            }
            self.unlock();
            self.leave_file()?;
            self.counts.reopens += 1;
        }
        Err(self.error("open")(io::Error::from_raw_os_error(libc::ESTALE)))
    }

    fn is_current(&mut self) -> bool {
        let Some(open) = &mut self.open else { return false };
        match append::stat(&self.c_path) {
            Ok(stat) if place(&stat) != open.place => return false,
            Err(err) if matches!(err.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR)) => return false,
            _ => {} // also when the path can't be looked at any more: the open file still takes records
        }
        if let Some(words) = &open.words {
            if words.failures().load(SeqCst) != open.failures {
                return false;
            }
            open.opened.get_or_insert_with(|| words.written().load(SeqCst));
        }
        true
    }

    fn open_file(&self) -> Result<Open, LogError> {
        if !(self.access.permit)(&self.path) {
            return Err(self.error("open")(io::Error::from_raw_os_error(libc::EPERM)));
        }
        let opened = open(&self.path, self.access.mode)?;
        let nowhere = FileId { device: opened.place.0, inode: opened.place.1, birth: None };
        let (mut id, mut words) = (nowhere, None);
        if opened.regular {
            id = append::file_id(opened.fd.as_fd()).unwrap_or(nowhere);
            // Without words every process syncs for itself; stats tell.
            words = self.state.as_ref().and_then(|state| Words::open(state, id).ok().flatten());
        }
        let tail = if self.left_torn && !opened.regular && append::unread(opened.fd.as_fd()) > 0 {
            Tail::Abandoned // other writers have kept the pipe, and our part of a record in it
        } else {
            Tail::Clean
        };
        Ok(Open {
            fd: PrivateFd::new(opened.fd).map_err(self.error("open"))?,
            tail,
            place: opened.place,
            id,
            regular: opened.regular,
            readable: opened.readable,
            failures: words.as_ref().map_or(0, |words| words.failures().load(SeqCst)),
            words,
            known_end: None,
            opened: None,
            claim: None,
            unsynced: false,
            name_synced: false,
        })
    }

    /// What waits goes whole to the pipe's next reader.
    fn leave_stream(&mut self) {
        self.left_torn = self.open.take().is_some_and(|open| open.tail != Tail::Clean);
    }

    /// The record of which a part is in the pipe will not be written: what comes next starts a line.
    pub fn abandon_torn(&mut self) {
        if let Some(open) = &mut self.open {
            open.tail.abandon();
        }
    }

    /// Closes the file, remembering what it took along unsynced.
    fn leave_file(&mut self) -> Result<(), LogError> {
        let Some(open) = self.open.take() else { return Ok(()) };
        self.left_torn = open.tail != Tail::Clean;
        match (open.claim, &open.words) {
            (Some(claim), Some(words)) => {
                let synced = words.synced().load(SeqCst);
                let (gap, failures) = (words.gap().load(SeqCst), words.failures().load(SeqCst));
                if failures != claim.failures {
                    self.left_failed = true;
                } else if synced < claim.last || gap >= claim.first {
                    self.left_unsynced = true;
                }
            }
            _ => self.left_unsynced |= open.unsynced,
        }
        open.fd.close().map_err(self.error("close"))
    }

    /// flock(2) on our own description, tried again until the limit: by a sleep that an unlock ends where there are shared
    /// words, else at growing intervals. Never a call that blocks: on some mounts that is for ever.
    fn lock(&self) -> Result<(), LogError> {
        let Some(open) = &self.open else { return Ok(()) };
        let attempt = || flock::try_exclusive(open.fd.borrow()).map_err(self.error("flock"));
        if attempt()? {
            return Ok(());
        }
        let start = Instant::now();
        let mut pause = Duration::from_micros(20);
        while start.elapsed() < self.limit() {
            let taken = match &open.words {
                Some(words) => {
                    words.lock_waiters().fetch_add(1, SeqCst);
                    let seen = words.unlocks().load(SeqCst); // before the try: an unlock after it ends the sleep
                    let taken = attempt();
                    if matches!(taken, Ok(false)) {
                        let _ = futex::wait(words.unlocks(), seen, LOCK_SLEEP); // whatever woke us, we try again
                    }
                    words.lock_waiters().fetch_sub(1, SeqCst);
                    taken
                }
                None => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(LOCK_SLEEP);
                    attempt()
                }
            };
            if taken? {
                return Ok(());
            }
        }
        Err(self.error("flock")(io::Error::from_raw_os_error(libc::EAGAIN)))
    }

    fn unlock(&self) {
        let Some(open) = &self.open else { return };
        let _ = flock::unlock(open.fd.borrow()); // fails only for a descriptor that is not ours, which has no lock
        if let Some(words) = &open.words
            && words.lock_waiters().load(SeqCst) > 0
        {
            words.unlocks().fetch_add(1, SeqCst);
            futex::wake(words.unlocks(), 1);
        }
    }

    /// Brings to its end what a dead writer of this log has begun: as the shared words tell, or with `by_spool` as the
    /// orphan in `source` tells, whose batch had no place in shared words.
    ///
    /// # Errors
    /// What opening, locking and writing meet.
    pub fn repair(&mut self, mut source: Source<'_>, by_spool: bool) -> Result<(), LogError> {
        self.lock_current()?;
        let Some(open) = self.open.as_mut().filter(|open| open.regular) else {
            self.unlock();
            return Ok(());
        };
        let mut desk = FileDesk {
            file: open.fd.borrow(),
            readable: open.readable,
            words: open.words.as_mut().filter(|_| !by_spool),
            known_end: &mut open.known_end,
            source: &mut source,
            state: self.state.as_ref(),
            writes: &mut self.counts.writes,
        };
        let result = protocol::repair(&mut desk);
        self.unlock();
        result.map_err(self.error("write"))
    }

    /// Which file is open.
    pub fn id(&self) -> Option<FileId> {
        self.open.as_ref().map(|open| open.id)
    }

    /// The same log, seen with another user's words, or under the name that a rotation gave it.
    ///
    /// # Errors
    /// As [`LogFile::new`].
    pub fn beside(&self, path: &Path, state: &StateDir) -> Result<LogFile, LogError> {
        LogFile::new(path, self.access, Some(state.clone()))
    }

    fn limit(&self) -> Duration {
        if self.patient { self.access.wait_limit } else { Duration::ZERO }
    }

    /// The next lock or full pipe is waited for again.
    pub fn be_patient(&mut self) {
        self.patient = true;
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file is closed and opened again at the next write.
    ///
    /// # Errors
    /// "close".
    pub fn reopen(&mut self) -> Result<(), LogError> {
        if self.open.is_some() {
            self.counts.reopens += 1;
        }
        self.leave_file()
    }

    /// close(2).
    ///
    /// # Errors
    /// "close".
    pub fn close(&mut self) -> Result<(), LogError> {
        self.leave_file()
    }

    /// In a child: what the parent had open and owed is the parent's.
    pub fn forget(&mut self) {
        self.open = None;
        self.left_unsynced = false;
        self.left_torn = false;
        self.left_failed = false;
        self.counts = Counts::default();
    }
}

//! Records appended in batches, safe among processes, with group commit.
//!
//! ```text
//! Log: batch, spool, limits -> LogFile: open, lock, rotation -> protocol: append, repair  (pure)
//!                                      `-> shared words      -> group: who syncs for whom (pure)
//! ```
//! A batch is one write(2) under flock(2) on a description of our own. [`protocol`] and [`group`] tell how deaths at any
//! moment are made good; [`spool`] keeps waiting records where a kill can't take them; [`state`] is where all of that is.

pub mod batch;
mod closing;
pub mod desk;
pub mod error;
pub mod escape;
pub mod file;
pub mod group;
pub mod open;
pub mod options;
pub mod protocol;
pub mod recover;
pub mod spool;
pub mod state;
pub mod stream;
pub mod words;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex};

use crate::sys::{clock, fork, private_fd};

use batch::Batch;
use desk::Source;
pub use error::LogError;
use file::LogFile;
pub use options::{Durability, Options, Stats};
use spool::Spool;
use state::StateDir;

/// After a write that failed, the next attempt by time.
const RETRY_NS: u64 = 100_000_000;
/// Locks of spools are probed at most this often for one log.
const SCAN_NS: u64 = 1_000_000_000;
/// A flush looks for dead loggers' spools at most this often: a worker may flush after every job.
const LOOK_NS: u64 = 100_000_000;

/// An appender of records to one file.
#[derive(Debug)]
pub struct Log {
    options: Options,
    /// The path that spools know it by.
    key: PathBuf,
    batch: Batch,
    /// When the next append has to write: bytes, records, age of the oldest.
    due_bytes: usize,
    due_records: usize,
    due_ns: u64,
    batch_ns: u64,
    /// When dead loggers' spools were last looked for.
    looked_ns: u64,
    generation: u64,
    closed: bool,
    spool: Option<Spool>,
    state: Option<StateDir>,
    file: LogFile,
    /// Without what waits.
    stats: Stats,
    /// Records that were left in the spool.
    left: u64,
}

impl Log {
    /// A logger; the file is opened by the first write. Records that dead loggers left for this log are appended.
    ///
    /// # Errors
    /// With a spool: what making it meets. Nothing else: a recovery that fails is counted and tried again later.
    pub fn new(options: Options) -> Result<Self, LogError> {
        private_fd::watch().map_err(|err| LogError::io("pthread_atfork", &options.path, err))?;
        let state = StateDir::open(options.state_dir.as_deref());
        let file = LogFile::new(&options.path, options.access(), state.as_ref().ok().cloned())?;
        let mut log = Log {
            key: spool::key(&options.path),
            batch: Batch::default(),
            due_bytes: 0,
            due_records: 0,
            due_ns: 0,
            batch_ns: u64::try_from(options.batch_time.as_nanos()).unwrap_or(u64::MAX),
            looked_ns: 0,
            generation: fork::generation(),
            closed: false,
            spool: None,
            state: None,
            file,
            stats: Stats::default(),
            left: 0,
            options,
        };
        match state {
            Ok(state) => log.state = Some(state),
            Err(err) if log.options.spool => return Err(err),
            Err(_) => {} // no shared words: stats tell
        }
        log.open_spool()?;
        log.reset_due();
        log.recover();
        Ok(log)
    }

    fn open_spool(&mut self) -> Result<(), LogError> {
        if let (true, Some(state)) = (self.options.spool, &self.state) {
            let room = self.options.batch_bytes.max(4096).saturating_add(4096).min(spool::ROOM_MAX);
            let spool = Spool::open(state, &self.key, room);
            self.spool = Some(spool.map_err(|err| LogError::io("spool", state.path(), err))?);
        }
        Ok(())
    }

    fn reset_due(&mut self) {
        self.due_bytes = self.options.batch_bytes.max(1).min(self.options.max_pending_bytes.saturating_add(1));
        self.due_records = if self.options.sync == Durability::Record { 1 } else { self.options.batch_records.max(1) };
        self.due_ns = self.batch_ns;
    }

    /// Appends one record: a copy into the batch, and now and then a write of it.
    ///
    /// # Errors
    /// An error of the write that was due: the record is accepted and waits, to be written later; after a failed sync it
    /// is in the file and may not be on disk. [`LogError::Full`]: it was refused. [`LogError::Closed`].
    #[inline(always)]
    pub fn append(&mut self, record: &[u8]) -> Result<(), LogError> {
        if self.closed || self.generation != fork::generation() {
            self.wake_up("append")?;
        }
        let now = clock::coarse_ns();
        let start = self.batch.end();
        self.batch.push(record, self.options.multiline, now);
        if let Some(spool) = &mut self.spool
            && let Err(err) = spool.push(self.batch.since(start))
        {
            return self.spool_is_full(record, start, err);
        }
        if self.batch.len() >= self.due_bytes
            || self.batch.records() >= self.due_records
            || self.batch.age_ns(now) >= self.due_ns
        {
            return self.write_due(start, now);
        }
        Ok(())
    }

    /// A closed logger says so; a child starts with nothing of its parent's.
    #[cold]
    fn wake_up(&mut self, op: &'static str) -> Result<(), LogError> {
        if self.generation != fork::generation() {
            self.batch.consume(usize::MAX);
            self.spool = None;
            self.file.forget();
            self.stats = Stats::default();
            self.reset_due();
            if !self.closed {
                self.open_spool()?; // where that fails nothing is accepted: the next call tries again
            }
            self.generation = fork::generation();
        }
        if self.closed { Err(LogError::Closed { op, path: self.options.path.clone() }) } else { Ok(()) }
    }

    /// The spool can't grow: what waits is written, then there is room.
    #[cold]
    fn spool_is_full(&mut self, record: &[u8], start: usize, err: std::io::Error) -> Result<(), LogError> {
        self.batch.pop(start);
        let at = self.state.as_ref().map_or_else(PathBuf::new, |state| state.path().to_owned());
        let failed = LogError::io("spool", &at, err);
        let waited = !self.batch.is_empty();
        if waited && self.write_out().is_ok() {
            return self.append(record);
        }
        self.stats.refused += 1;
        self.stats.errors += 1;
        Err(failed)
    }

    #[cold]
    #[inline(never)]
    fn write_due(&mut self, start: usize, now: u64) -> Result<(), LogError> {
        let waiting = self.batch.len();
        let Err(err) = self.write_out() else { return Ok(()) };
        let untouched = self.batch.len() == waiting;
        if self.batch.len() > self.options.max_pending_bytes && untouched {
            let newest = self.batch.end() - start;
            self.batch.pop(start);
            if self.batch.is_empty() {
                self.file.abandon_torn(); // it may have begun in a pipe
            }
            if let Some(spool) = &mut self.spool {
                spool.pop(newest);
            }
            self.stats.refused += 1;
            return Err(LogError::Full { path: self.options.path.clone(), pending: self.batch.len() });
        }
        // Not at every append: another batch must have come, or some time passed. At the limit every append tries.
        self.due_bytes = (self.batch.len() + self.options.batch_bytes.max(1)).min(self.options.max_pending_bytes + 1);
        if self.due_records > 1 {
            self.due_records = self.batch.records() + self.options.batch_records.max(1);
        }
        self.due_ns = self.batch.age_ns(now).saturating_add(RETRY_NS).max(self.batch_ns);
        Err(err)
    }

    /// Writes what waits; syncs if every batch is to be.
    fn write_out(&mut self) -> Result<(), LogError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let source = self.spool.as_mut().map_or(Source::Memory, Source::Own);
        let (stored, error) = self.file.write(self.batch.lines_after_newline(), source, !self.options.multiline);
        self.stats.records += self.batch.consume(stored) as u64;
        self.stats.bytes += stored as u64;
        if stored > 0 && error.is_some() && !self.batch.is_empty() {
            self.refill_spool();
        }
        if let Some(err) = error {
            self.stats.errors += 1;
            return Err(err);
        }
        if let Some(spool) = &mut self.spool {
            spool.clear();
        }
        self.batch.shrink(self.options.batch_bytes.saturating_mul(2).max(1 << 20));
        self.reset_due();
        if self.options.sync == Durability::Never { Ok(()) } else { self.sync_file() }
    }

    /// A pipe took a part: the spool must not hold it any more. (A file's part is dropped while its intent stands.)
    fn refill_spool(&mut self) {
        if let Some(spool) = &mut self.spool
            && spool.bytes() != self.batch.len()
        {
            spool.clear();
            if spool.push(self.batch.lines()).is_err() {
                self.stats.errors += 1; // kept in memory alone from here on
            }
        }
    }

    fn sync_file(&mut self) -> Result<(), LogError> {
        self.file.sync().inspect_err(|_| self.stats.errors += 1)
    }

    /// Every record appended before is in the kernel when this returns without an error.
    ///
    /// # Errors
    /// What writing meets; the records wait on.
    pub fn flush(&mut self) -> Result<(), LogError> {
        if self.closed {
            return self.close_as("flush"); // what a close could not write
        }
        self.awake("flush")?;
        if clock::coarse_ns().saturating_sub(self.looked_ns) >= LOOK_NS {
            self.recover();
        }
        self.write_out()
    }

    /// For the end of a request: writes what waits, if it is this process's to write.
    ///
    /// # Errors
    /// What writing meets; the records wait on.
    pub fn finish(&mut self) -> Result<(), LogError> {
        if self.generation != fork::generation() { Ok(()) } else { self.write_out() }
    }

    /// Appends many records with one write and one sync at the end, where each alone would have its own.
    ///
    /// # Errors
    /// The first one of [`Log::append`]; the rest is appended all the same. With `stops` a refusal ends it at once, and is
    /// what it tells: neither that record nor those behind it were accepted.
    pub fn append_all<'a>(&mut self, records: impl Iterator<Item = &'a [u8]>, stops: bool) -> Result<(), LogError> {
        let mut result = Ok(());
        let held = self.options.sync == Durability::Record && self.due_records == 1;
        if held {
            self.due_records = self.options.batch_records.max(1);
        }
        for record in records {
            match self.append(record) {
                Err(err) if stops && err.is_refusal() => {
                    result = Err(err);
                    break;
                }
                appended => result = result.and(appended),
            }
            if held && self.due_records == 1 {
                self.due_records = self.options.batch_records.max(1); // a write in between has set it back
            }
        }
        if held {
            self.due_records = 1;
            result = result.and(self.write_out());
        }
        result
    }

    /// ... and on disk.
    ///
    /// # Errors
    /// What writing meets; "fdatasync" and the like: records in the file may not be on disk.
    pub fn sync(&mut self) -> Result<(), LogError> {
        self.awake("sync")?;
        self.write_out()?;
        self.sync_file()
    }

    /// Writes what waits and opens the file again at the next write.
    ///
    /// # Errors
    /// What writing and close(2) meet.
    pub fn reopen(&mut self) -> Result<(), LogError> {
        self.awake("reopen")?;
        let written = self.write_out();
        let closed = self.file.reopen().inspect_err(|_| self.stats.errors += 1);
        written.and(closed)
    }

    /// For the start of a call that the program makes to have its records written.
    fn awake(&mut self, op: &'static str) -> Result<(), LogError> {
        self.file.be_patient();
        if self.closed || self.generation != fork::generation() { self.wake_up(op) } else { Ok(()) }
    }

    /// Appends what dead loggers of this log left. Locks are probed once a second, process numbers each time.
    fn recover(&mut self) {
        static SCANNED: LazyLock<Mutex<HashMap<PathBuf, u64>>> = LazyLock::new(Mutex::default);
        let Some(state) = &self.state else { return };
        let now = clock::coarse_ns();
        self.looked_ns = now;
        let quick = SCANNED.lock().is_ok_and(|mut scanned| match scanned.get_mut(&self.key) {
            Some(last) if now.saturating_sub(*last) < SCAN_NS => true,
            Some(last) => {
                *last = now;
                false
            }
            None => {
                scanned.insert(self.key.clone(), now);
                false
            }
        });
        let done = recover::recover(&mut self.file, &self.key, state, quick);
        self.stats.recovered += done.records;
        self.stats.errors += u64::from(done.error.is_some());
        if done.records > 0 && self.options.sync != Durability::Never {
            let _ = self.sync_file(); // counted
        }
    }

    /// What has happened, and the options as in force.
    pub fn stats(&self) -> Stats {
        let waiting = self.generation == fork::generation();
        let (records, bytes) = if waiting { (self.batch.records() as u64, self.batch.len() as u64) } else { (0, 0) };
        Stats {
            records: self.stats.records + records,
            bytes: self.stats.bytes + bytes,
            writes: self.file.counts.writes,
            syncs: self.file.counts.syncs,
            shared_syncs: self.file.counts.shared_syncs,
            reopens: self.file.counts.reopens,
            pending_records: records,
            pending_bytes: bytes,
            group: self.file.is_grouped(),
            spool: self.options.spool,
            ..self.stats
        }
    }

    /// Records that a kill or the end of this process can't take: they wait in the spool, for this logger or the next.
    pub fn in_spool(&self) -> u64 {
        if self.spool.is_some() { self.stats().pending_records } else { self.left }
    }

    /// The options as in force.
    pub fn options(&self) -> &Options {
        &self.options
    }
}

#[cfg(test)]
mod tests;

//! Waiting records where a killed process can't take them along: a mapped file of the logger in the state directory.
//!
//! The owner holds a lock on its spool's description, which the kernel drops when it dies. A record is copied, then
//! counted by one release store, so that nothing half-copied is ever found. The spool outlives the process, not the machine.

use std::ffi::OsStr;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering::{Acquire, Release};

use crate::sys::append::FileId;
use crate::sys::flock;
use crate::sys::mapping::Mapping;
use crate::sys::private_fd::PrivateFd;

use super::state::StateDir;

// Offsets in the file. The version is part of its name.
const LEN: usize = 0;
const RECORDS: usize = 8;
const TARGET: [usize; 3] = [16, 24, 32]; // device, inode, birth of the log written last
const UNANNOUNCED: usize = 40; // 1 + the log's size when the batch was written without an intent in shared words
const PATH_LEN: usize = 48;
const PATH: usize = 56;
const DATA: usize = 8192;

const PREFIX: &str = "spool1-";
const MAKING: &str = "making1-";
/// Spools kept mapped for the next logger of the same path: a request must not pay for making one.
const IDLE_MAX: usize = 8;
/// The most room that a batch size gets. One that a huge record has made larger is not kept.
pub const ROOM_MAX: usize = (1 << 20) + 4096;

/// Apart from the words, so that looking for orphans costs nothing where there are no spools.
const FOLDER: &str = "spools";

static IDLE: Mutex<Vec<Spool>> = Mutex::new(Vec::new());

/// FNV-1a of a log's path: finds its spools by name. The path itself is in the spool and decides.
fn hash(path: &Path) -> u64 {
    path.as_os_str()
        .as_bytes()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The path that the spools of a log are found by: two ways to the same directory are one log. The last name stays what
/// it is, because a link there may lead to another file every day.
pub fn key(log: &Path) -> PathBuf {
    match (log.parent().map(fs::canonicalize), log.file_name()) {
        (Some(Ok(directory)), Some(name)) => directory.join(name),
        _ => log.to_owned(),
    }
}

/// One logger's spool, owned.
#[derive(Debug)]
pub struct Spool {
    file: PrivateFd,
    map: Mapping,
    path: PathBuf,
    log: PathBuf,
    nonce: u64,
    len: usize,
    records: u64,
}

impl Spool {
    /// Makes one for the log `log`, or takes an idle one of this process.
    ///
    /// # Errors
    /// ENOSPC and the rest of open(2), fallocate(2), mmap(2); ENAMETOOLONG.
    pub fn open(state: &StateDir, log: &Path, capacity: usize) -> io::Result<Self> {
        if let Ok(mut idle) = IDLE.lock() {
            idle.retain(|spool| spool.file.is_ours()); // a child must not even map its parent's
            if let Some(at) = idle.iter().position(|spool| spool.log == log && spool.path.starts_with(state.path())) {
                return Ok(idle.swap_remove(at));
            }
        }
        let mut last = io::Error::from_raw_os_error(libc::EAGAIN);
        for _ in 0..4 {
            match Self::make(state, log, capacity) {
                Err(err) if err.kind() == io::ErrorKind::NotFound => last = err, // a cleaner took it for a leftover
                other => return other,
            }
        }
        Err(last)
    }

    fn make(state: &StateDir, log: &Path, capacity: usize) -> io::Result<Self> {
        let nonce = RandomState::new().build_hasher().finish() | 1;
        let name = format!("{:016x}-{}-{nonce:016x}", hash(log), std::process::id());
        let folder = state.path().join(FOLDER);
        let (making, path) = (folder.join(format!("{MAKING}{name}")), folder.join(format!("{PREFIX}{name}")));
        let bytes = log.as_os_str().as_bytes();
        if PATH + bytes.len() > DATA {
            return Err(io::Error::from_raw_os_error(libc::ENAMETOOLONG));
        }
        match fs::DirBuilder::new().mode(0o700).create(&folder) {
            Err(err) if err.kind() != io::ErrorKind::AlreadyExists => return Err(err),
            _ => {}
        }
        let file = fs::OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&making)?;
        let made = (|| {
            if !flock::try_exclusive(file.as_fd())? {
                return Err(io::ErrorKind::NotFound.into());
            }
            let map = Mapping::reserve(file.as_fd(), (DATA + capacity).next_multiple_of(4096))?;
            map.word(PATH_LEN).store(bytes.len() as u64, Release);
            map.write(PATH, bytes);
            fs::rename(&making, &path)?; // locked before anybody can take it for an orphan
            Ok(map)
        })();
        match made {
            Ok(map) => {
                let file = PrivateFd::new(file.into())?;
                Ok(Spool { file, map, path, log: log.to_owned(), nonce, len: 0, records: 0 })
            }
            Err(err) => {
                let _ = fs::remove_file(&making); // gone already, or cleaned later
                Err(err)
            }
        }
    }

    /// Its name in intents; never 0.
    pub fn nonce(&self) -> u64 {
        self.nonce
    }

    /// Adds one record's lines.
    ///
    /// # Errors
    /// ENOSPC when it has to grow and can't; nothing is added then.
    #[inline]
    pub fn push(&mut self, lines: &[u8]) -> io::Result<()> {
        let end = self.len + lines.len();
        if DATA + end > self.map.len() {
            self.grow(DATA + end)?;
        }
        self.map.write(DATA + self.len, lines);
        self.records += 1;
        self.map.word(RECORDS).store(self.records, Release);
        self.map.word(LEN).store(end as u64, Release);
        self.len = end;
        Ok(())
    }

    #[cold]
    fn grow(&mut self, need: usize) -> io::Result<()> {
        self.map = Mapping::reserve(self.file.borrow(), need.next_power_of_two())?;
        Ok(())
    }

    /// Takes the newest record back.
    pub fn pop(&mut self, lines: usize) {
        self.len = self.len.saturating_sub(lines);
        self.records = self.records.saturating_sub(1);
        self.map.word(LEN).store(self.len as u64, Release);
        self.map.word(RECORDS).store(self.records, Release);
    }

    /// Bytes in it.
    pub fn bytes(&self) -> usize {
        self.len
    }

    /// Everything is written.
    pub fn clear(&mut self) {
        (self.len, self.records) = (0, 0);
        settle_whole(&self.map);
    }

    /// The first bytes are written. Only while an intent stands: a death half way would leave neither state.
    pub fn drop_first(&mut self, stored: usize) {
        self.len = drop_first(&self.map, self.len, stored);
    }

    /// Remembers into which file the next batch goes, for a recovery after a rotation.
    pub fn set_target(&self, id: FileId) {
        for (at, value) in TARGET.into_iter().zip([id.device, id.inode, id.birth.unwrap_or(0)]) {
            self.map.word(at).store(value, Release);
        }
    }

    /// A batch is about to be written without an intent, to the end of a log of that size, or, with `None`, has left
    /// nothing.
    pub fn mark_unannounced(&self, size: Option<u64>) {
        self.map.word(UNANNOUNCED).store(size.map_or(0, |size| size + 1), Release);
    }

    /// Gives it back: kept for the next logger, or, with records that could not be written, left for recovery.
    pub fn release(self) {
        if self.len > 0 || !self.file.is_ours() {
            return;
        }
        match IDLE.lock() {
            Ok(mut idle) if idle.len() < IDLE_MAX && self.map.len() <= DATA + ROOM_MAX => idle.push(self),
            _ => self.remove(),
        }
    }

    fn remove(self) {
        if self.file.is_ours() {
            let _ = fs::remove_file(&self.path); // an empty one left behind is cleaned by the next recovery
        }
    }
}

/// Removes the idle spools of this process; for its end.
pub fn remove_idle() {
    if let Ok(mut idle) = IDLE.lock() {
        idle.drain(..).for_each(Spool::remove);
    }
}

fn settle_whole(map: &Mapping) {
    map.word(LEN).store(0, Release);
    map.word(RECORDS).store(0, Release);
    map.word(UNANNOUNCED).store(0, Release);
}

fn drop_first(map: &Mapping, len: usize, stored: usize) -> usize {
    let rest = map.read(DATA + stored, len.saturating_sub(stored));
    map.write(DATA, &rest);
    map.word(UNANNOUNCED).store(0, Release);
    map.word(LEN).store(rest.len() as u64, Release);
    rest.len()
}

/// Marks the spool of a dead writer as written. One that is gone needs no mark.
pub fn settle(state: &StateDir, nonce: u64) {
    let suffix = format!("-{nonce:016x}");
    for entry in fs::read_dir(state.path().join(FOLDER)).into_iter().flatten().flatten() {
        if !is_named(&entry.file_name(), PREFIX) || !entry.file_name().as_bytes().ends_with(suffix.as_bytes()) {
            continue;
        }
        let file = fs::OpenOptions::new().read(true).write(true).custom_flags(libc::O_NOFOLLOW).open(entry.path());
        if let Ok(map) = file.and_then(|file| Mapping::reserve(file.as_fd(), DATA)) {
            settle_whole(&map);
        }
    }
}

fn is_named(name: &OsStr, prefix: &str) -> bool {
    name.as_bytes().starts_with(prefix.as_bytes())
}

/// A dead logger's spool, locked by whoever recovers it.
#[derive(Debug)]
pub struct Orphan {
    path: PathBuf,
    map: Mapping,
    /// Its name in intents.
    pub nonce: u64,
    _lock: PrivateFd,
}

impl Orphan {
    /// The records' lines, behind one spare newline; empty of lines when all are written.
    pub fn batch(&self) -> Vec<u8> {
        [b"\n".to_vec(), self.map.read(DATA, self.len())].concat()
    }

    fn len(&self) -> usize {
        usize::try_from(self.map.word(LEN).load(Acquire)).unwrap_or(0).min(self.map.len() - DATA)
    }

    /// The lines alone, or a part of them.
    pub fn lines(&self, offset: usize, len: usize) -> Vec<u8> {
        let all = self.len();
        self.map.read(DATA + offset.min(all), len.min(all - offset.min(all)))
    }

    /// Whether all is written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many records these are.
    pub fn records(&self) -> u64 {
        self.map.word(RECORDS).load(Acquire)
    }

    /// The log written last.
    pub fn target(&self) -> FileId {
        let [device, inode, birth] = TARGET.map(|at| self.map.word(at).load(Acquire));
        FileId { device, inode, birth: (birth != 0).then_some(birth) }
    }

    /// The log's size before a batch that was written without an intent, and perhaps not whole.
    pub fn unannounced(&self) -> Option<u64> {
        self.map.word(UNANNOUNCED).load(Acquire).checked_sub(1)
    }

    /// All is written, or the first bytes are.
    pub fn settle(&self, stored: Option<usize>) {
        match stored {
            None => settle_whole(&self.map),
            Some(stored) => drop(drop_first(&self.map, self.len(), stored)),
        }
    }

    /// A write without an intent is about to begin, or, with `None`, has left nothing.
    pub fn mark_unannounced(&self, size: Option<u64>) {
        self.map.word(UNANNOUNCED).store(size.map_or(0, |size| size + 1), Release);
    }

    /// Removes it.
    pub fn remove(self) {
        let _ = fs::remove_file(&self.path); // an empty one is found and removed again
    }
}

/// The spools of dead loggers of that log. With `quick` only those whose process number is free are looked at.
pub fn orphans(state: &StateDir, log: &Path, quick: bool) -> Vec<Orphan> {
    let (spools, makings) = (format!("{PREFIX}{:016x}-", hash(log)), format!("{MAKING}{:016x}-", hash(log)));
    let mut found = Vec::new();
    for entry in fs::read_dir(state.path().join(FOLDER)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if is_named(&name, &spools) && !(quick && seems_alive(&name)) {
            found.extend(adopt(entry.path(), log));
        } else if !quick && is_named(&name, &makings) {
            clean_making(&entry.path());
        }
    }
    found
}

/// Whether a process has the number in a spool's name. Another namespace's numbers mean nothing here: the lock decides,
/// at the next scan that is not quick.
fn seems_alive(name: &OsStr) -> bool {
    let pid = name.to_str().and_then(|name| name.split('-').nth(2)).and_then(|pid| pid.parse().ok());
    // Our own loggers may have left some, too: there the lock is asked at once.
    pid.is_some_and(|pid| {
        pid != std::process::id().cast_signed()
            && nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), None) != Err(nix::Error::ESRCH)
    })
}

fn adopt(path: PathBuf, log: &Path) -> Option<Orphan> {
    let nonce = path.file_name()?.to_str()?.rsplit('-').next()?;
    let nonce = u64::from_str_radix(nonce, 16).ok()?;
    let file = fs::OpenOptions::new().read(true).write(true).custom_flags(libc::O_NOFOLLOW).open(&path).ok()?;
    if !flock::try_exclusive(file.as_fd()).ok()? {
        return None; // its owner lives
    }
    let meta = file.metadata().ok()?;
    let size = usize::try_from(meta.size()).ok().filter(|&size| size >= DATA && meta.nlink() > 0)?;
    let map = Mapping::reserve(file.as_fd(), size).ok()?;
    let path_len = usize::try_from(map.word(PATH_LEN).load(Acquire)).ok().filter(|&len| PATH + len <= DATA)?;
    if map.read(PATH, path_len) != log.as_os_str().as_bytes() {
        return None; // another log whose path has the same hash
    }
    Some(Orphan { path, map, nonce, _lock: PrivateFd::new(file.into()).ok()? })
}

fn clean_making(path: &Path) {
    let Ok(file) = fs::File::open(path) else { return };
    let old = file
        .metadata()
        .and_then(|meta| meta.modified())
        .is_ok_and(|time| time.elapsed().unwrap_or_default() > std::time::Duration::from_secs(60));
    if old && flock::try_exclusive(file.as_fd()).unwrap_or(false) {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests;

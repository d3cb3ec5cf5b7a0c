//! What a logger is asked to do, and what it has done.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// When a record counts as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// When the kernel has it.
    #[default]
    Never,
    /// A batch is followed by fdatasync before it counts as flushed.
    Batch,
    /// append returns when its record is on disk.
    Record,
}

/// Whether a path may be opened now; asked before each open, because a link may have come to lead elsewhere.
pub type Permit = fn(&Path) -> bool;

/// How the file is opened and waited for.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Mode of a file that is created.
    pub mode: u32,
    /// How long a lock or a full pipe is waited for.
    pub wait_limit: Duration,
    /// Who decides whether it may be opened.
    pub permit: Permit,
}

/// What a logger is asked to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// The log, absolute.
    pub path: PathBuf,
    /// Written when so many bytes wait. Default 65,536.
    pub batch_bytes: usize,
    /// ... or so many records. Default 1,000.
    pub batch_records: usize,
    /// ... or the oldest has waited so long, seen at the next append. Default one second.
    pub batch_time: Duration,
    /// When a record counts as stored.
    pub sync: Durability,
    /// Mode of a file that is created, whatever the umask. Default 0644.
    pub mode: u32,
    /// Newlines inside records are written as they are.
    pub multiline: bool,
    /// Waiting records survive the process.
    pub spool: bool,
    /// Bytes that may wait while the disk refuses. Default 8 MiB.
    pub max_pending_bytes: usize,
    /// Where the private state directory is made; `None` for the usual places.
    pub state_dir: Option<PathBuf>,
    /// How long a lock or a full pipe is waited for. Default 5 seconds.
    pub wait_limit: Duration,
    /// Who decides whether the path may be opened. Default: it may.
    pub permit: Permit,
}

impl Options {
    /// What opening the file needs of them.
    pub fn access(&self) -> Access {
        Access { mode: self.mode, wait_limit: self.wait_limit, permit: self.permit }
    }

    /// The defaults for a log.
    pub fn new(path: &Path) -> Self {
        Options {
            path: path.to_owned(),
            batch_bytes: 65536,
            batch_records: 1000,
            batch_time: Duration::from_secs(1),
            sync: Durability::Never,
            mode: 0o644,
            multiline: false,
            spool: false,
            max_pending_bytes: 8 << 20,
            state_dir: None,
            wait_limit: Duration::from_secs(5),
            permit: |_| true,
        }
    }
}

/// What a logger has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Records accepted.
    pub records: u64,
    /// Their bytes as lines.
    pub bytes: u64,
    /// Calls of write(2).
    pub writes: u64,
    /// Calls of fdatasync(2).
    pub syncs: u64,
    /// Times that another process's fdatasync served this one.
    pub shared_syncs: u64,
    /// Times the log was opened again: rotation, [`super::Log::reopen`], failed syncs.
    pub reopens: u64,
    /// Records that wait.
    pub pending_records: u64,
    /// Bytes that wait.
    pub pending_bytes: u64,
    /// Records of dead loggers that this one has appended.
    pub recovered: u64,
    /// Records refused because too much waited.
    pub refused: u64,
    /// Errors met.
    pub errors: u64,
    /// Whether syncs are shared with other processes.
    pub group: bool,
    /// Whether waiting records survive the process.
    pub spool: bool,
}

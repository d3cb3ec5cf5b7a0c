//! Why a call on a shared segment failed.

use std::io;
use std::path::PathBuf;

/// What a segment holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Counters and their names.
    Counters = 1,
    /// One block of bytes.
    Block = 2,
}

impl Kind {
    pub(super) fn from_word(word: u64) -> Option<Self> {
        match word {
            1 => Some(Kind::Counters),
            2 => Some(Kind::Block),
            _ => None,
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Kind::Counters => "SharedCounter",
            Kind::Block => "SharedSegment",
        })
    }
}

/// An argument that no call accepts. The texts go on after "must" in PHP's own sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadArgument {
    /// Key 0.
    #[error("not be 0 (IPC_PRIVATE), which makes a new segment at each call")]
    PrivateKey,
    /// Key -1.
    #[error("not be -1, which is what ftok() returns when it fails")]
    FailedKey,
    /// More than 32 bits.
    #[error(
        "be between -2147483648 and 2147483647, for the kernel would cut it to 32 bits (0x80000000 to 0xfffffffe are written as the negative number of the same bits)"
    )]
    WideKey,
    /// A segment's name.
    #[error("be a name of 1 to 255 bytes or an integer")]
    KeyLength,
    /// Number of slots.
    #[error("be between 1 and 16777216")]
    Slots,
    /// Bytes of a block.
    #[error("be between 1 and 1099511627776")]
    Size,
    /// Permission bits.
    #[error("be between 0o600 and 0o777 and let the owner read and write")]
    Mode,
    /// A slot's number.
    #[error("be between 0 and {0}, the last counter of the segment")]
    Index(usize),
    /// A counter's name.
    #[error("be a name of 1 to 240 bytes or an index")]
    NameLength,
    /// A counter's name that is the text of an integer.
    #[error("not be a string that is an integer, for PHP's arrays make an index of it: pass an int")]
    IntegerName,
    /// A name that is to be forgotten.
    #[error("be a name of 1 to 240 bytes that is no integer")]
    ForgottenName,
    /// Where a range of a block starts.
    #[error("be between 0 and {0}, the number of bytes of the segment")]
    Offset(usize),
    /// How long a range of a block is.
    #[error("be between 0 and {0}, the number of bytes from the offset to the end of the segment")]
    Length(usize),
    /// Data for a range of a block.
    #[error("be at most {0} bytes long, which is what the segment has from the offset to its end")]
    Data(usize),
}

fn in_use(capacity: usize, wanted: usize, free: usize) -> String {
    match free {
        0 => format!("all {capacity} counters are in use"),
        _ => format!("{wanted} new names, and {} of {capacity} counters are in use", capacity - free),
    }
}

/// Why a call on a shared segment failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShmError {
    /// A system call failed.
    #[error("{op} {key}: {source}{advice}")]
    Io {
        /// Its name.
        op: &'static str,
        /// Which segment.
        key: String,
        /// The system's reason.
        source: io::Error,
        /// What can be done about it; empty, or a sentence that starts with its own separator.
        advice: String,
    },
    /// save() or restore() could not read or write its file.
    #[error("{op} {}: {source}", path.display())]
    File {
        /// The system call.
        op: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file is not what save() wrote.
    #[error("restore {}: {what}", path.display())]
    BadFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// No segment has this key.
    #[error("{key}: there is no such segment")]
    Missing {
        /// Which segment.
        key: String,
    },
    /// Somebody else's segment.
    #[error(
        "{key}: a segment of {size} bytes that rustio did not create; it was left as it is. Use another key, or remove it (ipcrm -m {id}) and let rustio create it first"
    )]
    Foreign {
        /// Which segment.
        key: String,
        /// Its id.
        id: i32,
        /// Its size by the kernel.
        size: usize,
    },
    /// Another version of rustio, or another kind of machine, made it.
    #[error("{key}: made with another {what}, which this version of rustio can't use")]
    OtherLayout {
        /// Which segment.
        key: String,
        /// What differs.
        what: &'static str,
    },
    /// Reopened with another capacity.
    #[error(
        "{key}: has {found} {unit}, not {wanted}. Open it with the number it was created with, or destroy() it first"
    )]
    OtherCapacity {
        /// Which segment.
        key: String,
        /// What it has.
        found: usize,
        /// What was asked for.
        wanted: usize,
        /// "counters" or "bytes".
        unit: &'static str,
    },
    /// A segment of the other class.
    #[error("{key}: holds a {found}, not a {wanted}")]
    OtherKind {
        /// Which segment.
        key: String,
        /// What it holds.
        found: Kind,
        /// What was asked for.
        wanted: Kind,
    },
    /// Two names, or a name and a number, have the same System V key.
    #[error("{wanted}: this key belongs to {found}; choose another name or number")]
    Collision {
        /// What was asked for.
        wanted: String,
        /// Whose segment it is.
        found: String,
    },
    /// What is stored can't be right.
    #[error("{key}: damaged ({what}); nothing was written. destroy() or ipcrm it, then it can be created anew")]
    Damaged {
        /// Which segment.
        key: String,
        /// Where.
        what: &'static str,
    },
    /// Removed by destroy(), ipcrm or systemd.
    #[error(
        "{key}: the segment of generation {generation} has been removed (destroy(), ipcrm, or systemd's RemoveIPC); make a new object to use the key's new segment"
    )]
    Removed {
        /// Which segment.
        key: String,
        /// Which of the segments under this key.
        generation: u64,
    },
    /// The process that makes it neither finishes nor dies.
    #[error(
        "{key}: another process has been creating it for {seconds} seconds without an end; if nobody does, remove it (ipcrm -m {id})"
    )]
    Unfinished {
        /// Which segment.
        key: String,
        /// Its id.
        id: i32,
        /// How long this call waited.
        seconds: u64,
    },
    /// A read-only handle.
    #[error("{key}: opened read-only")]
    ReadOnly {
        /// Which segment.
        key: String,
    },
    /// The lock is of no use here.
    #[error("{key}: {why}")]
    NoLock {
        /// Which segment.
        key: String,
        /// Why, and what to do.
        why: &'static str,
    },
    /// No room for another name.
    #[error(
        "{key}: {} ({named} by name, {indexed} by index); forget() a name, or create a segment with more slots",
        in_use(*capacity, *wanted, *free)
    )]
    Full {
        /// Which segment.
        key: String,
        /// Slots.
        capacity: usize,
        /// Slots with a name.
        named: usize,
        /// Slots without, that do not hold 0 or that the same call means by their index.
        indexed: usize,
        /// New names of the call, of which nothing was done.
        wanted: usize,
        /// Slots that are free for them.
        free: usize,
    },
    /// The lock's holder did not release it in time.
    #[error("{key}: the lock was not free within {seconds} seconds")]
    Timeout {
        /// Which segment.
        key: String,
        /// The time allowed.
        seconds: f64,
    },
    /// A process that was stopped in the middle of a call did not go on in time.
    #[error(
        "{key}: a process is stopped in the middle of a call on a counter whose name was forgotten; the counter can be used again when that process has gone on or ended"
    )]
    InFlight {
        /// Which segment.
        key: String,
    },
    /// forget() of a name that has to stay.
    #[error(
        "{key}: this name can't be forgotten, for a process of another PID namespace or C library has counted under it, and nobody can tell when that has ended"
    )]
    Pinned {
        /// Which segment.
        key: String,
    },
    /// Another Fiber of this thread holds the lock.
    #[error("{key}: another Fiber of this thread is inside synchronized()")]
    OtherFiber {
        /// Which segment.
        key: String,
    },
    /// A signal handler or a time limit of the caller ended the wait.
    #[error("{key}: interrupted while waiting for the lock")]
    Interrupted {
        /// Which segment.
        key: String,
    },
    /// A counter would leave the range of a signed 64-bit integer.
    #[error("{key}: counter {counter} would overflow; its value is unchanged")]
    Overflow {
        /// Which segment.
        key: String,
        /// Which counter.
        counter: String,
    },
    /// An argument is out of its range.
    #[error("must {0}")]
    Argument(#[from] BadArgument),
    /// One of many counters is named in a way that no call accepts.
    #[error("must not have the key {counter}: it must {why}")]
    ManyArgument {
        /// How it is named.
        counter: String,
        /// What is wrong with that.
        why: BadArgument,
    },
}

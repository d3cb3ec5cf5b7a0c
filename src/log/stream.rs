//! Batches to a pipe or device: nothing can be cut off there, a full pipe is waited for, a reader may go in mid-record.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use crate::sys::append;

use super::desk::write_shielded;
use super::protocol::Outcome;

/// What the last batch has left at the end of the pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// Whole lines.
    Clean,
    /// The first so many bytes of the line that the next batch begins with.
    Begun(usize),
    /// A part of a line whose rest will not come.
    Abandoned,
}

impl Tail {
    /// The next batch begins with another line.
    pub fn abandon(&mut self) {
        if matches!(self, Tail::Begun(_)) {
            *self = Tail::Abandoned;
        }
    }
}

/// Writes a batch, which has its spare newline in front, going on after what `tail` says. Of a line that meets an error
/// nothing counts as stored: the same reader gets the rest of it with the next batch, a new one all of it.
pub fn write(fd: BorrowedFd<'_>, batch: &[u8], tail: &mut Tail, limit: Duration, writes: &mut u64) -> Outcome {
    let from = match *tail {
        Tail::Abandoned => 0,
        Tail::Clean => 1,
        Tail::Begun(bytes) => 1 + bytes,
    };
    let (written, error) = write_from(fd, batch.get(from..).unwrap_or_default(), limit, writes);
    let end = (from + written).min(batch.len());
    let Some(lines) = batch.get(1..end) else { return Outcome { stored: 0, error } }; // the tail is as it was
    let stored = if error.is_none() { lines.len() } else { memchr::memrchr(b'\n', lines).map_or(0, |at| at + 1) };
    *tail = if stored == lines.len() { Tail::Clean } else { Tail::Begun(lines.len() - stored) };
    Outcome { stored, error }
}

fn write_from(fd: BorrowedFd<'_>, bytes: &[u8], limit: Duration, writes: &mut u64) -> (usize, Option<io::Error>) {
    let start = Instant::now();
    let mut written = 0;
    while let Some(rest @ [_, ..]) = bytes.get(written..) {
        *writes += 1;
        match write_shielded(fd, rest) {
            Ok(n) => written += n,
            Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
            Err(err) if err.kind() == io::ErrorKind::WouldBlock => {
                let left = limit.saturating_sub(start.elapsed());
                if left.is_zero() || append::wait_writable(fd, left).is_ok_and(|ready| !ready) {
                    return (written, Some(err));
                }
            }
            Err(err) => return (written, Some(err)),
        }
    }
    (written, None)
}

//! One block of memory between a source and the lines: filled at the end, consumed at the start, its rest moved to the
//! front before each read. It knows newlines but no lines.

use std::io;

use super::{Newline, Source};
use crate::sys::mask::{BLOCK, Index, Wanted};

/// Bytes behind the filled part, so that the search for newlines may look at whole blocks.
const PAD: usize = BLOCK;
/// Room for a line's beginning beside a chunk before the buffer grows.
const HEADROOM: usize = 4096;
/// Buffers up to this size are not given back.
const SMALL: usize = 64 * 1024;

/// Where a line ends: its content stops before `content`, the next line starts at `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Break {
    pub content: usize,
    pub next: usize,
}

#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    /// First byte that is not consumed.
    pub start: usize,
    /// Behind the last byte that was read.
    pub end: usize,
    /// Bytes at the front that stay where they are: what a truncated line shows while its rest is passed over.
    pub held: usize,
    /// Offset in the source of `bytes[0]`, modulo 2^64: after a hold it lies before the source's start.
    origin: u64,
    chunk: usize,
    /// Doubling ends here.
    most: usize,
    /// Newlines in front of this position are in the index or consumed.
    scanned: usize,
    index: Index,
}

impl Buffer {
    /// Holds at most a line of `max_line` bytes, and a chunk.
    pub fn new(chunk: usize, max_line: usize) -> Self {
        let most = max_line.saturating_add(2 * PAD).saturating_add(chunk);
        let index = Index::default();
        Self { bytes: Vec::new(), start: 0, end: 0, held: 0, origin: 0, chunk, most, scanned: 0, index }
    }

    /// Forgets everything; the next byte read is at `offset`.
    pub fn clear(&mut self, offset: u64) {
        (self.start, self.end, self.held, self.origin) = (0, 0, 0, offset);
        self.rescan(0);
    }

    /// Offset in the source of a position in the buffer.
    #[inline]
    pub fn offset(&self, position: usize) -> u64 {
        self.origin.wrapping_add(position as u64)
    }

    #[inline]
    pub fn slice(&self, from: usize, to: usize) -> &[u8] {
        &self.bytes[from..to]
    }

    /// Like [`Buffer::slice`], for callers that must not panic.
    #[inline(always)]
    pub fn get(&self, from: usize, to: usize) -> Option<&[u8]> {
        self.bytes.get(from..to)
    }

    /// What was read and not consumed.
    pub fn rest(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// The next LF behind those already given; each is given once.
    #[inline]
    pub fn next_lf(&mut self) -> Option<usize> {
        self.next(Wanted::Lf)
    }

    #[inline]
    fn next(&mut self, wanted: Wanted) -> Option<usize> {
        if let Some(at) = self.index.take() {
            return Some(at);
        }
        self.search(wanted);
        self.index.take()
    }

    #[cold]
    fn search(&mut self, wanted: Wanted) {
        while self.index.is_empty() && self.scanned < self.end {
            self.scanned = self.index.fill(&self.bytes, self.scanned, self.end, wanted);
        }
    }

    /// Looks for newlines from `position` on again.
    #[inline]
    pub fn rescan(&mut self, position: usize) {
        self.scanned = position;
        self.index.clear();
    }

    /// The end of the line that starts at `start`. `None`: more bytes are needed; with `Newline::Any` that is also so
    /// for a CR at the end, unless `all` says that nothing follows.
    #[inline]
    pub fn next_break(&mut self, newline: Newline, all: bool) -> Option<Break> {
        match newline {
            Newline::Lf => {
                let at = self.next_lf()?;
                let cr = at > self.start && self.bytes[at - 1] == b'\r';
                Some(Break { content: at - usize::from(cr), next: at + 1 })
            }
            Newline::Any => {
                let at = self.next(Wanted::LfCr)?;
                if self.bytes[at] == b'\n' {
                    return Some(Break { content: at, next: at + 1 });
                }
                if at + 1 == self.end && !all {
                    self.rescan(at);
                    return None;
                }
                let pair = at + 1 < self.end && self.bytes[at + 1] == b'\n';
                if pair {
                    self.next(Wanted::LfCr);
                }
                Some(Break { content: at, next: at + 1 + usize::from(pair) })
            }
        }
    }

    /// Reads one chunk behind what is there. The rest moves to the front first, behind what is held.
    pub fn fill(&mut self, source: &mut dyn Source) -> io::Result<usize> {
        let shift = self.start - self.held;
        if shift > 0 {
            self.bytes.copy_within(self.start..self.end, self.held);
            self.start -= shift;
            self.end -= shift;
            self.scanned -= shift;
            self.origin = self.origin.wrapping_add(shift as u64);
        }
        self.resize()?;
        let n = source.read(&mut self.bytes[self.end..self.end + self.chunk])?;
        self.end += n;
        Ok(n)
    }

    /// Room for a chunk: doubled while one line grows, given back when lines are short again.
    fn resize(&mut self) -> io::Result<()> {
        let needed = self.end + self.chunk + PAD;
        let usual = self.chunk + self.chunk.min(HEADROOM) + PAD;
        let size = if self.bytes.len() < needed {
            needed.max(usual).max((2 * self.bytes.len()).min(self.end + needed).min(self.most))
        } else if self.bytes.len() > (2 * usual).max(SMALL) && self.end < self.chunk.min(HEADROOM) {
            usual
        } else {
            return Ok(());
        };
        if size < self.bytes.len() {
            self.bytes.truncate(size);
            self.bytes.shrink_to_fit();
            return Ok(());
        }
        let more = size - self.bytes.len();
        self.bytes.try_reserve_exact(more).map_err(|_| io::Error::from_raw_os_error(libc::ENOMEM))?;
        self.bytes.resize(size, 0);
        Ok(())
    }

    /// Keeps the first `n` bytes of the line at `start` at the front; the caller consumes the rest.
    pub fn hold(&mut self, n: usize) {
        self.bytes.copy_within(self.start..self.start + n, 0);
        self.held = n;
    }

    /// Consumes up to `position`; newlines behind it are looked for again.
    #[inline]
    pub fn consume(&mut self, position: usize) {
        self.start = position;
        self.rescan(position);
    }

    /// The end of the last complete line; what was scanned without a newline is not looked at again.
    pub fn last_lf(&self) -> Option<usize> {
        let from = if self.index.is_empty() { self.start.max(self.scanned) } else { self.start };
        memchr::memrchr(b'\n', &self.bytes[from..self.end]).map(|at| from + at + 1)
    }

    /// Bytes of memory held now.
    pub fn memory(&self) -> usize {
        self.bytes.capacity()
    }
}

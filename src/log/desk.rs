//! The protocol's world on a real file: its descriptor, the shared words, the spool.

use std::io;
use std::os::fd::BorrowedFd;
use std::sync::atomic::Ordering::SeqCst;

use nix::sys::signal::Signal;

use crate::sys::signal::Shield;
use crate::sys::{append, fd};

use super::protocol::{Desk, Intent};
use super::spool::{self, Orphan, Spool};
use super::state::StateDir;
use super::words::Words;

/// Where the records of a batch wait besides the process's own memory.
#[derive(Debug)]
pub enum Source<'a> {
    /// Nowhere: a kill loses those that are not being written.
    Memory,
    /// In the logger's own spool.
    Own(&'a mut Spool),
    /// In a dead logger's spool.
    Orphan(&'a Orphan),
}

impl Source<'_> {
    /// The spool's name in an intent.
    pub fn nonce(&self) -> u64 {
        match self {
            Source::Memory => 0,
            Source::Own(spool) => spool.nonce(),
            Source::Orphan(orphan) => orphan.nonce,
        }
    }

    fn mark_unannounced(&self, size: Option<u64>) {
        match self {
            Source::Memory => {}
            Source::Own(spool) => spool.mark_unannounced(size),
            Source::Orphan(orphan) => orphan.mark_unannounced(size),
        }
    }
}

/// One append or repair, under the lock.
#[derive(Debug)]
pub struct FileDesk<'a, 's> {
    /// The log.
    pub file: BorrowedFd<'a>,
    /// Whether it can be read.
    pub readable: bool,
    /// Its shared words.
    pub words: Option<&'a mut Words>,
    /// Where those of a process without words are kept.
    pub known_end: &'a mut Option<u64>,
    /// The batch's other copy.
    pub source: &'a mut Source<'s>,
    /// Where dead writers' spools are.
    pub state: Option<&'a StateDir>,
    /// Calls of write(2), counted.
    pub writes: &'a mut u64,
}

impl Desk for FileDesk<'_, '_> {
    fn size(&mut self) -> io::Result<u64> {
        Ok(fd::fstat(self.file)?.st_size.try_into().unwrap_or(0))
    }

    fn read_at(&mut self, offset: u64, len: usize) -> io::Result<Option<Vec<u8>>> {
        if !self.readable {
            return Ok(None);
        }
        let mut out = vec![0; len];
        let mut done = 0;
        while let Some(rest @ [_, ..]) = out.get_mut(done..) {
            match fd::pread(self.file, rest, offset + done as u64) {
                Ok(0) => break,
                Ok(n) => done += n,
                Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Ok(None), // a file that can't be read may still take records
            }
        }
        out.truncate(done);
        Ok(Some(out))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        *self.writes += 1;
        write_shielded(self.file, bytes)
    }

    fn truncate(&mut self, size: u64) -> io::Result<()> {
        append::truncate(self.file, size)
    }

    fn intent(&mut self) -> Option<Intent> {
        if let Some(words) = &mut self.words {
            return words.intent();
        }
        // A spool whose batch had no intent in shared words is its own journal.
        let Source::Orphan(orphan) = &*self.source else { return None };
        let size = orphan.unannounced()?;
        let len = orphan.batch().len() - 1;
        Some(Intent { size, offset: 0, len, newline: false, spool: orphan.nonce, sketched: false })
    }

    fn announce(&mut self, intent: Intent, lines: &[u8]) {
        if let Some(words) = &mut self.words
            && words.record(lines)
        {
            words.stand(intent);
        } else {
            self.source.mark_unannounced(Some(intent.size));
        }
    }

    fn amend(&mut self, intent: Intent) {
        match (&mut self.words, &*self.source) {
            (Some(words), _) => words.stand(intent),
            (None, Source::Orphan(orphan)) => {
                orphan.settle(Some(intent.offset));
                orphan.mark_unannounced(Some(intent.size));
            }
            (None, _) => {}
        }
    }

    fn withdraw(&mut self) {
        if let Some(words) = &mut self.words {
            words.withdraw();
        }
        self.source.mark_unannounced(None);
    }

    fn journal(&mut self, intent: &Intent) -> io::Result<Vec<u8>> {
        match (&self.words, &*self.source) {
            (Some(words), _) => words.recorded(intent),
            // Amending has moved the lines to the front.
            (None, Source::Orphan(orphan)) => Ok(orphan.lines(0, intent.len)),
            (None, _) => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn settle(&mut self, nonce: u64, stored: Option<usize>) {
        match (&mut *self.source, stored) {
            (Source::Own(own), None) if own.nonce() == nonce => own.clear(),
            (Source::Own(own), Some(stored)) if own.nonce() == nonce => own.drop_first(stored),
            (Source::Orphan(orphan), stored) if orphan.nonce == nonce => orphan.settle(stored),
            _ => self.state.iter().flat_map(|state| state.with_others()).for_each(|state| spool::settle(&state, nonce)),
        }
    }

    fn known_end(&mut self) -> Option<u64> {
        match &self.words {
            Some(words) => Some(words.known_end().load(SeqCst)),
            None => *self.known_end,
        }
    }

    fn set_known_end(&mut self, end: u64) {
        match &self.words {
            Some(words) => words.known_end().store(end, SeqCst),
            None => *self.known_end = Some(end),
        }
    }
}

/// write(2) that reports EFBIG and EPIPE instead of raising their signals.
///
/// # Errors
/// See write(2).
pub fn write_shielded(file: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
    let shield = Shield::raise();
    let result = append::write(file, bytes);
    match result.as_ref().err().and_then(io::Error::raw_os_error) {
        Some(libc::EFBIG) => shield.discard(Signal::SIGXFSZ),
        Some(libc::EPIPE) => shield.discard(Signal::SIGPIPE),
        _ => {}
    }
    result
}

//! The end of a logger: closed by the program, or released with its records still waiting.

use super::{Log, LogError};
use crate::sys::fork;

impl Log {
    /// Writes what waits and closes the file. What could not be written then is tried once more by [`Log::flush`], a
    /// second close or the release; in a spool it is left for the next logger of this path.
    ///
    /// # Errors
    /// What writing, syncing and close(2) meet. After a close that failed: what the next try meets, or
    /// [`LogError::Closed`] while the spool has the records.
    pub fn close(&mut self) -> Result<(), LogError> {
        self.close_as("close")
    }

    /// ... on behalf of another call.
    pub(super) fn close_as(&mut self, op: &'static str) -> Result<(), LogError> {
        self.file.be_patient();
        self.shut(op)
    }

    /// Once more is the same: it writes what could not be written before, and nothing when that is nothing.
    fn shut(&mut self, op: &'static str) -> Result<(), LogError> {
        if self.generation != fork::generation() {
            self.closed = true;
            let _ = self.wake_up(op); // says that it is closed
            return Ok(());
        }
        if self.left > 0 {
            return Err(LogError::Closed { op, path: self.options.path.clone() });
        }
        let written = self.write_out();
        let closed = self.file.close().inspect_err(|_| self.stats.errors += 1);
        self.closed = true;
        if let Some(spool) = self.spool.take() {
            self.stats.bytes += self.batch.len() as u64;
            self.left = self.batch.consume(usize::MAX) as u64; // the spool answers for it
            self.stats.records += self.left;
            spool.release();
        }
        written.and(closed)
    }

    /// For the end of the object: as [`Log::close`], but what was waited for in vain is not waited for again.
    ///
    /// # Errors
    /// Records are lost with the object. Those in the spool are not.
    pub fn release(&mut self) -> Result<(), LogError> {
        if self.left > 0 { Ok(()) } else { self.shut("close") }
    }
}

impl Drop for Log {
    /// Writes what waits. Whoever wants to hear of errors calls [`Log::close`].
    fn drop(&mut self) {
        let _ = self.release();
    }
}

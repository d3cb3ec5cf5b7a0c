//! From a fresh source to the first line of the range.

use super::{Phase, Reader, Step};
use crate::lines::LinesError;
use crate::lines::sniff::{Head, LONGEST, sniff};

impl Reader {
    /// A range starts behind the newline of whatever line lies over the byte before it: only then does each line belong
    /// to one range.
    pub(super) fn begin(&mut self) -> Result<Step, LinesError> {
        let offset = self.options.offset;
        if offset == 0 {
            self.phase = if self.source.starts_file() { Phase::Head } else { Phase::Running };
            return Ok(Step::Pending);
        }
        let mut head = [0; LONGEST];
        let n = self.source.head(&mut head).map_err(|source| self.io("read", source))?;
        sniff(&head[..n], true)?;
        match self.source.seek(offset - 1) {
            Ok(()) => {
                self.moved = true;
                self.buffer.clear(offset - 1);
                self.phase = Phase::SkipLine;
            }
            Err(err) if err.raw_os_error() == Some(libc::ESPIPE) => self.phase = Phase::SkipBytes(offset - 1),
            Err(err) => return Err(self.io("seek", err)),
        }
        Ok(Step::Pending)
    }

    pub(super) fn look_at_head(&mut self) -> Result<Step, LinesError> {
        match sniff(self.buffer.rest(), self.at_end).inspect_err(|_| self.phase = Phase::Ended)? {
            Head::Unsure => return self.fill(),
            Head::Text(mark) if mark > 0 && self.options.strip_bom => {
                self.buffer.consume(self.buffer.start + mark);
                self.mark = mark as u64;
            }
            Head::Text(_) => {}
        }
        self.phase = Phase::Running;
        Ok(Step::Pending)
    }

    pub(super) fn skip_bytes(&mut self, left: u64) -> Result<Step, LinesError> {
        let n = left.min(self.buffer.rest().len() as u64);
        self.buffer.consume(self.buffer.start + n as usize);
        if n == left || self.at_end {
            self.phase = Phase::SkipLine;
            return Ok(Step::Pending);
        }
        self.phase = Phase::SkipBytes(left - n);
        self.fill()
    }

    pub(super) fn skip_line(&mut self) -> Result<Step, LinesError> {
        if let Some(end) = self.buffer.next_break(self.options.newline, self.at_end) {
            self.buffer.start = end.next;
            self.phase = Phase::Running;
            return Ok(Step::Pending);
        }
        if self.at_end {
            self.buffer.consume(self.buffer.end); // a too long tail was passed over
            self.end();
            // Whoever asks for a later start has read up to there before.
            return if self.buffer.offset(self.buffer.end) < self.options.offset {
                Err(LinesError::Truncated { offset: self.options.offset })
            } else {
                Ok(Step::End)
            };
        }
        self.drop_all_but_cr();
        self.fill()
    }
}

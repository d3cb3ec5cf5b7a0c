//! A filter over all complete lines of the buffer at once, then over the line of a hit alone.

use super::{Reader, Step};
use crate::lines::buffer::Break;
use crate::lines::{LinesError, Newline};

impl Reader {
    /// May the filter look at many lines at once? Not where a line in it could be over the limit: that is an error, or
    /// is cut, whether it matches or not.
    pub(super) fn searches(&self) -> bool {
        self.options.newline == Newline::Lf
            && self.mark == 0
            && self.options.filter.is_some()
            && self.buffer.end - self.buffer.start <= self.options.max_line
    }

    /// Looks for the next line that may pass in all complete lines of the buffer, then at that line alone.
    pub(super) fn search(&mut self) -> Result<Step, LinesError> {
        loop {
            let start = self.buffer.start;
            if self.buffer.offset(start) >= self.limit {
                return Ok(self.end());
            }
            if self.whole <= start {
                let Some(whole) = self.buffer.last_lf() else {
                    self.buffer.rescan(self.buffer.end);
                    return self.run_dry(self.buffer.offset(start));
                };
                self.whole = whole;
            }
            let lines = self.buffer.slice(start, self.whole);
            let Some(filter) = self.options.filter.as_mut() else { return self.run() };
            let Some(found) = Found::near(filter.find(lines), lines) else {
                self.next_number += memchr::memchr_iter(b'\n', lines).count() as u64;
                self.buffer.consume(self.whole);
                continue;
            };
            let content = &lines[found.start..found.content];
            let passes = filter.passes(content) && !(self.options.skip_empty && content.is_empty());
            self.next_number += memchr::memchr_iter(b'\n', &lines[..found.start]).count() as u64;
            self.buffer.consume(start + found.start);
            let next = start + found.next;
            let offset = self.buffer.offset(start + found.start);
            if offset >= self.limit {
                return Ok(self.end());
            }
            if !passes {
                self.next_number += 1;
                self.buffer.consume(next);
                continue;
            }
            let content = if self.options.keep_newline { next } else { start + found.content };
            self.give(Break { content, next }, offset);
            self.buffer.rescan(next);
            return Ok(Step::Line);
        }
    }
}

/// The line around a hit in a run of complete lines.
struct Found {
    start: usize,
    content: usize,
    next: usize,
}

impl Found {
    fn near(hit: Option<usize>, lines: &[u8]) -> Option<Self> {
        let hit = hit?;
        let start = memchr::memrchr(b'\n', &lines[..hit]).map_or(0, |at| at + 1);
        // An empty match behind the last newline is in no line.
        let end = hit + memchr::memchr(b'\n', &lines[hit..])?;
        let cr = end > start && lines[end - 1] == b'\r';
        Some(Self { start, content: end - usize::from(cr), next: end + 1 })
    }
}

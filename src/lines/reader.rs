//! Lines out of a buffer: ranges, numbers, limits, filter. The states and what moves them:
//!
//! ```text
//! Fresh -> Head -> [SkipBytes] -> [SkipLine] -> Running -> Ended
//!                                    ^            |  ^
//!                        LongLine::Raise, Skip ---+  +--- Hold (LongLine::Truncate passes the rest over)
//! ```

mod search;
mod start;

use std::io;

use super::buffer::{Break, Buffer};
use super::{LinesError, LongLine, Newline, Options, Source};

/// What a step gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// [`Reader::line`] is the next line.
    Line,
    /// There are no more.
    End,
    /// A chunk was read and no line is ready; call again.
    Pending,
}

/// One line, as positions; its bytes are [`Reader::bytes`] until the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// First byte in the source.
    pub offset: u64,
    /// Counted from 0 in the range, lines that were left out included.
    pub number: u64,
    /// Where to resume: behind the line, or at its start while it is incomplete.
    pub next: u64,
    /// It had a newline.
    pub complete: bool,
    /// The limit cut it.
    pub truncated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Fresh,
    Head,
    SkipBytes(u64),
    SkipLine,
    Running,
    /// A too long line's beginning is held; it started here.
    Hold(u64),
    Ended,
}

/// Gives the lines of a source, one step at a time.
pub struct Reader {
    source: Box<dyn Source>,
    buffer: Buffer,
    options: Options,
    phase: Phase,
    /// Lines start before this offset.
    limit: u64,
    /// The source has given its end.
    at_end: bool,
    /// Nothing can stop the shortest path: LF lines, no filter, nothing left out, first line behind us.
    plain: bool,
    /// The source's position is no longer its start.
    moved: bool,
    /// Bytes of a byte order mark that belong to the next line.
    mark: u64,
    next_number: u64,
    /// The current line's bytes in the buffer, and what is known of it beside; `None` for a line of the shortest path,
    /// of which all can be told from where the buffer stands.
    start: usize,
    len: usize,
    line: Option<Line>,
    /// End of the complete lines in the buffer, for a search over all of them; 0: not looked for.
    whole: usize,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("phase", &self.phase).field("line", &self.line).finish_non_exhaustive()
    }
}

impl Reader {
    /// Nothing is read before the first step.
    #[must_use]
    pub fn new(source: Box<dyn Source>, options: Options) -> Self {
        let limit = options.length.map_or(u64::MAX, |length| options.offset.saturating_add(length));
        Self {
            source,
            buffer: Buffer::new(options.chunk.max(1), options.max_line),
            options,
            phase: Phase::Fresh,
            limit,
            at_end: false,
            plain: false,
            moved: false,
            mark: 0,
            next_number: 0,
            start: 0,
            len: 0,
            line: None,
            whole: 0,
        }
    }

    /// The line of the last [`Step::Line`].
    #[must_use]
    pub fn line(&self) -> Line {
        self.line.unwrap_or_else(|| Line {
            offset: self.buffer.offset(self.start),
            number: self.next_number.saturating_sub(1),
            next: self.buffer.offset(self.buffer.start),
            complete: true,
            truncated: false,
        })
    }

    /// Its bytes.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.buffer.slice(self.start, self.start + self.len)
    }

    /// Where the source was consumed up to: behind the last line.
    #[must_use]
    pub fn position(&self) -> u64 {
        match self.phase {
            Phase::Fresh => self.options.offset,
            _ => self.buffer.offset(self.buffer.start),
        }
    }

    /// Bytes of memory that the buffer holds.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.buffer.memory()
    }

    /// Back to the first line of the range.
    ///
    /// # Errors
    /// ESPIPE on a pipe that has moved on.
    pub fn rewind(&mut self) -> Result<(), LinesError> {
        if self.moved {
            self.source.seek(0).map_err(|source| self.io("seek", source))?;
            self.moved = false;
        }
        self.buffer.clear(0);
        (self.phase, self.at_end, self.plain) = (Phase::Fresh, false, false);
        (self.mark, self.next_number, self.whole, self.line) = (0, 0, 0, None);
        Ok(())
    }

    /// The next line's bytes if it lies in the buffer and nothing speaks against it; `None` says nothing but that
    /// [`Reader::advance`] is to be called. Never panics.
    #[inline(always)]
    pub fn next_at_hand(&mut self) -> Option<&[u8]> {
        if !self.plain {
            return None;
        }
        let start = self.buffer.start;
        let at = self.buffer.next_lf()?;
        let mut len = at.wrapping_sub(start);
        if len > self.options.max_line || self.buffer.offset(start) >= self.limit {
            self.buffer.rescan(at);
            return None;
        }
        if self.options.keep_newline {
            len += 1;
        } else if self.buffer.get(start, at)?.last() == Some(&b'\r') {
            len -= 1;
        }
        (self.start, self.len, self.line) = (start, len, None);
        self.next_number += 1;
        self.buffer.start = at + 1;
        self.buffer.get(start, start + len)
    }

    /// The next line, or a chunk's worth of work towards it.
    ///
    /// # Errors
    /// [`LinesError`]. After a too long line the next call goes on behind it, after a system error it tries again.
    pub fn advance(&mut self) -> Result<Step, LinesError> {
        if self.next_at_hand().is_some() { Ok(Step::Line) } else { self.step() }
    }

    fn give(&mut self, end: Break, offset: u64) {
        (self.start, self.len) = (self.buffer.start, end.content - self.buffer.start);
        let next = self.buffer.offset(end.next);
        self.line = Some(Line { offset, number: self.next_number, next, complete: true, truncated: false });
        self.next_number += 1;
        self.buffer.start = end.next;
    }

    #[cold]
    fn step(&mut self) -> Result<Step, LinesError> {
        match self.phase {
            Phase::Fresh => self.begin(),
            Phase::Head => self.look_at_head(),
            Phase::SkipBytes(left) => self.skip_bytes(left),
            Phase::SkipLine => self.skip_line(),
            Phase::Running if self.searches() => self.search(),
            Phase::Running => self.run(),
            Phase::Hold(offset) => self.pass_over_rest(offset),
            Phase::Ended => Ok(Step::End),
        }
    }

    /// Consumes what was read; but a CR whose LF may follow decides with the next byte.
    fn drop_all_but_cr(&mut self) {
        let cr = self.options.newline == Newline::Any && self.buffer.rest().last() == Some(&b'\r');
        self.buffer.consume(self.buffer.end - usize::from(cr));
    }

    fn pass_over_rest(&mut self, offset: u64) -> Result<Step, LinesError> {
        let complete = match self.buffer.next_break(self.options.newline, self.at_end) {
            Some(end) => {
                self.buffer.start = end.next;
                true
            }
            None if self.at_end => {
                self.buffer.consume(self.buffer.end);
                false
            }
            None => {
                self.drop_all_but_cr();
                return self.fill();
            }
        };
        let next = if complete { self.buffer.offset(self.buffer.start) } else { offset };
        (self.start, self.len) = (0, self.buffer.held);
        self.line = Some(Line { offset, number: self.next_number, next, complete, truncated: true });
        self.next_number += 1;
        self.buffer.held = 0;
        self.phase = Phase::Running;
        if self.passes_all() { Ok(Step::Line) } else { Ok(Step::Pending) }
    }

    /// Does the given line pass the filter?
    fn passes_all(&mut self) -> bool {
        let content = self.buffer.slice(self.start, self.start + self.len);
        self.options.filter.as_mut().is_none_or(|filter| filter.passes(content))
    }

    fn run(&mut self) -> Result<Step, LinesError> {
        loop {
            let start = self.buffer.start;
            let offset = self.buffer.offset(start) - self.mark;
            if offset >= self.limit {
                return Ok(self.end());
            }
            let Some(end) = self.buffer.next_break(self.options.newline, self.at_end) else {
                return self.run_dry(offset);
            };
            self.mark = 0;
            self.plain =
                self.options.newline == Newline::Lf && self.options.filter.is_none() && !self.options.skip_empty;
            if end.content - start > self.options.max_line {
                if self.long_line(end, offset)? {
                    return Ok(Step::Line);
                }
                continue;
            }
            if self.leaves_out(start, end.content) {
                self.buffer.start = end.next;
                self.next_number += 1;
                continue;
            }
            let content = if self.options.keep_newline { end.next } else { end.content };
            self.give(Break { content, ..end }, offset);
            return Ok(Step::Line);
        }
    }

    fn leaves_out(&mut self, from: usize, to: usize) -> bool {
        let content = self.buffer.slice(from, to);
        (self.options.skip_empty && content.is_empty())
            || self.options.filter.as_mut().is_some_and(|filter| !filter.passes(content))
    }

    /// A too long line that is in the buffer whole: true if it is given.
    fn long_line(&mut self, end: Break, offset: u64) -> Result<bool, LinesError> {
        let start = self.buffer.start;
        match self.options.on_long {
            LongLine::Truncate => {
                self.give(Break { content: start + self.options.max_line, ..end }, offset);
                self.mark_line(|line| line.truncated = true);
                Ok(self.passes_all())
            }
            policy => {
                self.buffer.start = end.next;
                self.next_number += 1;
                if policy == LongLine::Raise { Err(self.too_long(offset)) } else { Ok(false) }
            }
        }
    }

    fn mark_line(&mut self, f: impl FnOnce(&mut Line)) {
        if let Some(line) = &mut self.line {
            f(line);
        }
    }

    /// No newline in what is there: the line goes on, is too long, or is the unfinished tail.
    fn run_dry(&mut self, offset: u64) -> Result<Step, LinesError> {
        let (start, end) = (self.buffer.start, self.buffer.end);
        let max = self.options.max_line;
        // One byte over the limit may still be the CR of a newline.
        if end - start > max.saturating_add(1) || (self.at_end && end - start > max) {
            self.mark = 0;
            self.plain = false;
            match self.options.on_long {
                LongLine::Truncate => {
                    self.buffer.hold(max);
                    self.drop_all_but_cr();
                    self.phase = Phase::Hold(offset);
                    return Ok(Step::Pending);
                }
                policy => {
                    self.phase = Phase::SkipLine;
                    self.next_number += 1;
                    if policy == LongLine::Raise {
                        return Err(self.too_long(offset));
                    }
                    return Ok(Step::Pending);
                }
            }
        }
        if !self.at_end {
            return self.fill();
        }
        if start == end {
            return Ok(self.end());
        }
        self.mark = 0;
        let left_out = self.leaves_out(start, end);
        self.give(Break { content: end, next: end }, offset);
        self.mark_line(|line| (line.complete, line.next) = (false, offset));
        self.phase = Phase::Ended;
        self.plain = false;
        if left_out { Ok(self.end()) } else { Ok(Step::Line) }
    }

    fn fill(&mut self) -> Result<Step, LinesError> {
        self.whole = 0; // positions move, even if nothing comes
        match self.buffer.fill(&mut *self.source) {
            Ok(0) => {
                self.at_end = true;
                let position = self.buffer.offset(self.buffer.end);
                let cut = position >= self.options.offset
                    && self.source.is_cut_below(position).map_err(|source| self.io("read", source))?;
                if cut {
                    self.end();
                    return Err(LinesError::Truncated { offset: position });
                }
            }
            Ok(_) => {
                self.moved = true;
            }
            Err(source) => return Err(self.io("read", source)),
        }
        Ok(Step::Pending)
    }

    fn end(&mut self) -> Step {
        self.phase = Phase::Ended;
        self.plain = false;
        Step::End
    }

    fn too_long(&self, offset: u64) -> LinesError {
        LinesError::TooLong { offset, line: self.next_number - 1, limit: self.options.max_line }
    }

    fn io(&self, operation: &'static str, source: io::Error) -> LinesError {
        LinesError::Io { operation, offset: self.buffer.offset(self.buffer.end), line: self.next_number, source }
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;

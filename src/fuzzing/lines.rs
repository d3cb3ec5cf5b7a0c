//! The line splitter.

use super::Input;
use crate::lines::dribble::Dribble;
use crate::lines::{Filter, LinesError, LongLine, Newline, Options, Pattern, Reader, Step, count_lines};

/// What a reader gives of any text with any options is what cutting the whole text gives: the same lines, numbers,
/// offsets and errors, a second time after a rewind, and as many as are counted.
pub fn lines(input: &[u8]) {
    let case = Case::new(&mut Input(input));
    let (expected, ending) = case.expected();
    let mut reader = Reader::new(Box::new(case.source()), case.options());
    for _ in 0..if case.pipe { 1 } else { 2 } {
        let (got, how) = case.read(&mut reader);
        assert_eq!((&got, &how), (&expected, &ending), "{case:?}");
        if ending == Ending::End && case.length.is_none() {
            assert_eq!(reader.position(), case.text.len() as u64, "{case:?}");
        }
        if !case.pipe {
            assert!(reader.rewind().is_ok(), "{case:?}");
        }
    }
    let counted = count_lines::<LinesError>(&mut case.source(), case.newline, || Ok(()));
    match refused(&case.text) {
        true => {
            assert!(matches!(counted, Err(LinesError::Encoding { .. } | LinesError::Compressed { .. })), "{case:?}")
        }
        false => assert_eq!(counted.ok(), Some(cut(&case.text, case.newline, true).len() as u64), "{case:?}"),
    }
}

#[derive(Debug)]
struct Case {
    newline: Newline,
    keep_newline: bool,
    skip_empty: bool,
    strip_bom: bool,
    pipe: bool,
    interrupts: bool,
    on_long: LongLine,
    chunk: usize,
    step: usize,
    max_line: usize,
    offset: u64,
    length: Option<u64>,
    needles: Vec<Vec<u8>>,
    pattern: Option<&'static str>,
    text: Vec<u8>,
}

/// Each shows the search over many lines another way to be wrong about one: ends of lines, negated sets, empty matches.
const PATTERNS: [&str; 6] = ["/a[^x]b/", r"/\s+$/", "/^$/", r"/[^a]$/", r"/a\nb/", r"/\x00/"];

#[derive(Debug, PartialEq)]
enum Event {
    Line { bytes: Vec<u8>, offset: u64, number: u64, next: u64, complete: bool, truncated: bool },
    TooLong { offset: u64, number: u64 },
}

#[derive(Debug, PartialEq)]
enum Ending {
    End,
    Refused,
    /// The range starts behind the end.
    Short,
}

impl Case {
    fn new(input: &mut Input<'_>) -> Self {
        let flags = input.byte();
        let flag = |bit: u8| flags >> bit & 1 == 1;
        let size = |byte: u8, large: usize| if byte == 255 { large } else { 1 + usize::from(byte) };
        let (chunk, step, max_line) =
            (size(input.byte(), 1 << 16), size(input.byte(), 1 << 16), size(input.byte(), 1 << 24));
        let (offset, length) = (input.byte().into(), input.byte().checked_sub(1).map(u64::from));
        // Most bytes mean none: to compile a pattern takes longer than all the rest.
        let filter = input.byte();
        let mut needle = || {
            let len = input.below(8);
            input.bytes(len).to_vec()
        };
        let needles = match filter {
            1 => vec![needle()],
            2 => vec![needle(), needle()],
            3 => vec![needle(), needle(), needle()],
            _ => Vec::new(),
        };
        Case {
            newline: if flag(0) { Newline::Any } else { Newline::Lf },
            keep_newline: flag(1),
            skip_empty: flag(2),
            strip_bom: !flag(3),
            pipe: flag(4),
            interrupts: flag(5),
            on_long: [LongLine::Raise, LongLine::Truncate, LongLine::Skip, LongLine::Raise][usize::from(flags >> 6)],
            chunk,
            step,
            max_line,
            offset,
            length,
            needles,
            pattern: filter.checked_sub(4).and_then(|which| PATTERNS.get(usize::from(which)).copied()),
            text: input.rest().to_vec(),
        }
    }

    fn source(&self) -> Dribble {
        let (text, step) = (self.text.clone(), self.step);
        Dribble { text, at: 0, step, pipe: self.pipe, interrupts: self.interrupts, interrupted: false }
    }

    fn filter(&self) -> Option<Filter> {
        let needles: Vec<&[u8]> = self.needles.iter().map(Vec::as_slice).collect();
        let pattern = self.pattern.and_then(|pattern| Pattern::new(pattern.as_bytes()).ok());
        Filter::new((!needles.is_empty()).then_some(&needles), pattern)
    }

    fn options(&self) -> Options {
        Options {
            chunk: self.chunk,
            offset: self.offset,
            length: self.length,
            newline: self.newline,
            keep_newline: self.keep_newline,
            skip_empty: self.skip_empty,
            strip_bom: self.strip_bom,
            max_line: self.max_line,
            on_long: self.on_long,
            filter: self.filter(),
        }
    }

    /// All that the reader gives, and how it ends.
    fn read(&self, reader: &mut Reader) -> (Vec<Event>, Ending) {
        let mut events = Vec::new();
        // Each step is a line, a read, or one of a few turns; twice that for signals.
        for _ in 0..8 * self.text.len() + 64 {
            let step = reader.advance();
            let bound = self.max_line.saturating_add(2 * self.chunk + 4096 + 130);
            assert!(reader.memory() <= bound, "holds {} bytes: {self:?}", reader.memory());
            match step {
                Ok(Step::Line) => {
                    let (line, bytes) = (reader.line(), reader.bytes().to_vec());
                    let (offset, number, next) = (line.offset, line.number, line.next);
                    let (complete, truncated) = (line.complete, line.truncated);
                    events.push(Event::Line { bytes, offset, number, next, complete, truncated });
                }
                Ok(Step::End) => return (events, Ending::End),
                Ok(Step::Pending) => {}
                Err(LinesError::TooLong { offset, line, .. }) => events.push(Event::TooLong { offset, number: line }),
                Err(LinesError::Encoding { .. } | LinesError::Compressed { .. }) => return (events, Ending::Refused),
                Err(LinesError::Truncated { .. }) => return (events, Ending::Short),
                Err(err) => assert!(err.is_interrupt(), "{err}: {self:?}"),
            }
        }
        assert_eq!(events, [], "no end: {self:?}");
        (events, Ending::End)
    }

    fn expected(&self) -> (Vec<Event>, Ending) {
        if refused(&self.text) && (self.offset == 0 || !self.pipe) {
            return (Vec::new(), Ending::Refused);
        }
        if self.offset > self.text.len() as u64 {
            return (Vec::new(), Ending::Short);
        }
        let mut pattern = self.pattern.and_then(|pattern| Pattern::new(pattern.as_bytes()).ok());
        let mut passes = |content: &[u8]| {
            let contains =
                |needle: &Vec<u8>| needle.is_empty() || content.windows(needle.len()).any(|part| part == needle);
            (self.needles.is_empty() || self.needles.iter().any(contains))
                && pattern.as_mut().is_none_or(|pattern| pattern.matches(content))
        };
        let end = self.length.map_or(u64::MAX, |length| self.offset + length);
        let lines = cut(&self.text, self.newline, self.strip_bom);
        let inside = lines.iter().filter(|line| line.start >= self.offset && line.start < end);
        let mut events = Vec::new();
        for (number, line) in (0..).zip(inside) {
            let (offset, complete) = (line.start, line.complete);
            let next = if complete { line.next as u64 } else { offset };
            let truncated = line.content.len() > self.max_line;
            if !truncated {
                if passes(line.content) && !(self.skip_empty && line.content.is_empty()) {
                    let bytes = if self.keep_newline { line.whole } else { line.content }.to_vec();
                    events.push(Event::Line { bytes, offset, number, next, complete, truncated });
                }
            } else if self.on_long == LongLine::Raise {
                events.push(Event::TooLong { offset, number });
            } else if self.on_long == LongLine::Truncate && passes(&line.content[..self.max_line]) {
                let bytes = line.content[..self.max_line].to_vec();
                events.push(Event::Line { bytes, offset, number, next, complete, truncated });
            }
        }
        (events, Ending::End)
    }
}

struct Cut<'t> {
    start: u64,
    content: &'t [u8],
    whole: &'t [u8],
    next: usize,
    complete: bool,
}

/// The twin: the whole text, no chunks, no state. A byte order mark is a part of the first line's place, not of its text.
fn cut(text: &[u8], newline: Newline, strip_bom: bool) -> Vec<Cut<'_>> {
    let mut at = if strip_bom && text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let (mut lines, mut start) = (Vec::new(), 0);
    while at < text.len() {
        let ends = |byte: &u8| *byte == b'\n' || (newline == Newline::Any && *byte == b'\r');
        let (content, next, complete) = match text[at..].iter().position(ends).map(|end| at + end) {
            None => (text.len(), text.len(), false),
            Some(end) if text[end..].starts_with(b"\r\n") => (end, end + 2, true),
            Some(end) if newline == Newline::Lf && text[at..end].ends_with(b"\r") => (end - 1, end + 1, true),
            Some(end) => (end, end + 1, true),
        };
        lines.push(Cut { start, content: &text[at..content], whole: &text[at..next], next, complete });
        (at, start) = (next, next as u64);
    }
    lines
}

/// Is it no text, by its first bytes: UTF-16, UTF-32, gzip, zstd?
fn refused(text: &[u8]) -> bool {
    let marks: [&[u8]; 5] = [b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"];
    marks.iter().any(|mark| text.starts_with(mark))
}

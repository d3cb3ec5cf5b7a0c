//! Lines of any byte source, in constant memory, at the speed of block reads.
//!
//! ```text
//! Source -> Buffer (chunks, newline bitmask) -> Reader (ranges, limits, filter) -> one line at a time
//! ```
//!
//! A [`Reader`] never blocks longer than one read: [`Reader::advance`] gives [`Step::Pending`] after each chunk, so that
//! the caller can look for signals and time limits in between. What a line is never depends on the chunk size.

mod buffer;
mod count;
#[cfg(any(test, fuzzing))]
pub(crate) mod dribble;
mod error;
mod filter;
mod pattern;
mod reader;
mod sniff;
mod source;
mod tail;

pub use count::{count_lines, split_ranges};
pub use error::LinesError;
pub use filter::Filter;
pub use pattern::{Pattern, PatternError};
pub use reader::{Line, Reader, Step};
pub use source::{FileSource, Source};
pub use tail::tail;

/// Bytes read at once unless the caller says otherwise: fewer calls win up to here, larger blocks gain nothing.
pub const DEFAULT_CHUNK: usize = 64 * 1024;
/// Longest line by default: 16 MiB.
pub const DEFAULT_MAX_LINE: usize = 16 * 1024 * 1024;

/// What ends a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Newline {
    /// LF; one CR before it is dropped with it.
    Lf,
    /// LF, CR LF and a lone CR.
    Any,
}

/// What to do with a line over the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongLine {
    /// [`LinesError::TooLong`]; the next step goes on behind that line.
    Raise,
    /// Its first bytes are given, the rest up to its newline is passed over.
    Truncate,
    /// It is left out; its number is counted.
    Skip,
}

/// What to read and how; fixed once a [`Reader`] is made.
#[derive(Debug)]
pub struct Options {
    /// Bytes asked of the source at once, at least 1.
    pub chunk: usize,
    /// Start at the first line that begins at or after this byte.
    pub offset: u64,
    /// Give only lines that begin before `offset + length`.
    pub length: Option<u64>,
    /// What ends a line.
    pub newline: Newline,
    /// Give lines with what ended them.
    pub keep_newline: bool,
    /// Leave empty lines out; their numbers are counted.
    pub skip_empty: bool,
    /// Leave out one UTF-8 byte order mark at offset 0.
    pub strip_bom: bool,
    /// Longest content of a line in bytes, its newline not counted. The buffer never holds more than this and a chunk.
    pub max_line: usize,
    /// What to do with a longer one.
    pub on_long: LongLine,
    /// Give only lines that pass.
    pub filter: Option<Filter>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            chunk: DEFAULT_CHUNK,
            offset: 0,
            length: None,
            newline: Newline::Lf,
            keep_newline: false,
            skip_empty: false,
            strip_bom: true,
            max_line: DEFAULT_MAX_LINE,
            on_long: LongLine::Raise,
            filter: None,
        }
    }
}

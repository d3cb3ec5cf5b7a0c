//! Why lines can't be read.

use std::io;

/// An error of the line reader. Offsets are bytes from the start of the source, line numbers count from 0 in the range.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LinesError {
    /// A system call failed, or a signal interrupted it (`ErrorKind::Interrupted`: call again).
    #[error("{operation}: {source} (byte {offset}, line {line})")]
    Io {
        /// read, seek, poll, ...
        operation: &'static str,
        /// How far the source was read.
        offset: u64,
        /// The line that was being read.
        line: u64,
        /// The cause.
        source: io::Error,
    },
    /// A line is longer than the limit.
    #[error("line {line} at byte {offset} is longer than {limit} bytes")]
    TooLong {
        /// Where that line starts.
        offset: u64,
        /// Its number.
        line: u64,
        /// The limit.
        limit: usize,
    },
    /// The file is shorter than what was already read of it.
    #[error("the file is shorter than it was: it ends before byte {offset}, up to which it had been read")]
    Truncated {
        /// How far it had been read.
        offset: u64,
    },
    /// The source starts with the byte order mark of an encoding whose newlines are no single bytes.
    #[error("{encoding} text (byte order mark {mark}): convert it to UTF-8 first, for example with iconv")]
    Encoding {
        /// UTF-16LE, ...
        encoding: &'static str,
        /// The bytes seen.
        mark: &'static str,
    },
    /// The source starts with the magic number of a compressed file.
    #[error("{format} data: read it through the stream wrapper, {wrapper}path")]
    Compressed {
        /// gzip or zstd.
        format: &'static str,
        /// The wrapper that decodes it.
        wrapper: &'static str,
    },
}

impl LinesError {
    /// Was it only a signal, so that the same call goes on where it was?
    #[must_use]
    pub fn is_interrupt(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::Interrupted)
    }
}

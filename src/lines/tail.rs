//! The last lines of a file, read from its end.

use std::collections::VecDeque;
use std::io;

use super::source::FileSource;
use super::{LinesError, Newline, Options, Reader, Step};

const BLOCK: usize = 64 * 1024;

/// The last `count` lines. A file with a size is searched backwards for where they start; anything else is read from its
/// beginning, keeping the last ones. `pause` is called after each block and after a signal.
///
/// # Errors
/// [`LinesError`], or what `pause` gives.
pub fn tail<E: From<LinesError>>(
    source: FileSource,
    count: usize,
    newline: Newline,
    mut pause: impl FnMut() -> Result<(), E>,
) -> Result<VecDeque<Vec<u8>>, E> {
    let mut last = VecDeque::new();
    if count == 0 {
        return Ok(last);
    }
    let offset = start_of_last(&source, count, newline, &mut pause)?;
    let mut reader = Reader::new(Box::new(source), Options { offset, newline, ..Options::default() });
    loop {
        match reader.advance() {
            Ok(Step::Line) => {
                // The file may grow meanwhile: the lines before the last ones are dropped again.
                if last.len() == count {
                    last.pop_front();
                }
                last.push_back(reader.bytes().to_vec());
            }
            Ok(Step::End) => return Ok(last),
            Ok(Step::Pending) => pause()?,
            Err(err) if err.is_interrupt() => pause()?,
            Err(err) => return Err(err.into()),
        }
    }
}

fn start_of_last<E: From<LinesError>>(
    source: &FileSource,
    count: usize,
    newline: Newline,
    pause: &mut impl FnMut() -> Result<(), E>,
) -> Result<u64, E> {
    let size = source.size().unwrap_or(0);
    let mut block = vec![0; BLOCK];
    let mut upper = size;
    let mut following = None;
    let mut left = count;
    while upper > 0 {
        let lower = upper.saturating_sub(BLOCK as u64);
        let part = &mut block[..(upper - lower) as usize];
        if !read_whole(source, part, lower, pause)? {
            return Err(LinesError::Truncated { offset: upper }.into());
        }
        for at in memchr::memrchr2_iter(b'\n', b'\r', part) {
            let next = part.get(at + 1).copied().or(following);
            let ends_line = part[at] == b'\n' || (newline == Newline::Any && next != Some(b'\n'));
            let position = lower + at as u64 + 1;
            if !ends_line || position == size {
                continue; // the file's last newline starts no line
            }
            left -= 1;
            if left == 0 {
                return Ok(position);
            }
        }
        following = part.first().copied();
        upper = lower;
        pause()?;
    }
    Ok(0)
}

/// Fills `part` from `offset`; false if the file has become shorter.
fn read_whole<E: From<LinesError>>(
    source: &FileSource,
    part: &mut [u8],
    offset: u64,
    pause: &mut impl FnMut() -> Result<(), E>,
) -> Result<bool, E> {
    let mut done = 0;
    while done < part.len() {
        let at = offset + done as u64;
        match source.read_at(&mut part[done..], at) {
            Ok(0) => return Ok(false),
            Ok(n) => done += n,
            Err(err) if err.kind() == io::ErrorKind::Interrupted => pause()?,
            Err(source) => return Err(LinesError::Io { operation: "read", offset: at, line: 0, source }.into()),
        }
    }
    Ok(true)
}

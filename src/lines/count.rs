//! Counting lines without building any, and cutting a file into ranges.

use std::io;

use super::sniff::{Head, LONGEST, UTF8_BOM, sniff};
use super::source::FileSource;
use super::{LinesError, Newline, Source};

/// Larger than the reader's chunk: nothing is kept, so fewer calls win a little longer.
const BLOCK: usize = 256 * 1024;

/// How many lines a reader would give. `pause` is called after each block and after a signal.
///
/// # Errors
/// [`LinesError`], or what `pause` gives.
pub fn count_lines<E: From<LinesError>>(
    source: &mut dyn Source,
    newline: Newline,
    mut pause: impl FnMut() -> Result<(), E>,
) -> Result<u64, E> {
    let mut block = vec![0; BLOCK];
    let (mut lines, mut offset, mut kept) = (0, 0u64, 0);
    let mut head_seen = false;
    let mut last = b'\n'; // an empty source has no unfinished line
    loop {
        let n = match source.read(&mut block[kept..]) {
            Ok(n) => n,
            Err(err) if err.kind() == io::ErrorKind::Interrupted => {
                pause()?;
                continue;
            }
            Err(source) => return Err(LinesError::Io { operation: "read", offset, line: lines, source }.into()),
        };
        offset += n as u64;
        let mut text = &block[..kept + n];
        if !head_seen {
            match sniff(text, n == 0)? {
                Head::Unsure if text.len() < LONGEST => {
                    kept = text.len();
                    continue;
                }
                Head::Text(mark) => text = &text[mark..],
                Head::Unsure => {}
            }
            head_seen = true;
            kept = 0;
        }
        if let Some(end) = text.last() {
            lines += breaks(text, newline, last);
            last = *end;
        }
        if n == 0 {
            break;
        }
        pause()?;
    }
    let io = |source| LinesError::Io { operation: "read", offset, line: lines, source };
    if source.is_cut_below(offset).map_err(io)? {
        return Err(LinesError::Truncated { offset }.into());
    }
    let ended = last == b'\n' || (newline == Newline::Any && last == b'\r');
    Ok(lines + u64::from(!ended))
}

/// Newlines that begin in `text`, behind a byte `before`: the LF of a pair cut by the border is counted with its CR.
fn breaks(text: &[u8], newline: Newline, before: u8) -> u64 {
    let count = |byte| memchr::memchr_iter(byte, text).count();
    let breaks = match newline {
        Newline::Lf => count(b'\n'),
        Newline::Any => {
            let pairs = memchr::memchr_iter(b'\r', text).filter(|at| text.get(at + 1) == Some(&b'\n')).count();
            let cut = before == b'\r' && text.first() == Some(&b'\n');
            count(b'\n') + count(b'\r') - pairs - usize::from(cut)
        }
    };
    breaks as u64
}

/// At most `parts` ranges of about equal size, as (offset, length), none empty: each line of the file begins in exactly
/// one of them.
///
/// # Errors
/// ESPIPE for what has no size.
pub fn split_ranges(source: &FileSource, parts: u64) -> io::Result<impl Iterator<Item = (u64, u64)> + use<>> {
    let no_size = || io::Error::from_raw_os_error(libc::ESPIPE);
    let size = source.size().ok_or_else(no_size)?;
    if size == 0 && source.read_at(&mut [0], 0)? > 0 {
        return Err(no_size()); // files of /proc say 0 and have content
    }
    let parts = parts.clamp(1, size.max(1));
    let border = move |i: u64| (u128::from(size) * u128::from(i) / u128::from(parts)) as u64;
    Ok((0..parts).map(move |i| (border(i), border(i + 1) - border(i))).filter(|range| range.1 > 0))
}

const _: () = assert!(UTF8_BOM.len() < LONGEST && LONGEST < BLOCK);

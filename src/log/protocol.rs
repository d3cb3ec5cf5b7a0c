//! Appending one batch so that a death at any step leaves nothing torn, doubled or glued: without files, over [`Desk`].
//!
//! Everything here runs under the log's lock. Before it writes, a writer announces an *intent* in the shared words of the
//! inode (the size before, the bytes themselves) and withdraws it after; so an intent that stands when the lock has just
//! been taken belongs to a writer that died, and whoever holds the lock now brings it to its end first:
//!
//! ```text
//! append: repair -> size -> announce -> write.. -> settle the spool -> withdraw
//!                                         `- error: cut the own fragment off -> withdraw
//! repair: intent?  no -> nothing
//!         sketched: surely its beginning is the tail -> cut after its last whole record, withdraw; else -> withdraw
//!         its bytes stand whole            -> settle, withdraw
//!         a beginning of them is the tail  -> write the rest, settle, withdraw
//!         a beginning, then others' bytes  -> amend the intent to the records not whole, write them, settle, withdraw
//!         nothing of them, others' bytes   -> with a spool: amend, write, settle, withdraw; without: withdraw
//!         the file is shorter than before  -> withdraw: a spool's own recovery writes them again, perhaps twice
//! ```
//! A repairer that dies leaves the intent standing for the next; each repair starts from what the file holds then. The
//! A big batch that has no spool is announced by a *sketch* only, a few bytes before each page border of the file: enough
//! to know its fragment from others' bytes (a killed write ends at a page border), at a hundredth of the cost. Its whole
//! records stay and the torn one is cut off; with the bytes at hand it is completed. The
//! spool of the dead writer is settled (marked as written) before the intent is withdrawn, so a spool without an intent is
//! a spool that was not written.

use std::io;

/// What a writer is about to append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intent {
    /// The file's size before.
    pub size: u64,
    /// Where the lines begin in the journal.
    pub offset: usize,
    /// How long they are.
    pub len: usize,
    /// A newline is written in front of them, to end somebody's torn line.
    pub newline: bool,
    /// The spool that holds the same records; 0 for none.
    pub spool: u64,
    /// The journal has a sketch of the written bytes, `offset` long, and `len` counts the newline in front, too.
    pub sketched: bool,
}

/// What appending needs of the world.
pub trait Desk {
    /// A kill inside a write leaves a multiple of this in the file.
    fn page(&self) -> usize {
        4096
    }
    /// The file's size.
    ///
    /// # Errors
    /// See fstat(2).
    fn size(&mut self) -> io::Result<u64>;
    /// Up to `len` bytes of the file; `None` if it can't be read.
    ///
    /// # Errors
    /// See pread(2).
    fn read_at(&mut self, offset: u64, len: usize) -> io::Result<Option<Vec<u8>>>;
    /// write(2), once.
    ///
    /// # Errors
    /// See write(2).
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;
    /// ftruncate(2).
    ///
    /// # Errors
    /// See ftruncate(2).
    fn truncate(&mut self, size: u64) -> io::Result<()>;
    /// The intent that stands.
    fn intent(&mut self) -> Option<Intent>;
    /// Copies `lines` to the journal, then lets the intent stand. Where there is no place for them nothing stands.
    fn announce(&mut self, intent: Intent, lines: &[u8]);
    /// Replaces the intent that stands in one step.
    fn amend(&mut self, intent: Intent);
    /// No intent stands any more.
    fn withdraw(&mut self);
    /// The intent's lines.
    ///
    /// # Errors
    /// See pread(2).
    fn journal(&mut self, intent: &Intent) -> io::Result<Vec<u8>>;
    /// The first `stored` bytes of that spool are written; `None`: all of them.
    fn settle(&mut self, spool: u64, stored: Option<usize>);
    /// The file's size after the last good append, when its last byte was surely a newline.
    fn known_end(&mut self) -> Option<u64>;
    /// Remembers that.
    fn set_known_end(&mut self, end: u64);
}

/// How an append ended.
#[derive(Debug, Default)]
pub struct Outcome {
    /// How many bytes of the batch stand in the file for good: all without an error, else usually none.
    pub stored: usize,
    /// What went wrong.
    pub error: Option<io::Error>,
}

/// Bytes of the file that repair looks at, at most: more than that was appended by others since.
const REGION_BYTES: usize = 64 << 20;
/// A beginning of a batch found behind foreign bytes counts as its fragment from this length on.
const OVERLAP_BYTES: usize = 32;

/// Appends one batch whole, or leaves the file as it was. `batch` begins with the spare newline that is not its own;
/// `lines` tells that each of its lines is a record, so that a sketch will do.
pub fn append(desk: &mut impl Desk, batch: &[u8], spool: u64, lines: bool) -> Outcome {
    match prepare(desk) {
        Ok((size, newline)) => {
            let sketched = lines && spool == 0 && batch.len() > desk.page();
            write_batch(desk, batch, &Intent { size, offset: 0, len: batch.len() - 1, newline, spool, sketched })
        }
        Err(error) => Outcome { stored: 0, error: Some(error) },
    }
}

fn prepare(desk: &mut impl Desk) -> io::Result<(u64, bool)> {
    repair(desk)?;
    let size = desk.size()?;
    Ok((size, ends_torn(desk, size)?))
}

fn ends_torn(desk: &mut impl Desk, size: u64) -> io::Result<bool> {
    if size == 0 || desk.known_end() == Some(size) {
        return Ok(false);
    }
    Ok(desk.read_at(size - 1, 1)?.is_some_and(|last| last != b"\n"))
}

fn write_batch(desk: &mut impl Desk, batch: &[u8], intent: &Intent) -> Outcome {
    let &Intent { size, newline, spool, .. } = intent;
    let lines = batch.get(1..).unwrap_or_default();
    let bytes = if newline { batch } else { lines };
    if intent.sketched {
        let sketch = sketch(bytes, size, desk.page());
        desk.announce(Intent { offset: sketch.len(), len: bytes.len(), ..*intent }, &sketch);
    } else {
        desk.announce(*intent, lines);
    }
    let (written, error) = write_all(desk, bytes);
    let stored = match error {
        None => {
            settle(desk, spool, None);
            desk.set_known_end(size + bytes.len() as u64);
            lines.len()
        }
        Some(_) => {
            let stays = undo(desk, size, bytes, written).saturating_sub(newline.into());
            if stays > 0 {
                settle(desk, spool, Some(stays));
            }
            stays
        }
    };
    desk.withdraw();
    Outcome { stored, error }
}

/// Bytes that a sketch keeps of each place.
const SKETCH_BYTES: usize = 16;

/// Where in `len` bytes, written from `start` on, a kill may cut: the page borders, and the end.
fn cuts(start: u64, len: usize, page: usize) -> impl Iterator<Item = usize> {
    let into_page = usize::try_from(start % page as u64).unwrap_or(0);
    (page - into_page..len).step_by(page).chain([len])
}

/// The bytes before each of these places.
fn sketch(bytes: &[u8], start: u64, page: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity((bytes.len() / page + 2) * SKETCH_BYTES);
    for cut in cuts(start, bytes.len(), page) {
        out.extend_from_slice(&before(bytes, cut));
    }
    out
}

fn before(bytes: &[u8], cut: usize) -> [u8; SKETCH_BYTES] {
    let mut out = [0; SKETCH_BYTES];
    let kept = bytes.get(cut.saturating_sub(SKETCH_BYTES)..cut).unwrap_or_default();
    out.iter_mut().zip(kept).for_each(|(to, from)| *to = *from);
    out
}

/// Cuts a dead writer's fragment after its last whole record, if the tail is surely that.
fn repair_sketched(desk: &mut impl Desk, intent: &Intent) -> io::Result<()> {
    let size = desk.size()?;
    let written = size.checked_sub(intent.size).and_then(|written| usize::try_from(written).ok());
    let Some(written) = written.filter(|&written| written > 0 && written < intent.len) else { return Ok(()) };
    let Ok(sketch) = desk.journal(&Intent { offset: 0, len: intent.offset, ..*intent }) else { return Ok(()) };
    let Some(region) = desk.read_at(intent.size, written)? else { return Ok(()) };
    let mut last = 0;
    for (cut, kept) in cuts(intent.size, intent.len, desk.page()).zip(sketch.chunks(SKETCH_BYTES)) {
        if cut > region.len() {
            break;
        }
        if before(&region, cut) != kept {
            return Ok(());
        }
        last = cut;
    }
    if last == written {
        // Where it may not be cut, the next writer ends it with a newline.
        let _ = desk.truncate(intent.size + whole_lines(&region) as u64);
    }
    Ok(())
}

fn settle(desk: &mut impl Desk, spool: u64, stored: Option<usize>) {
    if spool != 0 {
        desk.settle(spool, stored);
    }
}

/// Writes until all is written or an error other than a signal comes.
fn write_all(desk: &mut impl Desk, bytes: &[u8]) -> (usize, Option<io::Error>) {
    let mut written = 0;
    while let Some(rest @ [_, ..]) = bytes.get(written..) {
        match desk.write(rest) {
            Ok(0) => return (written, Some(io::Error::from_raw_os_error(libc::EIO))),
            Ok(n) => written += n,
            Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
            Err(err) => return (written, Some(err)),
        }
    }
    (written, None)
}

/// Cuts what was written off if it is the file's tail. Where it can't be cut (others have appended behind it, or the file
/// may only be appended to) the records that stand whole in it stay; gives their length.
fn undo(desk: &mut impl Desk, before: u64, bytes: &[u8], written: usize) -> usize {
    let ours = bytes.get(..written).unwrap_or_default();
    if ours.is_empty() || cut(desk, before, ours).unwrap_or(false) {
        return 0;
    }
    match bytes.get(written) {
        Some(b'\n') => written + 1, // the next writer ends a torn line, which makes this one whole
        _ => whole_lines(ours),
    }
}

fn cut(desk: &mut impl Desk, before: u64, ours: &[u8]) -> io::Result<bool> {
    let size = desk.size()?;
    let Some(start) = size.checked_sub(ours.len() as u64).filter(|&start| start >= before) else {
        return Ok(false);
    };
    let is_ours = match desk.read_at(start, ours.len())? {
        Some(tail) => tail == ours,
        None => start == before,
    };
    if is_ours {
        desk.truncate(start)?;
    }
    Ok(is_ours)
}

fn whole_lines(bytes: &[u8]) -> usize {
    memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1)
}

/// Where a dead writer's bytes are.
enum Found {
    /// All of them.
    Whole,
    /// The first so many are the end of the file.
    Tail(usize),
    /// The first so many stand as whole records; others' bytes follow.
    Apart(usize),
    /// Nobody can tell.
    Nowhere,
}

/// Brings an intent that stands to its end. Must be called with the lock just taken.
///
/// # Errors
/// What the file's fstat(2), write(2) or ftruncate(2) answers; the intent stands on then, for whoever comes when it works.
pub fn repair(desk: &mut impl Desk) -> io::Result<()> {
    let Some(intent) = desk.intent() else { return Ok(()) };
    finish_dead(desk, &intent)?;
    desk.withdraw();
    Ok(())
}

fn finish_dead(desk: &mut impl Desk, intent: &Intent) -> io::Result<()> {
    if intent.sketched {
        return repair_sketched(desk, intent);
    }
    let Some(bytes) = whole_bytes(desk, intent) else { return Ok(()) };
    let size = desk.size()?;
    match find(desk, intent, &bytes, size)? {
        Found::Whole => settle(desk, intent.spool, None),
        Found::Tail(written) => finish(desk, intent, bytes.get(written..).unwrap_or_default(), size)?,
        Found::Apart(written) => {
            let skip = written.saturating_sub(intent.newline.into());
            let rest = Intent {
                size,
                offset: intent.offset + skip,
                len: intent.len - skip,
                newline: desk.read_at(size - 1, 1)?.is_some_and(|last| last != b"\n"),
                spool: intent.spool,
                sketched: false,
            };
            desk.amend(rest);
            if let Some(bytes) = whole_bytes(desk, &rest) {
                finish(desk, &rest, &bytes, size)?;
            }
        }
        Found::Nowhere => {}
    }
    Ok(())
}

/// What the intent announces. `None` for a journal that can't be read or lacks it, whatever the reason: it helps nobody,
/// and refusing to log for ever would help less. The next append ends what stands torn with a newline.
fn whole_bytes(desk: &mut impl Desk, intent: &Intent) -> Option<Vec<u8>> {
    let lines = desk.journal(intent).ok()?;
    Some(if intent.newline { [b"\n".as_slice(), &lines].concat() } else { lines })
}

fn finish(desk: &mut impl Desk, intent: &Intent, rest: &[u8], size: u64) -> io::Result<()> {
    if let (_, Some(err)) = write_all(desk, rest) {
        return Err(err);
    }
    settle(desk, intent.spool, None);
    desk.set_known_end(size + rest.len() as u64);
    Ok(())
}

fn find(desk: &mut impl Desk, intent: &Intent, bytes: &[u8], size: u64) -> io::Result<Found> {
    let truncated = size < intent.size;
    let start = if truncated { 0 } else { intent.size };
    let behind = usize::try_from(size - start).unwrap_or(usize::MAX);
    let Some(region) = desk.read_at(start, behind.min(REGION_BYTES))? else {
        return Ok(if truncated || behind >= bytes.len() { Found::Whole } else { Found::Tail(behind) });
    };
    let same = region.iter().zip(bytes).take_while(|(one, other)| one == other).count();
    if same == bytes.len() || memchr::memmem::find(&region, bytes).is_some() {
        return Ok(Found::Whole);
    }
    if truncated {
        return Ok(Found::Nowhere);
    }
    if same == region.len() {
        return Ok(Found::Tail(same));
    }
    let whole = whole_lines(bytes.get(..same).unwrap_or_default());
    Ok(match overlap(&region, bytes) {
        _ if whole > 0 || (same > 0 && intent.spool == 0) => Found::Apart(whole),
        Some(written) => Found::Tail(written),
        None if intent.spool != 0 => Found::Apart(0),
        None => Found::Nowhere,
    })
}

/// How much of the region's end is a beginning of `bytes`; short likenesses are chance.
fn overlap(region: &[u8], bytes: &[u8]) -> Option<usize> {
    let head = bytes.get(..OVERLAP_BYTES)?;
    let mut within = region.get(region.len().saturating_sub(bytes.len())..)?;
    let window = within;
    while let Some(at) = memchr::memmem::rfind(within, head) {
        let tail = window.get(at..)?;
        if bytes.starts_with(tail) {
            return Some(tail.len());
        }
        within = within.get(..at + OVERLAP_BYTES - 1)?;
    }
    None
}

#[cfg(test)]
mod tests;

//! Counters in a file, to outlive the machine.
//!
//! ```text
//!   8  "rustioC1"
//!   8  number of counters, little endian like all that follow
//!   each counter:
//!      1  0: by index, 1: by name
//!      8  index, or length of the name
//!      n  the name
//!      8  value, signed
//!   8  FNV-1a (64 bits) of all before
//! ```

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::counters::{Counters, Label};
use super::error::ShmError;
use super::key::fnv1a;
use super::layout::MAX_NAME_BYTES;

const MAGIC: &[u8; 8] = b"rustioC1";
/// Magic and count.
const HEAD_BYTES: usize = 16;
/// The largest counter.
const COUNTER_BYTES: u64 = 17 + MAX_NAME_BYTES as u64;
const NOT_OURS: &str = "not a file of SharedCounter::save(), or of a later version";

/// The bytes of a file.
#[must_use]
pub fn encode(values: &[(Label, i64)]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend((values.len() as u64).to_le_bytes());
    for (label, value) in values {
        match label {
            Label::Index(index) => {
                out.push(0);
                out.extend((*index as u64).to_le_bytes());
            }
            Label::Name(name) => {
                out.push(1);
                out.extend((name.len() as u64).to_le_bytes());
                out.extend(name);
            }
        }
        out.extend(value.to_le_bytes());
    }
    let sum = fnv1a(&out);
    out.extend(sum.to_le_bytes());
    out
}

fn take<'b>(rest: &mut &'b [u8], len: usize) -> Option<&'b [u8]> {
    let (head, tail) = rest.split_at_checked(len)?;
    *rest = tail;
    Some(head)
}

fn take_u64(rest: &mut &[u8]) -> Option<u64> {
    take(rest, 8)?.try_into().ok().map(u64::from_le_bytes)
}

/// What a file holds.
///
/// # Errors
/// What is wrong with it.
pub fn decode(bytes: &[u8]) -> Result<Vec<(Label, i64)>, &'static str> {
    let mut rest = bytes.strip_prefix(MAGIC).ok_or(NOT_OURS)?;
    let (body, sum) = bytes.split_at_checked(bytes.len().saturating_sub(8)).ok_or("too short")?;
    if sum != fnv1a(body).to_le_bytes() {
        return Err("its checksum does not fit: it is damaged or cut off");
    }
    let bad = "its content does not fit";
    let count = take_u64(&mut rest).ok_or(bad)?;
    let mut values = Vec::new();
    for _ in 0..count {
        let kind = take(&mut rest, 1).ok_or(bad)?[0];
        let number = usize::try_from(take_u64(&mut rest).ok_or(bad)?).map_err(|_| bad)?;
        let label = match kind {
            0 => Label::Index(number),
            1 if (1..=MAX_NAME_BYTES).contains(&number) => Label::Name(take(&mut rest, number).ok_or(bad)?.to_vec()),
            _ => return Err(bad),
        };
        let value = take_u64(&mut rest).ok_or(bad)?.cast_signed();
        values.push((label, value));
    }
    if rest.len() == 8 { Ok(values) } else { Err(bad) }
}

impl Counters {
    /// Writes a snapshot: to a new file beside `path`, synced, then renamed over it, then the directory is synced. Mode
    /// 0600, or that of the file it replaces. Of a symbolic link the target is replaced.
    ///
    /// # Errors
    /// `File` (EISDIR or EINVAL, with nothing written, when there is something that is no regular file), those of
    /// [`Counters::snapshot`].
    pub fn save(&self, path: &Path) -> Result<(), ShmError> {
        let path = &target(path).map_err(|source| ShmError::File { op: "open", path: path.to_owned(), source })?;
        let bytes = encode(&self.snapshot()?);
        let temporary = temporary(path);
        let written = write_new(&temporary, path, &bytes);
        if written.is_err() {
            let _ = fs::remove_file(&temporary); // the first error is the one to report
        }
        written
    }

    /// Sets all counters to what [`Counters::save`] has written: see [`Counters::replace_all`].
    ///
    /// # Errors
    /// `File`, `BadFile`, `Full`, those of [`Counters::replace_all`].
    pub fn restore(&self, path: &Path) -> Result<(), ShmError> {
        let bad = |what: String| ShmError::BadFile { path: path.to_owned(), what };
        let failed = |op| move |source| ShmError::File { op, path: path.to_owned(), source };
        let file = open_regular(path).map_err(failed("open"))?;
        let mut bytes = Vec::new();
        (&file).take(HEAD_BYTES as u64).read_to_end(&mut bytes).map_err(failed("read"))?;
        let most = most_bytes(&bytes, self.slots()).map_err(bad)?;
        file.take(most + 1).read_to_end(&mut bytes).map_err(failed("read"))?;
        let values = decode(&bytes).map_err(|what| bad(what.into()))?;
        self.replace_all(&values).map_err(|err| match err {
            ShmError::Argument(_) => {
                bad(format!("it has a counter by index that is not free in this segment of {} counters", self.slots()))
            }
            other => other,
        })
    }
}

/// The most bytes that can follow a file's head in a segment with so many slots.
///
/// # Errors
/// What is wrong with the head.
fn most_bytes(head: &[u8], slots: usize) -> Result<u64, String> {
    let mut rest = head.strip_prefix(MAGIC).ok_or(NOT_OURS)?;
    let count = take_u64(&mut rest).ok_or("too short")?;
    if count > slots as u64 {
        return Err(format!("it holds {count} counters, and this segment has {slots}"));
    }
    Ok(count * COUNTER_BYTES + 8)
}

/// EISDIR or EINVAL for what is no regular file.
fn regular(metadata: &Metadata) -> io::Result<()> {
    match metadata.file_type() {
        kind if kind.is_file() => Ok(()),
        kind if kind.is_dir() => Err(io::Error::from_raw_os_error(libc::EISDIR)),
        _ => Err(io::Error::from_raw_os_error(libc::EINVAL)),
    }
}

/// Opens for reading what is a regular file; waits for nobody, as open(2) of a FIFO would.
fn open_regular(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

/// The file that a path leads to, or will lead to once it exists.
fn target(path: &Path) -> io::Result<PathBuf> {
    // The kernel follows first, by its own rules (fs.protected_symlinks, ELOOP).
    match fs::metadata(path) {
        Ok(metadata) => regular(&metadata)?,
        Err(err) if err.kind() == io::ErrorKind::NotFound => {}
        Err(err) => return Err(err),
    }
    let mut target = path.to_owned();
    for _ in 0..40 {
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(err) if matches!(err.raw_os_error(), Some(libc::EINVAL | libc::ENOENT)) => return Ok(target),
            Err(err) => return Err(err),
        }
    }
    Err(io::Error::from_raw_os_error(libc::ELOOP))
}

fn temporary(path: &Path) -> PathBuf {
    static NUMBER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{number}.tmp", std::process::id()));
    path.with_file_name(name)
}

fn write_new(temporary: &Path, path: &Path, bytes: &[u8]) -> Result<(), ShmError> {
    let failed = |op, path: &Path| {
        let path = path.to_owned();
        move |source: io::Error| ShmError::File { op, path, source }
    };
    let mut file = File::options()
        .write(true)
        .create(true)
        .truncate(true) // what a killed process with our number left
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW)
        .open(temporary)
        .map_err(failed("open", temporary))?;
    if let Ok(old) = fs::metadata(path) {
        file.set_permissions(old.permissions()).map_err(failed("fchmod", temporary))?;
    }
    file.write_all(bytes).map_err(failed("write", temporary))?;
    file.sync_all().map_err(failed("fsync", temporary))?;
    drop(file);
    fs::rename(temporary, path).map_err(failed("rename", path))?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let directory = File::open(parent).map_err(failed("open", parent))?;
    directory.sync_all().map_err(failed("fsync", parent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn label() -> impl Strategy<Value = Label> {
        prop_oneof![
            any::<u16>().prop_map(|index| Label::Index(index.into())),
            prop::collection::vec(any::<u8>(), 1..MAX_NAME_BYTES).prop_map(Label::Name),
        ]
    }

    proptest! {
        #[test]
        fn a_file_reads_back_as_it_was_written(values in prop::collection::vec((label(), any::<i64>()), 0..20)) {
            prop_assert_eq!(decode(&encode(&values)).unwrap(), values);
        }

        #[test]
        fn a_damaged_or_cut_file_is_refused(
            values in prop::collection::vec((label(), any::<i64>()), 0..5),
            at in any::<prop::sample::Index>(),
            bit in 0u8..8,
        ) {
            let whole = encode(&values);
            let mut damaged = whole.clone();
            let index = at.index(whole.len());
            damaged[index] ^= 1 << bit;
            prop_assert!(decode(&damaged).is_err());
            prop_assert!(decode(&whole[..index]).is_err());
        }
    }
}

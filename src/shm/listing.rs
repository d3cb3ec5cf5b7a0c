//! Finding rustio's segments among all of the machine.

use super::error::{Kind, ShmError};
use super::key::Key;
use super::layout::{BROKEN, Header, LIVE, trailer, trailer_word};
use super::memory::{Memory, Words, sure};
use crate::sys::sysv::{self, Attachment, Stat};

/// A segment of rustio.
#[derive(Debug)]
pub struct Listed {
    /// What the kernel knows.
    pub stat: Stat,
    /// Counters or a block.
    pub kind: Kind,
    /// Its own name; empty if it was made by a number.
    pub name: Box<[u8]>,
    /// Nanoseconds since 1970 at creation.
    pub generation: u64,
}

fn rows() -> std::io::Result<impl Iterator<Item = Stat>> {
    let (highest, _) = sysv::limits()?;
    Ok((0..=highest).filter_map(|row| sysv::stat_row(row, true).or_else(|_| sysv::stat_row(row, false)).ok()))
}

/// The segment under a key, whoever may read it.
pub(super) fn row_of(key: i32) -> Option<Stat> {
    rows().ok()?.find(|stat| stat.key == key && !stat.removed)
}

/// rustio's segments that this user may read. Each is attached read-only for a moment, which shows in its access time.
///
/// # Errors
/// When the kernel has no System V shared memory.
pub fn segments() -> Result<Vec<Listed>, ShmError> {
    let rows = rows().map_err(|source| ShmError::Io {
        op: "shmctl",
        key: "all segments".into(),
        source,
        advice: String::new(),
    })?;
    Ok(rows.filter_map(look).collect())
}

fn look(stat: Stat) -> Option<Listed> {
    let at = trailer_word(stat.size)?;
    let map = Attachment::new(stat.id, false).ok()?;
    let words = Words(map.words());
    if map.len() != stat.size || ![LIVE, BROKEN].contains(&sure(words.load(at + trailer::STATE))) {
        return None;
    }
    let header = Header::read(words, at, stat.size, &Key::stored(stat.key, Vec::new())).ok()?;
    Some(Listed { stat, kind: header.kind, name: header.key.name_bytes().into(), generation: header.generation })
}

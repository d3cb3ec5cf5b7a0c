//! Appending what dead loggers had accepted, once.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::sys::append::FileId;

use super::desk::Source;
use super::error::LogError;
use super::file::LogFile;
use super::spool::{Orphan, orphans};
use super::state::StateDir;

/// What a recovery did.
#[derive(Debug, Default)]
pub struct Recovered {
    /// Records of dead loggers, appended.
    pub records: u64,
    /// Why some were not; they wait for the next recovery.
    pub error: Option<LogError>,
}

/// Appends the records of every dead logger of this log: those of the same user, and for root those of all. With `quick`
/// only process numbers are looked at, not locks. `key`: see [`super::spool::key`].
pub fn recover(file: &mut LogFile, key: &Path, state: &StateDir, quick: bool) -> Recovered {
    let mut done = Recovered::default();
    for dir in state.with_others() {
        for orphan in orphans(&dir, key, quick) {
            match recover_one(file, state, &dir, &orphan) {
                Ok(records) => {
                    done.records += records;
                    orphan.remove();
                }
                Err(err) => done.error = Some(err),
            }
        }
    }
    done
}

fn recover_one(file: &mut LogFile, own: &StateDir, dir: &StateDir, orphan: &Orphan) -> Result<u64, LogError> {
    if orphan.is_empty() {
        return Ok(0);
    }
    let records = orphan.records();
    // An intent that stands for this spool knows what of it is in the file. First those in the words at hand.
    file.repair(Source::Orphan(orphan), false)?;
    if dir != own && !orphan.is_empty() {
        let path = file.path().to_owned();
        file.beside(&path, dir)?.repair(Source::Orphan(orphan), false)?;
    }
    let target = orphan.target();
    let by_spool = orphan.unannounced().is_some();
    if !orphan.is_empty() && target.inode != 0 && file.id() != Some(target) {
        // The log was rotated since.
        if let Some(path) = find(file.path(), target) {
            let mut rotated = file.beside(&path, dir)?;
            rotated.repair(Source::Orphan(orphan), false)?;
            if by_spool && !orphan.is_empty() {
                rotated.repair(Source::Orphan(orphan), true)?;
            }
        }
    } else if !orphan.is_empty() && by_spool {
        file.repair(Source::Orphan(orphan), true)?;
    }
    if !orphan.is_empty()
        && let (_, Some(err)) = file.write(&orphan.batch(), Source::Orphan(orphan), false)
    {
        return Err(err);
    }
    Ok(records)
}

/// The name that a rotation gave to a file, in the log's own directory.
fn find(log: &Path, target: FileId) -> Option<PathBuf> {
    let real = fs::canonicalize(log).ok()?;
    for entry in fs::read_dir(real.parent()?).ok()?.flatten() {
        let path = entry.path();
        if entry
            .metadata()
            .is_ok_and(|meta| meta.ino() == target.inode && meta.dev() == target.device && meta.is_file())
        {
            return Some(path);
        }
    }
    None
}

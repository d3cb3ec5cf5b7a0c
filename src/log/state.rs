//! The private directory for what the loggers of one user share: whoever could write there could lie about durability.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::error::LogError;

/// `rustio-<uid>` under the state directory: mode 0700, owned by the effective user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateDir {
    base: PathBuf,
    path: PathBuf,
    own: bool,
}

impl StateDir {
    /// Opens or makes it, under `base` or else under the first of /dev/shm, /run/user/UID and the system's temporary
    /// directory that will do.
    ///
    /// # Errors
    /// "mkdir" with what the system says, or with EPERM and the reason when what stands there is no directory, belongs to
    /// somebody else or is open to others.
    pub fn open(base: Option<&Path>) -> Result<Self, LogError> {
        if let Some(base) = base {
            return Self::under(base);
        }
        let uid = nix::unistd::geteuid();
        let bases = [PathBuf::from("/dev/shm"), PathBuf::from(format!("/run/user/{uid}")), std::env::temp_dir()];
        let [first, rest @ ..] = &bases;
        rest.iter().fold(Self::under(first), |found, base| found.or_else(|err| Self::under(base).map_err(|_| err)))
    }

    fn under(base: &Path) -> Result<Self, LogError> {
        let uid = nix::unistd::geteuid().as_raw();
        let path = base.join(format!("rustio-{uid}"));
        match fs::DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => {}
            Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {}
            Err(err) => return Err(LogError::io("mkdir", &path, err)),
        }
        if let Some(fault) = fault(&path, uid) {
            let err = io::Error::from_raw_os_error(libc::EPERM);
            return Err(LogError::because("mkdir", &path, err, fault));
        }
        Ok(StateDir { base: base.to_owned(), path, own: true })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// False for another user's: nothing must be made there, it would not be theirs.
    pub fn is_own(&self) -> bool {
        self.own
    }

    /// This directory, and for root those of the other users beside it: root finishes what they left.
    pub fn with_others(&self) -> Vec<StateDir> {
        let mut all = vec![self.clone()];
        if !nix::unistd::geteuid().is_root() {
            return all;
        }
        for entry in fs::read_dir(&self.base).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let uid = name.to_str().and_then(|name| name.strip_prefix("rustio-")).and_then(|uid| uid.parse().ok());
            let path = entry.path();
            if let Some(uid) = uid
                && path != self.path
                && is_private(&path, uid)
            {
                all.push(StateDir { base: self.base.clone(), path, own: false });
            }
        }
        all
    }
}

fn is_private(path: &Path, uid: u32) -> bool {
    fault(path, uid).is_none()
}

/// Why what stands there can't be trusted.
fn fault(path: &Path, uid: u32) -> Option<String> {
    // lstat: a link that somebody else has put there must not lead elsewhere
    let meta = match fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(err) => return Some(format!(" (lstat: {err})")),
    };
    let (owner, mode) = (meta.uid(), meta.mode() & 0o7777);
    if meta.is_symlink() {
        Some(format!("; it is a symbolic link of user {owner}: remove it, or set rustio.state_dir"))
    } else if !meta.is_dir() {
        Some(format!("; it is no directory and belongs to user {owner}: remove it, or set rustio.state_dir"))
    } else if owner != uid {
        Some(format!(
            "; it belongs to user {owner}, and this process runs as user {uid}: remove it, or set rustio.state_dir"
        ))
    } else if mode & 0o077 != 0 {
        Some(format!("; it has mode {mode:04o} and must be open to its owner alone: make it 0700"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn it_is_private_and_found_again() {
        let base = tempfile::tempdir().unwrap();
        let state = StateDir::open(Some(base.path())).unwrap();
        assert_eq!(fs::metadata(state.path()).unwrap().mode() & 0o7777, 0o700);
        assert_eq!(StateDir::open(Some(base.path())).unwrap(), state);
    }

    #[test]
    fn a_directory_open_to_others_or_a_link_is_refused() {
        let base = tempfile::tempdir().unwrap();
        let path = StateDir::open(Some(base.path())).unwrap().path;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o770)).unwrap();
        let message = || StateDir::open(Some(base.path())).unwrap_err().to_string();
        assert_eq!(StateDir::open(Some(base.path())).unwrap_err().errno(), libc::EPERM);
        assert!(message().starts_with(&format!("mkdir {}: Operation not permitted; it has mode 0770", path.display())));
        fs::remove_dir(&path).unwrap();
        symlink(tempfile::tempdir().unwrap().path(), &path).unwrap();
        assert!(message().contains("; it is a symbolic link of user "), "{}", message());
    }
}

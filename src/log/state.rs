//! The private directory for what the loggers of one user share: whoever could write there could lie about durability.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

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
    /// EPERM when what stands there belongs to somebody else or is open to others; what mkdir(2) says.
    pub fn open(base: Option<&Path>) -> io::Result<Self> {
        if let Some(base) = base {
            return Self::under(base);
        }
        let uid = nix::unistd::geteuid();
        let bases = [PathBuf::from("/dev/shm"), PathBuf::from(format!("/run/user/{uid}")), std::env::temp_dir()];
        let mut last = io::Error::from_raw_os_error(libc::ENOENT);
        for base in &bases {
            match Self::under(base) {
                Ok(state) => return Ok(state),
                Err(err) => last = err,
            }
        }
        Err(last)
    }

    fn under(base: &Path) -> io::Result<Self> {
        let uid = nix::unistd::geteuid().as_raw();
        let path = base.join(format!("rustio-{uid}"));
        match fs::DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => {}
            Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {}
            Err(err) => return Err(err),
        }
        if !is_private(&path, uid) {
            return Err(io::Error::from_raw_os_error(libc::EPERM));
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
    // lstat: a link that somebody else has put there must not lead elsewhere
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir() && meta.uid() == uid && meta.mode() & 0o077 == 0)
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
        assert_eq!(StateDir::open(Some(base.path())).unwrap_err().raw_os_error(), Some(libc::EPERM));
        fs::remove_dir(&path).unwrap();
        symlink(tempfile::tempdir().unwrap().path(), &path).unwrap();
        assert!(StateDir::open(Some(base.path())).is_err());
    }
}

//! Opening a log: which flags, who creates it with which mode, what kind of file it is.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::sys::{append, fd};

use super::error::LogError;

/// A descriptor with a description of its own, and what it leads to.
#[derive(Debug)]
pub struct Opened {
    /// For appending.
    pub fd: OwnedFd,
    /// Device and inode.
    pub place: (u64, u64),
    /// Whether it is a regular file: others (pipes, devices) can't be cut, repaired or synced.
    pub regular: bool,
    /// Whether it may be read, too.
    pub readable: bool,
}

/// Device and inode of what a path leads to now.
pub fn place(stat: &libc::stat) -> (u64, u64) {
    (stat.st_dev, stat.st_ino)
}

/// Whether a status is a regular file's.
pub fn is_regular(stat: &libc::stat) -> bool {
    stat.st_mode & libc::S_IFMT == libc::S_IFREG
}

/// The path as the system wants it.
///
/// # Errors
/// `InvalidInput` with a NUL inside.
pub fn c_path(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| io::ErrorKind::InvalidInput.into())
}

const APPEND: i32 = libc::O_APPEND | libc::O_NONBLOCK; // a FIFO without a reader is ENXIO, it never hangs

/// How long others may go on replacing the file under our hands before that is an error.
pub const RACE_LIMIT: Duration = Duration::from_secs(5);

/// Opens the log, and creates it with exactly `mode` when there is none. Links are followed, also one that leads to a
/// file not made yet.
///
/// # Errors
/// "open" or "fchmod" with what the system says.
pub fn open(path: &Path, mode: u32) -> Result<Opened, LogError> {
    let failed = |err| LogError::io("open", path, err);
    let c_path = c_path(path).map_err(failed)?;
    let start = Instant::now();
    loop {
        if let Some(opened) = open_once(path, &c_path, mode)? {
            return Ok(opened);
        }
        if start.elapsed() > RACE_LIMIT {
            return Err(failed(io::Error::from_raw_os_error(libc::EAGAIN)));
        }
        append::yield_now();
    }
}

/// `None` when somebody has created, renamed or replaced the file between two calls: that says nothing about the next try.
fn open_once(path: &Path, c_path: &CStr, mode: u32) -> Result<Option<Opened>, LogError> {
    let failed = |err| LogError::io("open", path, err);
    let (fd, readable) = match append::stat(c_path) {
        Ok(stat) => match open_existing(c_path, is_regular(&stat)) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|err| failed_open(path, err))?,
        },
        Err(err) if err.kind() == io::ErrorKind::NotFound => match create(path, mode) {
            Ok(fd) => (fd, true),
            Err(err) if err.errno() == libc::EEXIST => return Ok(None),
            Err(err) => return Err(err),
        },
        Err(err) => return Err(failed_open(path, err)),
    };
    let stat = fd::fstat(fd.as_fd()).map_err(failed)?;
    if readable && !is_regular(&stat) {
        return Ok(None); // a pipe must not be open for reading
    }
    Ok(Some(Opened { fd, place: place(&stat), regular: is_regular(&stat), readable }))
}

fn open_existing(path: &CStr, regular: bool) -> io::Result<(OwnedFd, bool)> {
    if regular {
        match fd::open(path, libc::O_RDWR | APPEND, 0) {
            Err(err) if err.kind() == io::ErrorKind::PermissionDenied => {} // perhaps it may be written only
            Err(err) if err.kind() == io::ErrorKind::NotFound => {
                return Err(io::Error::from_raw_os_error(libc::ENOENT));
            }
            other => return other.map(|fd| (fd, true)),
        }
    }
    Ok((fd::open(path, libc::O_WRONLY | APPEND, 0)?, false))
}

fn create(path: &Path, mode: u32) -> Result<OwnedFd, LogError> {
    let target = follow(path);
    let failed = |op| move |err| LogError::io(op, path, err);
    let c_target = c_path(&target).map_err(failed("open"))?;
    let flags = libc::O_RDWR | APPEND | libc::O_CREAT | libc::O_EXCL;
    let fd = fd::open(&c_target, flags, mode).map_err(|err| failed_open(path, err))?;
    append::chmod(fd.as_fd(), mode).map_err(failed("fchmod"))?; // the umask has no say
    Ok(fd)
}

/// For a missing permission: whose file or directory it is, and as whom we came.
fn failed_open(path: &Path, err: io::Error) -> LogError {
    if err.kind() != io::ErrorKind::PermissionDenied {
        return LogError::io("open", path, err);
    }
    let me = nix::unistd::geteuid();
    let seen = path.ancestors().find_map(|at| {
        let meta = std::fs::metadata(at).ok()?;
        let name = if at == path { "it".into() } else { format!("the directory {}", at.display()) };
        let (uid, gid, mode) = (meta.uid(), meta.gid(), meta.mode() & 0o7777);
        Some(format!("; {name} belongs to user {uid} group {gid} with mode {mode:04o}"))
    });
    LogError::because("open", path, err, format!("{}, and this process runs as user {me}", seen.unwrap_or_default()))
}

/// Where a chain of links ends whose last target does not exist: O_EXCL would refuse the link itself.
fn follow(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..40 {
        match std::fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("/")).join(target),
            Err(_) => break,
        }
    }
    path
}

/// Makes the name of a file durable: fsync of its directory.
///
/// # Errors
/// "open" or "fsync" with what the system says.
pub fn sync_directory(path: &Path) -> Result<(), LogError> {
    let real = std::fs::canonicalize(path).map_err(|err| LogError::io("open", path, err))?;
    let directory = real.parent().unwrap_or(Path::new("/"));
    let failed = |op| move |err| LogError::io(op, directory, err);
    let c_path = c_path(directory).map_err(failed("open"))?;
    let fd = fd::open(&c_path, libc::O_RDONLY | libc::O_DIRECTORY, 0).map_err(failed("open"))?;
    match fd::fsync(fd.as_fd()) {
        Err(err) if err.raw_os_error() == Some(libc::EINVAL) => Ok(()), // directories of this file system need none
        other => other.map_err(failed("fsync")),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_mode_is_exact_and_only_set_on_creation() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        open(&path, 0o666).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o666);
        open(&path, 0o600).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o666);
    }

    #[test]
    fn links_are_followed_also_to_a_file_not_made_yet() {
        let dir = tempfile::tempdir().unwrap();
        symlink("b", dir.path().join("a")).unwrap();
        symlink("c", dir.path().join("b")).unwrap();
        let opened = open(&dir.path().join("a"), 0o640).unwrap();
        assert_eq!(opened.place.1, fs::metadata(dir.path().join("c")).unwrap().ino());
        sync_directory(&dir.path().join("a")).unwrap();
    }

    #[test]
    fn a_pipe_without_reader_is_an_error_and_never_hangs() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("fifo");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert_eq!(open(&path, 0o600).unwrap_err().errno(), libc::ENXIO);
    }

    #[test]
    fn what_is_missing_or_a_directory_is_named() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(open(dir.path(), 0o600).unwrap_err().errno(), libc::EISDIR);
        let err = open(&dir.path().join("no/log"), 0o600).unwrap_err();
        assert_eq!((err.errno(), err.operation()), (libc::ENOENT, "open"));
    }

    #[test]
    fn a_file_that_comes_and_goes_is_never_an_error_while_its_directory_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let (path, away) = (dir.path().join("log"), dir.path().join("log.1"));
        std::thread::scope(|scope| {
            let rotation = scope.spawn(|| {
                for _ in 0..30_000 {
                    let _ = fs::rename(&path, &away);
                    let _ = fs::File::create_new(&path);
                }
            });
            let failed =
                std::iter::repeat_with(|| open(&path, 0o600).err()).find(|err| err.is_some() || rotation.is_finished());
            let failed = failed.flatten();
            assert_eq!(failed.map(|err| err.to_string()), None);
        });
    }
}

//! Finding a file below a directory and opening it, so that nothing outside can come out.
//!
//! # How
//!
//! 1. A path without `.`, `..` and empty components is tried as it is: openat2(2) without symbolic links.
//! 2. Whatever fails there is resolved as the kernel would (realpath(3), which needs no /proc), root and file alike. The
//!    two results are compared by component, so `/srv/files2` is not below `/srv/files`, and an absolute link that ends
//!    inside is fine.
//! 3. The resolved path is opened component by component from the root's descriptor, following no link.
//! 4. The last component is looked at before it is opened, so a FIFO, socket or device is never opened; it is opened
//!    with O_NONBLOCK, so one that is slipped in between can't block; and what was opened is compared with what was
//!    looked at.
//!
//! # When others change the tree meanwhile
//!
//! Steps 3 and 4 hold whatever others do between the steps: the descriptor belongs to a regular file that was reached
//! from the root without a link. A link swapped in makes the open fail; the path is resolved anew, a few times. A web
//! server opens the path again later; because that path holds no link, the server can be told to follow none (what
//! `serverConfig()` does for nginx). A hard link or a mount inside the root is inside: nobody can tell.

use super::error::{AccelError, Refusal};
use crate::sys::{fd, resolve};
use std::ffi::{CStr, CString, OsStr};
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// How often a path is resolved anew when it changes between resolving and opening.
const ATTEMPTS: usize = 4;

/// A directory below which files can be sent. Its own path may go through symbolic links and is looked up anew for every
/// file, so a release that is switched by a link is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    path: PathBuf,
}

/// What a file is looked up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read it from the descriptor.
    Read,
    /// To let somebody else open it: the same checks, but the descriptor may be one that can't be read (`O_PATH`), which
    /// costs half as much.
    Check,
}

/// A regular file below a root that this process may read: what is sent is what was checked.
#[derive(Debug)]
pub struct Found {
    /// The open file, as [`Access`] says.
    pub fd: OwnedFd,
    /// Its path below the root: no link, no `.`, no `..`, no double slash.
    pub relative: Vec<u8>,
    /// Its size in bytes when it was opened.
    pub len: u64,
    /// Its modification time, seconds since 1970 (negative before).
    pub mtime: i64,
}

impl Root {
    /// Takes an absolute path; one with `..` is resolved now, since it means something else to a server's own rules.
    ///
    /// # Errors
    /// `AccelError::Argument` for a path that is not absolute or holds a NUL or control byte, `AccelError::Io` for one
    /// that is no directory.
    pub fn new(path: &Path) -> Result<Self, AccelError> {
        if !path.is_absolute() || path.as_os_str().as_bytes().iter().any(u8::is_ascii_control) {
            return Err(AccelError::argument("root", "must be an absolute path without control characters"));
        }
        let io = |op, source| AccelError::Io { op, path: path.to_owned(), source };
        let path = if path.components().any(|part| part == Component::ParentDir) {
            fs::canonicalize(path).map_err(|err| io("realpath", err))?
        } else {
            path.components().collect()
        };
        match fs::metadata(&path) {
            Ok(meta) if meta.is_dir() => Ok(Self { path }),
            Ok(_) => Err(io("open", io::Error::from_raw_os_error(libc::ENOTDIR))),
            Err(err) => Err(io("stat", err)),
        }
    }

    /// The directory, absolute, without a slash at its end.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the regular file at `file`, a path relative to this root.
    ///
    /// # Errors
    /// `AccelError::NotServable`, or `AccelError::Io` when the system refused for a reason of its own (EMFILE, EIO).
    pub fn find(&self, file: &[u8], access: Access) -> Result<Found, AccelError> {
        self.try_find(file, access).map_err(|fault| {
            let name = || PathBuf::from(OsStr::from_bytes(file));
            match fault {
                Fault::Refused(refusal) => AccelError::NotServable { file: name(), root: self.path.clone(), refusal },
                Fault::Root(op, source) => AccelError::Io { op, path: self.path.clone(), source },
                Fault::System(op, source) => AccelError::Io { op, path: self.path.join(name()), source },
            }
        })
    }

    fn try_find(&self, file: &[u8], access: Access) -> Result<Found, Fault> {
        if file.first() == Some(&b'/') {
            return Err(Refusal::Outside.into());
        }
        if is_plain(file)
            && let Ok(root) = open_root(&self.path)
            && let Ok(found) = open_below(root.as_fd(), file.to_vec(), access)
        {
            return Ok(found);
        }
        for _ in 0..ATTEMPTS {
            let root = fs::canonicalize(&self.path).map_err(|err| Fault::Root("realpath", err))?;
            let target = fs::canonicalize(root.join(OsStr::from_bytes(file))).map_err(refuse)?;
            let Ok(relative) = target.strip_prefix(&root) else { return Err(Refusal::Outside.into()) };
            if relative.as_os_str().is_empty() {
                return Err(Refusal::Directory.into());
            }
            let dir = open_root(&root).map_err(|err| Fault::Root("open", err))?;
            match open_below(dir.as_fd(), relative.as_os_str().to_owned().into_vec(), access) {
                Err(Opened::Moved) => {}
                Err(Opened::Fault(fault)) => return Err(fault),
                Ok(found) => return Ok(found),
            }
        }
        Err(Refusal::Changed.into())
    }
}

/// Why no file came out, without the paths.
enum Fault {
    Refused(Refusal),
    Root(&'static str, io::Error),
    System(&'static str, io::Error),
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// Why a resolved path did not open.
enum Opened {
    /// It is not what it was when it was resolved.
    Moved,
    Fault(Fault),
}

impl From<io::Error> for Opened {
    fn from(err: io::Error) -> Self {
        match err.raw_os_error() {
            Some(libc::ELOOP | libc::ENOTDIR | libc::ENOENT | libc::EXDEV | libc::ENXIO) => Self::Moved,
            _ => Self::Fault(refuse(err)),
        }
    }
}

/// The file's fault or the system's?
fn refuse(err: io::Error) -> Fault {
    match err.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => Refusal::Unreadable(err).into(),
        Some(libc::ENOENT | libc::ENOTDIR | libc::ENAMETOOLONG | libc::ELOOP | libc::EINVAL | libc::EILSEQ) | None => {
            Refusal::Missing(err).into()
        }
        Some(_) => Fault::System("open", err),
    }
}

/// No component is empty, `.` or `..`, so a path opened without links is its own resolved form.
fn is_plain(file: &[u8]) -> bool {
    file.split(|&byte| byte == b'/').all(|part| !matches!(part, b"" | b"." | b".."))
}

fn c_string(bytes: &[u8]) -> io::Result<CString> {
    CString::new(bytes).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

fn open_root(path: &Path) -> io::Result<OwnedFd> {
    fd::open(&c_string(path.as_os_str().as_bytes())?, libc::O_PATH | libc::O_DIRECTORY, 0)
}

/// Opens a plain path below `root`, following no link.
fn open_below(root: BorrowedFd<'_>, relative: Vec<u8>, access: Access) -> Result<Found, Opened> {
    if access == Access::Check
        && let Some((fd, stat)) = check_below(root, &relative)?
    {
        return Ok(found(fd, &stat, relative));
    }
    let split = relative.iter().rposition(|&byte| byte == b'/');
    let (dir, name) = match split {
        None => (None, relative.as_slice()),
        Some(at) => (Some(open_directory(root, &relative[..at])?), &relative[at + 1..]),
    };
    let dir = dir.as_ref().map_or(root, AsFd::as_fd);
    let (fd, stat) = open_regular(dir, &c_string(name)?)?;
    Ok(found(fd, &stat, relative))
}

fn found(fd: OwnedFd, stat: &libc::stat, relative: Vec<u8>) -> Found {
    Found { fd, len: u64::try_from(stat.st_size).unwrap_or(0), mtime: stat.st_mtime, relative }
}

/// The checks alone, in three calls where the kernel has them; `None` where it has not.
fn check_below(root: BorrowedFd<'_>, path: &[u8]) -> Result<Option<(OwnedFd, libc::stat)>, Opened> {
    let absent = |err: &io::Error| matches!(err.raw_os_error(), Some(libc::ENOSYS | libc::EPERM | libc::EAGAIN));
    let fd = match resolve::openat2_no_symlinks(root, &c_string(path)?, libc::O_PATH) {
        Err(err) if absent(&err) => return Ok(None),
        result => result?,
    };
    let stat = fd::fstat(fd.as_fd())?;
    regular(&stat)?;
    match resolve::faccessat2_read(fd.as_fd()) {
        Err(err) if absent(&err) => Ok(None),
        result => result.map(|()| Some((fd, stat))).map_err(Opened::from),
    }
}

fn regular(stat: &libc::stat) -> Result<(), Opened> {
    match stat.st_mode & libc::S_IFMT {
        libc::S_IFREG => Ok(()),
        libc::S_IFLNK => Err(Opened::Moved),
        libc::S_IFDIR => Err(Opened::Fault(Refusal::Directory.into())),
        _ => Err(Opened::Fault(Refusal::Special.into())),
    }
}

/// In one call where the kernel can, else component by component.
fn open_directory(root: BorrowedFd<'_>, path: &[u8]) -> io::Result<OwnedFd> {
    const FLAGS: i32 = libc::O_PATH | libc::O_DIRECTORY;
    match resolve::openat2_no_symlinks(root, &c_string(path)?, FLAGS) {
        Err(err) if matches!(err.raw_os_error(), Some(libc::ENOSYS | libc::EPERM | libc::EAGAIN)) => {
            walk(root, path, FLAGS)
        }
        result => result,
    }
}

fn walk(root: BorrowedFd<'_>, path: &[u8], flags: i32) -> io::Result<OwnedFd> {
    let mut at: Option<OwnedFd> = None;
    for part in path.split(|&byte| byte == b'/') {
        let next = resolve::openat(at.as_ref().map_or(root, AsFd::as_fd), &c_string(part)?, flags)?;
        at = Some(next);
    }
    at.ok_or_else(|| io::Error::from_raw_os_error(libc::ENOENT))
}

/// Opens a regular file by its name in `dir`; anything else is refused unopened.
fn open_regular(dir: BorrowedFd<'_>, name: &CStr) -> Result<(OwnedFd, libc::stat), Opened> {
    let seen = resolve::fstatat(dir, name)?;
    regular(&seen)?;
    let fd = resolve::openat(dir, name, libc::O_RDONLY | libc::O_NONBLOCK)?;
    let stat = fd::fstat(fd.as_fd())?;
    if stat.st_mode & libc::S_IFMT != libc::S_IFREG || (stat.st_dev, stat.st_ino) != (seen.st_dev, seen.st_ino) {
        return Err(Opened::Moved);
    }
    Ok((fd, stat))
}

#[cfg(test)]
#[path = "root_tests.rs"]
mod tests;

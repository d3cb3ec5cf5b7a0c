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
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

/// How often a path is resolved anew when it changes between resolving and opening.
const ATTEMPTS: usize = 4;

/// A descriptor of the root is kept that long: enough for one request, too short to miss a switched release.
const FRESH: Duration = Duration::from_secs(1);

/// A directory below which files can be sent. Its own path may go through symbolic links and is looked up anew after a
/// second, so a release that is switched by a link is seen.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    dir: OwnedFd,
    opened: Instant,
}

/// What a file is looked up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read it from the descriptor.
    Read,
    /// To let somebody else open it: the same checks without opening it, where the kernel can.
    Check,
}

/// A regular file below a root that this process may read: what is sent is what was checked.
#[derive(Debug)]
pub struct Found {
    /// The open file; there for [`Access::Read`].
    pub fd: Option<OwnedFd>,
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
        let dir = open_root(&path).map_err(|err| io("open", err))?;
        Ok(Self { path, dir, opened: Instant::now() })
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
    pub fn find(&mut self, file: &[u8], access: Access) -> Result<Found, AccelError> {
        self.try_find(file, access).map_err(|fault| {
            let name = || PathBuf::from(OsStr::from_bytes(file));
            match fault {
                Fault::Refused(refusal) => AccelError::NotServable { file: name(), root: self.path.clone(), refusal },
                Fault::Root(op, source) => AccelError::Io { op, path: self.path.clone(), source },
                Fault::System(op, source) => AccelError::Io { op, path: self.path.join(name()), source },
            }
        })
    }

    /// The directory, opened anew when it has been open for a while.
    fn dir(&mut self) -> io::Result<BorrowedFd<'_>> {
        if self.opened.elapsed() >= FRESH {
            self.dir = open_root(&self.path)?;
            self.opened = Instant::now();
        }
        Ok(self.dir.as_fd())
    }

    fn try_find(&mut self, file: &[u8], access: Access) -> Result<Found, Fault> {
        if file.first() == Some(&b'/') {
            return Err(Refusal::Outside.into());
        }
        if is_plain(file)
            && let Ok(dir) = self.dir()
            && let Ok(found) = open_below(dir, file, access)
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
            match open_below(dir.as_fd(), relative.as_os_str().as_bytes(), access) {
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
fn open_below(root: BorrowedFd<'_>, relative: &[u8], access: Access) -> Result<Found, Opened> {
    let split = relative.iter().rposition(|&byte| byte == b'/');
    let (dir, name) = match split {
        None => (None, relative),
        Some(at) => (Some(open_directory(root, &relative[..at])?), &relative[at + 1..]),
    };
    let (dir, name) = (dir.as_ref().map_or(root, AsFd::as_fd), c_string(name)?);
    let seen = resolve::fstatat(dir, &name)?;
    regular(&seen)?;
    let (fd, stat) = match access {
        Access::Check if may_read(dir, &name)? => (None, seen),
        _ => open_regular(dir, &name, &seen).map(|(fd, stat)| (Some(fd), stat))?,
    };
    let len = u64::try_from(stat.st_size).unwrap_or(0);
    Ok(Found { fd, len, mtime: stat.st_mtime, relative: relative.to_vec() })
}

/// False where the kernel can't tell without opening.
fn may_read(dir: BorrowedFd<'_>, name: &CStr) -> Result<bool, Opened> {
    match resolve::faccessat2_read(dir, name) {
        Ok(()) => Ok(true),
        Err(err) if matches!(err.raw_os_error(), Some(libc::ENOSYS | libc::EPERM | libc::EINVAL)) => Ok(false),
        Err(err) => Err(err.into()),
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

/// Opens the regular file that was seen under this name.
fn open_regular(dir: BorrowedFd<'_>, name: &CStr, seen: &libc::stat) -> Result<(OwnedFd, libc::stat), Opened> {
    let fd = resolve::openat(dir, name, libc::O_RDONLY | libc::O_NONBLOCK)?;
    let stat = fd::fstat(fd.as_fd())?;
    regular(&stat)?;
    if (stat.st_dev, stat.st_ino) != (seen.st_dev, seen.st_ino) {
        return Err(Opened::Moved);
    }
    Ok((fd, stat))
}

#[cfg(test)]
#[path = "root_tests.rs"]
mod tests;

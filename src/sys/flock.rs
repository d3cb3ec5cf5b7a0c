//! Advisory locks that belong to an open file description: the kernel drops them when its last descriptor is closed,
//! whatever became of the process. Neither call ever blocks; waiting, with its limit, is the caller's.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use nix::fcntl::{FcntlArg, fcntl};

use super::fd::retry;

/// flock(2) with `LOCK_EX | LOCK_NB`: false when another description holds the file.
///
/// # Errors
/// ENOLCK and what flock(2) says of file systems without locks.
pub fn try_exclusive(fd: BorrowedFd<'_>) -> io::Result<bool> {
    attempt(fd, libc::LOCK_EX)
}

/// flock(2) with `LOCK_SH | LOCK_NB`: false when another description holds the file exclusively.
///
/// # Errors
/// As [`try_exclusive`].
pub fn try_shared(fd: BorrowedFd<'_>) -> io::Result<bool> {
    attempt(fd, libc::LOCK_SH)
}

fn attempt(fd: BorrowedFd<'_>, how: i32) -> io::Result<bool> {
    // SAFETY: touches no memory of ours; the descriptor is open for the length of the borrow.
    match retry(|| unsafe { libc::flock(fd.as_raw_fd(), how | libc::LOCK_NB) }) {
        Ok(_) => Ok(true),
        Err(err) if err.kind() == io::ErrorKind::WouldBlock => Ok(false),
        Err(err) => Err(err),
    }
}

/// flock(2) with `LOCK_UN`.
///
/// # Errors
/// See flock(2).
pub fn unlock(fd: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: as in attempt.
    retry(|| unsafe { libc::flock(fd.as_raw_fd(), libc::LOCK_UN) }).map(drop)
}

/// An open file description lock (fcntl(2), `F_OFD_SETLK`) on byte 0, independent of flock(2) on the same file: false
/// when another description holds it. The file must be open for writing.
///
/// # Errors
/// EINVAL on a kernel without them.
pub fn try_byte(fd: BorrowedFd<'_>) -> io::Result<bool> {
    match fcntl(fd, FcntlArg::F_OFD_SETLK(&byte(libc::F_WRLCK))) {
        Ok(_) => Ok(true),
        Err(nix::Error::EAGAIN | nix::Error::EACCES) => Ok(false),
        Err(err) => Err(err.into()),
    }
}

/// Gives the lock of [`try_byte`] back.
///
/// # Errors
/// See fcntl(2).
pub fn release_byte(fd: BorrowedFd<'_>) -> io::Result<()> {
    fcntl(fd, FcntlArg::F_OFD_SETLK(&byte(libc::F_UNLCK))).map(drop).map_err(io::Error::from)
}

fn byte(kind: i32) -> libc::flock {
    libc::flock {
        l_type: kind.try_into().unwrap_or(0),
        l_whence: libc::SEEK_SET.try_into().unwrap_or(0),
        l_start: 0,
        l_len: 1,
        l_pid: 0, // what the kernel demands of an OFD lock
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsFd;

    use super::*;

    fn twice() -> (tempfile::NamedTempFile, File, File) {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (one, two) = (file.reopen().unwrap(), file.reopen().unwrap());
        (file, one, two)
    }

    #[test]
    fn two_descriptions_exclude_each_other() {
        let (_file, one, two) = twice();
        assert!(try_exclusive(one.as_fd()).unwrap());
        assert!(!try_exclusive(two.as_fd()).unwrap());
        assert!(!try_shared(two.as_fd()).unwrap());
        unlock(one.as_fd()).unwrap();
        assert!(try_shared(two.as_fd()).unwrap());
    }

    #[test]
    fn closing_another_descriptor_of_the_file_keeps_the_lock() {
        let (file, one, two) = twice();
        assert!(try_exclusive(one.as_fd()).unwrap());
        assert!(try_byte(one.as_fd()).unwrap());
        drop(file.reopen().unwrap()); // what would drop a POSIX record lock
        assert!(!try_exclusive(two.as_fd()).unwrap());
        assert!(!try_byte(two.as_fd()).unwrap());
    }

    #[test]
    fn the_byte_is_apart_from_the_file() {
        let (_file, one, two) = twice();
        assert!(try_exclusive(one.as_fd()).unwrap());
        assert!(try_byte(two.as_fd()).unwrap());
        assert!(!try_byte(one.as_fd()).unwrap());
        release_byte(two.as_fd()).unwrap();
        assert!(try_byte(one.as_fd()).unwrap());
    }
}

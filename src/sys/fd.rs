//! File descriptors: opening, reading, writing and asking the kernel about one file.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// Calls `f` until it is not interrupted by a signal; -1 becomes the error.
pub fn retry<T: PartialEq + From<i8>>(mut f: impl FnMut() -> T) -> io::Result<T> {
    loop {
        let value = f();
        if value != T::from(-1) {
            return Ok(value);
        }
        let err = io::Error::last_os_error();
        if err.kind() != io::ErrorKind::Interrupted {
            return Err(err);
        }
    }
}

/// open(2). `O_CLOEXEC` and `O_NOCTTY` are always added; a signal ends the wait for a FIFO's other end with
/// `Interrupted`, so that the caller can let handlers run.
///
/// # Errors
/// See open(2).
pub fn open(path: &CStr, flags: i32, mode: u32) -> io::Result<OwnedFd> {
    // SAFETY: the path is a C string that outlives the call.
    let fd = unsafe { libc::open(path.as_ptr(), flags | libc::O_CLOEXEC | libc::O_NOCTTY, mode) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// read(2). Does not retry EINTR: the caller lets signal handlers run first.
///
/// # Errors
/// See read(2).
pub fn read(fd: BorrowedFd<'_>, buf: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the kernel writes at most buf.len() bytes into a buffer we hold exclusively.
    let n = unsafe { libc::read(fd.as_raw_fd(), buf.as_mut_ptr().cast(), buf.len()) };
    usize::try_from(n).map_err(|_| io::Error::last_os_error())
}

/// pread(2): reads at `offset` without moving the file's position. Does not retry EINTR.
///
/// # Errors
/// See pread(2).
pub fn pread(fd: BorrowedFd<'_>, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    let offset = offset.try_into().map_err(|_| io::Error::from_raw_os_error(libc::EOVERFLOW))?;
    // SAFETY: as for read.
    let n = unsafe { libc::pread(fd.as_raw_fd(), buf.as_mut_ptr().cast(), buf.len(), offset) };
    usize::try_from(n).map_err(|_| io::Error::last_os_error())
}

/// fstat(2).
///
/// # Errors
/// See fstat(2).
pub fn fstat(fd: BorrowedFd<'_>) -> io::Result<libc::stat> {
    nix::sys::stat::fstat(fd).map_err(io::Error::from)
}

/// lseek(2) to an absolute position.
///
/// # Errors
/// ESPIPE on a pipe, socket or FIFO.
pub fn seek(fd: BorrowedFd<'_>, offset: u64) -> io::Result<()> {
    let offset = offset.try_into().map_err(|_| io::Error::from_raw_os_error(libc::EOVERFLOW))?;
    // SAFETY: touches no memory of ours.
    retry(|| unsafe { libc::lseek(fd.as_raw_fd(), offset, libc::SEEK_SET) }).map(drop)
}

/// posix_fadvise(2) for the whole file. Advice that the file can't take is no error worth a report: the caller loses
/// nothing but speed, so `POSIX_FADV_SEQUENTIAL` callers ignore the result and `DONTNEED` callers do not.
///
/// # Errors
/// ESPIPE on a pipe.
pub fn fadvise(fd: BorrowedFd<'_>, advice: i32) -> io::Result<()> {
    // SAFETY: touches no memory of ours.
    let status = unsafe { libc::posix_fadvise(fd.as_raw_fd(), 0, 0, advice) };
    if status == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(status)) }
}

/// fdatasync(2).
///
/// # Errors
/// EIO, ENOSPC, EDQUOT, EINVAL: see fsync(2).
pub fn fdatasync(fd: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the descriptor is open for the length of the borrow; no memory of ours is touched.
    retry(|| unsafe { libc::fdatasync(fd.as_raw_fd()) }).map(drop)
}

/// fsync(2).
///
/// # Errors
/// EIO, ENOSPC, EDQUOT, EINVAL: see fsync(2).
pub fn fsync(fd: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: as for fdatasync.
    retry(|| unsafe { libc::fsync(fd.as_raw_fd()) }).map(drop)
}

/// Sleeps until the descriptor has something to read or is at its end.
///
/// # Errors
/// `Interrupted` for a signal; see poll(2).
pub fn wait_readable(fd: BorrowedFd<'_>) -> io::Result<()> {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    poll(&mut [PollFd::new(fd, PollFlags::POLLIN)], PollTimeout::NONE)?;
    Ok(())
}

/// Does the process own the file, or may it write to it? The kernel tells the page cache's state only then
/// (mm/mincore.c, since Linux 5.2).
#[must_use]
pub fn may_write(fd: BorrowedFd<'_>, stat: &libc::stat) -> bool {
    let uid = nix::unistd::geteuid();
    // SAFETY: an empty path with AT_EMPTY_PATH asks about the open file itself.
    let writable = || unsafe {
        libc::faccessat(fd.as_raw_fd(), c"".as_ptr(), libc::W_OK, libc::AT_EMPTY_PATH | libc::AT_EACCESS) == 0
    };
    uid.is_root() || uid.as_raw() == stat.st_uid || writable()
}

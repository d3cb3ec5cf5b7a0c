//! What an appender asks of its file: who it is, writing at its end, cutting what it has just written.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Which file this is, for as long as the file system lives: numbers of inodes are used again, times of birth are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    /// Device, as st_dev.
    pub device: u64,
    /// Inode.
    pub inode: u64,
    /// Nanoseconds since 1970 at its birth; `None` where the file system does not keep that.
    pub birth: Option<u64>,
}

/// statx(2) for the time of birth of an open file.
///
/// # Errors
/// ENOSYS before Linux 4.11.
pub fn file_id(fd: BorrowedFd<'_>) -> io::Result<FileId> {
    // SAFETY: all-zero is a valid statx structure.
    let mut out: libc::statx = unsafe { std::mem::zeroed() };
    let (at, mask) = (libc::AT_EMPTY_PATH, libc::STATX_BTIME | libc::STATX_INO);
    // SAFETY: an empty path with AT_EMPTY_PATH means the descriptor; the kernel fills the structure we hold.
    if unsafe { libc::statx(fd.as_raw_fd(), c"".as_ptr(), at, mask, &raw mut out) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let birth = (out.stx_mask & libc::STATX_BTIME != 0).then(|| {
        let seconds = u64::try_from(out.stx_btime.tv_sec).unwrap_or(0);
        seconds.wrapping_mul(1_000_000_000).wrapping_add(out.stx_btime.tv_nsec.into())
    });
    let device = libc::makedev(out.stx_dev_major, out.stx_dev_minor);
    Ok(FileId { device, inode: out.stx_ino, birth })
}

/// stat(2), following symbolic links.
///
/// # Errors
/// See stat(2).
pub fn stat(path: &CStr) -> io::Result<libc::stat> {
    nix::sys::stat::stat(path).map_err(io::Error::from)
}

/// write(2), once: may write less than asked, and is interrupted by signals.
///
/// # Errors
/// See write(2).
pub fn write(fd: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
    nix::unistd::write(fd, bytes).map_err(io::Error::from)
}

/// ftruncate(2).
///
/// # Errors
/// See ftruncate(2); EPERM on a file that may only be appended to (chattr +a).
pub fn truncate(fd: BorrowedFd<'_>, size: u64) -> io::Result<()> {
    let size = size.try_into().map_err(|_| io::Error::from_raw_os_error(libc::EFBIG))?;
    // SAFETY: touches no memory of ours.
    super::fd::retry(|| unsafe { libc::ftruncate(fd.as_raw_fd(), size) }).map(drop)
}

/// fchmod(2): the mode exactly, whatever the umask.
///
/// # Errors
/// See fchmod(2).
pub fn chmod(fd: BorrowedFd<'_>, mode: u32) -> io::Result<()> {
    // SAFETY: touches no memory of ours.
    super::fd::retry(|| unsafe { libc::fchmod(fd.as_raw_fd(), mode) }).map(drop)
}

/// Waits until a pipe or terminal takes bytes; false when the time has passed.
///
/// # Errors
/// See poll(2).
pub fn wait_writable(fd: BorrowedFd<'_>, limit: std::time::Duration) -> io::Result<bool> {
    let mut one = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
    let millis = i32::try_from(limit.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: one pollfd that we hold exclusively.
    match unsafe { libc::poll(&raw mut one, 1, millis) } {
        -1 => Err(io::Error::last_os_error()),
        n => Ok(n > 0),
    }
}

/// `FIONREAD` of pipe(7): bytes that no reader has taken yet; 0 where nobody can tell.
pub fn unread(fd: BorrowedFd<'_>) -> usize {
    let mut bytes: libc::c_int = 0;
    // SAFETY: this request stores one int.
    match unsafe { libc::ioctl(fd.as_raw_fd(), libc::FIONREAD, &raw mut bytes) } {
        0 => usize::try_from(bytes).unwrap_or(0),
        _ => 0,
    }
}

/// syncfs(2): the whole file system behind this descriptor, for a file that is no longer at hand.
///
/// # Errors
/// EIO, ENOSPC, EDQUOT, where the kernel reports them here (5.8 on).
pub fn sync_file_system(fd: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: touches no memory of ours.
    super::fd::retry(|| unsafe { libc::syncfs(fd.as_raw_fd()) }).map(drop)
}

/// sched_yield(2): lets another process run.
pub fn yield_now() {
    std::thread::yield_now();
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn a_file_keeps_its_id_and_another_has_another() {
        let (one, two) = (tempfile::NamedTempFile::new().unwrap(), tempfile::NamedTempFile::new().unwrap());
        let id = file_id(one.as_file().as_fd()).unwrap();
        assert_eq!(id, file_id(one.reopen().unwrap().as_fd()).unwrap());
        assert_ne!(id, file_id(two.as_file().as_fd()).unwrap());
        let stat = super::super::fd::fstat(one.as_file().as_fd()).unwrap();
        assert_eq!((stat.st_dev, stat.st_ino), (id.device, id.inode));
    }

    #[test]
    fn a_pipe_that_is_full_is_waited_for_no_longer_than_asked() {
        let (_reader, writer) = nix::unistd::pipe2(nix::fcntl::OFlag::O_NONBLOCK).unwrap();
        assert!(wait_writable(writer.as_fd(), std::time::Duration::from_millis(1)).unwrap());
        assert_eq!(unread(writer.as_fd()), 0);
        while write(writer.as_fd(), &[0; 4096]).is_ok() {}
        assert!(unread(writer.as_fd()) >= 4096);
        assert!(!wait_writable(writer.as_fd(), std::time::Duration::from_millis(1)).unwrap());
    }
}

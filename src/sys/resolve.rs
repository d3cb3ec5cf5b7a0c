//! Opening a path below a directory, one look at the kernel at a time, so that no symbolic link is ever followed.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// openat(2). `O_CLOEXEC`, `O_NOCTTY` and `O_NOFOLLOW` are always added.
///
/// # Errors
/// See openat(2); a symbolic link in the last place is ELOOP, with `O_DIRECTORY` ENOTDIR.
pub fn openat(dir: BorrowedFd<'_>, name: &CStr, flags: i32) -> io::Result<OwnedFd> {
    let flags = flags | libc::O_CLOEXEC | libc::O_NOCTTY | libc::O_NOFOLLOW;
    // SAFETY: the descriptor is open for the length of the borrow and the name is a C string that outlives the call.
    let fd = super::fd::retry(|| unsafe { libc::openat(dir.as_raw_fd(), name.as_ptr(), flags) })?;
    // SAFETY: the kernel has just made this descriptor and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// `struct open_how` of openat2(2), as the kernel has had it since 5.6.
#[repr(C)]
struct OpenHow {
    flags: u64,
    mode: u64,
    resolve: u64,
}

/// openat2(2) with `RESOLVE_BENEATH` and `RESOLVE_NO_SYMLINKS`: the whole path in one call. `O_CLOEXEC` is always added.
///
/// # Errors
/// ELOOP when any component is a symbolic link, EXDEV when the path leaves `dir`. Kernels before 5.6 answer ENOSYS and
/// some sandboxes EPERM: the caller then walks with [`openat`].
pub fn openat2_no_symlinks(dir: BorrowedFd<'_>, path: &CStr, flags: i32) -> io::Result<OwnedFd> {
    const RESOLVE_NO_SYMLINKS: u64 = 0x04;
    const RESOLVE_BENEATH: u64 = 0x08;
    let how = OpenHow {
        flags: u64::from((flags | libc::O_CLOEXEC).unsigned_abs()),
        mode: 0,
        resolve: RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH,
    };
    // SAFETY: the path is a C string and `how` a structure of the size that is passed, both outlive the call; the
    // kernel reads them and writes nothing.
    let fd = super::fd::retry(|| unsafe {
        libc::syscall(libc::SYS_openat2, dir.as_raw_fd(), path.as_ptr(), &raw const how, size_of::<OpenHow>())
    })?;
    let fd = i32::try_from(fd).map_err(|_| io::Error::from_raw_os_error(libc::EBADF))?;
    // SAFETY: the kernel has just made this descriptor and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// fstatat(2) with `AT_SYMLINK_NOFOLLOW`: what a name in a directory is, without opening it.
///
/// # Errors
/// See fstatat(2).
pub fn fstatat(dir: BorrowedFd<'_>, name: &CStr) -> io::Result<libc::stat> {
    nix::sys::stat::fstatat(dir, name, nix::fcntl::AtFlags::AT_SYMLINK_NOFOLLOW).map_err(io::Error::from)
}

/// faccessat2(2) with `R_OK`, `AT_EACCESS` and `AT_SYMLINK_NOFOLLOW`: whether this process may read what has this name.
///
/// # Errors
/// EACCES if not. Kernels before 5.8 answer ENOSYS and some sandboxes EPERM.
pub fn faccessat2_read(dir: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
    let flags = libc::AT_EACCESS | libc::AT_SYMLINK_NOFOLLOW;
    // SAFETY: the name is a C string that outlives the call; the kernel writes nothing.
    super::fd::retry(|| unsafe {
        libc::syscall(libc::SYS_faccessat2, dir.as_raw_fd(), name.as_ptr(), libc::R_OK, flags)
    })
    .map(drop)
}

//! Which namespaces this process lives in (namespaces(7)).

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::fork;

/// ioctl_pidfd(2), Linux 6.11.
const PIDFD_GET_PID_NAMESPACE: libc::c_ulong = 0xFF05;

/// Inode of this process's PID namespace: equal numbers mean that thread ids mean the same thread. Read from /proc, or
/// asked of a pidfd where there is no /proc (a chroot), or as it was when [`remember`] ran.
///
/// # Errors
/// ENOENT where /proc is missing, the kernel is older than 6.11 and nothing is remembered.
pub fn pid_namespace() -> io::Result<u64> {
    // A process keeps its PID namespace; only its children can be born into another one (unshare(2), setns(2)).
    let born = fork::generation() + 1;
    if KNOWN_FOR.load(Ordering::Acquire) == born {
        return Ok(KNOWN.load(Ordering::Relaxed));
    }
    let inode = ask()?;
    KNOWN.store(inode, Ordering::Relaxed);
    KNOWN_FOR.store(born, Ordering::Release);
    Ok(inode)
}

static KNOWN: AtomicU64 = AtomicU64::new(0);
/// One more than the [`fork::generation`] that [`KNOWN`] was asked in; 0: never.
static KNOWN_FOR: AtomicU64 = AtomicU64::new(0);

fn ask() -> io::Result<u64> {
    let asked = inode("/proc/self/ns/pid").or_else(|missing| by_pidfd().map_err(|_| missing));
    asked.or_else(|missing| AT_START.get().copied().ok_or(missing))
}

/// What [`pid_namespace`] gave at the start of the program, for workers that are later put into a chroot without /proc.
static AT_START: OnceLock<u64> = OnceLock::new();

/// Remembers the namespace while it can be asked for; see [`pid_namespace`].
pub fn remember() {
    if let Ok(inode) = pid_namespace() {
        AT_START.get_or_init(|| inode);
    }
}

/// Inode of this process's IPC namespace: keys and segments are the same only inside one.
///
/// # Errors
/// ENOENT where /proc is missing.
pub fn ipc_namespace() -> io::Result<u64> {
    inode("/proc/self/ns/ipc")
}

fn inode(path: &str) -> io::Result<u64> {
    std::fs::metadata(path).map(|meta| meta.ino())
}

fn by_pidfd() -> io::Result<u64> {
    let owned = |fd: i64| {
        let fd = i32::try_from(fd).ok().filter(|fd| *fd >= 0).ok_or_else(io::Error::last_os_error)?;
        // SAFETY: the kernel has just made this descriptor (both calls set O_CLOEXEC) and nobody else knows it.
        Ok::<_, io::Error>(unsafe { OwnedFd::from_raw_fd(fd) })
    };
    // SAFETY: asks for this process's own id.
    let pid = unsafe { libc::getpid() };
    // SAFETY: touches no memory of ours.
    let pidfd = owned(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) })?;
    // SAFETY: this request takes no argument and gives a descriptor or -1.
    let namespace = owned(i64::from(unsafe { libc::ioctl(pidfd.as_raw_fd(), PIDFD_GET_PID_NAMESPACE as _, 0) }))?;
    nix::sys::stat::fstat(&namespace).map(|stat| stat.st_ino).map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_name_the_same_pid_namespace() {
        let Ok(asked) = by_pidfd() else { return }; // an older kernel has one way only
        assert_eq!(pid_namespace().unwrap(), asked);
    }
}

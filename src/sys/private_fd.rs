//! Descriptors that a forked child must not keep: locks on them belong to the open file description, and would outlive
//! their owner as long as any child had it open.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, IntoRawFd, OwnedFd, RawFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use super::fork;

const FREE: i32 = -1;
const TAKEN: i32 = -2;
const SLOTS: usize = 64;

/// Where the child finds what to close: blocks that are never freed, so that it needs no lock and no memory.
#[derive(Debug)]
struct Block {
    slots: [AtomicI32; SLOTS],
    next: OnceLock<Box<Block>>,
}

impl Block {
    const fn new() -> Self {
        Block { slots: [const { AtomicI32::new(FREE) }; SLOTS], next: OnceLock::new() }
    }

    fn take(&'static self) -> &'static AtomicI32 {
        let mut block = self;
        loop {
            for slot in &block.slots {
                if slot.compare_exchange(FREE, TAKEN, Relaxed, Relaxed).is_ok() {
                    return slot;
                }
            }
            block = block.next.get_or_init(|| Box::new(Block::new()));
        }
    }
}

static FIRST: Block = Block::new();

extern "C" fn in_child() {
    let mut block = Some(&FIRST);
    while let Some(here) = block {
        for slot in &here.slots {
            let fd = slot.swap(FREE, Relaxed);
            if fd >= 0 {
                // SAFETY: the descriptor is the child's copy of one that a PrivateFd owns; that one will not close it,
                // because the fork generation has moved on. close(2) is allowed between fork and exec.
                unsafe { libc::close(fd) };
            }
        }
        block = here.next.get().map(|next| &**next);
    }
}

/// Registers what a child does first. Called by everything that makes a [`PrivateFd`]; later calls do nothing.
///
/// # Errors
/// ENOMEM.
pub fn watch() -> io::Result<()> {
    static WATCHED: OnceLock<i32> = OnceLock::new();
    fork::watch()?;
    // SAFETY: the handler uses atomics and close(2) only, and stays loaded as long as this library does.
    let status = *WATCHED.get_or_init(|| unsafe { libc::pthread_atfork(None, None, Some(in_child)) });
    if status == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(status)) }
}

/// A descriptor of this process alone: fork(2) closes it in the child, where the handle is then dead.
#[derive(Debug)]
pub struct PrivateFd {
    fd: RawFd,
    slot: &'static AtomicI32,
    generation: u64,
}

impl PrivateFd {
    /// Takes a descriptor over.
    ///
    /// # Errors
    /// ENOMEM when [`watch`] can't register; the descriptor is closed then.
    pub fn new(fd: OwnedFd) -> io::Result<Self> {
        watch()?;
        let slot = FIRST.take();
        let (fd, generation) = (fd.into_raw_fd(), fork::generation());
        slot.store(fd, Relaxed);
        Ok(PrivateFd { fd, slot, generation })
    }

    /// False in a child of the process that opened it: the number may be somebody else's file there.
    pub fn is_ours(&self) -> bool {
        self.generation == fork::generation()
    }

    /// The descriptor to use; in a child, one that no call accepts (EBADF).
    pub fn borrow(&self) -> BorrowedFd<'_> {
        let fd = if self.is_ours() { self.fd } else { RawFd::MAX };
        // SAFETY: open as long as self in the process that owns it; elsewhere a number beyond any table, which every
        // system call refuses.
        unsafe { BorrowedFd::borrow_raw(fd) }
    }

    /// close(2), with its report.
    ///
    /// # Errors
    /// EIO, ENOSPC, EDQUOT: what an earlier write met. The descriptor is gone all the same.
    pub fn close(self) -> io::Result<()> {
        if !self.is_ours() {
            std::mem::forget(self);
            return Ok(());
        }
        let fd = self.fd;
        self.slot.store(FREE, Relaxed);
        std::mem::forget(self);
        // SAFETY: ours, and forgotten above: nobody closes it again.
        if unsafe { libc::close(fd) } == 0 {
            return Ok(());
        }
        let err = io::Error::last_os_error();
        if err.kind() == io::ErrorKind::Interrupted { Ok(()) } else { Err(err) } // Linux has closed it by then
    }
}

impl AsFd for PrivateFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.borrow()
    }
}

impl AsRawFd for PrivateFd {
    fn as_raw_fd(&self) -> RawFd {
        self.borrow().as_raw_fd()
    }
}

impl Drop for PrivateFd {
    fn drop(&mut self) {
        if self.is_ours() {
            self.slot.store(FREE, Relaxed);
            // SAFETY: ours, and not used again.
            unsafe { libc::close(self.fd) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some_fd() -> OwnedFd {
        tempfile::tempfile().unwrap().into()
    }

    #[test]
    fn more_than_one_block_of_them() {
        let all: Vec<_> = (0..3 * SLOTS).map(|_| PrivateFd::new(some_fd()).unwrap()).collect();
        let slots: std::collections::HashSet<_> = all.iter().map(|fd| std::ptr::from_ref(fd.slot)).collect();
        assert_eq!(slots.len(), all.len());
    }

    #[test]
    fn a_child_has_it_closed_and_the_parent_has_it_open() {
        let fd = PrivateFd::new(some_fd()).unwrap();
        let raw = fd.as_raw_fd();
        // SAFETY: the child calls only async-signal-safe functions before it ends.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            // SAFETY: asks about a number, and ends the child without the harness's exit handlers.
            unsafe { libc::_exit(if libc::fcntl(raw, libc::F_GETFD) == -1 && !fd.is_ours() { 7 } else { 1 }) };
        }
        let mut status = 0;
        // SAFETY: waits for the child made above, with a valid place for its status.
        unsafe { libc::waitpid(pid, &raw mut status, 0) };
        assert_eq!(libc::WEXITSTATUS(status), 7);
        assert!(fd.is_ours());
        fd.close().unwrap();
    }
}

//! Telling a forked child from its parent without a system call: a counter that each fork(2) moves on in the child.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static GENERATION: AtomicU64 = AtomicU64::new(0);

extern "C" fn in_child() {
    GENERATION.fetch_add(1, Relaxed);
}

/// Registers the counter with pthread_atfork(3); later calls do nothing. Must have run before [`generation`] is used:
/// the extension calls it when the module starts, which is before FPM forks.
///
/// # Errors
/// ENOMEM.
pub fn watch() -> io::Result<()> {
    static WATCHED: OnceLock<i32> = OnceLock::new();
    let status = *WATCHED.get_or_init(|| {
        // SAFETY: the handler touches one atomic, which is allowed between fork and exec, and stays loaded as long as
        // this library does (the C library drops handlers of an unloaded one).
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) }
    });
    if status == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(status)) }
}

/// Which process of a line of forks this is: remembered with a handle, a different number later means that the handle
/// was inherited.
#[inline]
pub fn generation() -> u64 {
    GENERATION.load(Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_sees_another_number_and_the_parent_the_same() {
        watch().unwrap();
        let before = generation();
        // SAFETY: the child calls only async-signal-safe functions before it ends.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            let moved = generation() != before;
            // SAFETY: ends the child without running the test harness's exit handlers.
            unsafe { libc::_exit(if moved { 7 } else { 1 }) };
        }
        let mut status = 0;
        // SAFETY: waits for the child made above, with a valid place for its status.
        unsafe { libc::waitpid(pid, &raw mut status, 0) };
        assert_eq!(libc::WEXITSTATUS(status), 7);
        assert_eq!(generation(), before);
    }
}

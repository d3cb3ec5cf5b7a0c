//! Signals that a write(2) may raise and that would end the process: kept away from it, in this thread alone.

use nix::sys::signal::{SigSet, SigmaskHow, Signal};

/// While it lives, SIGXFSZ and SIGPIPE are blocked in this thread: a write reports EFBIG or EPIPE and nothing else.
#[derive(Debug)]
pub struct Shield {
    before: Option<SigSet>,
}

impl Shield {
    /// Blocks both.
    pub fn raise() -> Self {
        let mut set = SigSet::empty();
        set.add(Signal::SIGXFSZ);
        set.add(Signal::SIGPIPE);
        Shield { before: set.thread_swap_mask(SigmaskHow::SIG_BLOCK).ok() }
    }

    /// Takes back the signal that a failed write has left pending. One that was blocked before the shield is not ours.
    pub fn discard(&self, signal: Signal) {
        if self.before.is_none_or(|before| before.contains(signal)) {
            return;
        }
        let mut set = SigSet::empty();
        set.add(signal);
        let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: set and timespec live through the call; the place for details may be null.
        unsafe { libc::sigtimedwait(set.as_ref(), std::ptr::null_mut(), &raw const now) };
    }
}

impl Drop for Shield {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = before.thread_set_mask(); // can't fail with a set the kernel has given
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;

    /// The test harness ignores SIGPIPE, so that a signal left pending could not be seen: SIGXFSZ is used here.
    #[test]
    fn a_signal_met_inside_is_gone_afterwards() {
        let shield = Shield::raise();
        // SAFETY: sends a blocked signal to this thread only.
        unsafe { libc::pthread_kill(libc::pthread_self(), libc::SIGXFSZ) };
        shield.discard(Signal::SIGXFSZ);
        drop(shield); // would end the process if it were still pending
        assert!(!SigSet::thread_get_mask().unwrap().contains(Signal::SIGXFSZ));
    }

    #[test]
    fn a_mask_that_was_there_stays() {
        let mut set = SigSet::empty();
        set.add(Signal::SIGPIPE);
        set.thread_block().unwrap();
        drop(Shield::raise());
        assert!(SigSet::thread_get_mask().unwrap().contains(Signal::SIGPIPE));
        set.thread_unblock().unwrap();
    }

    #[test]
    fn a_broken_pipe_is_an_error() {
        let (reader, writer) = nix::unistd::pipe().unwrap();
        drop(reader);
        let shield = Shield::raise();
        assert_eq!(nix::unistd::write(writer.as_fd(), b"x"), Err(nix::Error::EPIPE));
        shield.discard(Signal::SIGPIPE);
    }
}

//! futex(2): sleeping on a 32-bit word that other processes share.

use std::io;
use std::ptr;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// Every group: FUTEX_BITSET_MATCH_ANY.
const ANY: u32 = u32::MAX;

/// Sleeps while `word` holds `expected`, at most `timeout` (monotonic). Wakes for a [`wake`], a changed word, a signal
/// or nothing at all, so the caller looks at the word again; only running out of time is told apart.
///
/// # Errors
/// `TimedOut` when the time has passed; `Interrupted` for a signal.
pub fn wait(word: &AtomicU32, expected: u32, timeout: Duration) -> io::Result<()> {
    wait_in(word, expected, timeout, ANY)
}

/// The same as one of a group: a bit of `group` tells a [`wake_group`] whom it is for. See FUTEX_WAIT_BITSET in futex(2).
///
/// # Errors
/// As [`wait`].
pub fn wait_in(word: &AtomicU32, expected: u32, timeout: Duration, group: u32) -> io::Result<()> {
    let until = super::clock::monotonic().saturating_add(timeout); // this operation takes an absolute time
    let limit = libc::timespec {
        tv_sec: until.as_secs().try_into().unwrap_or(libc::time_t::MAX),
        tv_nsec: until.subsec_nanos().into(),
    };
    // SAFETY: the word and the timespec outlive the call; without FUTEX_PRIVATE_FLAG the kernel keys the wait by the
    // page behind the address, so any process may wake it.
    let status = unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT_BITSET,
            expected,
            &raw const limit,
            ptr::null::<u32>(),
            group,
        )
    };
    if status == 0 {
        return Ok(());
    }
    let err = io::Error::last_os_error();
    match err.raw_os_error() {
        Some(libc::EAGAIN) => Ok(()), // the word had changed before the kernel looked
        Some(libc::ETIMEDOUT) => Err(io::ErrorKind::TimedOut.into()),
        _ => Err(err),
    }
}

/// Wakes every process that sleeps on `word`, in whatever group.
pub fn wake_all(word: &AtomicU32) {
    wake(word, i32::MAX);
}

/// Wakes up to `count` processes that sleep on `word`.
pub fn wake(word: &AtomicU32, count: i32) {
    wake_group(word, count, ANY);
}

/// Wakes up to `count` processes that sleep on `word`, those in one of these groups.
pub fn wake_group(word: &AtomicU32, count: i32, groups: u32) {
    // SAFETY: FUTEX_WAKE_BITSET reads nothing behind the address, it only looks up who sleeps there.
    unsafe {
        let (none, op) = (ptr::null::<u8>(), libc::FUTEX_WAKE_BITSET);
        libc::syscall(libc::SYS_futex, word.as_ptr(), op, count, none, none, groups);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_word_does_not_sleep() {
        wait(&AtomicU32::new(1), 2, Duration::from_secs(60)).unwrap();
    }

    #[test]
    fn running_out_of_time_is_told_apart() {
        let err = wait(&AtomicU32::new(1), 1, Duration::from_millis(1)).unwrap_err();
        assert_eq!(err.kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn a_group_is_woken_alone() {
        use std::sync::atomic::Ordering::SeqCst;
        let word = AtomicU32::new(0);
        let woken = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for group in [1, 2] {
                let (word, woken) = (&word, &woken);
                scope.spawn(move || {
                    wait_in(word, 0, Duration::from_secs(60), group).unwrap();
                    woken.fetch_add(group, SeqCst);
                });
            }
            while woken.load(SeqCst) == 0 {
                wake_group(&word, 9, 2);
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(20));
            assert_eq!(woken.load(SeqCst), 2);
            while woken.load(SeqCst) != 3 {
                wake_all(&word);
            }
        });
    }

    #[test]
    fn a_group_runs_out_of_time_too() {
        let err = wait_in(&AtomicU32::new(1), 1, Duration::from_millis(1), 1).unwrap_err();
        assert_eq!(err.kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn a_wake_reaches_a_sleeper() {
        use std::sync::atomic::Ordering::SeqCst;
        let word = AtomicU32::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while word.load(SeqCst) == 0 {
                    wait(&word, 0, Duration::from_secs(60)).unwrap();
                }
            });
            word.store(1, SeqCst);
            wake_all(&word);
        });
    }
}

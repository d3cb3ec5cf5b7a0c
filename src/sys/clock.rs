//! The cheap clock: good to a few milliseconds, read without entering the kernel.

/// Nanoseconds of `CLOCK_MONOTONIC_COARSE`: never goes back, moves with the kernel's tick (1 to 10 ms), and costs a few
/// nanoseconds because the vDSO answers. 0 on a kernel that lacks it, which then means "no time passes".
pub fn coarse_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel fills a timespec we hold exclusively.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut now) };
    let (sec, nsec) = (u64::try_from(now.tv_sec).unwrap_or(0), u64::try_from(now.tv_nsec).unwrap_or(0));
    sec.saturating_mul(1_000_000_000).saturating_add(nsec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_moves_forward() {
        let before = coarse_ns();
        std::thread::sleep(std::time::Duration::from_millis(30));
        assert!(coarse_ns() > before);
    }
}

//! Clocks, read without entering the kernel: a cheap one good to a few milliseconds, an exact one, one for guesses alone.

use std::time::Duration;

#[inline]
fn read(clock: libc::clockid_t) -> libc::timespec {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel fills a timespec we hold exclusively.
    unsafe { libc::clock_gettime(clock, &raw mut now) };
    now
}

/// Nanoseconds of `CLOCK_MONOTONIC_COARSE`: never goes back, moves with the kernel's tick (1 to 10 ms), and costs a few
/// nanoseconds because the vDSO answers. 0 on a kernel that lacks it, which then means "no time passes".
#[inline]
pub fn coarse_ns() -> u64 {
    let now = read(libc::CLOCK_MONOTONIC_COARSE);
    (now.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(now.tv_nsec as u64) // both small: time since the start
}

/// `CLOCK_MONOTONIC`, for calls of the kernel that take an absolute time.
pub fn monotonic() -> Duration {
    let now = read(libc::CLOCK_MONOTONIC);
    Duration::new(now.tv_sec.try_into().unwrap_or(0), now.tv_nsec.try_into().unwrap_or(0))
}

/// Ticks of the processor's counter: tens of times cheaper than a system clock, of no fixed unit, and not the same on
/// all processors. For decisions that may be wrong now and then.
#[inline]
#[must_use]
pub fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction, and Linux allows it in user mode.
    unsafe {
        std::arch::x86_64::_rdtsc()
    }
    #[cfg(target_arch = "aarch64")]
    {
        let ticks: u64;
        // SAFETY: reads the virtual counter, which Linux allows in user mode.
        unsafe { std::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
        ticks
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        use std::time::{SystemTime, UNIX_EPOCH};
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
    }
}

/// About this many ticks pass in some microseconds.
pub const FEW_MICROSECONDS: u64 = if cfg!(target_arch = "aarch64") { 100 } else { 10_000 };

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

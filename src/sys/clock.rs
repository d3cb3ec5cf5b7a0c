//! The processor's own clock, for guesses about how much time has passed.

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

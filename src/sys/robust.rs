//! Process-shared robust mutexes (pthread_mutexattr_setrobust(3)): the kernel itself marks the lock of an owner that
//! died, by whatever signal and at whatever instruction.

use std::io;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

const PTHREAD_MUTEX_ROBUST: libc::c_int = 1;

unsafe extern "C" {
    fn pthread_mutexattr_setrobust(attr: *mut libc::pthread_mutexattr_t, robust: libc::c_int) -> libc::c_int;
    fn pthread_mutex_consistent(mutex: *mut libc::pthread_mutex_t) -> libc::c_int;
    #[cfg(target_env = "gnu")]
    fn pthread_mutex_clocklock(
        mutex: *mut libc::pthread_mutex_t,
        clock: libc::clockid_t,
        limit: *const libc::timespec,
    ) -> libc::c_int;
    #[cfg(not(target_env = "gnu"))]
    fn pthread_mutex_timedlock(mutex: *mut libc::pthread_mutex_t, limit: *const libc::timespec) -> libc::c_int;
}

/// Which C library's mutex this is: its bytes mean nothing to another one. The value is part of a segment's layout.
#[must_use]
pub const fn abi() -> u64 {
    let libc_id = if cfg!(target_env = "gnu") {
        1
    } else if cfg!(target_env = "musl") {
        2
    } else {
        3
    };
    libc_id | (size_of::<libc::pthread_mutex_t>() as u64) << 8 | (size_of::<usize>() as u64) << 32
}

/// How the lock was got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acquired {
    /// Its last holder had released it.
    Clean,
    /// Its last holder died with it: repair what it guards, then call [`Mutex::make_consistent`].
    OwnerDied,
}

/// Why the lock was not got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// Another thread holds it (and the time is over).
    Busy,
    /// This very thread holds it.
    AlreadyHeld,
    /// Somebody released it without repairing what a dead holder left: nobody gets it any more.
    NotRecoverable,
    /// Anything else: the errno, which means that these bytes are no mutex.
    Other(i32),
}

/// A robust, error-checking mutex that lives in shared memory.
#[derive(Debug, Clone, Copy)]
pub struct Mutex<'m> {
    at: NonNull<libc::pthread_mutex_t>,
    memory: PhantomData<&'m ()>,
}

impl<'m> Mutex<'m> {
    /// The mutex that lives in these words, which nobody may use as words; None when they are too few. They must be
    /// writable, as for every store.
    #[must_use]
    pub fn over(words: &'m [AtomicU64]) -> Option<Self> {
        let fits = size_of_val(words) >= size_of::<libc::pthread_mutex_t>();
        let aligned = words.as_ptr().addr().is_multiple_of(align_of::<libc::pthread_mutex_t>());
        // SAFETY: large enough, aligned and borrowed for the whole lifetime; atomics may be written through a shared
        // reference, and what the C library does there is atomic wherever others look.
        (fits && aligned).then(|| unsafe { Mutex::at(NonNull::from(words).cast()) })
    }
}

impl Mutex<'_> {
    /// # Safety
    /// `at` is aligned, writable shared memory for the whole lifetime, used as a mutex by this type alone.
    pub(super) unsafe fn at(at: NonNull<libc::pthread_mutex_t>) -> Self {
        Mutex { at, memory: PhantomData }
    }

    /// pthread_mutex_init(3) over whatever is there. Nobody else may use the mutex yet.
    ///
    /// # Errors
    /// ENOMEM, ENOTSUP.
    pub fn init(self) -> io::Result<()> {
        let check = |status| if status == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(status)) };
        let mut attr = MaybeUninit::<libc::pthread_mutexattr_t>::uninit();
        // SAFETY: initialises the place it is given.
        check(unsafe { libc::pthread_mutexattr_init(attr.as_mut_ptr()) })?;
        // SAFETY: `attr` is initialised, and stays so for the three calls below.
        check(unsafe { libc::pthread_mutexattr_setpshared(attr.as_mut_ptr(), libc::PTHREAD_PROCESS_SHARED) })?;
        // SAFETY: as above.
        check(unsafe { pthread_mutexattr_setrobust(attr.as_mut_ptr(), PTHREAD_MUTEX_ROBUST) })?;
        // SAFETY: as above.
        check(unsafe { libc::pthread_mutexattr_settype(attr.as_mut_ptr(), libc::PTHREAD_MUTEX_ERRORCHECK) })?;
        // SAFETY: the memory belongs to this mutex alone (see `at`), the attributes are initialised.
        let status = unsafe { libc::pthread_mutex_init(self.at.as_ptr(), attr.as_ptr()) };
        // SAFETY: `attr` is initialised and not used again.
        unsafe { libc::pthread_mutexattr_destroy(attr.as_mut_ptr()) };
        check(status)
    }

    fn result(status: libc::c_int) -> Result<Acquired, Refused> {
        match status {
            0 => Ok(Acquired::Clean),
            libc::EOWNERDEAD => Ok(Acquired::OwnerDied),
            libc::EBUSY | libc::ETIMEDOUT => Err(Refused::Busy),
            libc::EDEADLK => Err(Refused::AlreadyHeld),
            libc::ENOTRECOVERABLE => Err(Refused::NotRecoverable),
            other => Err(Refused::Other(other)),
        }
    }

    /// pthread_mutex_trylock(3). `Busy` also when this thread holds it: [`Mutex::lock_for`] tells.
    ///
    /// # Errors
    /// See [`Refused`].
    #[inline]
    pub fn try_lock(self) -> Result<Acquired, Refused> {
        // SAFETY: the mutex lives as long as self and was initialised before the segment was published.
        Self::result(unsafe { libc::pthread_mutex_trylock(self.at.as_ptr()) })
    }

    /// Sleeps for the lock, at most `time` by the monotonic clock. Signals do not end the wait.
    ///
    /// # Errors
    /// `Busy` when the time is over; `AlreadyHeld` at once when this thread has it.
    pub fn lock_for(self, time: Duration) -> Result<Acquired, Refused> {
        #[cfg(target_env = "gnu")]
        let clock = libc::CLOCK_MONOTONIC;
        // Other C libraries can only wait by the wall clock; callers ask for short times and watch the monotonic one.
        #[cfg(not(target_env = "gnu"))]
        let clock = libc::CLOCK_REALTIME;
        let mut limit = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: fills the place it is given.
        unsafe { libc::clock_gettime(clock, &raw mut limit) };
        limit.tv_sec = limit.tv_sec.saturating_add(time.as_secs().try_into().unwrap_or(libc::time_t::MAX));
        limit.tv_nsec += libc::c_long::from(time.subsec_nanos().cast_signed());
        if limit.tv_nsec >= 1_000_000_000 {
            limit.tv_nsec -= 1_000_000_000;
            limit.tv_sec = limit.tv_sec.saturating_add(1);
        }
        // SAFETY: as for try_lock; the limit outlives the call.
        #[cfg(target_env = "gnu")]
        let status = unsafe { pthread_mutex_clocklock(self.at.as_ptr(), clock, &raw const limit) };
        // SAFETY: as for try_lock; the limit outlives the call.
        #[cfg(not(target_env = "gnu"))]
        let status = unsafe { pthread_mutex_timedlock(self.at.as_ptr(), &raw const limit) };
        Self::result(status)
    }

    /// pthread_mutex_consistent(3): what a dead holder left is repaired.
    ///
    /// # Errors
    /// EINVAL when the lock was not got as `OwnerDied`.
    pub fn make_consistent(self) -> io::Result<()> {
        // SAFETY: as for try_lock.
        let status = unsafe { pthread_mutex_consistent(self.at.as_ptr()) };
        if status == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(status)) }
    }

    /// pthread_mutex_unlock(3). A thread that does not hold it changes nothing.
    #[inline]
    pub fn unlock(self) {
        // SAFETY: as for try_lock; an error-checking mutex looks at its owner itself.
        unsafe { libc::pthread_mutex_unlock(self.at.as_ptr()) };
    }
}

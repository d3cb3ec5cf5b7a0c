//! The semaphore of PHP's sem_get(), so that old code with sem_acquire() and new code exclude each other.
//!
//! ext/sysvsem makes a set of three: 0 is the semaphore, 1 counts its users, 2 guards the moment in which the first
//! user sets 0 to its maximum. All operations carry `SEM_UNDO`: the kernel takes them back when a process dies.

use std::io;
use std::time::Duration;

use super::error::ShmError;
use super::key::Key;
use crate::sys::fork;
use crate::sys::sem::{Step, operate, semget, set_value, value};

const LOCK: u16 = 0;
const USERS: u16 = 1;
const SETTING: u16 = 2;

const fn step(number: u16, add: i16) -> Step {
    Step { number, add, undo: true }
}

/// One user of the semaphore.
#[derive(Debug)]
pub struct OldSemaphore {
    id: i32,
    key: String,
    born: u64,
}

impl OldSemaphore {
    /// As sem_get($key, 1, $mode).
    ///
    /// # Errors
    /// The system call that failed.
    pub fn open(key: &Key, mode: i32) -> Result<Self, ShmError> {
        let text = format!("semaphore {}", key.text());
        let failed = |op| {
            let key = text.clone();
            move |source| ShmError::Io { op, key, source, advice: String::new() }
        };
        let id = semget(key.raw(), 3, mode | libc::IPC_CREAT).map_err(failed("semget"))?;
        let wait = Step { number: SETTING, add: 0, undo: false };
        loop {
            match operate(id, &[wait, step(SETTING, 1), step(USERS, 1)], None) {
                Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
                other => break other.map_err(failed("semop"))?,
            }
        }
        let first = value(id, USERS.into()).map_err(failed("semctl"))? == 1;
        let set = if first { set_value(id, LOCK.into(), 1) } else { Ok(()) };
        operate(id, &[step(SETTING, -1)], None).map_err(failed("semop"))?;
        set.map_err(failed("semctl"))?;
        Ok(OldSemaphore { id, key: text, born: fork::generation() })
    }

    /// One try to get it within `limit`; false when the time is over or a signal came.
    ///
    /// # Errors
    /// The semaphore is gone.
    pub(super) fn acquire(&self, limit: Duration) -> Result<bool, ShmError> {
        match operate(self.id, &[step(LOCK, -1)], Some(limit)) {
            Ok(()) => Ok(true),
            Err(err) if matches!(err.raw_os_error(), Some(libc::EAGAIN | libc::EINTR)) => Ok(false),
            Err(source) => Err(ShmError::Io { op: "semop", key: self.key.clone(), source, advice: String::new() }),
        }
    }

    pub(super) fn release(&self) {
        // It can only fail when the set has been removed, and then nobody waits for it.
        let _ = operate(self.id, &[step(LOCK, 1)], None);
    }
}

impl Drop for OldSemaphore {
    fn drop(&mut self) {
        if self.born == fork::generation() {
            // A child did not inherit the kernel's undo, so it is no user of its own. As for the error: see release.
            let _ = operate(self.id, &[step(USERS, -1)], Some(Duration::ZERO));
        }
    }
}

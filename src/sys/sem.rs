//! System V semaphores: semget(2), semtimedop(2), semctl(2).

use std::io;
use std::time::Duration;

unsafe extern "C" {
    fn semtimedop(
        id: libc::c_int,
        ops: *mut libc::sembuf,
        count: libc::size_t,
        limit: *const libc::timespec,
    ) -> libc::c_int;
}

/// One step of an atomic group: `add` to semaphore `number`, or wait for 0 with `add` = 0.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// Which semaphore of the set.
    pub number: u16,
    /// What is added; negative waits until it is there.
    pub add: i16,
    /// True: the kernel takes it back when the process ends (`SEM_UNDO`).
    pub undo: bool,
}

/// semget(2).
///
/// # Errors
/// EACCES, EINVAL (fewer semaphores in the set), ENOSPC (limits), ENOENT, ENOSYS.
pub fn semget(key: i32, count: i32, flags: i32) -> io::Result<i32> {
    // SAFETY: touches no memory of ours.
    let id = unsafe { libc::semget(key, count, flags) };
    if id < 0 { Err(io::Error::last_os_error()) } else { Ok(id) }
}

/// semtimedop(2): all steps or none, waiting at most `limit`; None waits as long as it takes.
///
/// # Errors
/// EAGAIN when the time is over; EINTR; EIDRM and EINVAL when the set is gone.
pub fn operate(id: i32, steps: &[Step], limit: Option<Duration>) -> io::Result<()> {
    let mut ops: Vec<libc::sembuf> = steps
        .iter()
        .map(|step| libc::sembuf {
            sem_num: step.number,
            sem_op: step.add,
            sem_flg: if step.undo { libc::SEM_UNDO as _ } else { 0 },
        })
        .collect();
    let limit = limit.map(|time| libc::timespec {
        tv_sec: time.as_secs().try_into().unwrap_or(libc::time_t::MAX),
        tv_nsec: time.subsec_nanos().into(),
    });
    let limit = limit.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the steps and the limit outlive the call; the kernel only reads them.
    let status = unsafe { semtimedop(id, ops.as_mut_ptr(), ops.len(), limit) };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// semctl(2), `GETVAL`.
///
/// # Errors
/// EACCES, EIDRM, EINVAL.
pub fn value(id: i32, number: i32) -> io::Result<i32> {
    // SAFETY: GETVAL takes no fourth argument.
    let value = unsafe { libc::semctl(id, number, libc::GETVAL) };
    if value < 0 { Err(io::Error::last_os_error()) } else { Ok(value) }
}

/// semctl(2), `SETVAL`.
///
/// # Errors
/// EACCES, EIDRM, EINVAL, ERANGE.
pub fn set_value(id: i32, number: i32, value: i32) -> io::Result<()> {
    // SAFETY: SETVAL's fourth argument is the first member of union semun, an int; every Linux calling convention
    // passes it as a variadic int.
    let status = unsafe { libc::semctl(id, number, libc::SETVAL, value) };
    if status < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

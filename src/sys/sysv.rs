//! System V shared memory: shmget(2), shmat(2), shmctl(2).

use std::io;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use super::robust::Mutex;

/// Linux' numbers for shmctl(2) that the C library's headers hide behind feature macros.
const SHM_STAT: i32 = 13;
const SHM_INFO: i32 = 14;
const SHM_STAT_ANY: i32 = 15;
const IPC_INFO: i32 = 3;
const SHM_DEST: u32 = 0o1000;

/// What the kernel knows of a segment (shmctl(2), `IPC_STAT`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// The segment's id.
    pub id: i32,
    /// Its key; 0 once it has been removed.
    pub key: i32,
    /// Size in bytes as asked for at creation: the only bound of every access.
    pub size: usize,
    /// Permission bits, without the kernel's own flags.
    pub mode: u32,
    /// True when it was removed and lives on only for those who are attached.
    pub removed: bool,
    /// Effective user of the owner.
    pub uid: u32,
    /// Effective group of the owner.
    pub gid: u32,
    /// User of the creator.
    pub cuid: u32,
    /// How many mappings exist, kept by the kernel through every kind of death.
    pub attached: u64,
}

/// Limits and use of System V shared memory in this IPC namespace (shmctl(2), `IPC_INFO`, `SHM_INFO`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// kernel.shmmax: bytes of one segment.
    pub max_bytes: u64,
    /// kernel.shmmni: number of segments.
    pub max_segments: u64,
    /// kernel.shmall: pages of all segments.
    pub max_pages: u64,
    /// Segments in use.
    pub segments: u64,
    /// Pages in use.
    pub pages: u64,
}

#[repr(C)]
struct ShmInfo {
    used_ids: i32,
    shm_tot: libc::c_ulong,
    rest: [libc::c_ulong; 4],
}

#[repr(C)]
struct ShmLimits {
    shmmax: libc::c_ulong,
    shmmin: libc::c_ulong,
    shmmni: libc::c_ulong,
    shmseg: libc::c_ulong,
    shmall: libc::c_ulong,
    unused: [libc::c_ulong; 4],
}

/// shmget(2).
///
/// # Errors
/// EEXIST, ENOENT, EACCES, EINVAL (size), ENOSPC and ENOMEM (limits), ENOSYS and EPERM (no System V IPC here).
pub fn shmget(key: i32, size: usize, flags: i32) -> io::Result<i32> {
    // SAFETY: touches no memory of ours.
    let id = unsafe { libc::shmget(key, size, flags) };
    if id < 0 { Err(io::Error::last_os_error()) } else { Ok(id) }
}

fn control(id: i32, command: i32, buf: *mut libc::shmid_ds) -> io::Result<i32> {
    // SAFETY: every caller passes a place as large as its command fills or reads, or none for a command without one.
    let status = unsafe { libc::shmctl(id, command, buf) };
    if status < 0 { Err(io::Error::last_os_error()) } else { Ok(status) }
}

fn raw_stat(id: i32, command: i32) -> io::Result<(i32, libc::shmid_ds)> {
    let mut buf = MaybeUninit::<libc::shmid_ds>::zeroed();
    let status = control(id, command, buf.as_mut_ptr())?;
    // SAFETY: zeroed is a valid shmid_ds (integers only), and the kernel has filled it.
    Ok((status, unsafe { buf.assume_init() }))
}

fn stat_of(id: i32, raw: &libc::shmid_ds) -> Stat {
    // SAFETY: the key is the first field of ipc_perm in every Linux C library; its name there is not always the same.
    let key = unsafe { (&raw const raw.shm_perm).cast::<i32>().read() };
    let mode = u32::from(raw.shm_perm.mode);
    Stat {
        id,
        key,
        size: raw.shm_segsz,
        mode: mode & 0o777,
        removed: mode & SHM_DEST != 0,
        uid: raw.shm_perm.uid,
        gid: raw.shm_perm.gid,
        cuid: raw.shm_perm.cuid,
        attached: raw.shm_nattch,
    }
}

/// shmctl(2), `IPC_STAT`.
///
/// # Errors
/// EACCES without read permission; EIDRM and EINVAL when the id is gone.
pub fn stat(id: i32) -> io::Result<Stat> {
    raw_stat(id, libc::IPC_STAT).map(|(_, raw)| stat_of(id, &raw))
}

/// shmctl(2), `SHM_STAT`, or `SHM_STAT_ANY` that needs no permission (Linux 4.17): the segment in row `index` of the
/// kernel's table.
///
/// # Errors
/// EINVAL for an empty row or an unknown command; EACCES.
pub fn stat_row(index: i32, any: bool) -> io::Result<Stat> {
    let (id, raw) = raw_stat(index, if any { SHM_STAT_ANY } else { SHM_STAT })?;
    Ok(stat_of(id, &raw))
}

/// The highest used row of the kernel's table, and what is in use (shmctl(2), `SHM_INFO` and `IPC_INFO`).
///
/// # Errors
/// ENOSYS where there is no System V IPC.
pub fn limits() -> io::Result<(i32, Limits)> {
    let mut used = ShmInfo { used_ids: 0, shm_tot: 0, rest: [0; 4] };
    let highest = control(0, SHM_INFO, (&raw mut used).cast())?;
    let mut set = ShmLimits { shmmax: 0, shmmin: 0, shmmni: 0, shmseg: 0, shmall: 0, unused: [0; 4] };
    control(0, IPC_INFO, (&raw mut set).cast())?;
    let limits = Limits {
        max_bytes: set.shmmax,
        max_segments: set.shmmni,
        max_pages: set.shmall,
        segments: u64::from(used.used_ids.unsigned_abs()),
        pages: used.shm_tot,
    };
    Ok((highest, limits))
}

/// shmctl(2), `IPC_RMID`: the key is free at once, the memory when the last process has detached.
///
/// # Errors
/// EPERM unless owner, creator or privileged; EIDRM and EINVAL when it is gone already.
pub fn remove(id: i32) -> io::Result<()> {
    control(id, libc::IPC_RMID, ptr::null_mut()).map(drop)
}

/// Asks the kernel whether this process could [`remove`] the segment: sets its owner and mode to what they are, which
/// needs the same right and changes nothing but the time of change.
///
/// # Errors
/// As for [`remove`], and EACCES.
pub fn may_remove(id: i32) -> io::Result<()> {
    let (_, mut raw) = raw_stat(id, libc::IPC_STAT)?;
    raw.shm_perm.mode &= 0o777;
    control(id, libc::IPC_SET, &raw mut raw).map(drop)
}

/// A mapped segment, detached when dropped. Others write to it at any time, so no reference to its bytes is ever given
/// out: words are atomics, blocks are copied.
#[derive(Debug)]
pub struct Attachment {
    base: NonNull<u8>,
    len: usize,
    writable: bool,
}

impl Attachment {
    /// shmat(2) of the whole segment at an address of the kernel's choice; the bound is the size the kernel gives.
    ///
    /// # Errors
    /// EACCES, EIDRM, EINVAL, ENOMEM.
    pub fn new(id: i32, writable: bool) -> io::Result<Self> {
        // SAFETY: no address is asked for, so nothing of ours is replaced.
        let base = unsafe { libc::shmat(id, ptr::null(), if writable { 0 } else { libc::SHM_RDONLY }) };
        if base.addr() == usize::MAX {
            return Err(io::Error::last_os_error());
        }
        let Some(base) = NonNull::new(base.cast::<u8>()) else {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        };
        let mut attachment = Attachment { base, len: 0, writable };
        attachment.len = stat(id)?.size;
        Ok(attachment)
    }

    /// Size in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never: the kernel knows no segment of 0 bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// False after a read-only attach: a store would be a SIGSEGV, so there is no way to make one.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        self.writable
    }

    /// All whole 64-bit words. Of a read-only attachment only loads may be made: see [`Attachment::is_writable`].
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: the mapping starts at a page border, is `len` bytes long and stays until self is dropped; atomics may
        // be shared with every other process, and any bit pattern is a valid u64.
        unsafe { slice::from_raw_parts(self.base.as_ptr().cast(), self.len / 8) }
    }

    /// The mutex in the `size_of::<Mutex>` bytes at `offset`; None when they are not inside or the mapping is read-only.
    #[must_use]
    pub fn mutex(&self, offset: usize) -> Option<Mutex<'_>> {
        let end = offset.checked_add(size_of::<libc::pthread_mutex_t>())?;
        if !self.writable || end > self.len || !offset.is_multiple_of(align_of::<libc::pthread_mutex_t>()) {
            return None;
        }
        // SAFETY: offset and size were checked against the mapping, which outlives the borrow.
        Some(unsafe { Mutex::at(self.base.add(offset).cast()) })
    }

    fn range(&self, offset: usize, len: usize) -> Option<NonNull<u8>> {
        let end = offset.checked_add(len)?;
        // SAFETY: the offset is inside the mapping or one past its end.
        (end <= self.len).then(|| unsafe { self.base.add(offset) })
    }

    /// Copies bytes out; false when the range is not inside the segment. What others write meanwhile may be seen in
    /// part: the caller's protocol tells.
    #[must_use]
    pub fn copy_out(&self, offset: usize, to: &mut [MaybeUninit<u8>]) -> bool {
        let Some(from) = self.range(offset, to.len()) else { return false };
        fence(Ordering::Acquire);
        // SAFETY: the range was checked, the target is exclusive memory of the same length elsewhere.
        unsafe { ptr::copy_nonoverlapping(from.as_ptr(), to.as_mut_ptr().cast(), to.len()) };
        fence(Ordering::Acquire);
        true
    }

    /// Copies bytes in; false when the range is not inside the segment or the mapping is read-only.
    #[must_use]
    pub fn copy_in(&self, offset: usize, from: &[u8]) -> bool {
        let Some(to) = self.range(offset, from.len()).filter(|_| self.writable) else { return false };
        fence(Ordering::Release);
        // SAFETY: the range was checked and is writable; `from` is memory of ours, which never overlaps the mapping.
        unsafe { ptr::copy_nonoverlapping(from.as_ptr(), to.as_ptr(), from.len()) };
        fence(Ordering::Release);
        true
    }

    /// Copies bytes inside the segment; false when a range is not inside it or the mapping is read-only.
    #[must_use]
    pub fn copy_within(&self, from: usize, to: usize, len: usize) -> bool {
        let (Some(from), Some(to)) = (self.range(from, len), self.range(to, len)) else { return false };
        if !self.writable {
            return false;
        }
        fence(Ordering::AcqRel);
        // SAFETY: both ranges were checked and the mapping is writable; ptr::copy allows them to overlap.
        unsafe { ptr::copy(from.as_ptr(), to.as_ptr(), len) };
        fence(Ordering::AcqRel);
        true
    }
}

impl Drop for Attachment {
    fn drop(&mut self) {
        // SAFETY: the address is the one shmat gave, and nothing borrowed from self outlives it. Nobody drops a mapping
        // whose mutex it holds: the guard borrows it.
        unsafe { libc::shmdt(self.base.as_ptr().cast()) };
    }
}

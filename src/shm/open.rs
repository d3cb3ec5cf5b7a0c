//! Opening and creating segments of the real kernel: see [`life`](super::life) for the protocol.

use std::cell::{Cell, RefCell};
use std::io;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::error::{BadArgument, Kind, ShmError};
use super::handle::Handle;
use super::hazard::make_entries;
use super::key::Key;
use super::layout::{self, Header, REMOVED, mutex_byte, trailer, trailer_word};
use super::life::{Attempt, Kernel, attempt};
use super::lock::Wait;
use super::memory::{Memory, Words, sure};
use crate::sys::sysv::{self, Attachment};
use crate::sys::{fork, namespace, robust};

/// How long a maker may take before its death is looked into.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long an unpublished segment of another size is taken for one that is being made.
const FOREIGN_AFTER: Duration = Duration::from_millis(200);
/// How long an opener waits in all.
const GIVE_UP: Duration = Duration::from_secs(5);

/// What is asked for.
#[derive(Debug)]
pub(super) struct Wanted {
    pub key: Key,
    pub kind: Kind,
    /// None: whatever it has, and it must exist.
    pub capacity: Option<usize>,
    pub mode: i32,
    pub writable: bool,
}

struct Attached {
    id: i32,
    map: Attachment,
    trailer: Option<usize>,
}

struct Real<'w> {
    wanted: &'w Wanted,
    attached: RefCell<Option<Attached>>,
    made: Cell<Option<i32>>,
}

/// Permission bits for a new segment.
///
/// # Errors
/// When its owner could not use it, or for bits that are no permissions.
pub fn mode(mode: i64) -> Result<i32, BadArgument> {
    i32::try_from(mode).ok().filter(|mode| mode & !0o777 == 0 && mode & 0o600 == 0o600).ok_or(BadArgument::Mode)
}

fn failed(op: &'static str, key: &Key, source: io::Error) -> ShmError {
    let advice = match source.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => permission_advice(key),
        Some(libc::ENOSPC | libc::ENOMEM | libc::EINVAL) => limit_advice(),
        Some(libc::ENOSYS) => "; this kernel or container has no System V shared memory".into(),
        _ => String::new(),
    };
    ShmError::Io { op, key: key.text(), source, advice }
}

fn permission_advice(key: &Key) -> String {
    let me = nix::unistd::geteuid();
    match super::listing::row_of(key.raw()) {
        Some(stat) => format!(
            "; it belongs to user {} group {} with mode 0{:o}, and this process runs as user {me}: run both as one user, create it with a wider mode, or open it read-only",
            stat.uid, stat.gid, stat.mode
        ),
        None => format!(" (as user {me}; a container's seccomp profile may forbid it)"),
    }
}

fn limit_advice() -> String {
    match sysv::limits() {
        Ok((_, limits)) => format!(
            "; the limits are kernel.shmmax = {} bytes, kernel.shmmni = {} segments ({} in use), kernel.shmall = {} pages ({} in use): raise them with sysctl, or remove what nobody uses (ipcs -m, ipcrm -m ID)",
            limits.max_bytes, limits.max_segments, limits.segments, limits.max_pages, limits.pages
        ),
        Err(_) => String::new(),
    }
}

impl Attached {
    fn is_blank(&self) -> bool {
        self.map.words().iter().all(|word| word.load(SeqCst) == 0)
    }
}

impl Real<'_> {
    fn with<T>(&self, other: T, work: impl FnOnce(&Attached) -> T) -> T {
        self.attached.borrow().as_ref().map_or(other, work)
    }

    fn bytes(&self) -> Option<usize> {
        self.wanted.capacity.map(|capacity| Header::bytes(self.wanted.kind, capacity))
    }

    /// Whether somebody keeps data in a segment that nobody has begun to make: a maker says so before all else.
    fn is_used(&self, id: i32) -> Result<bool, ShmError> {
        if !self.attach(id)? {
            return Ok(false);
        }
        let used = self.with(false, |attached| !attached.is_blank());
        let begun = self.state_word().map_or(Ok(0), |word| self.load(word))? != 0;
        self.detach()?;
        Ok(used && !begun)
    }

    fn flags(&self) -> i32 {
        libc::IPC_CREAT | libc::IPC_EXCL | self.wanted.mode
    }
}

impl Memory for Real<'_> {
    type Stop = ShmError;

    fn load(&self, word: usize) -> Result<u64, ShmError> {
        Ok(self.with(0, |attached| sure(Words(attached.map.words()).load(word))))
    }
    fn store(&self, word: usize, value: u64) -> Result<(), ShmError> {
        self.with((), |attached| sure(Words(attached.map.words()).store(word, value)));
        Ok(())
    }
    fn swap(&self, word: usize, value: u64) -> Result<u64, ShmError> {
        Ok(self.with(0, |attached| sure(Words(attached.map.words()).swap(word, value))))
    }
    fn compare_exchange(&self, word: usize, old: u64, new: u64) -> Result<Result<(), u64>, ShmError> {
        Ok(self.with(Err(0), |attached| {
            if !attached.map.is_writable() {
                return Err(old);
            }
            sure(Words(attached.map.words()).compare_exchange(word, old, new))
        }))
    }
}

impl Kernel for Real<'_> {
    type Stop = ShmError;
    type Id = i32;

    fn find(&self) -> Result<Option<i32>, ShmError> {
        match sysv::shmget(self.wanted.key.raw(), 0, 0) {
            Ok(id) => Ok(Some(id)),
            Err(err) if err.raw_os_error() == Some(libc::ENOENT) => Ok(None),
            Err(err) => Err(failed("shmget", &self.wanted.key, err)),
        }
    }

    fn create(&self) -> Result<Option<i32>, ShmError> {
        let Some(bytes) = self.bytes() else { return Ok(None) };
        match sysv::shmget(self.wanted.key.raw(), bytes, self.flags()) {
            Ok(id) => {
                self.made.set(Some(id));
                Ok(Some(id))
            }
            Err(err) if err.raw_os_error() == Some(libc::EEXIST) => Ok(None),
            Err(err) => Err(failed("shmget", &self.wanted.key, err)),
        }
    }

    fn attach(&self, id: i32) -> Result<bool, ShmError> {
        match Attachment::new(id, self.wanted.writable) {
            Ok(map) => {
                let trailer = trailer_word(map.len());
                self.attached.replace(Some(Attached { id, map, trailer }));
                Ok(true)
            }
            Err(err) if matches!(err.raw_os_error(), Some(libc::EIDRM | libc::EINVAL)) => Ok(false),
            Err(err) => Err(failed("shmat", &self.wanted.key, err)),
        }
    }

    fn detach(&self) -> Result<(), ShmError> {
        self.attached.replace(None);
        Ok(())
    }

    fn alone(&self, id: i32) -> Result<bool, ShmError> {
        Ok(sysv::stat(id).is_ok_and(|stat| stat.attached == 1))
    }

    fn remove(&self, id: i32) -> Result<(), ShmError> {
        match sysv::remove(id) {
            Err(err) if !matches!(err.raw_os_error(), Some(libc::EIDRM | libc::EINVAL)) => {
                Err(failed("shmctl", &self.wanted.key, err))
            }
            _ => Ok(()),
        }
    }

    fn state_word(&self) -> Option<usize> {
        self.with(None, |attached| attached.trailer).map(|trailer| trailer + trailer::STATE)
    }

    fn initialise(&self) -> Result<(), ShmError> {
        let header = Header {
            kind: self.wanted.kind,
            capacity: self.wanted.capacity.unwrap_or(0),
            generation: now(),
            abi: robust::abi(),
            pid_namespace: namespace::pid_namespace().unwrap_or(0),
            key: self.wanted.key.clone(),
        };
        let attached = self.attached.borrow();
        let Some(Attached { map, trailer: Some(at), .. }) = attached.as_ref() else { return Ok(()) };
        let words = Words(map.words());
        for word in at + trailer::STATE + 1..map.words().len() {
            sure(words.store(word, 0));
        }
        header.write(words, *at);
        if header.kind == Kind::Counters {
            let layout = layout::Counters::new(header.capacity);
            sure(words.store(layout.named_from(), layout.slots as u64));
            make_entries(words, &layout).map_err(|err| failed("pthread_mutex_init", &self.wanted.key, err))?;
        }
        if let Some(mutex) = map.mutex(mutex_byte(*at)) {
            mutex.init().map_err(|err| failed("pthread_mutex_init", &self.wanted.key, err))?;
        }
        Ok(())
    }

    fn looks_made(&self) -> Result<bool, ShmError> {
        Ok(self.with(true, |attached| {
            let like = |trailer| Header::may_become(Words(attached.map.words()), trailer, &self.wanted.key);
            attached.trailer.is_none_or(like)
        }))
    }

    fn may_make(&self, state: u64) -> Result<bool, ShmError> {
        Ok(self.with(false, |attached| {
            self.bytes() == Some(attached.map.len())
                && (state != 0 || self.made.get() == Some(attached.id) || attached.is_blank())
        }))
    }
}

fn now() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Opens the segment, or creates it when a capacity is given.
///
/// # Errors
/// Every way in which it is not usable: see [`ShmError`].
pub(super) fn obtain(wanted: Wanted) -> Result<Handle, ShmError> {
    fork::watch().map_err(|err| failed("pthread_atfork", &wanted.key, err))?;
    let real = Real { wanted: &wanted, attached: RefCell::new(None), made: Cell::new(None) };
    let start = Instant::now();
    let (mut stuck, mut looked) = ((0, start), false);
    loop {
        match attempt(&real, wanted.capacity.is_some(), stuck.1.elapsed() > PATIENCE)? {
            Attempt::Ready(id) => return ready(&real, id),
            Attempt::Foreign(id) => return Err(foreign(&real, id)),
            Attempt::Damaged(_) => {
                return Err(ShmError::Damaged { key: wanted.key.text(), what: "being made, by nobody" });
            }
            Attempt::Missing => return Err(ShmError::Missing { key: wanted.key.text() }),
            Attempt::Changed if start.elapsed() < GIVE_UP => stuck = (0, Instant::now()),
            Attempt::Changed => return Err(ShmError::Missing { key: wanted.key.text() }),
            Attempt::Again(id, state) => {
                if stuck.0 != state {
                    stuck = (state, Instant::now());
                }
                if state == 0 && !looked && start.elapsed() > FOREIGN_AFTER {
                    looked = true;
                    let other_size =
                        real.bytes().is_some_and(|bytes| sysv::stat(id).is_ok_and(|stat| stat.size != bytes));
                    if other_size || real.is_used(id)? {
                        return Err(foreign(&real, id));
                    }
                }
                if start.elapsed() > GIVE_UP {
                    return Err(match state {
                        0 => foreign(&real, id),
                        _ => ShmError::Unfinished { key: wanted.key.text(), id, seconds: GIVE_UP.as_secs() },
                    });
                }
                // Openers that wait together must not always find each other attached.
                let spread = u64::from(std::process::id() % 13) * 100 + u64::from(start.elapsed().subsec_nanos() % 977);
                thread::sleep(Duration::from_micros(500 + spread));
            }
        }
    }
}

fn foreign(real: &Real<'_>, id: i32) -> ShmError {
    let size = real.with(0, |attached| attached.map.len());
    let size = if size > 0 { size } else { sysv::stat(id).map_or(0, |stat| stat.size) };
    ShmError::Foreign { key: real.wanted.key.text(), id, size }
}

fn ready(real: &Real<'_>, id: i32) -> Result<Handle, ShmError> {
    let wanted = real.wanted;
    let Some(Attached { map, trailer: Some(trailer), .. }) = real.attached.take() else {
        return Err(ShmError::Foreign { key: wanted.key.text(), id, size: 0 });
    };
    let header = Header::read(Words(map.words()), trailer, map.len(), &wanted.key)?;
    if header.key != wanted.key {
        return Err(ShmError::Collision { wanted: wanted.key.text(), found: header.key.text() });
    }
    if header.kind != wanted.kind {
        return Err(ShmError::OtherKind { key: wanted.key.text(), found: header.kind, wanted: wanted.kind });
    }
    if let Some(capacity) = wanted.capacity.filter(|capacity| *capacity != header.capacity) {
        let unit = if header.kind == Kind::Counters { "counters" } else { "bytes" };
        return Err(ShmError::OtherCapacity { key: wanted.key.text(), found: header.capacity, wanted: capacity, unit });
    }
    Ok(Handle::new(map, id, trailer, header))
}

impl Handle {
    /// Removes the segment for everyone: their next calls raise `Removed`, and the key is free.
    ///
    /// # Errors
    /// EPERM, with nothing changed, unless the kernel would let this user remove it; those of the lock, but a damaged
    /// segment is removed without it.
    pub fn destroy(&self) -> Result<(), ShmError> {
        match self.look() {
            Err(err) if !matches!(err, ShmError::Damaged { .. }) => return Err(err),
            _ => {}
        }
        sysv::may_remove(self.id).map_err(|err| failed("shmctl", &self.header.key, err))?;
        let broken = sure(self.words().load(self.trailer + trailer::STATE)) == layout::BROKEN;
        let guard = match if broken { Err(self.damaged("lock")) } else { self.lock(Wait::Usual) } {
            Ok(guard) => Some(guard),
            Err(ShmError::Damaged { .. }) if self.map.is_writable() => None,
            Err(err) => return Err(err),
        };
        sure(self.words().store(self.trailer + trailer::STATE, REMOVED));
        let removed = sysv::remove(self.id);
        drop(guard);
        match removed {
            Err(err) if !matches!(err.raw_os_error(), Some(libc::EIDRM | libc::EINVAL)) => {
                Err(failed("shmctl", &self.header.key, err))
            }
            _ => Ok(()),
        }
    }
}

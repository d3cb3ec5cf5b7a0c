//! SharedCounter and SharedSegment: arguments, one call into the core, its answer.

mod counter;
mod deltas;
mod section;
mod segment;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::error::{self, LOCK_TIMEOUT, SEGMENT};
use super::guard::guard;
use super::paths;
use super::signature::{BadSignature, Method, method};
use super::zend::{
    ExecuteData, Push, Result, Scalar, Set, Thrown, Zval, current_frame, ffi, interrupted, pending, run_interrupt,
    spl_ce_LogicException, zval,
};
use super::zpp::{Args, IntOrStr, value_error};
use crate::shm::error::{BadArgument, Kind, ShmError};
use crate::shm::handle::Handle;
use crate::shm::hooks::{self, Hooks};
use crate::shm::key::Key;
use crate::shm::listing;
use crate::sys::{namespace, sysv};

/// The functions of the namespace.
pub fn functions() -> Vec<Method> {
    vec![method("segments(): array", segments)]
}

/// Registers the classes; module start only.
pub fn register() -> std::result::Result<(), BadSignature> {
    namespace::remember();
    hooks::set(Hooks { context: current_fiber, interrupted: let_handlers_run });
    counter::register()?;
    segment::register()
}

/// End of a request: no lock outlives it.
pub fn request_shutdown() {
    section::release_all();
}

fn current_fiber() -> usize {
    // SAFETY: the executor's globals of this thread exist while PHP code or a handler runs.
    unsafe { (*ffi::ext_php_rs_executor_globals()).active_fiber }.addr()
}

/// While a call waits for a lock and holds none: pcntl's handlers run; true when one has thrown, or when the time limit
/// has passed, for which the engine waits to get control back.
fn let_handlers_run() -> bool {
    interrupted() && (run_interrupt(current_frame()).is_err() || interrupted())
}

/// Where a bad argument of the core stands in the method's list.
#[derive(Clone, Copy)]
struct Positions {
    key: u32,
    size: u32,
    mode: u32,
    counter: u32,
    offset: u32,
    len: u32,
}

/// Of the constructors, and of methods whose only such argument is the first.
const POSITIONS: Positions = Positions { key: 0, size: 1, mode: 2, counter: 0, offset: 0, len: 0 };

#[cold]
fn bad(err: BadArgument, at: Positions) -> Thrown {
    let position = match err {
        BadArgument::PrivateKey | BadArgument::FailedKey | BadArgument::WideKey | BadArgument::KeyLength => at.key,
        BadArgument::Slots | BadArgument::Size => at.size,
        BadArgument::Mode => at.mode,
        BadArgument::Offset(_) => at.offset,
        BadArgument::Length(_) | BadArgument::Data(_) => at.len,
        _ => at.counter,
    };
    value_error(position, &format!("must {err}"))
}

#[cold]
fn thrown(err: ShmError) -> Thrown {
    thrown_at(err, POSITIONS)
}

/// The one map from errors of the core to exceptions.
#[cold]
fn thrown_at(err: ShmError, at: Positions) -> Thrown {
    if pending() {
        return Thrown; // a signal handler has thrown while the call waited
    }
    let message = err.to_string();
    match err {
        ShmError::Argument(err) => bad(err, at),
        ShmError::ManyArgument { .. } => value_error(at.counter, &message),
        ShmError::Io { op, key, source, advice } => {
            let text = format!("{op} {key}: {}{advice}", error::reason(&source));
            let errno = source.raw_os_error().unwrap_or(0).into();
            error::throw(&error::IO, &text, errno, &mut [zval(op), zval(&*key)])
        }
        ShmError::File { op, path, source } => error::io(op, path.as_os_str().as_encoded_bytes(), &source),
        ShmError::Timeout { .. } | ShmError::InFlight { .. } | ShmError::Interrupted { .. } => {
            error::throw(&LOCK_TIMEOUT, &message, 0, &mut [])
        }
        // SAFETY: SPL's and the engine's classes exist before any request.
        ShmError::OtherFiber { .. } => error::throw_class(unsafe { spl_ce_LogicException }, &message),
        // SAFETY: as above.
        ShmError::Overflow { .. } => error::throw_class(unsafe { ffi::zend_ce_arithmetic_error }, &message),
        _ => error::throw(&SEGMENT, &message, 0, &mut []),
    }
}

/// The `$key` of a constructor.
fn key(args: &Args, kind: Kind) -> Result<Key> {
    match args.long_or_str(0)? {
        IntOrStr::Int(number) => Key::number(number),
        IntOrStr::Str(name) => Key::name(name, kind),
    }
    .map_err(|err| bad(err, POSITIONS))
}

/// A path that stays the same when the working directory changes, inside open_basedir.
fn path(args: &Args) -> Result<PathBuf> {
    Ok(OsStr::from_bytes(paths::path(args, 0)?.as_bytes()).into())
}

/// What both classes' info() tell, and what ipcs can't.
fn put_info(handle: &Handle, info: &mut ffi::HashTable) -> Result {
    let stat = handle.stat().map_err(thrown)?;
    let header = handle.header();
    let name = match header.key.name_bytes() {
        [] => Scalar::Null,
        name => name.into(),
    };
    let mut put = |key: &str, value: Scalar| info.put(key.as_bytes(), zval(value));
    put("key", i64::from(header.key.raw()).into());
    put("name", name);
    put("id", i64::from(stat.id).into());
    put("size", (stat.size as u64).into());
    put("attached", stat.attached.into());
    put("mode", i64::from(stat.mode).into());
    put("owner", i64::from(stat.uid).into());
    put("generation", header.generation.into());
    put("created", ((header.generation / 1_000_000_000) as i64).into());
    put("layout", (crate::shm::layout::VERSION).into());
    put("pid_namespace", header.pid_namespace.into());
    put("ipc_namespace", namespace::ipc_namespace().unwrap_or(0).into());
    if let Ok((_, limits)) = sysv::limits() {
        put("max_size", limits.max_bytes.into());
        put("max_segments", limits.max_segments.into());
        put("segments", limits.segments.into());
    }
    Ok(())
}

unsafe extern "C" fn segments(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        Args::new(ex, 0, 0)?;
        let listed = listing::segments().map_err(thrown)?;
        // SAFETY: the engine's return value, which is ours to set.
        let all = unsafe { &mut *rv }.put_array(listed.len());
        for (index, one) in (0..).zip(listed) {
            let mut element = Zval::new();
            let row = element.put_array(8);
            let mut put = |key: &str, value: Scalar| row.put(key.as_bytes(), zval(value));
            put("key", i64::from(one.stat.key).into());
            put("id", i64::from(one.stat.id).into());
            put("kind", one.kind.to_string().as_str().into());
            put("name", if one.name.is_empty() { Scalar::Null } else { (&*one.name).into() });
            put("size", (one.stat.size as u64).into());
            put("attached", one.stat.attached.into());
            put("owner", i64::from(one.stat.uid).into());
            put("mode", i64::from(one.stat.mode).into());
            put("generation", one.generation.into());
            all.put_at(index, element);
        }
        Ok(())
    });
}

//! BatchLogger.
//!
//! What a script appends must reach the file however the script ends, so every living logger is known to the end of the
//! request, which flushes them, and the release of an object does so, too. Neither throws: an error is written to the
//! server's log, once.

mod records;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, CString, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

use crate::log::{Durability, Log, LogError, Options, spool};
use crate::sys::clock;

use super::enums::Enum;
use super::guard::guard;
use super::object::{Native, Slot, init, not_yet, register as register_class, this};
use super::signature::{BadSignature, method};
use super::zend::{ExecuteData, Push, Result, Set, Thrown, Zval, ini, pending, zend_error, zval};
use super::zpp::{Args, in_range, value_error};
use super::{error, ini as entries};

static SYNC: Enum = Enum::new(c"Rustio\\Sync", &[("Never", "never"), ("Batch", "batch"), ("Record", "record")]);
static ON_ERROR: Enum = Enum::new(c"Rustio\\OnError", &[("Raise", "raise"), ("Report", "report")]);

const DURABILITIES: [Durability; 3] = [Durability::Never, Durability::Batch, Durability::Record];
const SYNC_NAMES: [&str; 3] = ["never", "batch", "record"];
const E_WARNING: c_int = 2;
const LOG_WARNING: c_int = 4; // syslog's
/// One warning a minute for one log.
const REPORT_NS: u64 = 60_000_000_000;

unsafe extern "C" {
    fn expand_filepath(path: *const c_char, real: *mut c_char) -> *mut c_char;
    fn php_log_err_with_severity(message: *const c_char, severity: c_int);
}

/// A logger behind its object. Boxed: the list of living loggers points at it.
struct Logger(Box<Inner>);

struct Inner {
    log: Log,
    reports: bool,
    /// An error at the end was told already.
    told: bool,
}

impl Native for Logger {
    const NAME: &'static str = "Rustio\\BatchLogger";

    fn slot() -> &'static Slot<Self> {
        static SLOT: Slot<Logger> = Slot::new();
        &SLOT
    }
}

thread_local! {
    static LIVING: RefCell<Vec<*mut Inner>> = const { RefCell::new(Vec::new()) };
    static REPORTED: RefCell<HashMap<PathBuf, u64>> = RefCell::new(HashMap::new());
}

impl Drop for Logger {
    fn drop(&mut self) {
        let inner: *mut Inner = &raw mut *self.0;
        LIVING.with_borrow_mut(|living| living.retain(|one| *one != inner));
        let result = self.0.log.release();
        self.0.tell(result);
    }
}

impl Inner {
    /// Where no exception can go.
    fn tell(&mut self, result: std::result::Result<(), LogError>) {
        let Err(err) = result else { return };
        if std::mem::replace(&mut self.told, true) {
            return;
        }
        let what = match (self.log.in_spool(), self.log.stats().pending_records) {
            (0, 0) => String::new(), // all are in the file: a sync has failed, or close(2)
            (0, waiting) => format!(" ({waiting} records not written)"),
            (waiting, _) => format!(" ({waiting} records wait in the spool for the next logger of this path)"),
        };
        let text = format!("Rustio\\BatchLogger: {err}{what}");
        let text = CString::new(text.replace('\0', "\\0")).unwrap_or_default();
        // SAFETY: a C string; writes to the configured log or the SAPI's, and runs no userland.
        unsafe { php_log_err_with_severity(text.as_ptr(), LOG_WARNING) };
    }
}

/// Registers the classes; module start only.
pub fn register() -> std::result::Result<(), BadSignature> {
    SYNC.register();
    ON_ERROR.register();
    register_class::<Logger>(
        &[
            method(
                "__construct(string $path, int $batchBytes = 65536, int $batchRecords = 1000, float $batchSeconds = 1.0, \
                 Rustio\\Sync $sync = \\Rustio\\Sync::Never, int $mode = 0o644, bool $multiline = false, \
                 bool $spool = false, Rustio\\OnError $onError = \\Rustio\\OnError::Raise, int $maxPendingBytes = 8388608)",
                construct,
            ),
            method("append(string $record): void", append),
            method("appendAll(iterable $records): void", records::append_all),
            method("flush(): void", flush),
            method("sync(): void", sync),
            method("reopen(): void", reopen),
            method("close(): void", close),
            method("stats(): array", stats),
        ],
        &[],
        None,
    )
}

/// What has to reach the kernel before the request ends.
pub fn request_shutdown() {
    let living = LIVING.with_borrow(Clone::clone);
    for inner in living {
        // SAFETY: a logger takes itself off the list before it goes; no other reference is in use while no method runs.
        let inner = unsafe { &mut *inner };
        let result = inner.log.finish();
        inner.tell(result);
    }
}

/// The end of the process: nothing of it stays in the state directory.
pub fn module_shutdown() {
    spool::remove_idle();
}

unsafe extern "C" fn construct(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, 10)?;
        not_yet::<Logger>(ex)?;
        let path = absolute(args.path(0)?)?;
        let size = |i, default| Ok(usize::try_from(in_range(i, args.long_or(i, default)?, 0, i64::MAX)?).unwrap_or(0));
        let mut options = Options {
            batch_bytes: size(1, 65536)?,
            batch_records: size(2, 1000)?,
            batch_time: seconds(&args, 3)?,
            sync: pick(&DURABILITIES, SYNC.arg_or(&args, 4, 0)?),
            mode: mode(&args, 5)?,
            multiline: args.bool_or(6, false)?,
            spool: args.bool_or(7, false)?,
            max_pending_bytes: size(9, 8 << 20)?,
            state_dir: ini(entries::STATE_DIR).map(PathBuf::from),
            permit: |path| error::is_inside_open_basedir(path.as_os_str().as_bytes()),
            ..Options::new(&path)
        };
        let reports = ON_ERROR.arg_or(&args, 8, 0)? == 1;
        operator(&mut options)?;
        error::check_open_basedir(path.as_os_str().as_bytes())?;
        let log = Log::new(options).map_err(|err| raise(&err))?;
        let logger = Logger(Box::new(Inner { log, reports, told: false }));
        let inner = (&raw const *logger.0).cast_mut();
        LIVING.with_borrow_mut(|living| living.push(inner));
        init(ex, logger);
        Ok(())
    });
}

fn pick<T: Copy + Default>(cases: &[T], at: usize) -> T {
    cases.get(at).copied().unwrap_or_default()
}

/// The path from the script's working directory. Links stay in it: where they lead is looked up at each write.
fn absolute(path: &[u8]) -> Result<PathBuf> {
    let path = PathBuf::from(OsStr::from_bytes(path));
    if path.is_absolute() {
        return Ok(path);
    }
    let mut room = [0 as c_char; 4097];
    // SAFETY: a C string and room for MAXPATHLEN bytes with their end; the engine fills in the directory that this
    // request is in, which on thread-safe builds is not the process's.
    let done = unsafe { expand_filepath(c".".as_ptr(), room.as_mut_ptr()) };
    if done.is_null() {
        return Err(error::io("getcwd", b".", &std::io::Error::from_raw_os_error(libc::ENOENT)));
    }
    // SAFETY: filled in above.
    let directory = unsafe { CStr::from_ptr(room.as_ptr()) };
    Ok(PathBuf::from(OsStr::from_bytes(directory.to_bytes())).join(path))
}

fn seconds(args: &Args, i: u32) -> Result<Duration> {
    let value = args.double_or(i, 1.0)?;
    if value.is_nan() || value < 0.0 {
        return Err(value_error(i, "must be greater than or equal to 0"));
    }
    Ok(Duration::try_from_secs_f64(value).unwrap_or(Duration::MAX))
}

fn mode(args: &Args, i: u32) -> Result<u32> {
    let value = args.long_or(i, 0o644)?;
    match u32::try_from(value) {
        Ok(mode) if mode <= 0o777 => Ok(mode),
        _ => Err(value_error(i, "must be between 0 and 0777 (octal, written with a leading 0)")),
    }
}

/// What the operator has said in the INI stands above what the code asks for.
fn operator(options: &mut Options) -> Result {
    let refuse = |entry: &CStr, text: &str, form: &str| {
        let message = format!("INI {} must be {form}, \"{text}\" given", entry.to_string_lossy());
        error::throw(&error::RUSTIO, &message, 0, &mut [])
    };
    if let Some(text) = ini(entries::LOG_BATCH) {
        options.batch_bytes = bytes_of(&text).ok_or_else(|| refuse(entries::LOG_BATCH, &text, "a number of bytes"))?;
    }
    if let Some(text) = ini(entries::LOG_SYNC) {
        let at = SYNC_NAMES.iter().position(|name| name.eq_ignore_ascii_case(text.trim()));
        let at = at.ok_or_else(|| refuse(entries::LOG_SYNC, &text, "never, batch or record"))?;
        options.sync = pick(&DURABILITIES, at);
    }
    Ok(())
}

/// "65536", "64K", "1M", as in other INI entries.
fn bytes_of(text: &str) -> Option<usize> {
    let text = text.trim();
    let (digits, shift) = match text.as_bytes().last()? {
        b'k' | b'K' => (text.get(..text.len() - 1)?, 10),
        b'm' | b'M' => (text.get(..text.len() - 1)?, 20),
        b'g' | b'G' => (text.get(..text.len() - 1)?, 30),
        _ => (text, 0),
    };
    digits.trim().parse::<usize>().ok()?.checked_mul(1 << shift)
}

#[cold]
fn raise(err: &LogError) -> Thrown {
    let (operation, path) = (err.operation(), err.path().as_os_str().as_bytes());
    let mut properties = [zval(operation), zval(path)];
    error::throw(&error::IO, &err.to_string(), err.errno().into(), &mut properties)
}

/// The end of a method: raises, or warns once a minute. The logger must not be borrowed any more: a warning may run a
/// handler that logs.
fn outcome(reports: bool, result: std::result::Result<(), LogError>) -> Result {
    match result {
        Ok(()) => Ok(()),
        Err(err @ LogError::Closed { .. }) => Err(raise(&err)), // the program is wrong, not the disk
        Err(err) if reports => warn(&err),
        Err(err) => Err(raise(&err)),
    }
}

#[cold]
fn warn(err: &LogError) -> Result {
    let now = clock::coarse_ns();
    let due = REPORTED.with_borrow_mut(|reported| match reported.get_mut(err.path()) {
        Some(last) if now.saturating_sub(*last) < REPORT_NS => false,
        Some(last) => {
            *last = now;
            true
        }
        None => {
            reported.insert(err.path().to_owned(), now);
            true
        }
    });
    if due {
        let text = CString::new(format!("Rustio\\BatchLogger: {err}").replace('\0', "\\0")).unwrap_or_default();
        // SAFETY: a C string as the argument of a fixed format. Userland may run: nothing is borrowed or locked.
        unsafe { zend_error(E_WARNING, c"%s".as_ptr(), text.as_ptr()) };
    }
    if pending() { Err(Thrown) } else { Ok(()) }
}

unsafe extern "C" fn append(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, 1)?;
        let record = args.str(0)?;
        let logger = this::<Logger>(ex)?;
        let result = logger.0.log.append(record);
        if result.is_ok() {
            return Ok(());
        }
        outcome(logger.0.reports, result)
    });
}

/// A method without arguments that may fail.
fn simple(ex: *mut ExecuteData, work: fn(&mut Log) -> std::result::Result<(), LogError>) {
    guard(|| {
        Args::new(ex, 0, 0)?;
        let logger = this::<Logger>(ex)?;
        let result = work(&mut logger.0.log);
        outcome(logger.0.reports, result)
    });
}

unsafe extern "C" fn flush(ex: *mut ExecuteData, _rv: *mut Zval) {
    simple(ex, Log::flush);
}

unsafe extern "C" fn sync(ex: *mut ExecuteData, _rv: *mut Zval) {
    simple(ex, Log::sync);
}

unsafe extern "C" fn reopen(ex: *mut ExecuteData, _rv: *mut Zval) {
    simple(ex, Log::reopen);
}

unsafe extern "C" fn close(ex: *mut ExecuteData, _rv: *mut Zval) {
    simple(ex, Log::close);
}

unsafe extern "C" fn stats(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        Args::new(ex, 0, 0)?;
        let log = &this::<Logger>(ex)?.0.log;
        let (stats, options) = (log.stats(), log.options());
        // SAFETY: the engine hands us the place for the return value.
        let table = unsafe { &mut *rv }.put_array(15);
        for (name, value) in [
            ("records", stats.records),
            ("bytes", stats.bytes),
            ("writes", stats.writes),
            ("syncs", stats.syncs),
            ("shared_syncs", stats.shared_syncs),
            ("reopens", stats.reopens),
            ("pending_records", stats.pending_records),
            ("pending_bytes", stats.pending_bytes),
            ("recovered", stats.recovered),
            ("refused", stats.refused),
            ("errors", stats.errors),
        ] {
            table.put(name.as_bytes(), zval(value));
        }
        let at = DURABILITIES.iter().position(|one| *one == options.sync).unwrap_or(0);
        table.put(b"sync", zval(pick(&SYNC_NAMES, at)));
        table.put(b"batch_bytes", zval(options.batch_bytes as u64));
        table.put(b"group", zval(stats.group));
        table.put(b"spool", zval(stats.spool));
        Ok(())
    });
}

//! lines(), count_lines(), split_ranges(), tail() and the page cache's two.

use std::ffi::CString;
use std::os::fd::AsFd;

use super::arguments::{self, newline, open, open_file};
use super::{ret, throw};
use crate::lines::{LinesError, count_lines as count, split_ranges as split, tail as last_lines};
use crate::php::guard::{guard, hold_bailout};
use crate::php::object::instantiate_with;
use crate::php::signature::{Method, method};
use crate::php::zend::{ExecuteData, Push, Result, Set, Thrown, Zval, interrupted, run_interrupt, zval};
use crate::php::zpp::{Args, in_range, value_error};
use crate::php::{error, paths};
use crate::sys::{fd, pagecache};

/// How a loop in the core ends early.
enum Stop {
    Thrown,
    Lines(LinesError),
}

impl From<LinesError> for Stop {
    fn from(err: LinesError) -> Self {
        Self::Lines(err)
    }
}

impl Stop {
    fn throw(self, name: &[u8]) -> Thrown {
        match self {
            Self::Thrown => Thrown,
            Self::Lines(err) => throw(err, name),
        }
    }
}

/// Between two blocks: signal handlers and the time limit.
fn pause(ex: *mut ExecuteData) -> impl FnMut() -> std::result::Result<(), Stop> {
    move || {
        if !interrupted() {
            return Ok(());
        }
        // The time limit must not leave the file open.
        hold_bailout(|| run_interrupt(ex)).and_then(|done| done).map_err(|_| Stop::Thrown)
    }
}

pub fn all() -> Vec<Method> {
    vec![
        method(arguments::FUNCTION, lines),
        method("count_lines(string $path, Rustio\\Newline $newline = Rustio\\Newline::Lf): int", count_lines),
        method("split_ranges(string $path, int $parts): array", split_ranges),
        method("tail(string $path, int $lines = 10, Rustio\\Newline $newline = Rustio\\Newline::Lf): array", tail),
        method("page_cache_evict(string $path): void", page_cache_evict),
        method("page_cache_ratio(string $path): float", page_cache_ratio),
    ]
}

unsafe extern "C" fn lines(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, arguments::COUNT)?;
        instantiate_with(ret(rv), || arguments::lines(&args))
    });
}

unsafe extern "C" fn count_lines(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, 2)?;
        let (name, newline) = (args.path(0)?, newline(&args, 1)?);
        let mut source = open(name, 0)?;
        let lines = count(&mut *source, newline, pause(ex)).map_err(|stop| stop.throw(name))?;
        ret(rv).put_long(lines.cast_signed());
        Ok(())
    });
}

unsafe extern "C" fn split_ranges(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 2, 2)?;
        let path = file_path(&args)?;
        let parts = in_range(1, args.long(1)?, 1, i64::MAX)?.cast_unsigned();
        let ranges =
            split(&open_file(&path)?, parts).map_err(|err| error::io("split_ranges", path.as_bytes(), &err))?;
        // From here on only numbers are held: a list too long for the memory limit ends the script and leaks nothing.
        let list = ret(rv).put_array(0);
        for (offset, length) in ranges {
            let mut range = Zval::new();
            let table = range.put_array(2);
            table.put(b"offset", zval(offset));
            table.put(b"length", zval(length));
            list.append(range);
        }
        Ok(())
    });
}

unsafe extern "C" fn tail(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, 3)?;
        let path = file_path(&args)?;
        let wanted = in_range(1, args.long_or(1, 10)?, 0, i64::MAX)? as usize;
        let newline = newline(&args, 2)?;
        let lines =
            last_lines(open_file(&path)?, wanted, newline, pause(ex)).map_err(|stop| stop.throw(path.as_bytes()))?;
        let rv = ret(rv);
        hold_bailout(|| {
            let list = rv.put_array(lines.len());
            for line in &lines {
                let mut value = Zval::new();
                value.put_bytes(line);
                list.append(value);
            }
        })
    });
}

unsafe extern "C" fn page_cache_evict(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        with_file(ex, |file| {
            fd::fdatasync(file).map_err(|err| ("fdatasync", err))?;
            fd::fadvise(file, libc::POSIX_FADV_DONTNEED).map_err(|err| ("posix_fadvise", err))
        })
    });
}

unsafe extern "C" fn page_cache_ratio(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let ratio = with_file(ex, |file| {
            let stat = fd::fstat(file).map_err(|err| ("fstat", err))?;
            if !fd::may_write(file, &stat) {
                return Err(("mincore", std::io::Error::from_raw_os_error(libc::EPERM)));
            }
            let size = stat.st_size.max(0).cast_unsigned();
            pagecache::resident_pages(file, size).map_err(|err| ("mincore", err))
        })
        .map(|(resident, pages)| if pages == 0 { 0.0 } else { resident as f64 / pages as f64 })?;
        ret(rv).value.dval = ratio;
        ret(rv).u1.type_info = crate::php::zend::ffi::IS_DOUBLE;
        Ok(())
    });
}

/// The path argument of a function that needs a file itself: its size, its end, its pages.
fn file_path(args: &Args) -> Result<CString> {
    if paths::has_scheme(args.path(0)?) {
        return Err(value_error(0, "must be the path of a file, not of a stream"));
    }
    paths::path(args, 0)
}

/// Opens the one path argument, which has to be a plain file, and asks about it.
fn with_file<T>(
    ex: *mut ExecuteData,
    f: impl FnOnce(std::os::fd::BorrowedFd<'_>) -> std::result::Result<T, (&'static str, std::io::Error)>,
) -> Result<T> {
    let args = Args::new(ex, 1, 1)?;
    let path = file_path(&args)?;
    let name = path.as_bytes();
    // Not blocking: a FIFO without a writer is refused below, not waited for.
    let file = fd::open(&path, libc::O_RDONLY | libc::O_NONBLOCK, 0).map_err(|err| error::io("open", name, &err))?;
    let stat = fd::fstat(file.as_fd()).map_err(|err| error::io("fstat", name, &err))?;
    let wrong = match stat.st_mode & libc::S_IFMT {
        libc::S_IFREG => return f(file.as_fd()).map_err(|(operation, err)| error::io(operation, name, &err)),
        libc::S_IFDIR => libc::EISDIR,
        _ => libc::ESPIPE,
    };
    Err(error::io("open", name, &std::io::Error::from_raw_os_error(wrong)))
}

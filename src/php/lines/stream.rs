//! PHP's stream layer as a source: wrappers of any kind, and resources that scripts have opened.

use std::ffi::{CString, c_char, c_int, c_void};
use std::io;
use std::os::fd::BorrowedFd;
use std::ptr;

use nix::errno::Errno;

use crate::lines::Source;
use crate::php::error;
use crate::php::guard::hold_bailout;
use crate::php::zend::{ClassEntry, Result, Set, Thrown, Zval, ffi, interrupted, pending, type_of};
use crate::sys::fd;

#[repr(C)]
struct ErrorHandling {
    handling: c_int,
    exception: *mut ClassEntry,
}

const EH_THROW: c_int = 1;
const SEEK_SET: c_int = 0;
const CAST_FOR_SELECT: c_int = 3 | 0x2000_0000; // PHP_STREAM_AS_FD_FOR_SELECT | PHP_STREAM_CAST_INTERNAL

#[rustfmt::skip]
unsafe extern "C" {
    static php_stream_userspace_ops: ffi::php_stream_ops;
    fn php_file_le_stream() -> c_int;
    fn php_file_le_pstream() -> c_int;
    fn zend_fetch_resource2_ex(zv: *mut Zval, name: *const c_char, one: c_int, two: c_int) -> *mut c_void;
    fn zend_list_delete(res: *mut ffi::zend_resource) -> c_int;
    fn zend_replace_error_handling(handling: c_int, exception: *mut ClassEntry, saved: *mut ErrorHandling);
    fn zend_restore_error_handling(saved: *mut ErrorHandling);
    fn _php_stream_read(stream: *mut ffi::php_stream, buf: *mut c_char, count: usize) -> isize;
    fn _php_stream_seek(stream: *mut ffi::php_stream, offset: i64, whence: c_int) -> c_int;
    fn _php_stream_tell(stream: *mut ffi::php_stream) -> i64;
    fn _php_stream_cast(stream: *mut ffi::php_stream, kind: c_int, ret: *mut *mut c_void, show: c_int) -> c_int;
    fn _php_stream_eof(stream: *mut ffi::php_stream) -> bool;
    fn _php_stream_set_option(stream: *mut ffi::php_stream, option: c_int, value: c_int, ptr: *mut c_void) -> c_int;
    fn _php_stream_open_wrapper_ex(path: *const c_char, mode: *const c_char, options: c_int, opened: *mut *mut ffi::zend_string, context: *mut c_void) -> *mut ffi::php_stream;
}

const REPORT_ERRORS: c_int = 8;
const NO_SEEK: u32 = 1; // PHP_STREAM_FLAG_NO_SEEK
/// While a stream is read: its wrapper's code can't close it under the engine (`PHP_STREAM_FLAG_NO_FCLOSE`), and a failure
/// is told by errno alone, not by a notice before our exception (`PHP_STREAM_FLAG_SUPPRESS_ERRORS`).
const READING: u32 = 0x80 | 0x100;
/// Between two looks at a stream that can't be waited for.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(1);
const META_DATA: c_int = 11; // PHP_STREAM_OPTION_META_DATA_API

/// The same function in a debug build, where it is also told from where it is called.
#[rustfmt::skip]
type OpenInDebugBuild = unsafe extern "C" fn(*const c_char, *const c_char, c_int, *mut *mut ffi::zend_string, *mut c_void, c_int, *const c_char, u32, *const c_char, u32) -> *mut ffi::php_stream;

/// # Safety
/// `path` is a C string.
unsafe fn open_wrapper(path: *const c_char) -> *mut ffi::php_stream {
    let (mode, opened, context) = (c"rb".as_ptr(), ptr::null_mut(), ptr::null_mut());
    // SAFETY: the signature is that of the build which this extension was compiled for; a build of another kind refuses
    // to load it.
    unsafe {
        if ext_php_rs::PHP_DEBUG {
            let open = _php_stream_open_wrapper_ex as *const ();
            let open: OpenInDebugBuild = std::mem::transmute(open);
            let here = c"rustio".as_ptr();
            open(path, mode, REPORT_ERRORS, opened, context, 0, here, 0, here, 0)
        } else {
            _php_stream_open_wrapper_ex(path, mode, REPORT_ERRORS, opened, context)
        }
    }
}

/// A stream, held by its resource: closed by others, it answers with an error, never with another file's bytes.
pub struct StreamSource {
    resource: *mut ffi::zend_resource,
    /// Where it stood when it was handed over: offset 0 of the reader.
    base: i64,
    /// Its wrapper has said that nothing follows.
    ended: bool,
}

impl StreamSource {
    /// Takes a reference to an open stream.
    ///
    /// # Errors
    /// TypeError for any other resource.
    pub fn from_resource(zv: *mut Zval) -> Result<Self> {
        // SAFETY: asks the engine whether the resource is an open stream; it throws if not.
        let stream =
            unsafe { zend_fetch_resource2_ex(zv, c"stream".as_ptr(), php_file_le_stream(), php_file_le_pstream()) };
        if stream.is_null() {
            return Err(Thrown);
        }
        // SAFETY: a living stream, whose resource gets one more reference.
        unsafe {
            let resource = (*zv).value.res;
            (*resource).gc.refcount += 1;
            Ok(Self { resource, base: _php_stream_tell(stream.cast()).max(0), ended: false })
        }
    }

    /// Opens a path that names a wrapper. The wrapper's own reason becomes the exception's message.
    ///
    /// # Errors
    /// IoException.
    pub fn open(path: &[u8]) -> Result<Self> {
        let text = CString::new(path).unwrap_or_default();
        let mut saved = ErrorHandling { handling: 0, exception: ptr::null_mut() };
        Errno::clear();
        // SAFETY: warnings of the wrapper become exceptions while it opens, as SplFileObject does; the strings outlive
        // the call.
        let (stream, cause) = unsafe {
            zend_replace_error_handling(EH_THROW, error::IO.class(), &raw mut saved);
            let stream = hold_bailout(|| open_wrapper(text.as_ptr()));
            let cause = cause();
            zend_restore_error_handling(&raw mut saved);
            (stream?, cause)
        };
        if stream.is_null() {
            return Err(if pending() {
                error::complete("open", path, &cause)
            } else {
                error::io("open", path, &cause)
            });
        }
        // SAFETY: a stream just opened has a resource, whose only reference is ours from here on.
        Ok(Self { resource: unsafe { (*stream).res }, base: 0, ended: false })
    }

    fn stream(&self) -> io::Result<*mut ffi::php_stream> {
        // SAFETY: the resource lives as long as our reference; a closed one has lost its type.
        unsafe {
            let kind = (*self.resource).type_;
            if kind == php_file_le_stream() || kind == php_file_le_pstream() {
                Ok((*self.resource).ptr.cast())
            } else {
                Err(io::Error::from_raw_os_error(libc::EBADF))
            }
        }
    }
}

/// What errno says, which was cleared before the call.
fn cause() -> io::Error {
    match Errno::last_raw() {
        0 => io::Error::other("the stream's wrapper gives no reason"),
        errno => io::Error::from_raw_os_error(errno),
    }
}

/// For the caller, who sees that an exception is pending or that a bailout is on its way.
fn stopped() -> io::Error {
    io::Error::other("PHP code has ended the call")
}

/// One read of an open stream, and whether nothing follows. A user's wrapper may run PHP code: the object around the
/// reader refuses to be entered again meanwhile.
fn read_once(stream: *mut ffi::php_stream, buf: &mut [u8]) -> io::Result<(usize, bool)> {
    // SAFETY: an open stream, which its own code can't close before the flags are set back.
    let flags = unsafe {
        let flags = (*stream).flags & READING;
        (*stream).flags |= READING;
        flags
    };
    let done = read_or_end(stream, buf);
    // SAFETY: as above.
    unsafe { (*stream).flags = ((*stream).flags & !READING) | flags };
    done
}

fn read_or_end(stream: *mut ffi::php_stream, buf: &mut [u8]) -> io::Result<(usize, bool)> {
    Errno::clear();
    // SAFETY: an open stream; it writes at most buf.len() bytes.
    let read = hold_bailout(|| unsafe { _php_stream_read(stream, buf.as_mut_ptr().cast(), buf.len()) });
    let cause = cause();
    if read.is_err() || pending() {
        return Err(stopped());
    }
    let read = read.unwrap_or(-1);
    if read <= 0 && timed_out(stream) {
        return Err(io::Error::from_raw_os_error(libc::ETIMEDOUT));
    }
    let Ok(n) = usize::try_from(read) else {
        // PHP takes a failure for the end of the stream, and remembers it.
        // SAFETY: an open stream.
        unsafe { (*stream).set_eof(0) };
        return Err(cause);
    };
    if n > 0 {
        // A user's stream has been asked right behind its read, and need not take another one after it has said yes.
        // SAFETY: an open stream.
        let ended = unsafe { is_users(stream) && (*stream).eof() != 0 && (*stream).readpos == (*stream).writepos };
        return Ok((n, ended));
    }
    // SAFETY: an open stream. It is asked last, since it may wait for a socket.
    match hold_bailout(|| unsafe { _php_stream_eof(stream) }) {
        Ok(at_end) if !pending() => Ok((0, at_end)),
        _ => Err(stopped()),
    }
}

impl Source for StreamSource {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            let stream = self.stream()?;
            if self.ended {
                return Ok(0);
            }
            let (n, ended) = read_once(stream, buf)?;
            self.ended = ended;
            if n > 0 || ended {
                return Ok(n);
            }
            if interrupted() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            wait(self.stream()?)?;
        }
    }

    fn starts_file(&self) -> bool {
        self.base == 0
    }

    fn seek(&mut self, offset: u64) -> io::Result<()> {
        let stream = self.stream()?;
        let target = i64::try_from(offset).ok().and_then(|offset| self.base.checked_add(offset));
        let target = target.ok_or_else(|| io::Error::from_raw_os_error(libc::EOVERFLOW))?;
        // SAFETY: an open stream. It is asked first: a seek that can't be done raises a warning.
        let done = unsafe {
            let seekable =
                (*stream).flags & NO_SEEK == 0 && !(*stream).ops.is_null() && (*(*stream).ops).seek.is_some();
            seekable && _php_stream_seek(stream, target, SEEK_SET) == 0
        };
        self.ended = false;
        if done { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESPIPE)) }
    }
}

/// # Safety
/// `stream` is open.
unsafe fn is_users(stream: *mut ffi::php_stream) -> bool {
    // SAFETY: the caller's promise.
    std::ptr::eq(unsafe { (*stream).ops }, &raw const php_stream_userspace_ops)
}

/// Has a socket's own time limit (stream_set_timeout(), INI default_socket_timeout) ended the last read?
fn timed_out(stream: *mut ffi::php_stream) -> bool {
    let mut answer = Zval::new();
    answer.put_array(0);
    // SAFETY: an open stream adds what it knows to the array, which lives until the end of this function.
    unsafe {
        _php_stream_set_option(stream, META_DATA, 0, (&raw mut answer).cast());
        let found = ffi::zend_hash_str_find(answer.value.arr, c"timed_out".as_ptr(), 9);
        !found.is_null() && type_of(found) == ffi::IS_TRUE
    }
}

/// A stream that has nothing yet: sleeps on its descriptor, or for a moment where it has none.
fn wait(stream: *mut ffi::php_stream) -> io::Result<()> {
    // SAFETY: an open stream. A user's warns if it has no stream_cast().
    if unsafe { is_users(stream) } {
        std::thread::sleep(PAUSE);
        return Ok(());
    }
    let mut number: c_int = -1;
    // SAFETY: a cast of an open stream writes a descriptor number.
    let status = hold_bailout(|| unsafe { _php_stream_cast(stream, CAST_FOR_SELECT, (&raw mut number).cast(), 0) });
    let status = status.map_err(|_| stopped())?;
    if pending() {
        return Err(stopped());
    }
    if status == 0 && number >= 0 {
        // SAFETY: the descriptor is the stream's, which is not closed while this function runs.
        return fd::wait_readable(unsafe { BorrowedFd::borrow_raw(number) });
    }
    std::thread::sleep(PAUSE);
    Ok(())
}

impl Drop for StreamSource {
    fn drop(&mut self) {
        // SAFETY: gives up our reference; a stream that this object opened is closed with it.
        unsafe { zend_list_delete(self.resource) };
    }
}

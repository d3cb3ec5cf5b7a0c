//! Paths as scripts give them: made absolute against PHP's own current directory, kept inside open_basedir.

use std::ffi::{CStr, CString, c_char};

use super::error;
use super::zend::Result;
use super::zpp::{self, Args};

unsafe extern "C" {
    fn virtual_getcwd(buf: *mut c_char, size: usize) -> *mut c_char;
}

/// A path argument: without NUL, not empty, absolute, inside open_basedir.
///
/// # Errors
/// TypeError, ValueError; IoException with EPERM outside open_basedir.
pub fn path(args: &Args, i: u32) -> Result<CString> {
    allowed(args.path(i)?, i)
}

/// The same for bytes that the caller took from an argument.
///
/// # Errors
/// As [`path`].
pub fn allowed(text: &[u8], i: u32) -> Result<CString> {
    let absolute = absolute(text, i)?;
    error::check_open_basedir(absolute.as_bytes())?;
    Ok(absolute)
}

/// Absolute, but not resolved: `..` and links are the kernel's matter.
fn absolute(text: &[u8], i: u32) -> Result<CString> {
    let mut whole = Vec::new();
    if text.first() != Some(&b'/') {
        whole = current_dir()?;
        if whole.last() != Some(&b'/') {
            whole.push(b'/');
        }
    }
    whole.extend_from_slice(text);
    CString::new(whole).map_err(|_| zpp::value_error(i, "must not contain any null bytes"))
}

fn current_dir() -> Result<Vec<u8>> {
    let mut buf = [0; libc::PATH_MAX as usize];
    // SAFETY: the buffer has the size that is passed. A thread-safe build keeps a directory for each thread.
    let text = unsafe {
        if ext_php_rs::PHP_ZTS {
            virtual_getcwd(buf.as_mut_ptr(), buf.len())
        } else {
            libc::getcwd(buf.as_mut_ptr(), buf.len())
        }
    };
    if text.is_null() {
        return Err(error::io("getcwd", b".", &std::io::Error::last_os_error()));
    }
    // SAFETY: both write a terminated string into the buffer.
    Ok(unsafe { CStr::from_ptr(buf.as_ptr()) }.to_bytes().to_vec())
}

/// Does PHP's stream layer open this, because it names a wrapper (`php://stdin`, `data:...`, `compress.zlib://x.gz`)?
pub fn has_scheme(text: &[u8]) -> bool {
    let scheme = text.iter().take_while(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b)).count();
    (scheme > 0 && text[scheme..].starts_with(b"://"))
        || text.get(..5).is_some_and(|s| s.eq_ignore_ascii_case(b"data:"))
}

//! Sending: the headers through the SAPI and, without a server's help, the body in constant memory.
//!
//! The order matters. What the request asks is read and everything is decided first; then the output buffers go (their
//! callbacks are userland), then the headers are set and, for a body, sent (a header callback is userland, too). From
//! there on no PHP code runs until the last byte: a client that goes away ends the loop, not the process, and the open
//! file is closed on every way out.

use std::ffi::{CStr, c_char, c_int};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

use super::accel::AccelRedirect;
use super::error::{self, RUSTIO, TRUNCATED};
use super::object::this;
use super::zend::{ExecuteData, Result, Thrown, bytes, ffi, ini, new_str, pending, type_of};
use crate::accel::{Accel, Answer, Backend, Piece, Range, Ready, Request};
use crate::sys::fd::pread;

#[rustfmt::skip]
unsafe extern "C" {
    fn php_output_discard_all();
    fn php_output_get_status() -> c_int;
    fn php_output_set_status(status: c_int);
    fn php_output_get_start_filename() -> *const c_char;
    fn php_output_get_start_lineno() -> c_int;
    fn php_header() -> c_int;
    fn sapi_flush() -> c_int;
    fn zend_alter_ini_entry_chars(name: *mut ffi::zend_string, value: *const c_char, len: usize, kind: c_int, stage: c_int) -> c_int;
    fn zend_set_timeout(seconds: ffi::zend_long, reset_signals: bool);
    fn zend_unset_timeout();
}

/// `PHP_OUTPUT_DISABLED`: what is written later is dropped.
const OUTPUT_DISABLED: c_int = 0x02;
/// Bytes read and written at once: all the memory that a file of any size takes.
const CHUNK: usize = 128 * 1024;
/// Left over from the application they would contradict what the server, or this file, says.
const CONTRADICTING: [&str; 13] = [
    "Content-Length",
    "Content-Encoding",
    "Content-Range",
    "Transfer-Encoding",
    "Accept-Ranges",
    "ETag",
    "Last-Modified",
    "X-Accel-Redirect",
    "X-Accel-Limit-Rate",
    "X-Accel-Buffering",
    "X-Accel-Expires",
    "X-Accel-Charset",
    "X-Sendfile",
];

/// A file on its way out.
pub struct Sending {
    ready: Ready,
    answer: Answer,
    streams: bool,
    rate: Option<u64>,
    /// For messages.
    path: Vec<u8>,
}

impl Sending {
    /// Decides the answer to the running request; `rate` in bytes a second.
    pub fn new(ready: Ready, accel: &Accel, rate: Option<u64>) -> Self {
        let streams = accel.backend() == Backend::Php;
        let answer = if streams { answer(&ready) } else { ready.answer(&Request::default(), "") };
        let root = accel.root().path().as_os_str().as_bytes();
        let path = [root, b"/", &ready.found.relative].concat();
        Self { ready, answer, streams, rate, path }
    }
}

/// Plans the answer from the request's own header fields. None of them has a say in which file it is.
fn answer(ready: &Ready) -> Answer {
    let boundary = format!("rustio-{:016x}{:016x}", random(), random());
    // SAFETY: the SAPI's globals exist during a request; the method is a C string, or null where there is no request.
    let method = unsafe {
        let method = (*ffi::ext_php_rs_sapi_globals()).request_info.request_method;
        if method.is_null() { b"GET".as_slice() } else { CStr::from_ptr(method).to_bytes() }
    };
    let server = server_variables();
    let field = |name| variable(server?, name);
    let request = Request {
        method,
        range: field("HTTP_RANGE"),
        if_range: field("HTTP_IF_RANGE"),
        if_match: field("HTTP_IF_MATCH"),
        if_none_match: field("HTTP_IF_NONE_MATCH"),
        if_modified_since: field("HTTP_IF_MODIFIED_SINCE"),
        if_unmodified_since: field("HTTP_IF_UNMODIFIED_SINCE"),
    };
    ready.answer(&request, &boundary)
}

/// What the web server calls itself.
pub fn server_software<'a>() -> Option<&'a [u8]> {
    variable(server_variables()?, "SERVER_SOFTWARE")
}

fn variable<'a>(server: *const ffi::HashTable, name: &str) -> Option<&'a [u8]> {
    // SAFETY: looks a key up in the request's own array, which lives as long as the request and which PHP code never
    // writes: $_SERVER is a copy of it as soon as it does.
    unsafe {
        let value = ffi::zend_hash_str_find(server, name.as_ptr().cast(), name.len());
        (!value.is_null() && type_of(value) == ffi::IS_STRING).then(|| bytes((*value).value.str_))
    }
}

/// The request's variables as the SAPI gave them; `None` where variables_order leaves them out.
fn server_variables() -> Option<*const ffi::HashTable> {
    let name = new_str(b"_SERVER");
    // SAFETY: $_SERVER is made when it is first asked for (auto_globals_jit); the name is released afterwards. The globals
    // of the request hold a valid value in that place from its start.
    unsafe {
        ffi::zend_is_auto_global(name);
        ffi::ext_php_rs_zend_string_release(name);
        let server = &raw const (*ffi::ext_php_rs_process_globals()).http_globals[ffi::TRACK_VARS_SERVER as usize];
        (type_of(server) == ffi::IS_ARRAY).then(|| (*server).value.arr.cast_const())
    }
}

/// The standard library seeds every hasher from the system's random numbers.
fn random() -> u64 {
    RandomState::new().hash_one(0u8)
}

/// Whether this SAPI has a client at all; the command line has none, and header() sends nothing there either.
fn has_client() -> bool {
    // SAFETY: the module of the running SAPI, whose name is a C string that lives as long as the process.
    let name = unsafe { CStr::from_ptr((*ffi::ext_php_rs_sapi_module()).name) };
    name != c"cli" && name != c"phpdbg"
}

/// Refuses when headers have gone out: the redirect would be lost and the client would get a broken file with status 200.
///
/// # Errors
/// RustioException that names where output started.
pub fn not_started() -> Result {
    // SAFETY: as in answer().
    if unsafe { (*ffi::ext_php_rs_sapi_globals()).headers_sent } == 0 {
        return Ok(());
    }
    // SAFETY: the name is null or a C string that lives as long as the request's output.
    let place = unsafe {
        let file = php_output_get_start_filename();
        if file.is_null() {
            String::new()
        } else {
            let file = CStr::from_ptr(file).to_string_lossy();
            format!(" (output started at {file}:{})", php_output_get_start_lineno())
        }
    };
    Err(error::throw(&RUSTIO, &format!("The file can't be sent: headers already sent{place}"), 0, &mut []))
}

/// Sends the headers, and the body if there is one to send from here; afterwards PHP's output goes nowhere.
///
/// # Errors
/// RustioException, IoException, FileTruncatedException, or what userland in an output callback has thrown.
pub fn send(ex: *mut ExecuteData, sending: Sending) -> Result {
    let streams = sending.streams;
    if !streams && !has_client() {
        return Ok(()); // as header() on the command line; nothing of the program's own output is touched
    }
    this::<AccelRedirect>(ex)?.sending = Some(sending);
    // SAFETY: pops every output buffer without sending it. Callbacks may run userland; nothing of ours is borrowed.
    unsafe { php_output_discard_all() };
    let Some(sending) = this::<AccelRedirect>(ex)?.sending.take() else { return Err(used_again()) };
    if pending() {
        return Err(Thrown);
    }
    not_started()?; // a callback may have flushed
    compression_off();
    set_headers(&sending.answer, streams)?;
    if streams {
        this::<AccelRedirect>(ex)?.sending = Some(sending);
        // SAFETY: sends the headers set above; a header callback may run userland, and nothing of ours is borrowed.
        unsafe { php_header() };
        let Some(sending) = this::<AccelRedirect>(ex)?.sending.take() else { return Err(used_again()) };
        if pending() {
            return Err(Thrown);
        }
        let outcome = undisturbed(|| stream(&sending));
        output_off();
        return outcome;
    }
    output_off();
    Ok(())
}

#[cold]
fn used_again() -> Thrown {
    error::error("Cannot call Rustio\\AccelRedirect::send() while it is sending")
}

fn output_off() {
    // SAFETY: sets one flag of this request's output.
    unsafe { php_output_set_status(php_output_get_status() | OUTPUT_DISABLED) };
}

/// A compressed body would belie Content-Length, and a compressed range would be none.
fn compression_off() {
    const USER: c_int = 1;
    const STAGE_RUNTIME: c_int = 1 << 4;
    if ini(c"zlib.output_compression").is_none_or(|value| value == "0") {
        return;
    }
    let name = new_str(b"zlib.output_compression");
    // SAFETY: the engine looks the entry up and copies what it keeps; the name is released afterwards.
    unsafe {
        zend_alter_ini_entry_chars(name, c"0".as_ptr(), 1, USER, STAGE_RUNTIME);
        ffi::ext_php_rs_zend_string_release(name);
    }
}

/// Those of [`CONTRADICTING`] that the application has set.
fn contradicting() -> Vec<&'static str> {
    let mut found = Vec::new();
    // SAFETY: walks the list of headers set so far; each element holds a header and its length. Nothing changes the list
    // meanwhile.
    unsafe {
        let mut element = (*ffi::ext_php_rs_sapi_globals()).sapi_headers.headers.head;
        while !element.is_null() {
            let header = (&raw const (*element).data).cast::<ffi::sapi_header_struct>();
            let line = std::slice::from_raw_parts((*header).header.cast::<u8>(), (*header).header_len);
            let name = line.split(|&byte| byte == b':').next().unwrap_or_default();
            found.extend(CONTRADICTING.iter().filter(|known| known.as_bytes().eq_ignore_ascii_case(name)));
            element = (*element).next;
        }
    }
    found
}

fn set_headers(answer: &Answer, status: bool) -> Result {
    for name in contradicting() {
        header(ffi::sapi_header_op_enum_SAPI_HEADER_DELETE, name.as_bytes())?;
    }
    if status {
        let status = usize::from(answer.status);
        // SAFETY: this operation takes the number in the pointer's place.
        unsafe {
            ffi::sapi_header_op(
                ffi::sapi_header_op_enum_SAPI_HEADER_SET_STATUS,
                std::ptr::without_provenance_mut(status),
            );
        }
    }
    for (name, value) in &answer.headers {
        let line = [name.as_bytes(), b": ", value].concat();
        if *name == "Content-Type" {
            exactly(|| header(ffi::sapi_header_op_enum_SAPI_HEADER_REPLACE, &line))?;
        } else {
            header(ffi::sapi_header_op_enum_SAPI_HEADER_REPLACE, &line)?;
        }
    }
    Ok(())
}

/// Keeps the SAPI from adding default_charset to text: nobody here knows in which one the file is written.
fn exactly<T>(set: impl FnOnce() -> T) -> T {
    // SAFETY: the SAPI's globals exist during a request. The pointer is put back before anybody else reads it: setting a
    // header runs no userland.
    unsafe {
        let globals = ffi::ext_php_rs_sapi_globals();
        let before = (*globals).default_charset;
        (*globals).default_charset = c"".as_ptr().cast_mut();
        let outcome = set();
        (*globals).default_charset = before;
        outcome
    }
}

fn header(operation: ffi::sapi_header_op_enum, line: &[u8]) -> Result {
    // The third field is a number until PHP 8.4 and a union from 8.5 on: 0, whatever its name.
    // SAFETY: a plain C struct of a pointer and numbers, for which all zeros is a value.
    let mut argument: ffi::sapi_header_line = unsafe { std::mem::zeroed() };
    argument.line = line.as_ptr().cast();
    argument.line_len = line.len();
    // SAFETY: the SAPI copies the line, whose length it is given.
    let status = unsafe { ffi::sapi_header_op(operation, (&raw mut argument).cast()) };
    if status == 0 && !pending() {
        return Ok(());
    }
    if !pending() {
        error::throw(&RUSTIO, &format!("PHP refused the header {}", error::lossy(line)), 0, &mut []);
    }
    Err(Thrown)
}

/// Runs the transfer without the time limit, which is for PHP code, and without the abort that would jump over our
/// frames and leave the file open. Afterwards both are as before, the limit counting anew.
fn undisturbed(transfer: impl FnOnce() -> Result) -> Result {
    // SAFETY: the globals of this request exist while its code runs; `transfer` runs no userland that could see them.
    unsafe {
        let core = ffi::ext_php_rs_process_globals();
        let ignore = (*core).ignore_user_abort;
        let limit = (*ffi::ext_php_rs_executor_globals()).timeout_seconds;
        (*core).ignore_user_abort = true;
        if limit > 0 {
            zend_unset_timeout();
        }
        let outcome = transfer();
        if limit > 0 {
            zend_set_timeout(limit, false);
        }
        (*core).ignore_user_abort = ignore;
        outcome
    }
}

fn aborted() -> bool {
    // SAFETY: as in undisturbed().
    unsafe { (*ffi::ext_php_rs_process_globals()).connection_status != 0 }
}

fn stream(sending: &Sending) -> Result {
    let mut pace = Pace { rate: sending.rate, start: Instant::now(), sent: 0 };
    let mut buffer = vec![0; pace.chunk()];
    let file = sending.ready.found.fd.as_ref().map(AsFd::as_fd);
    for piece in &sending.answer.body {
        match piece {
            Piece::Text(text) => write(text.as_bytes()),
            Piece::File(range) => {
                if let Some(file) = file {
                    copy(file, sending, *range, &mut buffer, &mut pace)?;
                }
            }
        }
        if aborted() {
            return Ok(()); // connection_aborted() tells the script
        }
    }
    // SAFETY: hands to the client what the SAPI still buffers.
    unsafe { sapi_flush() };
    Ok(())
}

fn write(data: &[u8]) {
    // SAFETY: the SAPI reads data.len() bytes; no output buffer is left that could run userland.
    unsafe { ffi::php_output_write(data.as_ptr().cast(), data.len()) };
}

/// Never more bytes than announced; too few is an exception, and the connection ends short rather than padded.
fn copy(file: BorrowedFd<'_>, sending: &Sending, range: Range, buffer: &mut [u8], pace: &mut Pace) -> Result {
    let (mut at, end) = (range.start, range.start + range.len);
    while at < end {
        let want = usize::try_from(end - at).map_or(buffer.len(), |left| left.min(buffer.len()));
        let got = match pread(file, &mut buffer[..want], at) {
            Err(err) if err.kind() == io::ErrorKind::Interrupted => continue,
            Err(err) => {
                output_off();
                return Err(error::io("read", &sending.path, &err));
            }
            Ok(0) => {
                output_off();
                let (path, missing) = (error::lossy(&sending.path), end - at);
                let message = format!("{path} ended at byte {at} while it was sent, {missing} bytes are missing");
                return Err(error::throw(&TRUNCATED, &message, 0, &mut []));
            }
            Ok(got) => got,
        };
        write(&buffer[..got]);
        if aborted() {
            return Ok(());
        }
        at += got as u64;
        pace.wait(got as u64);
    }
    Ok(())
}

/// Keeps to limitRate.
struct Pace {
    rate: Option<u64>,
    start: Instant,
    sent: u64,
}

impl Pace {
    /// A tenth of a second's bytes, so that slow clients see a flow.
    fn chunk(&self) -> usize {
        let tenth = self.rate.map_or(CHUNK as u64, |rate| (rate / 10).max(1));
        usize::try_from(tenth).map_or(CHUNK, |tenth| tenth.min(CHUNK))
    }

    fn wait(&mut self, sent: u64) {
        let Some(rate) = self.rate else { return };
        // SAFETY: hands to the client what the SAPI still buffers.
        unsafe { sapi_flush() };
        self.sent += sent;
        let due = Duration::from_secs_f64(self.sent as f64 / rate as f64);
        std::thread::sleep(due.saturating_sub(self.start.elapsed()));
    }
}

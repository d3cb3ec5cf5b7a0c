//! The exception classes, and the one place where core errors become exceptions.

use std::ffi::CString;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use super::guard::guard;
use super::object::new_class;
use super::signature::{BadSignature, Method, method, property_type};
use super::zend::{
    ClassEntry, ExecuteData, Result, Set, Thrown, Zval, ffi, interned, spl_ce_RuntimeException,
    zend_declare_typed_property, zend_update_property_ex,
};
use super::zpp::Args;

/// An exception class of this extension.
pub struct Exception {
    name: &'static str,
    class: AtomicPtr<ClassEntry>,
    signature: Option<&'static str>,
    properties: &'static [(&'static str, &'static str)],
}

impl Exception {
    const fn new(name: &'static str) -> Self {
        Self { name, class: AtomicPtr::new(ptr::null_mut()), signature: None, properties: &[] }
    }

    const fn with(
        name: &'static str,
        signature: &'static str,
        properties: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self { name, class: AtomicPtr::new(ptr::null_mut()), signature: Some(signature), properties }
    }

    /// The registered class.
    pub fn class(&self) -> *mut ClassEntry {
        self.class.load(Relaxed)
    }
}

/// Parent of all.
pub static RUSTIO: Exception = Exception::new("Rustio\\RustioException");
/// A system call failed.
pub static IO: Exception = Exception::with(
    "Rustio\\IoException",
    "__construct(string $message = '', int $code = 0, ?Throwable $previous = null, string $operation = '', string $path = '')",
    &[("string", "operation"), ("string", "path")],
);
/// A line over the limit.
pub static LINE_TOO_LONG: Exception = Exception::with(
    "Rustio\\LineTooLongException",
    "__construct(string $message = '', int $code = 0, ?Throwable $previous = null, int $offset = 0, int $lineNumber = 0)",
    &[("int", "offset"), ("int", "lineNumber")],
);
/// The file shrank below what was read.
pub static TRUNCATED: Exception = Exception::new("Rustio\\FileTruncatedException");
/// A segment that can't be used.
pub static SEGMENT: Exception = Exception::new("Rustio\\SegmentException");
/// A file that must not or can't be sent.
pub static NOT_SERVABLE: Exception = Exception::with(
    "Rustio\\NotServableException",
    "__construct(string $message = '', int $code = 0, ?Throwable $previous = null, int $status = 404)",
    &[("int", "status")],
);
/// No lock within the time.
pub static LOCK_TIMEOUT: Exception = Exception::new("Rustio\\LockTimeoutException");

/// Registers the classes; module start only.
pub fn register() -> std::result::Result<(), BadSignature> {
    // SAFETY: SPL's classes exist before any extension of an ini file starts.
    add(&RUSTIO, unsafe { spl_ce_RuntimeException }, 0)?;
    for exception in [&IO, &LINE_TOO_LONG, &TRUNCATED, &SEGMENT, &NOT_SERVABLE, &LOCK_TIMEOUT] {
        add(exception, RUSTIO.class(), ffi::ZEND_ACC_FINAL)?;
    }
    Ok(())
}

fn add(exception: &Exception, parent: *mut ClassEntry, flags: u32) -> std::result::Result<(), BadSignature> {
    let methods: Vec<Method> = exception.signature.iter().map(|text| method(text, construct)).collect();
    let class = new_class(exception.name, &methods, parent, flags)?;
    for (kind, name) in exception.properties {
        let kind = property_type(kind).ok_or_else(|| BadSignature((*kind).to_owned()))?;
        let mut unset = Zval::new();
        unset.u1.type_info = ffi::IS_UNDEF;
        let access = ffi::ZEND_ACC_PUBLIC | (1 << 7); // ZEND_ACC_READONLY
        // SAFETY: declares a typed property without default on a class that this thread is registering.
        unsafe {
            zend_declare_typed_property(class, interned(name), &raw mut unset, access as i32, ptr::null_mut(), kind);
        }
    }
    exception.class.store(class, Relaxed);
    Ok(())
}

/// The constructor of all classes with properties: Exception's own, then the readonly properties.
unsafe extern "C" fn construct(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        // SAFETY: the engine calls a method with an object of the class that declares it.
        let (object, class) = unsafe { ((*ex).This.value.obj, (*(*ex).func).common.scope) };
        let exception = [&IO, &LINE_TOO_LONG, &NOT_SERVABLE].into_iter().find(|e| e.class() == class).ok_or(Thrown)?;
        let args = Args::new(ex, 0, 3 + exception.properties.len() as u32)?;
        let mut parent = [Zval::new(), Zval::new(), Zval::new()];
        parent[0].put_bytes(if args.raw(0).is_some() { args.str(0)? } else { b"" });
        parent[1].put_long(args.long_or(1, 0)?);
        parent[2].put_null();
        if let Some(previous) = args.raw(2) {
            // SAFETY: a living argument; the copy counts its own reference.
            unsafe {
                if super::zend::type_of(previous) != ffi::IS_NULL {
                    let is_throwable = super::zend::type_of(previous) == ffi::IS_OBJECT
                        && instance_of((*(*previous).value.obj).ce, ffi::zend_ce_throwable);
                    if !is_throwable {
                        super::zend::zend_wrong_parameter_class_or_null_error(3, c"Throwable".as_ptr(), previous);
                        return Err(Thrown);
                    }
                    ptr::copy_nonoverlapping(previous, &raw mut parent[2], 1);
                    super::zend::zval_add_ref(&raw mut parent[2]);
                }
            }
        }
        // SAFETY: Exception's constructor with arguments of the types it declares.
        unsafe {
            let base = (*ffi::zend_ce_exception).constructor;
            ffi::zend_call_known_function(
                base,
                object,
                class,
                ptr::null_mut(),
                3,
                parent.as_mut_ptr(),
                ptr::null_mut(),
            );
        }
        for (i, (kind, name)) in (3u32..).zip(exception.properties) {
            if super::zend::pending() {
                return Err(Thrown);
            }
            let mut value = Zval::new();
            match *kind {
                "string" => value.put_bytes(if args.raw(i).is_some() { args.str(i)? } else { b"" }),
                _ => value.put_long(args.long_or(i, if *name == "status" { 404 } else { 0 })?),
            }
            set_property(object, class, name, &mut value);
        }
        Ok(())
    });
}

/// Does `class` extend or implement `parent`?
pub fn instance_of(class: *const ClassEntry, parent: *const ClassEntry) -> bool {
    // SAFETY: both are registered classes.
    std::ptr::eq(class, parent) || unsafe { ffi::instanceof_function_slow(class, parent) }
}

fn set_property(object: *mut ffi::zend_object, class: *mut ClassEntry, name: &str, value: &mut Zval) {
    let mut key = Zval::new();
    key.put_bytes(name.as_bytes());
    // SAFETY: writes a declared property from its own class' scope, where a readonly one may be initialised once.
    unsafe { zend_update_property_ex(class, object, key.value.str_, value) };
}

/// Throws `exception`; `properties` in the order of its declaration.
#[cold]
pub fn throw(exception: &Exception, message: &str, code: i64, properties: &mut [Zval]) -> Thrown {
    let text = CString::new(message.replace('\0', "\\0")).unwrap_or_default();
    // SAFETY: the class is registered; the object is alive as the pending exception.
    let object = unsafe { ffi::zend_throw_exception(exception.class(), text.as_ptr(), code) };
    for ((_, name), value) in exception.properties.iter().zip(properties) {
        set_property(object, exception.class(), name, value);
    }
    Thrown
}

/// An IoException for a failed system call: "open /x: No such file or directory".
#[cold]
pub fn io(operation: &str, path: &[u8], source: &io::Error) -> Thrown {
    let errno = source.raw_os_error().unwrap_or(0);
    let message = format!("{operation} {}: {}", lossy(path), reason(source));
    let mut properties = [super::zend::zval(operation), super::zend::zval(path)];
    throw(&IO, &message, errno.into(), &mut properties)
}

/// The system's words for an error, without Rust's "(os error 2)".
pub fn reason(source: &io::Error) -> String {
    match source.raw_os_error() {
        Some(errno) => {
            let text = source.to_string();
            text.strip_suffix(&format!(" (os error {errno})")).map(str::to_owned).unwrap_or(text)
        }
        None => source.to_string(),
    }
}

/// Bytes for a message: what is no UTF-8 becomes U+FFFD.
pub fn lossy(text: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(text)
}

/// An Error: the program is wrong, not the world.
#[cold]
pub fn error(message: &str) -> Thrown {
    throw_class(ptr::null_mut(), message)
}

/// An exception of one of PHP's own classes; null is Error.
#[cold]
pub fn throw_class(class: *mut ClassEntry, message: &str) -> Thrown {
    let text = CString::new(message.replace('\0', "\\0")).unwrap_or_default();
    // SAFETY: the message is passed as the argument of a fixed format.
    unsafe { ffi::zend_throw_error(class, c"%s".as_ptr(), text.as_ptr()) };
    Thrown
}

/// Refuses a path outside open_basedir, as PHP's own functions do: the engine's warning, then this exception.
///
/// # Errors
/// IoException with EPERM.
pub fn check_open_basedir(path: &[u8]) -> Result {
    if open_basedir_allows(path, true) {
        return Ok(());
    }
    if super::zend::pending() {
        return Err(Thrown); // the warning met an error handler that throws
    }
    Err(io("open", path, &io::Error::from_raw_os_error(libc::EPERM)))
}

/// The same without a word, where nothing of PHP's may run.
pub fn is_inside_open_basedir(path: &[u8]) -> bool {
    open_basedir_allows(path, false)
}

fn open_basedir_allows(path: &[u8], warn: bool) -> bool {
    let text = CString::new(path).unwrap_or_default();
    // SAFETY: asks about a C string; the standard warning, the one thing that may run userland, comes only if asked for.
    unsafe { super::zend::php_check_open_basedir_ex(text.as_ptr(), warn.into()) == 0 }
}

/// Gives the pending exception, which a wrapper's warning became, what an IoException tells beside its message.
#[cold]
pub fn complete(operation: &str, path: &[u8], source: &io::Error) -> Thrown {
    // SAFETY: the caller has seen that an exception is pending.
    let object = unsafe { (*ffi::ext_php_rs_executor_globals()).exception };
    // SAFETY: a living object.
    if unsafe { (*object).ce } == IO.class() {
        set_property(object, IO.class(), "operation", &mut super::zend::zval(operation));
        set_property(object, IO.class(), "path", &mut super::zend::zval(path));
        let errno = source.raw_os_error().unwrap_or(0);
        // SAFETY: the class that declares "code".
        let base = unsafe { ffi::zend_ce_exception };
        set_property(object, base, "code", &mut super::zend::zval(i64::from(errno)));
    }
    Thrown
}

//! The part of the Zend API that the binding uses, beside what ext-php-rs binds: a few functions declared here, and the
//! small inline helpers that C has as macros. Everything is as in PHP 8.2 to 8.5's headers.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::slice;

pub use ext_php_rs::ffi;
pub use ext_php_rs::types::Zval;
pub use ext_php_rs::zend::{ClassEntry, ExecuteData};

/// An exception is pending in the executor; unwinds a handler by `?`.
#[derive(Debug)]
pub struct Thrown;

/// What a handler's body gives.
pub type Result<T = ()> = std::result::Result<T, Thrown>;

/// A handler as the engine calls it.
pub type Handler = unsafe extern "C" fn(*mut ExecuteData, *mut Zval);

#[rustfmt::skip]
unsafe extern "C" {
    pub static spl_ce_RuntimeException: *mut ClassEntry;
    pub static spl_ce_LogicException: *mut ClassEntry;
    pub static zend_ce_value_error: *mut ClassEntry;
    pub fn zend_timeout() -> !;
    pub static zend_empty_string: *mut ffi::zend_string;
    pub static zend_one_char_string: [*mut ffi::zend_string; 256];

    pub fn zend_parse_arg_bool_slow(arg: *mut Zval, dest: *mut bool, num: u32) -> bool;
    pub fn zend_parse_arg_long_slow(arg: *mut Zval, dest: *mut i64, num: u32) -> bool;
    pub fn zend_parse_arg_double_slow(arg: *mut Zval, dest: *mut f64, num: u32) -> bool;
    pub fn zend_parse_arg_str_slow(arg: *mut Zval, dest: *mut *mut ffi::zend_string, num: u32) -> bool;
    pub fn zend_parse_arg_str_or_long_slow(arg: *mut Zval, str: *mut *mut ffi::zend_string, long: *mut i64, num: u32) -> bool;
    pub fn zend_wrong_parameter_type_error(num: u32, expected: u32, arg: *mut Zval);
    pub fn zend_wrong_parameter_class_error(num: u32, name: *const c_char, arg: *mut Zval);
    pub fn zend_wrong_parameter_class_or_null_error(num: u32, name: *const c_char, arg: *mut Zval);
    pub fn zend_wrong_callback_error(num: u32, error: *mut c_char);
    pub fn zend_argument_type_error(num: u32, format: *const c_char, ...);
    pub fn zend_argument_value_error(num: u32, format: *const c_char, ...);
    pub fn zend_zval_type_name(arg: *const Zval) -> *const c_char;
    pub fn zend_class_implements(ce: *mut ClassEntry, count: c_int, ...);
    pub fn zend_update_property_ex(scope: *mut ClassEntry, object: *mut ffi::zend_object, name: *mut ffi::zend_string, value: *mut Zval);
    pub fn zend_declare_typed_property(ce: *mut ClassEntry, name: *mut ffi::zend_string, default: *mut Zval, access: c_int, doc: *mut ffi::zend_string, typ: ffi::zend_type) -> *mut c_void;
    pub fn zend_error(level: c_int, format: *const c_char, ...);
    pub fn zend_ini_string_ex(name: *const c_char, len: usize, orig: c_int, exists: *mut bool) -> *mut c_char;
    pub fn display_ini_entries(module: *mut ffi::zend_module_entry);
    pub fn zend_unregister_ini_entries_ex(module: c_int, kind: c_int);
    pub fn php_check_open_basedir_ex(path: *const c_char, warn: c_int) -> c_int;
    pub fn zval_add_ref(value: *mut Zval);
    pub fn zend_string_hash_func(text: *mut ffi::zend_string) -> u64;
}

/// `EG(exception)`: whether an exception is pending.
pub fn pending() -> bool {
    // SAFETY: the executor's globals of this thread exist while PHP code or a handler runs.
    unsafe { !(*ffi::ext_php_rs_executor_globals()).exception.is_null() }
}

/// `EG(vm_interrupt)`: a signal handler or the execution time limit waits for the engine. Long loops look at it between
/// chunks and give control back.
pub fn interrupted() -> bool {
    // SAFETY: the flag lives in the executor's globals of this thread; a signal handler may set it at any moment, hence
    // a volatile read of its one byte.
    unsafe { ptr::read_volatile((&raw const (*ffi::ext_php_rs_executor_globals()).vm_interrupt).cast::<u8>()) != 0 }
}

/// Lets the engine run what waits behind [`interrupted`]: pcntl's handlers, the time limit's fatal error. May run
/// userland and may bail out, so no lock and no borrow may be held.
///
/// # Errors
/// A handler has thrown.
pub fn run_interrupt(ex: *mut ExecuteData) -> Result {
    if interrupted() {
        // SAFETY: as in the VM's own interrupt helper: the flag is cleared, then the timeout and the chained handlers
        // run with the current frame.
        unsafe {
            let globals = ffi::ext_php_rs_executor_globals();
            if ptr::read_volatile((&raw const (*globals).timed_out).cast::<u8>()) != 0 {
                zend_timeout(); // the fatal error at once: a loop that merely ends early would look complete
            }
            ptr::write_volatile((&raw mut (*globals).vm_interrupt).cast::<u8>(), 0);
            if let Some(handler) = ffi::zend_interrupt_function {
                handler(ex);
            }
        }
    }
    if pending() { Err(Thrown) } else { Ok(()) }
}

/// The executing frame, for [`run_interrupt`] where no handler's frame is at hand (iterator functions).
pub fn current_frame() -> *mut ExecuteData {
    // SAFETY: as in pending().
    unsafe { (*ffi::ext_php_rs_executor_globals()).current_execute_data }
}

/// The type byte of a value.
///
/// # Safety
/// `zv` points to an initialised value.
pub unsafe fn type_of(zv: *const Zval) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { (*zv).u1.v.type_ }.into()
}

/// `ZVAL_DEREF`.
///
/// # Safety
/// `zv` points to an initialised value.
pub unsafe fn deref(zv: *mut Zval) -> *mut Zval {
    // SAFETY: a value of type reference points to a living zend_reference that holds the real one.
    unsafe { if type_of(zv) == ffi::IS_REFERENCE { &raw mut (*(*zv).value.ref_).val } else { zv } }
}

/// The bytes of a string, as long as the string lives.
///
/// # Safety
/// `s` points to a string that outlives `'a` and is not written meanwhile.
pub unsafe fn bytes<'a>(s: *const ffi::zend_string) -> &'a [u8] {
    // SAFETY: a zend_string has `len` initialised bytes behind its header.
    unsafe { slice::from_raw_parts((&raw const (*s).val).cast::<u8>(), (*s).len) }
}

/// A new request-bound string holding `text`; empty and one-byte ones are the engine's interned ones.
pub fn new_str(text: &[u8]) -> *mut ffi::zend_string {
    match text {
        // SAFETY: the engine's tables of interned strings are filled before any module starts.
        [] => unsafe { zend_empty_string },
        // SAFETY: as above.
        [byte] => unsafe { zend_one_char_string[usize::from(*byte)] },
        // SAFETY: copies text.len() bytes into a string the engine allocates.
        _ => unsafe { ffi::ext_php_rs_zend_string_init(text.as_ptr().cast(), text.len(), false) },
    }
}

/// A new request-bound string with room for `len` bytes that are still to be written, and the NUL behind them.
pub fn alloc_str(len: usize) -> *mut ffi::zend_string {
    let size = std::mem::offset_of!(ffi::zend_string, val) + len + 1;
    let layout = std::alloc::Layout::from_size_align(size.next_multiple_of(8), 8);
    // SAFETY: fills the header of fresh memory of the engine's allocator as zend_string_alloc() does; the size can't
    // overflow, for `len` bytes exist somewhere.
    unsafe {
        let Ok(layout) = layout else { return zend_empty_string };
        let text = ext_php_rs::alloc::emalloc(layout).cast::<ffi::zend_string>();
        (*text).gc.refcount = 1;
        (*text).gc.u.type_info = ffi::IS_STRING | 1 << 4; // GC_NOT_COLLECTABLE
        (*text).h = 0;
        (*text).len = len;
        (&raw mut (*text).val).cast::<u8>().add(len).write(0);
        text
    }
}

/// An interned string that lives as long as the process: names of classes, properties, cases. Start-up only.
pub fn interned(text: &str) -> *mut ffi::zend_string {
    // SAFETY: the engine's own constructor of permanent strings; it copies the bytes.
    unsafe {
        match ffi::zend_string_init_interned {
            Some(init) => init(text.as_ptr().cast(), text.len(), true),
            None => ffi::ext_php_rs_zend_string_init(text.as_ptr().cast(), text.len(), true),
        }
    }
}

/// Is this string interned, so that no reference is counted?
///
/// # Safety
/// `s` points to a living string.
pub unsafe fn is_interned(s: *const ffi::zend_string) -> bool {
    // SAFETY: the caller's promise.
    unsafe { (*s).gc.u.type_info & (1 << 6) != 0 } // IS_STR_INTERNED = GC_IMMUTABLE
}

/// Stores a string into a return value or an array element; takes over the caller's reference.
///
/// # Safety
/// `zv` is writable and holds nothing that needs a release.
pub unsafe fn set_str(zv: *mut Zval, s: *mut ffi::zend_string) {
    // SAFETY: the caller's promise; interned strings are marked as not counted, as ZVAL_STR does.
    unsafe {
        (*zv).value.str_ = s;
        (*zv).u1.type_info = if is_interned(s) { ffi::IS_INTERNED_STRING_EX } else { ffi::IS_STRING_EX };
    }
}

/// Writes plain values, as the `ZVAL_*` macros do; nothing is released.
pub trait Set {
    /// Sets to an integer.
    fn put_long(&mut self, value: i64);
    /// Sets to true or false.
    fn put_bool(&mut self, value: bool);
    /// Sets to null.
    fn put_null(&mut self);
    /// Sets to a fresh string with these bytes.
    fn put_bytes(&mut self, text: &[u8]);
    /// Sets to a fresh array.
    fn put_array(&mut self, size: usize) -> &mut ffi::HashTable;
}

impl Set for Zval {
    fn put_long(&mut self, value: i64) {
        self.value.lval = value;
        self.u1.type_info = ffi::IS_LONG;
    }

    fn put_bool(&mut self, value: bool) {
        self.u1.type_info = if value { ffi::IS_TRUE } else { ffi::IS_FALSE };
    }

    fn put_null(&mut self) {
        self.u1.type_info = ffi::IS_NULL;
    }

    fn put_bytes(&mut self, text: &[u8]) {
        // SAFETY: a value we hold exclusively; the string is fresh.
        unsafe { set_str(self, new_str(text)) }
    }

    fn put_array(&mut self, size: usize) -> &mut ffi::HashTable {
        // SAFETY: the engine allocates the table; the value takes over its only reference.
        unsafe {
            let table = ffi::_zend_new_array(u32::try_from(size).unwrap_or(u32::MAX));
            self.value.arr = table;
            self.u1.type_info = ffi::IS_ARRAY_EX;
            &mut *table
        }
    }
}

/// Adds to an array; the value is moved in.
pub trait Push {
    /// Appends under the next index.
    fn append(&mut self, value: Zval);
    /// Sets under a string key (a numeric one becomes an integer key, as in PHP).
    fn put(&mut self, key: &[u8], value: Zval);
    /// Sets under an integer key.
    fn put_at(&mut self, index: i64, value: Zval);
}

impl Push for ffi::HashTable {
    fn append(&mut self, value: Zval) {
        let mut value = std::mem::ManuallyDrop::new(value);
        // SAFETY: the table copies the value's bits, and our copy is not released.
        unsafe { ffi::zend_hash_next_index_insert(self, &raw mut *value) };
    }

    fn put(&mut self, key: &[u8], value: Zval) {
        let number = std::str::from_utf8(key).ok().and_then(|text| {
            let number: i64 = text.parse().ok()?;
            (number.to_string() == text).then_some(number)
        });
        if let Some(number) = number {
            return self.put_at(number, value);
        }
        let mut value = std::mem::ManuallyDrop::new(value);
        // SAFETY: as in append; the key's bytes are copied.
        unsafe { ffi::zend_hash_str_update(self, key.as_ptr().cast(), key.len(), &raw mut *value) };
    }

    fn put_at(&mut self, index: i64, value: Zval) {
        let mut value = std::mem::ManuallyDrop::new(value);
        // SAFETY: as in append.
        unsafe { ffi::zend_hash_index_update(self, index.cast_unsigned(), &raw mut *value) };
    }
}

/// A value holding an integer, a string or a truth value, for arrays.
pub fn zval(value: impl Into<Scalar>) -> Zval {
    let mut zv = Zval::new();
    match value.into() {
        Scalar::Long(n) => zv.put_long(n),
        Scalar::Bool(b) => zv.put_bool(b),
        Scalar::Bytes(text) => zv.put_bytes(&text),
        Scalar::Null => zv.put_null(),
    }
    zv
}

/// What [`zval`] takes.
pub enum Scalar {
    /// int
    Long(i64),
    /// bool
    Bool(bool),
    /// string
    Bytes(Vec<u8>),
    /// null
    Null,
}

impl From<i64> for Scalar {
    fn from(n: i64) -> Self {
        Self::Long(n)
    }
}

impl From<u64> for Scalar {
    fn from(n: u64) -> Self {
        Self::Long(i64::try_from(n).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Scalar {
    fn from(b: bool) -> Self {
        Self::Bool(b)
    }
}

impl From<&[u8]> for Scalar {
    fn from(text: &[u8]) -> Self {
        Self::Bytes(text.to_vec())
    }
}

impl From<&str> for Scalar {
    fn from(text: &str) -> Self {
        Self::Bytes(text.as_bytes().to_vec())
    }
}

/// The value of an INI entry as it is in force now; `None` if it is empty.
pub fn ini(name: &CStr) -> Option<String> {
    let mut exists = false;
    // SAFETY: looks the entry up by name; the answer is a C string that lives until the entry changes, copied at once.
    let text = unsafe {
        let text = zend_ini_string_ex(name.as_ptr(), name.count_bytes(), 0, &raw mut exists);
        if text.is_null() { return None } else { CStr::from_ptr(text) }
    };
    let text = text.to_string_lossy();
    (!text.is_empty()).then(|| text.into_owned())
}

/// Calls a PHP callable with arguments. Userland runs: hold no lock, and expect a bailout.
///
/// # Errors
/// The callable has thrown.
pub fn call(callable: *mut Zval, args: &mut [Zval]) -> Result<Zval> {
    let mut answer = Zval::new();
    // SAFETY: the callable was checked by the argument parser and is held by the caller's frame; the engine copies args.
    let status = unsafe {
        ffi::_call_user_function_impl(
            ptr::null_mut(),
            callable,
            &raw mut answer,
            args.len() as u32,
            args.as_mut_ptr(),
            ptr::null_mut(),
        )
    };
    if status < 0 || pending() { Err(Thrown) } else { Ok(answer) }
}

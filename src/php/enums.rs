//! String-backed enums whose cases mirror a Rust enum's.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use super::zend::{
    ClassEntry, Result, Thrown, Zval, bytes, ffi, interned, set_str, type_of, zend_wrong_parameter_class_error,
    zend_wrong_parameter_class_or_null_error,
};
use super::zpp::Args;

/// One PHP enum: its name and, in order, its cases with their values.
pub struct Enum {
    name: &'static std::ffi::CStr,
    cases: &'static [(&'static str, &'static str)],
    class: AtomicPtr<ClassEntry>,
}

impl Enum {
    /// For a `static`.
    #[must_use]
    pub const fn new(name: &'static std::ffi::CStr, cases: &'static [(&'static str, &'static str)]) -> Self {
        Self { name, cases, class: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Registers the enum; module start only.
    pub fn register(&self) {
        // SAFETY: the engine copies the name; case names and values are permanent strings.
        unsafe {
            let class = ffi::zend_register_internal_enum(self.name.as_ptr(), ffi::IS_STRING as u8, ptr::null());
            for (name, value) in self.cases {
                let mut zv = Zval::new();
                set_str(&raw mut zv, interned(value));
                ffi::zend_enum_add_case(class, interned(name), &raw mut zv);
            }
            self.class.store(class, Relaxed);
        }
    }

    /// The position of the case given as argument `i`, or `default` if none was given.
    ///
    /// # Errors
    /// TypeError.
    pub fn arg_or(&self, args: &Args, i: u32, default: usize) -> Result<usize> {
        match args.raw(i) {
            Some(zv) => self.position(zv).ok_or_else(|| {
                // SAFETY: raises a TypeError about a living argument.
                unsafe { zend_wrong_parameter_class_error(i + 1, self.name.as_ptr(), zv) };
                Thrown
            }),
            None => Ok(default),
        }
    }

    /// The same for a nullable argument.
    ///
    /// # Errors
    /// TypeError.
    pub fn opt_arg(&self, args: &Args, i: u32) -> Result<Option<usize>> {
        // SAFETY: raw() gives initialised values.
        match args.raw(i).filter(|zv| unsafe { type_of(*zv) } != ffi::IS_NULL) {
            Some(zv) => self.position(zv).map(Some).ok_or_else(|| {
                // SAFETY: as in arg_or.
                unsafe { zend_wrong_parameter_class_or_null_error(i + 1, self.name.as_ptr(), zv) };
                Thrown
            }),
            None => Ok(None),
        }
    }

    fn position(&self, zv: *mut Zval) -> Option<usize> {
        // SAFETY: a case is an object of the enum's class whose first property is its name (zend_enum.h).
        let name = unsafe {
            if type_of(zv) != ffi::IS_OBJECT || (*(*zv).value.obj).ce != self.class.load(Relaxed) {
                return None;
            }
            bytes((*(*zv).value.obj).properties_table[0].value.str_)
        };
        self.cases.iter().position(|(case, _)| case.as_bytes() == name)
    }
}

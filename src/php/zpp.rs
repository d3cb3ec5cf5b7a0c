//! Arguments as PHP core takes them: weak coercion and strict_types, references, null, named arguments, and the engine's
//! own messages. One parser per call; positions count from 0, messages from 1.
//!
//! An optional argument that named arguments skip arrives as its default (the engine fills it in from the signature), so
//! "not given" and "given its default" are the same.

use std::ffi::{CStr, CString, c_char};
use std::ptr;

use super::zend::{
    ExecuteData, Result, Thrown, Zval, bytes, deref, ffi, pending, type_of, zend_argument_type_error,
    zend_argument_value_error, zend_parse_arg_bool_slow, zend_parse_arg_double_slow, zend_parse_arg_long_slow,
    zend_parse_arg_str_or_long_slow, zend_parse_arg_str_slow, zend_wrong_callback_error,
    zend_wrong_parameter_type_error, zend_zval_type_name,
};

/// The arguments of one call. Strings it hands out belong to the frame and live until the handler returns.
pub struct Args {
    first: *mut Zval,
    count: u32,
}

/// An `int|string` argument.
pub enum IntOrStr<'a> {
    /// int
    Int(i64),
    /// string
    Str(&'a [u8]),
}

impl Args {
    /// Checks the number of arguments.
    ///
    /// # Errors
    /// ArgumentCountError.
    #[inline]
    pub fn new(ex: *mut ExecuteData, min: u32, max: u32) -> Result<Self> {
        // SAFETY: the engine hands a handler its own frame, whose arguments follow the fixed slots.
        let (count, first) = unsafe { ((*ex).This.u2.num_args, ex.cast::<Zval>().add(FRAME_SLOTS)) };
        if count < min || count > max {
            // SAFETY: raises an exception that names the running function.
            unsafe { ffi::zend_wrong_parameters_count_error(min, max) };
            return Err(Thrown);
        }
        Ok(Self { first, count })
    }

    /// The raw argument, dereferenced; `None` if it was not given.
    #[inline]
    pub fn raw(&self, i: u32) -> Option<*mut Zval> {
        if i >= self.count {
            return None;
        }
        // SAFETY: the frame has `count` initialised arguments. One skipped by a named argument is filled in before the
        // handler runs; IS_UNDEF would mean a signature without a default.
        unsafe {
            let zv = deref(self.first.add(i as usize));
            (type_of(zv) != ffi::IS_UNDEF).then_some(zv)
        }
    }

    /// int
    ///
    /// # Errors
    /// TypeError.
    #[inline]
    pub fn long(&self, i: u32) -> Result<i64> {
        let zv = self.required(i)?;
        // SAFETY: the union is read as what its type says.
        unsafe { if type_of(zv) == ffi::IS_LONG { Ok((*zv).value.lval) } else { self.slow_long(zv, i, false) } }
    }

    /// int with a default
    ///
    /// # Errors
    /// TypeError.
    #[inline]
    pub fn long_or(&self, i: u32, default: i64) -> Result<i64> {
        if self.raw(i).is_none() { Ok(default) } else { self.long(i) }
    }

    /// ?int
    ///
    /// # Errors
    /// TypeError.
    pub fn opt_long(&self, i: u32) -> Result<Option<i64>> {
        match self.non_null(i) {
            Some(zv) => self.slow_long(zv, i, true).map(Some),
            None => Ok(None),
        }
    }

    #[cold]
    fn slow_long(&self, zv: *mut Zval, i: u32, or_null: bool) -> Result<i64> {
        let mut value = 0;
        // SAFETY: coerces by the caller's typing mode, as Z_PARAM_LONG does; an int passes through.
        let good = unsafe {
            if type_of(zv) == ffi::IS_LONG {
                value = (*zv).value.lval;
                true
            } else {
                zend_parse_arg_long_slow(zv, &raw mut value, i + 1)
            }
        };
        let expected = ffi::_zend_expected_type_Z_EXPECTED_LONG;
        if good { Ok(value) } else { Err(wrong_type(zv, i, expected + u32::from(or_null))) }
    }

    /// float with a default
    ///
    /// # Errors
    /// TypeError.
    pub fn double_or(&self, i: u32, default: f64) -> Result<f64> {
        match self.raw(i) {
            Some(zv) => Self::double(zv, i, false),
            None => Ok(default),
        }
    }

    /// ?float
    ///
    /// # Errors
    /// TypeError.
    pub fn opt_double(&self, i: u32) -> Result<Option<f64>> {
        self.non_null(i).map(|zv| Self::double(zv, i, true)).transpose()
    }

    fn double(zv: *mut Zval, i: u32, or_null: bool) -> Result<f64> {
        let mut value = 0.0;
        // SAFETY: as in slow_long.
        let good = unsafe {
            if type_of(zv) == ffi::IS_DOUBLE {
                value = (*zv).value.dval;
                true
            } else {
                zend_parse_arg_double_slow(zv, &raw mut value, i + 1)
            }
        };
        let expected = ffi::_zend_expected_type_Z_EXPECTED_DOUBLE;
        if good { Ok(value) } else { Err(wrong_type(zv, i, expected + u32::from(or_null))) }
    }

    /// bool with a default
    ///
    /// # Errors
    /// TypeError.
    pub fn bool_or(&self, i: u32, default: bool) -> Result<bool> {
        match self.raw(i) {
            Some(zv) => Self::boolean(zv, i, false),
            None => Ok(default),
        }
    }

    /// ?bool
    ///
    /// # Errors
    /// TypeError.
    pub fn opt_bool(&self, i: u32) -> Result<Option<bool>> {
        self.non_null(i).map(|zv| Self::boolean(zv, i, true)).transpose()
    }

    fn boolean(zv: *mut Zval, i: u32, or_null: bool) -> Result<bool> {
        let mut value = false;
        // SAFETY: as in slow_long.
        let good = unsafe {
            match type_of(zv) {
                ffi::IS_TRUE => {
                    value = true;
                    true
                }
                ffi::IS_FALSE => true,
                _ => zend_parse_arg_bool_slow(zv, &raw mut value, i + 1),
            }
        };
        let expected = ffi::_zend_expected_type_Z_EXPECTED_BOOL;
        if good { Ok(value) } else { Err(wrong_type(zv, i, expected + u32::from(or_null))) }
    }

    /// string
    ///
    /// # Errors
    /// TypeError.
    #[inline]
    pub fn str(&self, i: u32) -> Result<&[u8]> {
        let zv = self.required(i)?;
        // SAFETY: a string argument lives in the frame as long as `self` is used.
        unsafe { if type_of(zv) == ffi::IS_STRING { Ok(bytes((*zv).value.str_)) } else { self.slow_str(zv, i, false) } }
    }

    /// string as one of several types; `format` is the TypeError's text, with one `%s` for the given type.
    ///
    /// # Errors
    /// TypeError.
    pub fn str_or(&self, i: u32, format: &CStr) -> Result<&[u8]> {
        let zv = self.required(i)?;
        let mut text = ptr::null_mut();
        // SAFETY: as in slow_str.
        unsafe {
            if type_of(zv) == ffi::IS_STRING {
                return Ok(bytes((*zv).value.str_));
            }
            if zend_parse_arg_str_slow(zv, &raw mut text, i + 1) {
                return Ok(bytes(text));
            }
        }
        Err(if pending() { Thrown } else { type_error(zv, i, format) })
    }

    /// ?string
    ///
    /// # Errors
    /// TypeError.
    pub fn opt_str(&self, i: u32) -> Result<Option<&[u8]>> {
        match self.non_null(i) {
            Some(zv) => self.slow_str(zv, i, true).map(Some),
            None => Ok(None),
        }
    }

    #[cold]
    fn slow_str(&self, zv: *mut Zval, i: u32, or_null: bool) -> Result<&[u8]> {
        let mut text = ptr::null_mut();
        // SAFETY: as Z_PARAM_STR does: what is coerced is stored back into the argument, which the frame releases.
        unsafe {
            if type_of(zv) == ffi::IS_STRING {
                return Ok(bytes((*zv).value.str_));
            }
            if zend_parse_arg_str_slow(zv, &raw mut text, i + 1) {
                return Ok(bytes(text));
            }
        }
        Err(wrong_type(zv, i, ffi::_zend_expected_type_Z_EXPECTED_STRING + u32::from(or_null)))
    }

    /// string that is a path: no NUL
    ///
    /// # Errors
    /// TypeError, ValueError.
    pub fn path(&self, i: u32) -> Result<&[u8]> {
        let text = self.str(i)?;
        if memchr::memchr(0, text).is_some() {
            return Err(value_error(i, "must not contain any null bytes"));
        }
        if text.is_empty() {
            return Err(value_error(i, "cannot be empty"));
        }
        Ok(text)
    }

    /// int|string
    ///
    /// # Errors
    /// TypeError.
    #[inline]
    pub fn long_or_str(&self, i: u32) -> Result<IntOrStr<'_>> {
        let zv = self.required(i)?;
        let mut text = ptr::null_mut();
        let mut long = 0;
        // SAFETY: as in long() and slow_str(); the slow path stores either a string or a number.
        unsafe {
            match type_of(zv) {
                ffi::IS_LONG => Ok(IntOrStr::Int((*zv).value.lval)),
                ffi::IS_STRING => Ok(IntOrStr::Str(bytes((*zv).value.str_))),
                _ if zend_parse_arg_str_or_long_slow(zv, &raw mut text, &raw mut long, i + 1) => {
                    Ok(if text.is_null() { IntOrStr::Int(long) } else { IntOrStr::Str(bytes(text)) })
                }
                _ => Err(wrong_type(zv, i, ffi::_zend_expected_type_Z_EXPECTED_STRING_OR_LONG)),
            }
        }
    }

    /// array
    ///
    /// # Errors
    /// TypeError.
    pub fn array(&self, i: u32) -> Result<*mut ffi::HashTable> {
        let zv = self.required(i)?;
        // SAFETY: the union is read as what its type says.
        unsafe {
            if type_of(zv) == ffi::IS_ARRAY {
                Ok((*zv).value.arr)
            } else {
                Err(wrong_type(zv, i, ffi::_zend_expected_type_Z_EXPECTED_ARRAY))
            }
        }
    }

    /// iterable: an array or a Traversable
    ///
    /// # Errors
    /// TypeError.
    pub fn iterable(&self, i: u32) -> Result<*mut Zval> {
        let zv = self.required(i)?;
        // SAFETY: asks the engine about a living value.
        if unsafe { ffi::zend_is_iterable(zv) } {
            return Ok(zv);
        }
        Err(type_error(zv, i, c"must be of type iterable, %s given"))
    }

    /// callable
    ///
    /// # Errors
    /// TypeError, with the engine's reason.
    pub fn callable(&self, i: u32) -> Result<*mut Zval> {
        let zv = self.required(i)?;
        let mut reason: *mut c_char = ptr::null_mut();
        // SAFETY: asks the engine about a living value; the reason, if any, passes into the error, which frees it.
        unsafe {
            if ffi::zend_is_callable_ex(zv, ptr::null_mut(), 0, ptr::null_mut(), ptr::null_mut(), &raw mut reason) {
                return Ok(zv);
            }
            zend_wrong_callback_error(i + 1, reason);
        }
        Err(Thrown)
    }

    fn non_null(&self, i: u32) -> Option<*mut Zval> {
        // SAFETY: raw() gives initialised values.
        self.raw(i).filter(|zv| unsafe { type_of(*zv) } != ffi::IS_NULL)
    }

    #[inline]
    fn required(&self, i: u32) -> Result<*mut Zval> {
        self.raw(i).ok_or(Thrown)
    }
}

/// `ZEND_CALL_FRAME_SLOT`: the frame's header in units of values.
const FRAME_SLOTS: usize = size_of::<ExecuteData>().div_ceil(size_of::<Zval>());

#[cold]
fn wrong_type(zv: *mut Zval, i: u32, expected: u32) -> Thrown {
    if !pending() {
        // SAFETY: raises a TypeError about a living argument.
        unsafe { zend_wrong_parameter_type_error(i + 1, expected, zv) };
    }
    Thrown
}

/// A TypeError in the engine's form; `format` has one `%s` for the name of the given type.
#[cold]
pub fn type_error(zv: *mut Zval, i: u32, format: &CStr) -> Thrown {
    // SAFETY: the format has the one %s that the argument fits.
    unsafe { zend_argument_type_error(i + 1, format.as_ptr(), zend_zval_type_name(zv)) };
    Thrown
}

/// `f(): Argument #3 ($x) must be ...`, a ValueError.
#[cold]
pub fn value_error(i: u32, message: &str) -> Thrown {
    let message = CString::new(message.replace('\0', "\\0")).unwrap_or_default();
    // SAFETY: the message is passed as the argument of a fixed format.
    unsafe { zend_argument_value_error(i + 1, c"%s".as_ptr(), message.as_ptr()) };
    Thrown
}

/// A number within bounds.
///
/// # Errors
/// ValueError: "must be between 1 and 100".
pub fn in_range(i: u32, value: i64, low: i64, high: i64) -> Result<i64> {
    if (low..=high).contains(&value) {
        return Ok(value);
    }
    Err(value_error(
        i,
        &if high == i64::MAX {
            format!("must be greater than or equal to {low}")
        } else {
            format!("must be between {low} and {high}")
        },
    ))
}

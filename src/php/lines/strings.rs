//! The string of the current line. While nobody but the loop's variable has kept them, two strings take turns: the one
//! that the variable has let go of is written again instead of being freed and allocated.

use std::alloc::Layout;
use std::ptr;

use ext_php_rs::alloc::emalloc;

use crate::php::zend::{Zval, ffi, new_str, set_str};

/// Longest string that is kept for the next but one line.
const KEEP: usize = 4096;
/// Up to this capacity a string may hold a much shorter line.
const SMALL: usize = 128;
/// Type and flags of a fresh string (`GC_STRING`); writing it also forgets "known to be valid UTF-8".
const FRESH: u32 = ffi::IS_STRING | (1 << 4);
/// Bytes of a string beside its text: the header up to `val`, and the final NUL.
const OVERHEAD: usize = std::mem::offset_of!(ffi::zend_string, val) + 1;

struct Slot {
    string: *mut ffi::zend_string,
    capacity: usize,
}

impl Slot {
    const EMPTY: Self = Self { string: ptr::null_mut(), capacity: 0 };

    fn release(&mut self) {
        if !self.string.is_null() {
            // SAFETY: gives up the one reference that this slot holds.
            unsafe { ffi::ext_php_rs_zend_string_release(self.string) };
            *self = Self::EMPTY;
        }
    }

    /// May it be written with `len` bytes? Not while anybody else holds it, and not if much would stay unused should the
    /// script keep it.
    #[inline]
    fn takes(&self, len: usize) -> bool {
        len <= self.capacity
            && self.capacity <= (2 * len).max(SMALL)
            // SAFETY: capacity is 0 unless the slot holds a living string.
            && unsafe { (*self.string).gc.refcount } == 1
    }

    #[cold]
    fn replace(&mut self, len: usize) {
        self.release();
        let size = bin(OVERHEAD + len);
        let string = emalloc(Layout::from_size_align(size, 8).unwrap_or(Layout::new::<ffi::zend_string>()));
        *self = Self { string: string.cast(), capacity: size - OVERHEAD };
        // SAFETY: fresh memory of at least a header's size.
        unsafe { (*self.string).gc.refcount = 1 };
    }
}

/// The size that the Zend allocator would round to: the rest of its bin costs nothing.
fn bin(size: usize) -> usize {
    if size > 3072 {
        return size.next_multiple_of(8);
    }
    let step = (size.next_power_of_two() / 8).max(8);
    size.next_multiple_of(step)
}

/// The value of the current line, and the string before it.
pub struct Strings {
    current: Slot,
    spare: Slot,
    value: Zval,
}

impl Strings {
    pub const fn new() -> Self {
        Self { current: Slot::EMPTY, spare: Slot::EMPTY, value: Zval::new() }
    }

    /// Makes `line` the current value.
    #[inline(always)]
    pub fn put(&mut self, line: &[u8]) {
        let len = line.len();
        if len < 2 {
            // SAFETY: the value only borrows; interned strings are not counted.
            unsafe { set_str(&raw mut self.value, new_str(line)) };
            return;
        }
        std::mem::swap(&mut self.current, &mut self.spare);
        if !self.current.takes(len) {
            self.current.replace(len);
        }
        if self.spare.capacity > KEEP {
            self.spare.release();
        }
        let string = self.current.string;
        // SAFETY: the slot's string has room for len bytes and the NUL, is ours alone, and does not overlap the reader's
        // buffer. Its hash and flags are those of a fresh string, since the text is a new one.
        unsafe {
            (*string).gc.u.type_info = FRESH;
            (*string).h = 0;
            (*string).len = len;
            let text = (&raw mut (*string).val).cast::<u8>();
            ptr::copy_nonoverlapping(line.as_ptr(), text, len);
            *text.add(len) = 0;
        }
        self.value.value.str_ = string;
        self.value.u1.type_info = ffi::IS_STRING_EX;
    }

    /// The current value, for the engine to copy.
    #[inline]
    pub fn value(&mut self) -> *mut Zval {
        &raw mut self.value
    }
}

impl Drop for Strings {
    fn drop(&mut self) {
        // The value only borrows from a slot; its own destructor must find nothing to release.
        self.value.u1.type_info = ffi::IS_NULL;
        self.current.release();
        self.spare.release();
    }
}

//! The array that addMany() takes, read where it lies.

use std::marker::PhantomData;

use super::super::zend::{Result, Zval, bytes, deref, ffi, type_of, zend_string_hash_func};
use super::super::zpp::type_error;
use crate::shm::counters::Counter;

/// A string with the hash that the engine keeps in it.
///
/// # Safety
/// `text` is a living string that outlives `'a`.
#[inline(always)]
pub unsafe fn named<'a>(text: *mut ffi::zend_string) -> Counter<'a> {
    // SAFETY: the caller's promise; the engine computes a missing hash and keeps it.
    unsafe {
        let hash = if (*text).h == 0 { zend_string_hash_func(text) } else { (*text).h };
        Counter::Name(bytes(text), hash)
    }
}

/// The elements of an array of integers, as they lie in it.
#[derive(Clone)]
pub struct Deltas {
    table: *const ffi::HashTable,
    at: usize,
}

impl Deltas {
    /// The next element: its key and its value, dereferenced.
    ///
    /// # Safety
    /// The table is a living array that nobody changes while this and what it gives are used.
    #[inline(always)]
    unsafe fn next_element<'a>(&mut self) -> Option<(Counter<'a>, *mut Zval)> {
        const PACKED: u32 = 1 << 2; // HASH_FLAG_PACKED
        let table = self.table;
        // SAFETY: the caller's promise: a packed array is values, another one is buckets, nNumUsed of either.
        unsafe {
            while self.at < (*table).nNumUsed as usize {
                let at = self.at;
                self.at += 1;
                let (counter, value) = if (*table).u.flags & PACKED != 0 {
                    (Counter::Index(at as i64), (*table).__bindgen_anon_1.arPacked.add(at))
                } else {
                    let bucket = (*table).__bindgen_anon_1.arData.add(at);
                    let key = (*bucket).key;
                    let counter = if key.is_null() { Counter::Index((*bucket).h.cast_signed()) } else { named(key) };
                    (counter, &raw mut (*bucket).val)
                };
                if type_of(value) != ffi::IS_UNDEF {
                    return Some((counter, deref(value)));
                }
            }
        }
        None
    }

    /// All elements are integers.
    ///
    /// # Errors
    /// TypeError.
    ///
    /// # Safety
    /// As for `next_element`.
    unsafe fn check(mut self) -> Result {
        // SAFETY: the caller's promise.
        while let Some((_, value)) = unsafe { self.next_element() } {
            // SAFETY: an element of the living array.
            if unsafe { type_of(value) } != ffi::IS_LONG {
                return Err(type_error(value, 0, c"must be an array of int, %s given"));
            }
        }
        Ok(())
    }
}

/// What `check` has looked at.
#[derive(Clone)]
pub struct Checked<'a>(Deltas, PhantomData<&'a ()>);

impl<'a> Checked<'a> {
    /// All elements of an array, which must be integers.
    ///
    /// # Errors
    /// TypeError.
    ///
    /// # Safety
    /// The table is a living array that nobody changes for 'a.
    pub unsafe fn new(table: *const ffi::HashTable) -> Result<Self> {
        let deltas = Deltas { table, at: 0 };
        // SAFETY: the caller's promise.
        unsafe { deltas.clone().check() }?;
        Ok(Checked(deltas, PhantomData))
    }
}

impl<'a> Iterator for Checked<'a> {
    type Item = (Counter<'a>, i64);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        // SAFETY: the promise of new().
        let (counter, value) = unsafe { self.0.next_element() }?;
        // SAFETY: an integer, by `check`.
        Some((counter, unsafe { (*value).value.lval }))
    }
}

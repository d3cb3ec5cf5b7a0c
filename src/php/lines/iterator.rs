//! foreach without method calls: the engine's own iterator protocol (`zend_iterators.h`), as core's classes have it.

use std::ffi::c_int;
use std::mem::size_of;
use std::ptr;

use super::{Cursor, Entered, Lines};
use crate::php::guard::{go_on_bailing_out, guard, guard_or};
use crate::php::object::value_of;
use crate::php::zend::{ClassEntry, Result, Set, Thrown, Zval, ffi, zval_add_ref};
use crate::php::{error, zend};

#[repr(C)]
struct Base {
    std: ffi::zend_object,
    data: Zval,
    funcs: *const Funcs,
    index: u64,
}

#[repr(C)]
struct Funcs {
    dtor: unsafe extern "C" fn(*mut Loop),
    valid: unsafe extern "C" fn(*mut Loop) -> c_int,
    get_current_data: unsafe extern "C" fn(*mut Loop) -> *mut Zval,
    get_current_key: unsafe extern "C" fn(*mut Loop, *mut Zval),
    move_forward: unsafe extern "C" fn(*mut Loop),
    rewind: unsafe extern "C" fn(*mut Loop),
    invalidate_current: Option<unsafe extern "C" fn(*mut Loop)>,
    get_gc: Option<unsafe extern "C" fn(*mut Loop, *mut *mut Zval, *mut c_int) -> *mut ffi::HashTable>,
}

unsafe extern "C" {
    fn zend_iterator_init(iter: *mut Base);
}

/// One loop over an object. It holds the object, and remembers at which rewind it started.
#[repr(C)]
struct Loop {
    base: Base,
    lines: *const Lines,
    generation: u64,
    /// What current() of an SPL iterator gets where there is no line.
    none: Zval,
}

static FUNCS: Funcs = Funcs {
    dtor,
    valid,
    get_current_data,
    get_current_key,
    move_forward,
    rewind,
    invalidate_current: None,
    get_gc: None,
};

pub unsafe extern "C" fn get_iterator(
    _class: *mut ClassEntry,
    object: *mut Zval,
    by_ref: c_int,
) -> *mut ffi::zend_object_iterator {
    guard_or(ptr::null_mut(), || {
        if by_ref != 0 {
            error::error("An iterator cannot be used with foreach by reference");
            return ptr::null_mut();
        }
        // SAFETY: the engine passes an object of the class that this function is registered for; the loop holds it.
        let Some(lines) = (unsafe { value_of::<Lines>((*object).value.obj) }) else {
            error::error("The Rustio\\LineIterator object has not been correctly initialized by its constructor");
            return ptr::null_mut();
        };
        let Ok(entered) = lines.enter() else { return ptr::null_mut() };
        let generation = entered.inner.generation;
        let layout = std::alloc::Layout::new::<Loop>();
        let iter = ext_php_rs::alloc::emalloc(layout).cast::<Loop>();
        // SAFETY: fresh memory of the engine's, initialised whole before it is handed over: the header by the engine,
        // the object with a reference of its own.
        unsafe {
            ptr::write_bytes(iter.cast::<u8>(), 0, size_of::<Loop>());
            zend_iterator_init(&raw mut (*iter).base);
            ptr::copy_nonoverlapping(object, &raw mut (*iter).base.data, 1);
            zval_add_ref(&raw mut (*iter).base.data);
            (*iter).base.funcs = &raw const FUNCS;
            (*iter).lines = lines;
            (*iter).generation = generation;
            (*iter).none.put_null();
        }
        iter.cast()
    })
}

/// The loop's lines, for exclusive use; an Error if they are being read.
///
/// # Safety
/// `iter` is a living loop.
unsafe fn enter<'a>(iter: *mut Loop) -> Result<Entered<'a>> {
    // SAFETY: the loop holds the object that the lines are in.
    unsafe { (*(*iter).lines).enter() }
}

unsafe extern "C" fn dtor(iter: *mut Loop) {
    // SAFETY: gives up the loop's reference to the object; the engine frees the loop itself.
    unsafe { ffi::zval_ptr_dtor(&raw mut (*iter).base.data) };
}

/// Reads the current line if that was put off; is there one?
///
/// # Safety
/// `iter` is a living loop.
#[cold]
unsafe fn is_at_line(iter: *mut Loop) -> bool {
    let at = guard_or(false, || {
        // SAFETY: the caller's promise.
        let Ok(entered) = (unsafe { enter(iter) }) else { return false };
        entered.inner.settle().is_ok() && entered.inner.cursor == Cursor::At
    });
    if !at {
        go_on_bailing_out();
    }
    at
}

/// The usual case without entering: the current line was read already.
///
/// # Safety
/// `iter` is a living loop.
#[inline(always)]
unsafe fn stands_at_line(iter: *mut Loop) -> bool {
    // SAFETY: the loop holds the lines; while they are not busy nobody else refers to their inner state.
    unsafe { !(*(*iter).lines).busy.get() && (*(*(*iter).lines).inner.get()).cursor == Cursor::At }
}

unsafe extern "C" fn valid(iter: *mut Loop) -> c_int {
    // SAFETY: the engine calls with a living loop.
    if unsafe { stands_at_line(iter) || is_at_line(iter) } { 0 } else { -1 }
}

/// foreach asks for valid() first and copies the value before anything else runs; an SPL iterator may ask at any time.
unsafe extern "C" fn get_current_data(iter: *mut Loop) -> *mut Zval {
    // SAFETY: as in valid(); the value lives until the cursor moves.
    unsafe {
        if stands_at_line(iter) || is_at_line(iter) {
            (*(*(*iter).lines).inner.get()).strings.value()
        } else {
            &raw mut (*iter).none
        }
    }
}

unsafe extern "C" fn get_current_key(iter: *mut Loop, key: *mut Zval) {
    // SAFETY: as in get_current_data; the key is the engine's, to be written.
    unsafe {
        if stands_at_line(iter) || is_at_line(iter) {
            (*key).put_long((*(*(*iter).lines).inner.get()).reader.line().number.cast_signed());
        } else {
            (*key).put_null();
        }
    }
}

/// The usual case without entering: the next line lies in the buffer. Nothing here panics or runs PHP code.
///
/// # Safety
/// `iter` is a living loop.
#[inline(always)]
unsafe fn moves_in_buffer(iter: *mut Loop) -> bool {
    // SAFETY: the loop holds the lines; while they are not busy nobody else refers to their inner state.
    let (lines, generation) = unsafe { (&*(*iter).lines, (*iter).generation) };
    if lines.busy.get() {
        return false;
    }
    // SAFETY: as above.
    let inner = unsafe { &mut *lines.inner.get() };
    if inner.generation != generation {
        return false;
    }
    let Some(line) = inner.reader.next_at_hand() else { return false };
    inner.strings.put(line);
    inner.advanced = true;
    inner.cursor = Cursor::At;
    true
}

unsafe extern "C" fn move_forward(iter: *mut Loop) {
    // SAFETY: the engine calls with a living loop.
    if unsafe { !moves_in_buffer(iter) } {
        // SAFETY: as above.
        unsafe { move_slowly(iter) }
    }
}

/// # Safety
/// `iter` is a living loop.
#[cold]
unsafe fn move_slowly(iter: *mut Loop) {
    guard(|| {
        // SAFETY: the engine calls with a living loop.
        let (entered, generation) = unsafe { (enter(iter)?, (*iter).generation) };
        if entered.inner.generation != generation {
            return Err(lost());
        }
        entered.inner.advanced = true;
        entered.inner.advance()
    });
}

unsafe extern "C" fn rewind(iter: *mut Loop) {
    guard(|| {
        // SAFETY: as in move_forward.
        let entered = unsafe { enter(iter)? };
        let done = entered.inner.rewind();
        // SAFETY: as in move_forward.
        unsafe { (*iter).generation = entered.inner.generation };
        done
    });
}

#[cold]
fn lost() -> Thrown {
    // SAFETY: SPL's classes exist since module start.
    let class = unsafe { zend::spl_ce_LogicException };
    error::throw_class(class, "Another loop has rewound this Rustio\\LineIterator; use one object for each loop")
}

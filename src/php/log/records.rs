//! `appendAll()`: an array or any other Traversable as records.

use std::ffi::{c_int, c_void};

use super::{Logger, outcome};
use crate::log::LogError;
use crate::php::guard::{guard, guard_or};
use crate::php::object::this;
use crate::php::zend::{ExecuteData, Result, Thrown, Zval, bytes, deref, ffi, pending, type_of};
use crate::php::zpp::{Args, type_error};

unsafe extern "C" {
    fn zval_try_get_string_func(value: *mut Zval) -> *mut ffi::zend_string;
    fn spl_iterator_apply(object: *mut Zval, apply: Apply, context: *mut c_void) -> c_int;
}

type Apply = unsafe extern "C" fn(*mut ffi::zend_object_iterator, *mut c_void) -> c_int;

/// Which call takes the elements of a Traversable, and how it went.
struct Feed {
    frame: *mut ExecuteData,
    /// Whether a refused record ends it. A logger that only reports counts each of them.
    stops: bool,
    /// The first error of the log: the rest is accepted all the same.
    first: Option<LogError>,
    result: Result,
}

pub unsafe extern "C" fn append_all(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, 1)?;
        let records = args.iterable(0)?;
        let reports = this::<Logger>(ex)?.0.reports;
        // SAFETY: the frame holds the argument while we run.
        if unsafe { type_of(records) } != ffi::IS_ARRAY {
            let mut feed = Feed { frame: ex, stops: !reports, first: None, result: Ok(()) };
            // SAFETY: the engine's own loop over a Traversable; an exception in it ends it and stays pending. Nothing of
            // ours is borrowed while it runs, and nothing but the text of an error would be lost by a bailout.
            unsafe { spl_iterator_apply(records, feed_one, (&raw mut feed).cast()) };
            if pending() {
                return Err(Thrown);
            }
            feed.result?;
            return outcome(reports, feed.first.map_or(Ok(()), Err));
        }
        // SAFETY: an array held by the frame.
        let table = unsafe { &*(*records).value.arr };
        let result = match all_strings(table) {
            Some(strings) => this::<Logger>(ex)?.0.log.append_all(strings, !reports),
            None => {
                // All of them first: a list with something else in it is the caller's mistake, of which nothing is stored.
                let texts = elements(table).map(text_of).collect::<Result<Vec<_>>>()?;
                this::<Logger>(ex)?.0.log.append_all(texts.iter().map(Text::bytes), !reports)
            }
        };
        outcome(reports, result)
    });
}

/// The `at`th place of an array's storage; an empty place is undefined.
fn element(table: &ffi::HashTable, at: u32) -> Option<*mut Zval> {
    if at >= table.nNumUsed {
        return None;
    }
    let packed = unsafe_flags(table) & (1 << 2) != 0; // HASH_FLAG_PACKED
    // SAFETY: nNumUsed places are initialised; a packed array has bare values (since PHP 8.2), others have buckets that
    // begin with theirs.
    unsafe {
        let data = table.__bindgen_anon_1.arPacked;
        Some(if packed { data.add(at as usize) } else { data.cast::<ffi::Bucket>().add(at as usize).cast() })
    }
}

fn unsafe_flags(table: &ffi::HashTable) -> u32 {
    // SAFETY: both readings of the union are plain numbers.
    unsafe { table.u.flags }
}

/// The elements of an array.
fn elements(table: &ffi::HashTable) -> impl Iterator<Item = *mut Zval> {
    (0..).map_while(move |at| element(table, at)).filter(|zv| kind(*zv) != ffi::IS_UNDEF)
}

/// The strings of an array that holds nothing else.
fn all_strings(table: &ffi::HashTable) -> Option<impl Iterator<Item = &[u8]>> {
    // SAFETY: strings in an array that the frame holds and nobody changes meanwhile: no userland runs.
    let strings = move || elements(table).map(|zv| unsafe { bytes((*deref(zv)).value.str_) });
    elements(table).all(|zv| kind(zv) == ffi::IS_STRING).then(strings)
}

/// The type of an array's element, seen through a reference.
fn kind(zv: *mut Zval) -> u32 {
    // SAFETY: an initialised place of an array.
    unsafe { type_of(deref(zv)) }
}

unsafe extern "C" fn feed_one(iterator: *mut ffi::zend_object_iterator, feed: *mut c_void) -> c_int {
    let feed = feed.cast::<Feed>();
    const KEEP: c_int = 0;
    const STOP: c_int = 2;
    guard_or(STOP, || {
        // SAFETY: the engine calls this with the iterator on a valid element, and with our context.
        let (value, feed) = unsafe {
            let Some(current) = (*(*iterator).funcs).get_current_data else { return STOP };
            (current(iterator), &mut *feed)
        };
        if value.is_null() || pending() {
            return STOP;
        }
        feed.result = feed_value(feed, value);
        let refused = feed.stops && feed.first.as_ref().is_some_and(LogError::is_refusal);
        if feed.result.is_ok() && !refused { KEEP } else { STOP }
    })
}

/// Appends one element. Converting it to a string may run userland, so the logger is looked up only after.
fn feed_value(feed: &mut Feed, zv: *mut Zval) -> Result {
    let text = text_of(zv)?;
    if let Err(err) = this::<Logger>(feed.frame)?.0.log.append(text.bytes())
        && (feed.first.is_none() || (feed.stops && err.is_refusal()))
    {
        feed.first = Some(err);
    }
    Ok(())
}

/// A string of the engine with a reference of our own.
struct Text(*mut ffi::zend_string);

impl Text {
    fn bytes(&self) -> &[u8] {
        // SAFETY: our reference keeps the string alive.
        unsafe { bytes(self.0) }
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        // SAFETY: the reference that the conversion gave us.
        unsafe { ffi::ext_php_rs_zend_string_release(self.0) };
    }
}

/// An element as a string; that may run userland.
fn text_of(zv: *mut Zval) -> Result<Text> {
    // SAFETY: a living element.
    let zv = unsafe { deref(zv) };
    if matches!(kind(zv), ffi::IS_ARRAY | ffi::IS_NULL) {
        return Err(type_error(zv, 0, c"must be an iterable of strings, %s in it"));
    }
    // SAFETY: gives a string with a reference of its own, or null with an exception pending.
    let text = unsafe { zval_try_get_string_func(zv) };
    if text.is_null() { Err(Thrown) } else { Ok(Text(text)) }
}

//! The class Rustio\SharedSegment.

use std::mem::MaybeUninit;
use std::rc::Rc;
use std::slice;

use super::super::guard::guard;
use super::super::object::{self, Native, Slot, init, not_yet, this};
use super::super::signature::{BadSignature, method};
use super::super::zend::{ExecuteData, Push, Result, Set, Zval, alloc_str, ffi, set_str, zval};
use super::super::zpp::Args;
use super::section::{Sections, run, timeout};
use super::{POSITIONS, Positions, bad, key, put_info, thrown, thrown_at};
use crate::shm::error::Kind;
use crate::shm::key::Key;
use crate::shm::segment::Segment;

/// What stands behind the object; see SharedCounter.
pub struct SharedSegment(Rc<Segment>);

static SLOT: Slot<SharedSegment> = Slot::new();

impl Native for SharedSegment {
    const NAME: &'static str = "Rustio\\SharedSegment";
    fn slot() -> &'static Slot<Self> {
        &SLOT
    }
}

impl Sections for Rc<Segment> {
    fn release(&self) {
        self.release_sections();
    }
}

pub fn register() -> std::result::Result<(), BadSignature> {
    let methods = [
        method("__construct(int|string $key, int $size, int $mode = 0o600, ?int $semKey = null)", construct),
        method("read(int $offset = 0, ?int $length = null): string", read),
        method("write(string $data, int $offset = 0): void", write),
        method("synchronized(callable $fn, ?float $timeout = null): mixed", synchronized),
        method("size(): int", size),
        method("info(): array", info),
        method("destroy(): void", destroy),
    ];
    object::register::<SharedSegment>(&methods, &[], None)
}

/// The segment behind `$this`; see SharedCounter.
fn segment<'a>(ex: *mut ExecuteData) -> Result<&'a Segment> {
    let segment = Rc::as_ptr(&this::<SharedSegment>(ex)?.0);
    // SAFETY: the object holds its Rc until it is freed, which is after the frame that holds the object.
    Ok(unsafe { &*segment })
}

unsafe extern "C" fn construct(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        not_yet::<SharedSegment>(ex)?;
        let args = Args::new(ex, 2, 4)?;
        let key = key(&args, Kind::Block)?;
        let old = args.opt_long(3)?.map(Key::number).transpose();
        let old = old.map_err(|err| bad(err, Positions { key: 3, ..POSITIONS }))?;
        let segment = Segment::create(key, args.long(1)?, args.long_or(2, 0o600)?, old.as_ref()).map_err(thrown)?;
        init(ex, SharedSegment(Rc::new(segment)));
        Ok(())
    });
}

unsafe extern "C" fn read(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 0, 2)?;
        let (offset, len) = (args.long_or(0, 0)?, args.opt_long(1)?);
        let segment = segment(ex)?;
        let at = Positions { len: 1, ..POSITIONS };
        let (offset, len) = segment.range(offset, len).map_err(|err| thrown_at(err, at))?;
        let text = alloc_str(len);
        // SAFETY: a fresh string with room for len bytes that nobody else has seen.
        let to = unsafe { slice::from_raw_parts_mut((&raw mut (*text).val).cast::<MaybeUninit<u8>>(), len) };
        if let Err(err) = segment.read_into(offset, to) {
            // SAFETY: ours alone, and not given to anybody.
            unsafe { ffi::ext_php_rs_zend_string_release(text) };
            return Err(thrown(err));
        }
        // SAFETY: the engine's return value; the string is filled, and moves into it.
        unsafe { set_str(rv, text) };
        Ok(())
    });
}

unsafe extern "C" fn write(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, 2)?;
        let (data, offset) = (args.str(0)?, args.long_or(1, 0)?);
        segment(ex)?.write(offset, data).map_err(|err| thrown_at(err, Positions { offset: 1, ..POSITIONS }))
    });
}

unsafe extern "C" fn synchronized(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, 2)?;
        let (callable, wait) = (args.callable(0)?, timeout(&args, 1)?);
        let segment = segment(ex)?;
        let section = segment.section(wait).map_err(thrown)?;
        let owner = Rc::clone(&this::<SharedSegment>(ex)?.0);
        let answer = run(Box::new(owner), section, callable)?;
        // SAFETY: the engine's return value; the answer moves into it.
        unsafe { rv.write(answer) };
        Ok(())
    });
}

unsafe extern "C" fn size(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        Args::new(ex, 0, 0)?;
        let size = segment(ex)?.size() as i64;
        // SAFETY: the engine's return value, which is ours to set.
        unsafe { &mut *rv }.put_long(size);
        Ok(())
    });
}

unsafe extern "C" fn info(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        Args::new(ex, 0, 0)?;
        let segment = segment(ex)?;
        // SAFETY: the engine's return value, which is ours to set.
        let array = unsafe { &mut *rv }.put_array(20);
        put_info(segment.handle(), array)?;
        array.put(b"bytes", zval(segment.size() as i64));
        array.put(b"writes", zval(segment.writes()));
        Ok(())
    });
}

unsafe extern "C" fn destroy(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        Args::new(ex, 0, 0)?;
        segment(ex)?.handle().destroy().map_err(thrown)
    });
}

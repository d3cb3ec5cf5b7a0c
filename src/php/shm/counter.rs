//! The class Rustio\SharedCounter.

use std::alloc::Layout;
use std::ffi::CStr;
use std::rc::Rc;

use ext_php_rs::alloc::{efree, emalloc};

use super::super::error::throw_class;
use super::super::guard::guard;
use super::super::object::{self, Native, Slot, init, not_yet, this};
use super::super::signature::{BadSignature, method, static_method};
use super::super::zend::{ExecuteData, Push, Result, Set, Zval, call, deref, ffi, type_of, zend_zval_type_name, zval};
use super::super::zpp::{Args, IntOrStr};
use super::deltas::{Checked, named};
use super::section::{Sections, giving, run, timeout};
use super::{key, path, put_info, thrown};
use crate::shm::counters::{Counter, Counters, Label};
use crate::shm::error::Kind;
use crate::shm::table::{Change, Single};

/// What stands behind the object. Shared with the sections that are open, which may outlive a method's view of it.
pub struct SharedCounter(Rc<Counters>);

static SLOT: Slot<SharedCounter> = Slot::new();

impl Native for SharedCounter {
    const NAME: &'static str = "Rustio\\SharedCounter";
    fn slot() -> &'static Slot<Self> {
        &SLOT
    }
}

impl Sections for Rc<Counters> {
    fn release(&self) {
        let _ = self.handle().release_sections();
    }
}

pub fn register() -> std::result::Result<(), BadSignature> {
    let methods = [
        method("__construct(int|string $key, int $slots = 256, int $mode = 0o600)", construct),
        static_method("open(int|string $key, bool $readOnly = false): static", open),
        method("add(int|string $counter, int $delta = 1): int", add),
        method("get(int|string $counter): int", get),
        method("set(int|string $counter, int $value): int", set),
        method("compareAndSet(int|string $counter, int $expected, int $value): bool", compare_and_set),
        method("max(int|string $counter, int $value): int", max),
        method("min(int|string $counter, int $value): int", min),
        method("addMany(array $deltas): void", add_many),
        method("update(int|string $counter, callable $fn): int", update),
        method("snapshot(): array", snapshot),
        method("drain(): array", drain),
        method("synchronized(callable $fn, ?float $timeout = null): mixed", synchronized),
        method("names(): array", names),
        method("forget(string $name): bool", forget),
        method("count(): int", count),
        method("info(): array", info),
        method("save(string $path): void", save),
        method("restore(string $path): void", restore),
        method("destroy(): void", destroy),
    ];
    // SAFETY: the engine's own interface, which exists before modules start.
    object::register::<SharedCounter>(&methods, &[unsafe { ffi::zend_ce_countable }], None)
}

/// The counters behind `$this`, which the frame keeps alive; shared, so that userland may call in again meanwhile.
#[inline(always)]
fn counters<'a>(ex: *mut ExecuteData) -> Result<&'a Counters> {
    let counters = Rc::as_ptr(&this::<SharedCounter>(ex)?.0);
    // SAFETY: the object holds its Rc until it is freed, which is after the frame that holds the object.
    Ok(unsafe { &*counters })
}

/// The return value.
///
/// # Safety
/// `rv` is the engine's, for this call.
#[inline(always)]
unsafe fn give_long(rv: *mut Zval, value: i64) -> Result {
    // SAFETY: the caller's promise.
    unsafe { &mut *rv }.put_long(value);
    Ok(())
}

/// The `int|string $counter`.
#[inline(always)]
fn counter(args: &Args) -> Result<Counter<'_>> {
    if let Some(zv) = args.raw(0) {
        // SAFETY: an argument of the frame, read as what its type says.
        unsafe {
            match type_of(zv) {
                ffi::IS_LONG => return Ok(Counter::Index((*zv).value.lval)),
                ffi::IS_STRING => return Ok(named((*zv).value.str_)),
                _ => {}
            }
        }
    }
    // Weak typing made an integer or a string of something else: rare, so the hash may be any.
    Ok(match args.long_or_str(0)? {
        IntOrStr::Int(index) => Counter::Index(index),
        IntOrStr::Str(name) => Counter::Name(name, 0),
    })
}

/// One single call, inlined for the usual case.
#[inline(always)]
fn single(ex: *mut ExecuteData, args: &Args, call: Single) -> Result<Change> {
    let counters = counters(ex)?;
    // By way of registers: a counter that both ways need in memory costs a call by index 10 % of its time.
    match counter(args)? {
        Counter::Index(index) => match counters.index_fast(index, call) {
            Some(change) => Ok(change),
            None => slowly(counters, Counter::Index(index), call),
        },
        Counter::Name(bytes, hash) => match counters.named_fast(bytes, hash, call) {
            Some(change) => Ok(change),
            None => slowly(counters, Counter::Name(bytes, hash), call),
        },
    }
}

#[cold]
#[inline(never)]
fn slowly(counters: &Counters, counter: Counter<'_>, call: Single) -> Result<Change> {
    counters.single(counter, call).map_err(thrown)
}

unsafe extern "C" fn construct(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        not_yet::<SharedCounter>(ex)?;
        let args = Args::new(ex, 1, 3)?;
        let key = key(&args, Kind::Counters)?;
        let counters = Counters::create(key, args.long_or(1, 256)?, args.long_or(2, 0o600)?).map_err(thrown)?;
        init(ex, SharedCounter(Rc::new(counters)));
        Ok(())
    });
}

unsafe extern "C" fn open(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, 2)?;
        let key = key(&args, Kind::Counters)?;
        let counters = Counters::open(key, args.bool_or(1, false)?).map_err(thrown)?;
        // SAFETY: the engine's return value, which is ours to set.
        object::instantiate(unsafe { &mut *rv }, SharedCounter(Rc::new(counters)));
        Ok(())
    });
}

unsafe extern "C" fn add(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, 2)?;
        let call = Single::Add(args.long_or(1, 1)?);
        let change = single(ex, &args, call)?;
        // SAFETY: the engine's return value.
        unsafe { give_long(rv, change.after) }
    });
}

unsafe extern "C" fn get(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, 1)?;
        let (counters, counter) = (counters(ex)?, counter(&args)?);
        let value = match counters.get_fast(counter) {
            Some(value) => value,
            None => counters.get(counter).map_err(thrown)?,
        };
        // SAFETY: the engine's return value.
        unsafe { give_long(rv, value) }
    });
}

unsafe extern "C" fn set(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 2, 2)?;
        let change = single(ex, &args, Single::Set(args.long(1)?))?;
        // SAFETY: the engine's return value.
        unsafe { give_long(rv, change.before) }
    });
}

unsafe extern "C" fn compare_and_set(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 3, 3)?;
        let expected = args.long(1)?;
        let call = Single::CompareAndSet(expected, args.long(2)?);
        let change = single(ex, &args, call)?;
        // SAFETY: the engine's return value.
        unsafe { &mut *rv }.put_bool(change.before == expected);
        Ok(())
    });
}

unsafe extern "C" fn max(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 2, 2)?;
        let change = single(ex, &args, Single::Max(args.long(1)?))?;
        // SAFETY: the engine's return value.
        unsafe { give_long(rv, change.after) }
    });
}

unsafe extern "C" fn min(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 2, 2)?;
        let change = single(ex, &args, Single::Min(args.long(1)?))?;
        // SAFETY: the engine's return value.
        unsafe { give_long(rv, change.after) }
    });
}

unsafe extern "C" fn add_many(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, 1)?;
        // SAFETY: the frame holds the array. Signal handlers that run during a wait for the lock can't reach it: who
        // writes to a variable that shares it gets a copy; a reference in it may change its value, not its place.
        let deltas = unsafe { Checked::new(args.array(0)?) }?;
        counters(ex)?.add_many(deltas).map_err(thrown)
    });
}

unsafe extern "C" fn update(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 2, 2)?;
        let (counters, counter, callable) = (counters(ex)?, counter(&args)?, args.callable(1)?);
        loop {
            let before = counters.get(counter).map_err(thrown)?;
            let mut answer = call(callable, &mut [zval(before)])?;
            // SAFETY: a value that we hold.
            let after = unsafe {
                let answer = deref(&raw mut answer);
                if type_of(answer) != ffi::IS_LONG {
                    let given = CStr::from_ptr(zend_zval_type_name(answer)).to_string_lossy();
                    let message =
                        format!("Rustio\\SharedCounter::update(): Argument #2 ($fn) must return int, {given} returned");
                    return Err(throw_class(ffi::zend_ce_type_error, &message));
                }
                (*answer).value.lval
            };
            let change = counters.single(counter, Single::CompareAndSet(before, after)).map_err(thrown)?;
            if change.before == before {
                // SAFETY: the engine's return value.
                return unsafe { give_long(rv, after) };
            }
        }
    });
}

/// Leaves by the engine's fatal error now if it does not have this much memory.
fn probe_memory(bytes: usize) {
    let Ok(layout) = Layout::from_size_align(bytes, 8) else { return };
    // SAFETY: allocated and freed at once, untouched.
    unsafe { efree(emalloc(layout)) };
}

type Values = Vec<(Label, i64)>;

fn give_values(rv: *mut Zval, values: Values, undo: impl FnOnce(Values)) -> Result {
    let make = |values: &Values| {
        // SAFETY: the engine's return value, which is ours to set.
        let array = unsafe { &mut *rv }.put_array(values.len());
        for (label, value) in values {
            match label {
                Label::Index(index) => array.put_at(*index as i64, zval(*value)),
                Label::Name(name) => array.put(name, zval(*value)),
            }
        }
    };
    giving(values, make, undo)
}

unsafe extern "C" fn snapshot(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        Args::new(ex, 0, 0)?;
        give_values(rv, counters(ex)?.snapshot().map_err(thrown)?, drop)
    });
}

unsafe extern "C" fn drain(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        Args::new(ex, 0, 0)?;
        let counters = counters(ex)?;
        let (count, bytes) = counters.to_be_given();
        // A bucket and its hash, in a table up to twice as large; a string's header and rounding. What PHP has no memory
        // for must not be taken, and some builds of PHP end the process at once when there is none.
        probe_memory(count * (2 * (32 + 4) + 40) + bytes + 4096);
        give_values(rv, counters.drain().map_err(thrown)?, |taken| counters.put_back(&taken))
    });
}

unsafe extern "C" fn synchronized(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, 2)?;
        let (callable, wait) = (args.callable(0)?, timeout(&args, 1)?);
        let counters = counters(ex)?;
        let section = counters.section(wait).map_err(thrown)?;
        let owner = Rc::clone(&this::<SharedCounter>(ex)?.0);
        let answer = run(Box::new(owner), section, callable)?;
        // SAFETY: the engine's return value; the answer moves into it.
        unsafe { rv.write(answer) };
        Ok(())
    });
}

unsafe extern "C" fn names(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        Args::new(ex, 0, 0)?;
        let names = counters(ex)?.names().map_err(thrown)?;
        let make = |names: &Vec<(Vec<u8>, usize)>| {
            // SAFETY: the engine's return value, which is ours to set.
            let array = unsafe { &mut *rv }.put_array(names.len());
            for (name, slot) in names {
                array.put(name, zval(*slot as i64));
            }
        };
        giving(names, make, drop)
    });
}

unsafe extern "C" fn forget(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, 1)?;
        let forgotten = counters(ex)?.forget(args.str(0)?).map_err(thrown)?;
        // SAFETY: the engine's return value, which is ours to set.
        unsafe { &mut *rv }.put_bool(forgotten);
        Ok(())
    });
}

unsafe extern "C" fn count(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        Args::new(ex, 0, 0)?;
        // SAFETY: the engine's return value.
        unsafe { give_long(rv, counters(ex)?.slots() as i64) }
    });
}

unsafe extern "C" fn info(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        Args::new(ex, 0, 0)?;
        let counters = counters(ex)?;
        // SAFETY: the engine's return value, which is ours to set.
        let array = unsafe { &mut *rv }.put_array(20);
        put_info(counters.handle(), array)?;
        array.put(b"slots", zval(counters.slots() as i64));
        array.put(b"used", zval(counters.used() as i64));
        Ok(())
    });
}

unsafe extern "C" fn save(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, 1)?;
        counters(ex)?.save(&path(&args)?).map_err(thrown)
    });
}

unsafe extern "C" fn restore(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, 1)?;
        counters(ex)?.restore(&path(&args)?).map_err(thrown)
    });
}

unsafe extern "C" fn destroy(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        Args::new(ex, 0, 0)?;
        counters(ex)?.handle().destroy().map_err(thrown)
    });
}

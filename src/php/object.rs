//! Rust values inside PHP objects: creation, `$this`, release. Such a class is final, takes no dynamic properties, can't
//! be cloned or serialised, and an object whose constructor has not run answers every call with an Error.

use std::marker::PhantomData;
use std::mem::{offset_of, size_of};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use super::signature::{BadSignature, Method, table};
use super::zend::{ClassEntry, ExecuteData, Result, Thrown, Zval, ffi, interned};

/// A Rust type that stands behind a PHP class.
pub trait Native: Sized + 'static {
    /// The class' full PHP name.
    const NAME: &'static str;
    /// Where the class' entry and handlers are kept once registered.
    fn slot() -> &'static Slot<Self>;
}

/// The class entry and the object handlers of one class.
pub struct Slot<T> {
    class: AtomicPtr<ClassEntry>,
    handlers: OnceLock<Handlers>,
    of: PhantomData<fn() -> T>,
}

struct Handlers(ffi::zend_object_handlers);
// SAFETY: the table holds function pointers and numbers, written once before any request runs and only read then.
unsafe impl Send for Handlers {}
// SAFETY: as above.
unsafe impl Sync for Handlers {}

impl<T> Slot<T> {
    /// An empty slot, for a `static`.
    #[must_use]
    pub const fn new() -> Self {
        Self { class: AtomicPtr::new(ptr::null_mut()), handlers: OnceLock::new(), of: PhantomData }
    }

    /// The registered class.
    pub fn class(&self) -> *mut ClassEntry {
        self.class.load(Relaxed)
    }
}

/// How the engine sees such an object: our value before its own header.
#[repr(C)]
pub struct Object<T> {
    value: Option<T>,
    std: ffi::zend_object,
}

impl<T: Native> Object<T> {
    const OFFSET: usize = offset_of!(Self, std);

    /// # Safety
    /// `std` is the header of an object of the class behind `T`.
    unsafe fn of(std: *mut ffi::zend_object) -> *mut Self {
        // SAFETY: create() has put the header OFFSET bytes behind the start of an Object<T>.
        unsafe { std.byte_sub(Self::OFFSET) }.cast()
    }
}

unsafe extern "C" fn create<T: Native>(class: *mut ClassEntry) -> *mut ffi::zend_object {
    // SAFETY: the engine allocates room for the object and its property table; both parts are initialised before anybody
    // sees them. The handlers were stored when the class was registered.
    unsafe {
        let object = ffi::ext_php_rs_zend_object_alloc(size_of::<Object<T>>(), class).cast::<Object<T>>();
        (&raw mut (*object).value).write(None);
        ffi::zend_object_std_init(&raw mut (*object).std, class);
        ffi::object_properties_init(&raw mut (*object).std, class);
        if let Some(handlers) = T::slot().handlers.get() {
            (*object).std.handlers = &raw const handlers.0;
        }
        &raw mut (*object).std
    }
}

unsafe extern "C" fn free<T: Native>(std: *mut ffi::zend_object) {
    super::guard::guard_or((), || {
        // SAFETY: the engine frees an object once; the value is taken out before the header goes.
        unsafe {
            drop((*Object::<T>::of(std)).value.take());
        }
    });
    // SAFETY: as above.
    unsafe { ffi::zend_object_std_dtor(std) };
}

/// Registers the class behind `T`; with a `get_iterator`, foreach calls no methods.
pub fn register<T: Native>(
    methods: &[Method],
    interfaces: &[*mut ClassEntry],
    get_iterator: Option<GetIterator>,
) -> std::result::Result<(), BadSignature> {
    let flags = ffi::ZEND_ACC_FINAL | ffi::ZEND_ACC_NO_DYNAMIC_PROPERTIES | ffi::ZEND_ACC_NOT_SERIALIZABLE;
    let class = new_class(T::NAME, methods, ptr::null_mut(), flags)?;
    T::slot().handlers.get_or_init(|| {
        // SAFETY: a copy of the engine's standard table, which exists before modules start.
        let mut handlers = unsafe { ffi::std_object_handlers };
        handlers.offset = Object::<T>::OFFSET as i32;
        handlers.free_obj = Some(free::<T>);
        handlers.clone_obj = None;
        Handlers(handlers)
    });
    T::slot().class.store(class, Relaxed);
    // SAFETY: the class was just registered by this thread, at module start, and is complete but for these fields.
    unsafe {
        (*class).__bindgen_anon_2.create_object = Some(create::<T>);
        for interface in interfaces {
            super::zend::zend_class_implements(class, 1, *interface);
        }
        if let Some(get_iterator) = get_iterator {
            (*class).get_iterator = Some(get_iterator);
        }
    }
    Ok(())
}

/// `zend_class_entry.get_iterator`.
pub type GetIterator =
    unsafe extern "C" fn(*mut ClassEntry, *mut Zval, std::ffi::c_int) -> *mut ffi::zend_object_iterator;

/// Registers a class with the engine.
pub fn new_class(
    name: &str,
    methods: &[Method],
    parent: *mut ClassEntry,
    flags: u32,
) -> std::result::Result<*mut ClassEntry, BadSignature> {
    let functions = table(methods, "", ffi::ZEND_ACC_PUBLIC)?;
    // SAFETY: all-zero bytes are the template that INIT_CLASS_ENTRY starts from.
    let mut template: ClassEntry = unsafe { std::mem::zeroed() };
    template.name = interned(name);
    template.info.internal.builtin_functions = functions;
    // SAFETY: the engine copies the template; the function table lives as long as the process.
    unsafe {
        let class = ffi::zend_register_internal_class_ex(&raw mut template, parent);
        (*class).ce_flags |= flags;
        Ok(class)
    }
}

/// The Rust value behind `$this`.
///
/// # Errors
/// Error: the constructor has not run.
pub fn this<'a, T: Native>(ex: *mut ExecuteData) -> Result<&'a mut T> {
    // SAFETY: the engine calls methods of a final class with an object of it alone; the frame holds it while we run. A
    // handler takes one such reference and lets go of it before it runs userland.
    let object = unsafe { &mut *Object::<T>::of((*ex).This.value.obj) };
    match object.value.as_mut() {
        Some(value) => Ok(value),
        None => Err(not_initialized(T::NAME)),
    }
}

/// The same, shared: for a type that may be entered again while a handler of it runs, and guards itself.
///
/// # Errors
/// Error: the constructor has not run.
pub fn this_shared<'a, T: Native>(ex: *mut ExecuteData) -> Result<&'a T> {
    // SAFETY: as in this(); the type hands out no exclusive reference by itself.
    let object = unsafe { &*Object::<T>::of((*ex).This.value.obj) };
    object.value.as_ref().ok_or_else(|| not_initialized(T::NAME))
}

/// The Rust value behind an object's header; `None` if its constructor has not run.
///
/// # Safety
/// `std` is an object of the class behind `T` that outlives `'a`.
pub unsafe fn value_of<'a, T: Native>(std: *mut ffi::zend_object) -> Option<&'a T> {
    // SAFETY: the caller's promise.
    unsafe { (*Object::<T>::of(std)).value.as_ref() }
}

#[cold]
fn not_initialized(name: &str) -> Thrown {
    super::error::error(&format!("The {name} object has not been correctly initialized by its constructor"))
}

/// For the start of a constructor: refuses a second call, whose new value would pull the old one from under iterators.
///
/// # Errors
/// Error: the object is in use already.
pub fn not_yet<T: Native>(ex: *mut ExecuteData) -> Result {
    // SAFETY: as in this().
    if unsafe { (*Object::<T>::of((*ex).This.value.obj)).value.is_some() } {
        return Err(super::error::error(&format!("Cannot call {}::__construct() twice", T::NAME)));
    }
    Ok(())
}

/// For the end of a constructor: the object has its value from here on.
pub fn init<T: Native>(ex: *mut ExecuteData, value: T) {
    // SAFETY: as in this().
    unsafe { (*Object::<T>::of((*ex).This.value.obj)).value = Some(value) };
}

/// A new object whose value is made once the engine has allocated the object, since running out of memory there would
/// lose the value.
///
/// # Errors
/// Those of `make`; the return value is the engine's to release.
pub fn instantiate_with<T: Native>(rv: &mut Zval, make: impl FnOnce() -> Result<T>) -> Result {
    // SAFETY: as in instantiate(); until its value is there the object answers as one without its constructor.
    unsafe {
        let std = create::<T>(T::slot().class());
        rv.value.obj = std;
        rv.u1.type_info = ffi::IS_OBJECT_EX;
        (*Object::<T>::of(std)).value = Some(make()?);
    }
    Ok(())
}

/// A new object with its value, for functions and static methods that make one.
pub fn instantiate<T: Native>(rv: &mut Zval, value: T) {
    // SAFETY: the class is registered; the object is ours alone until the return value takes over its reference.
    unsafe {
        let std = create::<T>(T::slot().class());
        (*Object::<T>::of(std)).value = Some(value);
        rv.value.obj = std;
        rv.u1.type_info = ffi::IS_OBJECT_EX;
    }
}

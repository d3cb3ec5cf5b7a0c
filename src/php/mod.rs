//! The binding: arguments as PHP core takes them, one call into the core, the result back.
//!
//! Handlers are raw, as in a C extension, because the macros of ext-php-rs coerce nothing, have messages of their own
//! and cost more than the work of a counter. [`guard`] is around each of them, [`zpp`] reads their arguments,
//! [`signature`] registers them from the text that stands in the stub, [`object`] keeps the Rust value in the PHP
//! object, [`error`] is the one map from core errors to exceptions.
#![allow(unsafe_code)]
#![allow(missing_docs, reason = "the stub documents the public face; what is here has no other callers")]

mod accel;
mod accel_send;
mod enums;
mod error;
mod guard;
mod ini;
mod lines;
mod log;
mod object;
mod paths;
mod shm;
mod signature;
mod zend;
mod zpp;

use std::ffi::c_int;

use ext_php_rs::builders::ModuleBuilder;
use ext_php_rs::zend::{ModuleEntry, StaticModuleEntry};
use ext_php_rs::{info_table_end, info_table_row, info_table_start};

use self::signature::BadSignature;

const SUCCESS: c_int = 0;
const FAILURE: c_int = -1;

/// The functions of the namespace, as [`signature::table`] takes them.
fn functions() -> Vec<signature::Method> {
    lines::functions().into_iter().chain(shm::functions()).collect()
}

fn register() -> Result<(), BadSignature> {
    error::register()?;
    lines::register()?;
    log::register()?;
    accel::register()?;
    shm::register()
}

/// No descriptor, no thread, no lock, no file: FPM's master forks after this.
unsafe extern "C" fn startup(_kind: c_int, module: c_int) -> c_int {
    guard::quiet_panics();
    guard::guard_or(FAILURE, || {
        ini::register(module);
        if crate::sys::fork::watch().is_err() || register().is_err() { FAILURE } else { SUCCESS }
    })
}

unsafe extern "C" fn request_shutdown(_kind: c_int, _module: c_int) -> c_int {
    guard::guard_or((), shm::request_shutdown);
    guard::guard_or((), log::request_shutdown);
    SUCCESS
}

unsafe extern "C" fn shutdown(kind: c_int, module: c_int) -> c_int {
    guard::guard_or((), log::module_shutdown);
    // SAFETY: takes the entries of this very module out of the engine's table. A module that dl() loaded goes at the end of
    // its request, before the table does, whose destructor would read what went with it.
    unsafe { zend::zend_unregister_ini_entries_ex(module, kind) };
    SUCCESS
}

unsafe extern "C" fn info(module: *mut ModuleEntry) {
    info_table_start!();
    info_table_row!("rustio", "enabled");
    info_table_row!("Version", env!("CARGO_PKG_VERSION"));
    info_table_row!("Capabilities", "LineIterator, BatchLogger, AccelRedirect, SharedCounter, SharedSegment");
    info_table_end!();
    // SAFETY: prints the entries of the module that the engine hands us.
    unsafe { zend::display_ini_entries(module) };
}

/// What PHP looks up in the library it loads.
#[unsafe(no_mangle)]
pub extern "C" fn get_module() -> *mut ModuleEntry {
    static MODULE: StaticModuleEntry = StaticModuleEntry::new();
    #[expect(clippy::expect_used, reason = "only a mistake in this file can fail here, and PHP has no way to be told")]
    MODULE.get_or_init(|| {
        let (mut entry, _, owned): (ModuleEntry, _, _) = ModuleBuilder::new("rustio", env!("CARGO_PKG_VERSION"))
            .startup_function(startup)
            .request_shutdown_function(request_shutdown)
            .shutdown_function(shutdown)
            .info_function(info)
            .try_into()
            .expect("a name and a version without NUL");
        entry.functions = signature::table(&functions(), "Rustio\\", 0).expect("signatures that parse");
        (entry, owned)
    })
}

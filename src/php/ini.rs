//! The INI entries: defaults that operators tune without touching code.

use ext_php_rs::flags::IniEntryPermission;
use ext_php_rs::zend::{IniEntryDef, IniEntryDefs};

/// Private directory for the log's shared words and spools; empty: one per user on tmpfs.
pub const STATE_DIR: &std::ffi::CStr = c"rustio.state_dir";
/// "0" writes every record at once, a number of bytes takes the place of the batch size; empty: what the code asked for.
pub const LOG_BATCH: &std::ffi::CStr = c"rustio.log_batch";
/// never, batch or record; empty: what the code asked for.
pub const LOG_SYNC: &std::ffi::CStr = c"rustio.log_sync";
/// nginx, xsendfile or php.
pub const ACCEL_BACKEND: &std::ffi::CStr = c"rustio.accel_backend";
/// nginx's internal location.
pub const ACCEL_LOCATION: &std::ffi::CStr = c"rustio.accel_location";

static ENTRIES: IniEntryDefs<6> = IniEntryDefs::new([
    IniEntryDef::new(STATE_DIR, c"", IniEntryPermission::System),
    IniEntryDef::new(LOG_BATCH, c"", IniEntryPermission::System.union(IniEntryPermission::PerDir)),
    IniEntryDef::new(LOG_SYNC, c"", IniEntryPermission::System.union(IniEntryPermission::PerDir)),
    IniEntryDef::new(ACCEL_BACKEND, c"nginx", IniEntryPermission::All),
    IniEntryDef::new(ACCEL_LOCATION, c"/protected/", IniEntryPermission::All),
    IniEntryDef::end(),
]);

/// Registers the entries; module start only.
pub fn register(module: i32) {
    IniEntryDef::register(ENTRIES.as_slice(), module);
}

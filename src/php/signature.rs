//! Functions and methods are registered from their PHP signature, written as in the stub:
//! `"add(int|string $counter, int $delta = 1): int"` becomes the engine's argument information, so that Reflection,
//! named arguments and defaults behave as for a function of PHP's own. Runs at module start only.

use std::ffi::CString;
use std::ptr;
use std::sync::Mutex;

use ext_php_rs::flags::DataType;
use ext_php_rs::zend::{FunctionEntry, ZendType};

use super::zend::{Handler, ffi};

/// One method or function to register: its signature, its handler, its flags beside `public`.
pub struct Method(pub &'static str, pub Handler, pub u32);

/// A method without flags.
pub const fn method(signature: &'static str, handler: Handler) -> Method {
    Method(signature, handler, 0)
}

/// A static method.
pub const fn static_method(signature: &'static str, handler: Handler) -> Method {
    Method(signature, handler, ffi::ZEND_ACC_STATIC)
}

/// Why a signature can't be read; only a mistake in this extension's own source leads here.
#[derive(Debug, thiserror::Error)]
#[error("signature not understood: {0}")]
pub struct BadSignature(pub String);

/// The engine's table for these functions, ended by an empty entry. It lives as long as the process: Reflection and
/// module shutdown read it. `prefix` is put before each name ("rustio\\" for functions, nothing for methods).
pub fn table(methods: &[Method], prefix: &str, flags: u32) -> Result<*const FunctionEntry, BadSignature> {
    let mut entries = Vec::with_capacity(methods.len() + 1);
    for method in methods {
        let mut entry = entry(method, prefix).ok_or_else(|| BadSignature(method.0.to_owned()))?;
        entry.flags |= method.2 | flags;
        entries.push(entry);
    }
    entries.push(FunctionEntry::end());
    Ok(keep(entries))
}

fn entry(Method(signature, handler, _): &Method, prefix: &str) -> Option<FunctionEntry> {
    let (name, rest) = signature.split_once('(')?;
    let (params, returns) = rest.rsplit_once(')')?;
    let params: Vec<&str> = params.split(',').map(str::trim).filter(|p| !p.is_empty()).collect();
    let required = params.iter().take_while(|p| !p.contains('=')).count();

    let mut info = Vec::with_capacity(params.len() + 1);
    // The first element speaks of the function: its "name" is the number of required parameters.
    let return_type = match returns.trim().strip_prefix(':') {
        Some(text) => zend_type(text.trim())?,
        None => ZendType::empty(false, false),
    };
    info.push(ffi::zend_internal_arg_info {
        name: ptr::without_provenance(required),
        type_: return_type,
        default_value: ptr::null(),
    });
    for param in &params {
        let (declaration, default) = match param.split_once('=') {
            Some((left, right)) => (left.trim(), leak(right.trim())?),
            None => (*param, ptr::null()),
        };
        let (type_text, name) = declaration.split_once('$')?;
        info.push(ffi::zend_internal_arg_info {
            name: leak(name.trim())?,
            type_: zend_type(type_text.trim())?,
            default_value: default,
        });
    }
    let mut entry = FunctionEntry::end();
    entry.fname = leak(&format!("{prefix}{name}"))?;
    entry.handler = Some(*handler);
    entry.num_args = params.len().try_into().ok()?;
    entry.arg_info = keep(info);
    Some(entry)
}

/// Where the tables are that live as long as the process, so that a leak checker finds them, too.
static KEPT: Mutex<Vec<usize>> = Mutex::new(Vec::new());

fn keep<T>(table: Vec<T>) -> *const T {
    let table = Box::leak(table.into_boxed_slice()).as_ptr();
    if let Ok(mut kept) = KEPT.lock() {
        kept.push(table.expose_provenance());
    }
    table
}

fn leak(text: &str) -> Option<*const std::ffi::c_char> {
    Some(keep(CString::new(text).ok()?.into_bytes_with_nul()).cast())
}

/// `int|string`, `?float`, `static`, `Rustio\Newline`: builtin types in any union, at most one class in it.
fn zend_type(text: &'static str) -> Option<ZendType> {
    let (nullable, text) = match text.strip_prefix('?') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut mask = if nullable { 1 << ffi::IS_NULL } else { 0 };
    let mut class = None;
    for part in text.split('|') {
        mask |= match part {
            "int" => 1 << ffi::IS_LONG,
            "float" => 1 << ffi::IS_DOUBLE,
            "string" => 1 << ffi::IS_STRING,
            "array" => 1 << ffi::IS_ARRAY,
            "bool" => ffi::MAY_BE_BOOL,
            "null" => 1 << ffi::IS_NULL,
            "mixed" => ffi::MAY_BE_ANY,
            "void" => 1 << ffi::IS_VOID,
            "callable" => 1 << ffi::IS_CALLABLE,
            "iterable" => ffi::_ZEND_TYPE_ITERABLE_BIT,
            "static" => 1 << 15, // MAY_BE_STATIC
            name if class.is_none() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '\\') => {
                class = Some(name);
                0
            }
            _ => return None,
        };
    }
    let mut typ = match class {
        Some(name) => ZendType::empty_from_type(DataType::object(name), false, false, false)?,
        None => ZendType::empty(false, false),
    };
    typ.type_mask |= mask;
    Some(typ)
}

/// A property's type, for the few that exceptions have.
pub fn property_type(text: &'static str) -> Option<ZendType> {
    zend_type(text)
}

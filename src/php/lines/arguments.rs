//! The twelve arguments that the constructor and lines() share.

use std::ffi::CString;
use std::io;

use super::stream::StreamSource;
use super::{LONG_LINE, Lines, NEWLINE};
use crate::lines::{FileSource, Filter, LongLine, Newline, Options, Pattern, Reader, Source};
use crate::php::guard::hold_bailout;
use crate::php::zend::{Result, Zval, current_frame, deref, ffi, run_interrupt, type_of};
use crate::php::zpp::{Args, in_range, type_error, value_error};
use crate::php::{error, paths, zend};

macro_rules! parameters {
    () => {
        "mixed $source, int $chunkSize = 65536, int $offset = 0, ?int $length = null, Rustio\\Newline $newline = \
         Rustio\\Newline::Lf, bool $keepNewline = false, bool $skipEmpty = false, bool $stripBom = true, int \
         $maxLineLength = 16777216, Rustio\\LongLine $onLongLine = Rustio\\LongLine::Raise, string|array|null \
         $contains = null, ?string $matches = null"
    };
}

pub const CONSTRUCTOR: &str = concat!("__construct(", parameters!(), ")");
pub const FUNCTION: &str = concat!("lines(", parameters!(), "): Rustio\\LineIterator");
/// How many they are.
pub const COUNT: u32 = 12;

/// Largest chunk: more than any device or cache asks for, and small enough to be allocated or refused at once.
const MAX_CHUNK: i64 = 1 << 30;

/// Parses all arguments, then opens the source: a bad option opens nothing.
pub fn lines(args: &Args) -> Result<Lines> {
    let source = source(args)?;
    let options = Options {
        chunk: in_range(1, args.long_or(1, 65536)?, 1, MAX_CHUNK)? as usize,
        offset: in_range(2, args.long_or(2, 0)?, 0, i64::MAX)?.cast_unsigned(),
        length: match args.opt_long(3)? {
            Some(length) => Some(in_range(3, length, 0, i64::MAX)?.cast_unsigned()),
            None => None,
        },
        newline: newline(args, 4)?,
        keep_newline: args.bool_or(5, false)?,
        skip_empty: args.bool_or(6, false)?,
        strip_bom: args.bool_or(7, true)?,
        max_line: in_range(8, args.long_or(8, 16_777_216)?, 1, i64::MAX / 4)? as usize,
        on_long: [LongLine::Raise, LongLine::Truncate, LongLine::Skip][LONG_LINE.arg_or(args, 9, 0)?],
        filter: filter(args)?,
    };
    match source {
        Given::Path(name) => Ok(Lines::new(Reader::new(open(name, 0)?, options), name.to_vec())),
        Given::Resource(zv) => {
            let source = StreamSource::from_resource(zv)?;
            Ok(Lines::new(Reader::new(Box::new(source), options), b"stream".to_vec()))
        }
    }
}

enum Given<'a> {
    Path(&'a [u8]),
    Resource(*mut Zval),
}

/// A resource, or what a string parameter takes in the caller's mode.
fn source(args: &Args) -> Result<Given<'_>> {
    if let Some(zv) = args.raw(0) {
        // SAFETY: raw() gives initialised values.
        let kind = unsafe { type_of(zv) };
        if kind == ffi::IS_RESOURCE {
            return Ok(Given::Resource(zv));
        }
        if kind == ffi::IS_NULL {
            return Err(type_error(zv, 0, c"must be of type string|resource, %s given"));
        }
    }
    args.str_or(0, c"must be of type string|resource, %s given")?;
    Ok(Given::Path(args.path(0)?))
}

/// Position of an enum argument to the core's own.
pub fn newline(args: &Args, i: u32) -> Result<Newline> {
    Ok([Newline::Lf, Newline::Any][NEWLINE.arg_or(args, i, 0)?])
}

/// A path with a scheme goes through PHP's stream layer, any other is opened here.
pub fn open(name: &[u8], i: u32) -> Result<Box<dyn Source>> {
    if paths::has_scheme(name) {
        return Ok(Box::new(StreamSource::open(name)?));
    }
    Ok(Box::new(open_file(&paths::allowed(name, i)?)?))
}

/// Opens a file. A signal that comes while a FIFO waits for its writer lets PHP's handlers run.
pub fn open_file(path: &CString) -> Result<FileSource> {
    loop {
        match FileSource::open(path) {
            Ok(source) => return Ok(source),
            Err(err) if err.kind() == io::ErrorKind::Interrupted => hold_bailout(|| run_interrupt(current_frame()))??,
            Err(err) => return Err(error::io("open", path.as_bytes(), &err)),
        }
    }
}

fn filter(args: &Args) -> Result<Option<Filter>> {
    let pattern = match args.opt_str(11)? {
        Some(text) => Some(Pattern::new(text).map_err(|err| value_error(11, &err.to_string()))?),
        None => None,
    };
    let Some(zv) = args.raw(10) else { return Ok(Filter::new(None, pattern)) };
    // SAFETY: raw() gives initialised values; the array's elements live as long as the argument.
    let needles = unsafe {
        match type_of(zv) {
            ffi::IS_NULL => return Ok(Filter::new(None, pattern)),
            ffi::IS_ARRAY => needles(&*(*zv).value.arr)?,
            _ => vec![args.str_or(10, c"must be of type array|string|null, %s given")?],
        }
    };
    if needles.is_empty() {
        return Err(value_error(10, "must not be empty"));
    }
    match Filter::new(Some(&needles), pattern) {
        Some(filter) => Ok(Some(filter)),
        None => Err(value_error(10, "has too many strings to search for")),
    }
}

fn needles(array: &ffi::HashTable) -> Result<Vec<&[u8]>> {
    let mut needles = Vec::new();
    for zv in array.values() {
        // SAFETY: the table's values are initialised and live as long as the table; strings are read as strings.
        unsafe {
            let zv = deref(std::ptr::from_ref(zv).cast_mut());
            if type_of(zv) != ffi::IS_STRING {
                return Err(type_error(zv, 10, c"must be a list of strings, %s given in it"));
            }
            needles.push(zend::bytes((*zv).value.str_));
        }
    }
    Ok(needles)
}

//! AccelRedirect and its enums: arguments to the core, the core's headers to PHP. Sending is in [`super::accel_send`].

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::SystemTime;

use super::accel_send::{Sending, send};
use super::enums::Enum;
use super::error::{self, NOT_SERVABLE, RUSTIO};
use super::guard::guard;
use super::object::{self, Native, Slot, init, not_yet, this};
use super::signature::{BadSignature, method};
use super::zend::{ExecuteData, Push, Result, Set, Thrown, Zval, ini, zend_ce_value_error, zval};
use super::zpp::{Args, value_error};
use super::{accel_send, ini as entries, paths};
use crate::accel::{
    Accel, AccelError, Backend, DEFAULT_LOCATION, Disposition, Location, Options, Purpose, Root, Server,
};
use crate::accel::{Ready, Refusal};

static BACKEND: Enum =
    Enum::new(c"Rustio\\SendfileBackend", &[("Nginx", "nginx"), ("XSendfile", "xsendfile"), ("Php", "php")]);
static DISPOSITION: Enum = Enum::new(c"Rustio\\Disposition", &[("Attachment", "attachment"), ("Inline", "inline")]);

const BACKENDS: [(&str, Backend); 3] =
    [("nginx", Backend::Nginx), ("xsendfile", Backend::XSendfile), ("php", Backend::Php)];

/// What stands behind an AccelRedirect.
pub struct AccelRedirect {
    accel: Accel,
    /// The file while it is sent: here, and not in a frame, because userland that runs meanwhile may end the request.
    pub(super) sending: Option<Sending>,
}

impl Native for AccelRedirect {
    const NAME: &'static str = "Rustio\\AccelRedirect";

    fn slot() -> &'static Slot<Self> {
        static SLOT: Slot<AccelRedirect> = Slot::new();
        &SLOT
    }
}

/// Registers the classes; module start only.
pub fn register() -> std::result::Result<(), BadSignature> {
    BACKEND.register();
    DISPOSITION.register();
    object::register::<AccelRedirect>(
        &[
            method(
                "__construct(string $root, ?string $location = null, ?Rustio\\SendfileBackend $backend = null, ?string \
                 $server = null)",
                construct,
            ),
            method(
                "headers(string $file, ?string $name = null, Rustio\\Disposition $disposition = \
                 Rustio\\Disposition::Attachment, ?string $type = null, ?int $limitRate = null, ?bool $buffering = null, \
                 ?int $expires = null, ?string $charset = null): array",
                headers,
            ),
            method(
                "send(string $file, ?string $name = null, Rustio\\Disposition $disposition = \
                 Rustio\\Disposition::Attachment, ?string $type = null, ?int $limitRate = null, ?bool $buffering = null, \
                 ?int $expires = null, ?string $charset = null): void",
                send_file,
            ),
            method("serverConfig(): string", server_config),
        ],
        &[],
        None,
    )
}

unsafe extern "C" fn construct(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        not_yet::<AccelRedirect>(ex)?;
        let args = Args::new(ex, 1, 4)?;
        let root = paths::path(&args, 0)?;
        let location = args.opt_str(1)?;
        let backend = match BACKEND.opt_arg(&args, 2)? {
            Some(position) => BACKENDS[position].1,
            None => default_backend()?,
        };
        let server = match args.opt_str(3)? {
            Some(name) => Some(Server::named(name, backend).map_err(raise)?),
            None if backend == Backend::XSendfile => accel_send::server_software().and_then(Server::running),
            None => Some(Server::of(backend)),
        };
        let location = match location {
            Some(location) => Location::new(location).map_err(raise)?,
            None => default_location()?,
        };
        let root = Root::new(Path::new(OsStr::from_bytes(root.as_bytes()))).map_err(raise)?;
        init(ex, AccelRedirect { accel: Accel::new(root, location, backend, server), sending: None });
        Ok(())
    });
}

unsafe extern "C" fn headers(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, 8)?;
        let ready = prepare(ex, &args, Purpose::Describe)?;
        // SAFETY: the engine hands a handler a return value that nobody else uses.
        let array = unsafe { &mut *rv }.put_array(ready.headers().len());
        for (name, value) in ready.headers() {
            array.put(name.as_bytes(), zval(value.as_slice()));
        }
        Ok(())
    });
}

unsafe extern "C" fn send_file(ex: *mut ExecuteData, _rv: *mut Zval) {
    guard(|| {
        let args = Args::new(ex, 1, 8)?;
        accel_send::not_started()?;
        let ready = prepare(ex, &args, Purpose::Send)?;
        let rate = args.opt_long(4)?.and_then(|rate| u64::try_from(rate).ok()).filter(|&rate| rate > 0);
        let sending = Sending::new(ready, &this::<AccelRedirect>(ex)?.accel, rate);
        send(ex, sending)
    });
}

unsafe extern "C" fn server_config(ex: *mut ExecuteData, rv: *mut Zval) {
    guard(|| {
        Args::new(ex, 0, 0)?;
        let text = this::<AccelRedirect>(ex)?.accel.server_config().map_err(raise)?;
        // SAFETY: as in headers().
        unsafe { &mut *rv }.put_bytes(&text);
        Ok(())
    });
}

/// Reads the arguments that headers() and send() share, and finds the file.
fn prepare(ex: *mut ExecuteData, args: &Args, purpose: Purpose) -> Result<Ready> {
    let file = args.str(0)?;
    if memchr::memchr(0, file).is_some() {
        return Err(value_error(0, "must not contain any null bytes"));
    }
    let options = Options {
        file,
        name: args.opt_str(1)?,
        disposition: match DISPOSITION.arg_or(args, 2, 0)? {
            0 => Disposition::Attachment,
            _ => Disposition::Inline,
        },
        media_type: args.opt_str(3)?,
        limit_rate: args.opt_long(4)?,
        buffering: args.opt_bool(5)?,
        expires: args.opt_long(6)?,
        charset: args.opt_str(7)?,
    };
    let accel = &mut this::<AccelRedirect>(ex)?.accel;
    error::check_open_basedir(accel.root().path().as_os_str().as_bytes())?;
    accel.prepare(&options, purpose, SystemTime::now()).map_err(raise)
}

fn default_backend() -> Result<Backend> {
    let Some(name) = ini(entries::ACCEL_BACKEND) else { return Ok(Backend::Nginx) };
    let known = BACKENDS.iter().find(|(known, _)| *known == name);
    known.map(|(_, backend)| *backend).ok_or_else(|| {
        bad_ini(&format!("rustio.accel_backend must be \"nginx\", \"xsendfile\" or \"php\", \"{name}\" given"))
    })
}

fn default_location() -> Result<Location> {
    let text = ini(entries::ACCEL_LOCATION).unwrap_or_else(|| DEFAULT_LOCATION.to_owned());
    Location::new(text.as_bytes()).map_err(|err| match err {
        AccelError::Argument { message, .. } => bad_ini(&format!("rustio.accel_location {message}")),
        other => raise(other),
    })
}

#[cold]
fn bad_ini(message: &str) -> Thrown {
    // SAFETY: one of the engine's own classes, set before any module starts.
    error::throw_class(unsafe { zend_ce_value_error }, message)
}

/// The core's error as an exception.
#[cold]
fn raise(err: AccelError) -> Thrown {
    match err {
        AccelError::Argument { name, message } => value_error(position(name), &message),
        AccelError::NotServable { file, root, refusal } => {
            let reason = match &refusal {
                Refusal::Missing(source) | Refusal::Unreadable(source) => error::reason(source),
                other => other.to_string(),
            };
            let message = format!("{} can't be sent from {}: {reason}", file.display(), root.display());
            let mut properties = [zval(i64::from(refusal.status()))];
            error::throw(&NOT_SERVABLE, &message, refusal.errno().into(), &mut properties)
        }
        AccelError::Io { op, path, source } => error::io(op, path.as_os_str().as_bytes(), &source),
        other => error::throw(&RUSTIO, &other.to_string(), 0, &mut []),
    }
}

/// Where a parameter stands in the method that has it.
fn position(name: &str) -> u32 {
    match name {
        "location" => 1,
        "type" | "server" => 3,
        "limitRate" => 4,
        "buffering" => 5,
        "expires" => 6,
        "charset" => 7,
        _ => 0, // root
    }
}

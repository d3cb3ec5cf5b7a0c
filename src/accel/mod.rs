//! A path under a root becomes the headers with which a web server sends it, or is streamed from here.
//!
//! [`Accel`] knows where files live and who sends them; [`Accel::prepare`] finds one file, opens it and decides its
//! headers, so that whatever is wrong is known before anything is sent. With [`Backend::Php`], [`Ready::answer`] plans the
//! whole response to a request from the open file. Nothing here reads a file's content or sends anything.

mod answer;
mod conditional;
mod config;
mod disposition;
mod encode;
mod error;
mod media;
mod options;
pub(crate) mod range;
mod root;

pub use answer::{Answer, Entity, Header, Piece};
pub use conditional::{Request, Validators};
pub use config::Server;
pub use disposition::{Disposition, content_disposition};
pub use encode::Location;
pub use error::{AccelError, Refusal};
pub use options::{Backend, Options, Purpose};
pub use range::Range;
pub use root::{Access, Found, Root};

use answer::text;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::SystemTime;

/// nginx's internal location where nothing else is configured.
pub const DEFAULT_LOCATION: &str = "/protected/";

/// Sends files from below one root by one backend.
#[derive(Debug)]
pub struct Accel {
    root: Root,
    location: Location,
    backend: Backend,
    server: Option<Server>,
}

/// A file that can be sent, open, with its headers.
#[derive(Debug)]
pub struct Ready {
    /// The file; open for reading if it is to be sent from here.
    pub found: Found,
    headers: Vec<Header>,
    entity: Option<Entity>,
}

impl Accel {
    /// Puts them together; `location` counts for nginx alone. `server` is who reads the headers, `None` if that is not
    /// known.
    #[must_use]
    pub fn new(root: Root, location: Location, backend: Backend, server: Option<Server>) -> Self {
        Self { root, location, backend, server }
    }

    /// Who sends the bytes.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Where files are looked for.
    #[must_use]
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Checks the options, then finds and opens the file, then makes its headers. `now` caps Last-Modified.
    ///
    /// # Errors
    /// `AccelError::Argument` for an option, else as [`Root::find`].
    pub fn prepare(&mut self, options: &Options<'_>, purpose: Purpose, now: SystemTime) -> Result<Ready, AccelError> {
        options.check(self.backend, purpose)?;
        let media_type = options.content_type()?;
        let access =
            if self.backend == Backend::Php && purpose == Purpose::Send { Access::Read } else { Access::Check };
        let found = self.root.find(options.file, access)?;
        let name = options.name.unwrap_or_default();
        let disposition = content_disposition(options.disposition, name, options.base_name());
        if self.backend == Backend::Php {
            let validators = Validators::new(found.mtime, found.len, now);
            let entity = Entity { media_type, disposition, len: found.len, validators };
            return Ok(Ready { headers: entity.headers(), found, entity: Some(entity) });
        }
        let mut headers = vec![self.redirect(options.file, &found.relative)?];
        headers.push(text("Content-Type", media_type));
        headers.push(text("Content-Disposition", disposition));
        match self.backend {
            Backend::Nginx => headers.extend(options.x_accel()),
            _ => headers.push(answer::nosniff()),
        }
        Ok(Ready { found, headers, entity: None })
    }

    /// The one header that hands the file over.
    fn redirect(&self, file: &[u8], relative: &[u8]) -> Result<Header, AccelError> {
        if self.backend == Backend::Nginx {
            return Ok(text("X-Accel-Redirect", self.location.uri(relative)));
        }
        let root = self.root.path();
        match encode::x_sendfile(root.as_os_str().as_bytes(), relative, self.server) {
            Ok(value) => Ok(("X-Sendfile", value)),
            Err(refusal) => {
                let file = PathBuf::from(OsStr::from_bytes(file));
                Err(AccelError::NotServable { file, root: root.to_owned(), refusal })
            }
        }
    }

    /// The lines that the server's configuration needs for this object. Where it is not known which X-Sendfile server
    /// that is: Apache's, and lighttpd's as comments.
    ///
    /// # Errors
    /// `AccelError::Unwritable`.
    pub fn server_config(&self) -> Result<Vec<u8>, AccelError> {
        let config = |server: Server| server.config(&self.root, &self.location);
        let Some(server) = self.server else {
            let mut text = config(Server::of(self.backend))?;
            text.extend_from_slice(b"\n# lighttpd instead:\n");
            for line in config(Server::Lighttpd)?.split_inclusive(|&byte| byte == b'\n') {
                text.extend_from_slice(if line.starts_with(b"#") { b"" } else { b"# " });
                text.extend_from_slice(line);
            }
            return Ok(text);
        };
        config(server)
    }
}

impl Ready {
    /// Names and values to send; with [`Backend::Php`] those of the whole file.
    #[must_use]
    pub fn headers(&self) -> &[Header] {
        &self.headers
    }

    /// The whole answer to a request, for [`Backend::Php`]; otherwise the server makes it, and this has status 200, the
    /// headers and no body.
    #[must_use]
    pub fn answer(&self, request: &Request<'_>, boundary: &str) -> Answer {
        match &self.entity {
            Some(entity) => entity.answer(request, boundary),
            None => Answer { status: 200, headers: self.headers.clone(), body: Vec::new() },
        }
    }
}

#[cfg(test)]
mod tests;

//! What a caller asks for beside the file, checked against what the backend can do.

use super::answer::{Header, text};
use super::disposition::Disposition;
use super::error::AccelError;
use super::media::content_type;

/// Who sends the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Backend {
    /// nginx, by X-Accel-Redirect.
    #[default]
    Nginx,
    /// Apache with mod_xsendfile, lighttpd or Caddy, by X-Sendfile.
    XSendfile,
    /// This process.
    Php,
}

/// What is done with the headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// They are handed to a framework's response, which sends a body as it likes.
    Describe,
    /// They are sent from here, and so is the body if the server does not do it.
    Send,
}

/// One file and how to send it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a> {
    /// Path relative to the root.
    pub file: &'a [u8],
    /// The download's name; empty or `None`: the base name of `file`.
    pub name: Option<&'a [u8]>,
    /// Save or show.
    pub disposition: Disposition,
    /// Content-Type; `None`: by the extension of `file`.
    pub media_type: Option<&'a [u8]>,
    /// Bytes a second; 0: no limit, even where the server's configuration has one.
    pub limit_rate: Option<i64>,
    /// Whether the server may buffer.
    pub buffering: Option<bool>,
    /// Seconds for which the server may cache; 0: not at all.
    pub expires: Option<i64>,
    /// Character set of a text.
    pub charset: Option<&'a [u8]>,
}

/// 1 TiB a second: above it nginx's own arithmetic (rate times seconds) would overflow within months.
const MAX_RATE: i64 = 1 << 40;
const MAX_EXPIRES: i64 = i32::MAX as i64;

impl<'a> Options<'a> {
    /// The last component of the path as the caller wrote it: links are often named for people, their targets for
    /// machines.
    #[must_use]
    pub fn base_name(&self) -> &'a [u8] {
        let start = self.file.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
        &self.file[start..]
    }

    /// Refuses what is out of range and what the backend can't do. Looks at no file.
    ///
    /// X-Sendfile knows neither rates nor buffers nor caches. PHP itself keeps to a rate, buffers nothing and caches
    /// nothing when it sends; headers for somebody else's response can't promise that.
    ///
    /// # Errors
    /// `AccelError::Argument`.
    pub fn check(&self, backend: Backend, purpose: Purpose) -> Result<(), AccelError> {
        range("limitRate", self.limit_rate, MAX_RATE)?;
        range("expires", self.expires, MAX_EXPIRES)?;
        let message = match (backend, purpose) {
            (Backend::Nginx, _) | (Backend::Php, Purpose::Send) => return Ok(()),
            (Backend::XSendfile, _) => "must be null with SendfileBackend::XSendfile, which has no header for it",
            (Backend::Php, Purpose::Describe) => {
                "must be null for headers() with SendfileBackend::Php; send() keeps to it"
            }
        };
        for (name, given) in [
            ("limitRate", self.limit_rate.is_some()),
            ("buffering", self.buffering.is_some()),
            ("expires", self.expires.is_some()),
        ] {
            if given {
                return Err(AccelError::argument(name, message));
            }
        }
        Ok(())
    }

    /// Content-Type.
    ///
    /// # Errors
    /// `AccelError::Argument`.
    pub fn content_type(&self) -> Result<String, AccelError> {
        let charset = self.charset.map(|bytes| std::str::from_utf8(bytes).unwrap_or(""));
        content_type(self.media_type, self.base_name(), charset)
    }

    /// nginx's own headers for the options that are set.
    pub(super) fn x_accel(&self) -> Vec<Header> {
        let yes_or_no = |on| if on { "yes" } else { "no" }.to_owned();
        let charset = self.charset.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        [
            ("X-Accel-Limit-Rate", self.limit_rate.map(|rate| rate.to_string())),
            ("X-Accel-Buffering", self.buffering.map(yes_or_no)),
            ("X-Accel-Expires", self.expires.map(|seconds| seconds.to_string())),
            ("X-Accel-Charset", charset),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some(text(name, value?)))
        .collect()
    }
}

fn range(name: &'static str, value: Option<i64>, max: i64) -> Result<(), AccelError> {
    if value.is_none_or(|value| (0..=max).contains(&value)) {
        return Ok(());
    }
    Err(AccelError::argument(name, format!("must be between 0 and {max}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(options: Options<'_>, backend: Backend, purpose: Purpose) -> Option<&'static str> {
        match options.check(backend, purpose) {
            Ok(()) => None,
            Err(AccelError::Argument { name, .. }) => Some(name),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused_ax_45() {
        for (rate, expires, name) in [
            (Some(-1), None, Some("limitRate")),
            (Some(MAX_RATE + 1), None, Some("limitRate")),
            (None, Some(-1), Some("expires")),
            (None, Some(MAX_EXPIRES + 1), Some("expires")),
            (Some(0), Some(0), None),
            (Some(MAX_RATE), Some(MAX_EXPIRES), None),
        ] {
            let options = Options { limit_rate: rate, expires, ..Options::default() };
            assert_eq!(refused(options, Backend::Nginx, Purpose::Send), name);
        }
    }

    #[test]
    fn what_a_backend_can_t_do_is_refused() {
        let rate = Options { limit_rate: Some(1), ..Options::default() };
        let buffering = Options { buffering: Some(false), ..Options::default() };
        let expires = Options { expires: Some(1), ..Options::default() };
        for (options, name) in [(rate, "limitRate"), (buffering, "buffering"), (expires, "expires")] {
            for purpose in [Purpose::Describe, Purpose::Send] {
                assert_eq!(refused(options, Backend::Nginx, purpose), None);
                assert_eq!(refused(options, Backend::XSendfile, purpose), Some(name));
            }
            assert_eq!(refused(options, Backend::Php, Purpose::Describe), Some(name));
            assert_eq!(refused(options, Backend::Php, Purpose::Send), None);
        }
        let charset = Options { charset: Some(b"utf-8"), ..Options::default() };
        for backend in [Backend::Nginx, Backend::XSendfile, Backend::Php] {
            assert_eq!(refused(charset, backend, Purpose::Describe), None);
        }
    }

    #[test]
    fn the_base_name_is_what_stands_behind_the_last_slash() {
        for (file, base) in [("a", "a"), ("x/y/a.txt", "a.txt"), ("x/", ""), ("", "")] {
            assert_eq!(Options { file: file.as_bytes(), ..Options::default() }.base_name(), base.as_bytes());
        }
    }
}

//! Preconditions of a request, in the order of RFC 9110, section 13.2.2.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The parts of a request that decide what is sent. Values are the raw header fields; none of them says which file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// GET, HEAD, POST, ...
    pub method: &'a [u8],
    /// Range.
    pub range: Option<&'a [u8]>,
    /// If-Range.
    pub if_range: Option<&'a [u8]>,
    /// If-Match.
    pub if_match: Option<&'a [u8]>,
    /// If-None-Match.
    pub if_none_match: Option<&'a [u8]>,
    /// If-Modified-Since.
    pub if_modified_since: Option<&'a [u8]>,
    /// If-Unmodified-Since.
    pub if_unmodified_since: Option<&'a [u8]>,
}

/// What a client can compare its copy with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validators {
    etag: String,
    /// Whole seconds since 1970; `None` where HTTP has no date for it.
    modified: Option<u64>,
    /// The file may still change within the second that Last-Modified names.
    fresh: bool,
}

/// The outcome of the preconditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Send the file; `range` tells whether Range counts.
    Send {
        /// False: Range is absent, not for this method, or If-Range names another version.
        range: bool,
    },
    /// 304.
    NotModified,
    /// 412.
    Failed,
}

impl Validators {
    /// For a file of `len` bytes changed at `mtime` (seconds since 1970), looked at at `now`. The tag is nginx's:
    /// hexadecimal time and size, so it stays the same when nginx takes over. It can't tell two files of one size
    /// written within one second.
    #[must_use]
    pub fn new(mtime: i64, len: u64, now: SystemTime) -> Self {
        let now = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        // Section 8.8.2.1: never later than now.
        let modified = u64::try_from(mtime).ok().map(|at| at.min(now));
        let fresh = modified.is_none_or(|at| at >= now);
        Self { etag: format!("\"{mtime:x}-{len:x}\""), modified, fresh }
    }

    /// The value of ETag, with its quotes.
    #[must_use]
    pub fn etag(&self) -> &str {
        &self.etag
    }

    /// The value of Last-Modified; none for a file from before 1970.
    #[must_use]
    pub fn last_modified(&self) -> Option<String> {
        self.modified.and_then(http_date)
    }

    /// Decides what a request gets, before its Range is looked at.
    #[must_use]
    pub fn judge(&self, request: &Request<'_>) -> Verdict {
        let get = request.method == b"GET";
        let safe = get || request.method == b"HEAD";
        match (request.if_match, request.if_unmodified_since.and_then(parse_date)) {
            (Some(tags), _) if !self.matches(tags, Comparison::Strong) => return Verdict::Failed,
            (None, Some(date)) if self.modified.is_some_and(|at| at > date) => return Verdict::Failed,
            _ => {}
        }
        match (request.if_none_match, request.if_modified_since.and_then(parse_date)) {
            (Some(tags), _) if self.matches(tags, Comparison::Weak) => {
                return if safe { Verdict::NotModified } else { Verdict::Failed };
            }
            (None, Some(date)) if safe && self.modified.is_some_and(|at| at <= date) => return Verdict::NotModified,
            _ => {}
        }
        // Section 14.2: only GET has ranges.
        let range = get && request.range.is_some() && request.if_range.is_none_or(|value| self.is_same(value));
        Verdict::Send { range }
    }

    /// If-Range, section 13.1.5: a strong tag that is equal, or exactly the date of Last-Modified, once that date is
    /// over and so can't stand for two versions.
    fn is_same(&self, value: &[u8]) -> bool {
        let value = value.trim_ascii();
        if value.first() == Some(&b'"') {
            return value == self.etag.as_bytes();
        }
        !self.fresh && self.modified.is_some() && parse_date(value) == self.modified
    }

    fn matches(&self, list: &[u8], comparison: Comparison) -> bool {
        if list.trim_ascii() == b"*" {
            return true;
        }
        let mut rest = list;
        while let Some((weak, tag, after)) = next_tag(rest) {
            if tag == self.etag.as_bytes() && (!weak || comparison == Comparison::Weak) {
                return true;
            }
            rest = after;
        }
        false
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Strong,
    Weak,
}

/// The next entity tag of a list, with its quotes, whether it is weak, and what follows. What is no tag ends the list.
fn next_tag(list: &[u8]) -> Option<(bool, &[u8], &[u8])> {
    let start = list.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b','))?;
    let list = &list[start..];
    let (weak, list) = list.strip_prefix(b"W/").map_or((false, list), |rest| (true, rest));
    let inner = list.strip_prefix(b"\"")?;
    let end = inner.iter().position(|&byte| byte == b'"')? + 2;
    Some((weak, &list[..end], &list[end..]))
}

/// Any of the three forms of section 5.6.7, as seconds since 1970; what is no date counts as absent.
fn parse_date(value: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(value).ok()?.trim();
    let date = httpdate::parse_http_date(text).ok()?;
    date.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}

/// The IMF-fixdate form; HTTP's dates end with the year 9999.
fn http_date(seconds: u64) -> Option<String> {
    const END_OF_9999: u64 = 253_402_300_799;
    (seconds <= END_OF_9999).then(|| httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(seconds)))
}

#[cfg(test)]
#[path = "conditional_tests.rs"]
mod tests;

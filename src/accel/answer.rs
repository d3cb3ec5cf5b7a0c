//! What PHP answers itself when no server helps: status, headers and the pieces of the body, all decided before the first
//! byte is sent.

use super::conditional::{Request, Validators, Verdict};
use super::range::{Range, Selection, select};

/// A header's name and value: one line, and printable ASCII except for the path in X-Sendfile.
pub type Header = (&'static str, Vec<u8>);

/// A header of text.
pub(super) fn text(name: &'static str, value: impl Into<String>) -> Header {
    (name, value.into().into_bytes())
}

/// A part of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// These bytes.
    Text(String),
    /// This part of the file.
    File(Range),
}

/// A whole response but for the file's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// 200, 206, 304, 412 or 416.
    pub status: u16,
    /// In the order to send.
    pub headers: Vec<Header>,
    /// Adds up to Content-Length; empty for HEAD.
    pub body: Vec<Piece>,
}

/// A file as the fallback sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// Content-Type.
    pub media_type: String,
    /// Content-Disposition.
    pub disposition: String,
    /// Size in bytes.
    pub len: u64,
    /// ETag and Last-Modified.
    pub validators: Validators,
}

/// Tells browsers to believe Content-Type.
pub(super) fn nosniff() -> Header {
    text("X-Content-Type-Options", "nosniff")
}

impl Entity {
    /// The headers of the whole file.
    #[must_use]
    pub fn headers(&self) -> Vec<Header> {
        self.with(self.media_type.clone(), self.len)
    }

    fn with(&self, media_type: String, length: u64) -> Vec<Header> {
        let mut headers = vec![
            text("Content-Type", media_type),
            text("Content-Disposition", &self.disposition),
            text("Content-Length", length.to_string()),
            text("Accept-Ranges", "bytes"),
            nosniff(),
        ];
        headers.extend(self.version());
        headers
    }

    /// What 304 repeats (RFC 9110, section 15.4.5).
    fn version(&self) -> impl Iterator<Item = Header> {
        let modified = self.validators.last_modified().map(|date| text("Last-Modified", date));
        [text("ETag", self.validators.etag())].into_iter().chain(modified)
    }

    /// Answers a request. `boundary` separates the parts of an answer to several ranges and must not occur in the file:
    /// take a random one.
    #[must_use]
    pub fn answer(&self, request: &Request<'_>, boundary: &str) -> Answer {
        let whole = Range { start: 0, len: self.len };
        let mut answer = match self.validators.judge(request) {
            Verdict::NotModified => self.not_modified(),
            Verdict::Failed => nothing(412, []),
            Verdict::Send { range } => match select(request.range.filter(|_| range).unwrap_or_default(), self.len) {
                Selection::Whole => Answer { status: 200, headers: self.headers(), body: vec![Piece::File(whole)] },
                Selection::Unsatisfiable => nothing(416, [text("Content-Range", format!("bytes */{}", self.len))]),
                Selection::Parts(parts) => match parts.as_slice() {
                    [part] => self.one_part(*part),
                    parts => self.several_parts(parts, boundary),
                },
            },
        };
        answer.body.retain(|piece| *piece != Piece::File(Range { start: 0, len: 0 }));
        if request.method == b"HEAD" {
            answer.body.clear();
        }
        answer
    }

    /// It names the type as well: PHP would add text/html, and a cache would update what it has stored with that.
    fn not_modified(&self) -> Answer {
        let media_type = [text("Content-Type", &self.media_type)];
        Answer { status: 304, headers: media_type.into_iter().chain(self.version()).collect(), body: Vec::new() }
    }

    fn one_part(&self, part: Range) -> Answer {
        let mut headers = self.with(self.media_type.clone(), part.len);
        headers.push(text("Content-Range", part.content_range(self.len)));
        Answer { status: 206, headers, body: vec![Piece::File(part)] }
    }

    /// RFC 9110, section 14.6.
    fn several_parts(&self, parts: &[Range], boundary: &str) -> Answer {
        let mut body = Vec::with_capacity(parts.len() * 2 + 1);
        for (number, part) in parts.iter().enumerate() {
            let line_end = if number == 0 { "" } else { "\r\n" };
            body.push(Piece::Text(format!(
                "{line_end}--{boundary}\r\nContent-Type: {}\r\nContent-Range: {}\r\n\r\n",
                self.media_type,
                part.content_range(self.len)
            )));
            body.push(Piece::File(*part));
        }
        body.push(Piece::Text(format!("\r\n--{boundary}--\r\n")));
        let length = body.iter().map(Piece::len).sum();
        let headers = self.with(format!("multipart/byteranges; boundary={boundary}"), length);
        Answer { status: 206, headers, body }
    }
}

impl Piece {
    fn len(&self) -> u64 {
        match self {
            Self::Text(text) => text.len() as u64,
            Self::File(range) => range.len,
        }
    }
}

/// An answer without a body. It names a type, or PHP would call the nothing text/html.
fn nothing<const N: usize>(status: u16, extra: [Header; N]) -> Answer {
    let mut headers = vec![text("Content-Type", "text/plain"), text("Content-Length", "0"), nosniff()];
    headers.extend(extra);
    Answer { status, headers, body: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::{Duration, UNIX_EPOCH};

    fn entity(len: u64) -> Entity {
        let validators = Validators::new(1_700_000_000, len, UNIX_EPOCH + Duration::from_secs(1_800_000_000));
        let disposition = "attachment; filename=\"a.txt\"".to_owned();
        Entity { media_type: "text/plain".to_owned(), disposition, len, validators }
    }

    fn get(len: u64, range: &str) -> Answer {
        let range = (!range.is_empty()).then_some(range.as_bytes());
        entity(len).answer(&Request { method: b"GET", range, ..Request::default() }, "B")
    }

    fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
        let mut values =
            answer.headers.iter().filter(|(key, _)| *key == name).map(|(_, value)| std::str::from_utf8(value).unwrap());
        let first = values.next();
        assert_eq!(values.next(), None, "{name} twice");
        first
    }

    /// The body of a file whose byte `n` is the letter `n % 26`.
    fn body(answer: &Answer) -> Vec<u8> {
        let mut out = Vec::new();
        for piece in &answer.body {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::File(range) => out.extend((range.start..range.start + range.len).map(letter)),
            }
        }
        out
    }

    fn letter(at: u64) -> u8 {
        b'a' + (at % 26) as u8
    }

    #[test]
    fn the_whole_file_has_length_tag_date_and_nosniff() {
        let answer = get(1000, "");
        assert_eq!((answer.status, body(&answer).len()), (200, 1000));
        for (name, value) in [
            ("Content-Type", "text/plain"),
            ("Content-Length", "1000"),
            ("Accept-Ranges", "bytes"),
            ("X-Content-Type-Options", "nosniff"),
            ("ETag", "\"6553f100-3e8\""),
            ("Last-Modified", "Tue, 14 Nov 2023 22:13:20 GMT"),
            ("Content-Disposition", "attachment; filename=\"a.txt\""),
        ] {
            assert_eq!(header(&answer, name), Some(value));
        }
        assert_eq!(get(0, "").body, [], "an empty file has no piece");
    }

    #[test]
    fn one_range_is_206_and_one_outside_416_with_the_size_ax_26() {
        let answer = get(1000, "bytes=990-5000");
        assert_eq!(answer.status, 206);
        assert_eq!(header(&answer, "Content-Range"), Some("bytes 990-999/1000"));
        assert_eq!(header(&answer, "Content-Length"), Some("10"));
        assert_eq!(body(&answer), (990..1000).map(letter).collect::<Vec<_>>());
        let answer = get(1000, "bytes=2000-");
        assert_eq!((answer.status, body(&answer).len()), (416, 0));
        assert_eq!(header(&answer, "Content-Range"), Some("bytes */1000"));
        assert_eq!(header(&answer, "Content-Length"), Some("0"));
    }

    #[test]
    fn several_ranges_are_multipart_ax_27() {
        let answer = get(1000, "bytes=0-1,5-6");
        assert_eq!(answer.status, 206);
        assert_eq!(header(&answer, "Content-Type"), Some("multipart/byteranges; boundary=B"));
        assert_eq!(header(&answer, "Content-Range"), None);
        let text = String::from_utf8(body(&answer)).unwrap();
        let part = "Content-Type: text/plain\r\nContent-Range: bytes";
        assert_eq!(text, format!("--B\r\n{part} 0-1/1000\r\n\r\nab\r\n--B\r\n{part} 5-6/1000\r\n\r\nfg\r\n--B--\r\n"));
    }

    #[test]
    fn not_modified_keeps_type_tag_and_date_and_nothing_else_ax_30() {
        let request = Request { method: b"GET", if_none_match: Some(b"*"), ..Request::default() };
        let answer = entity(9).answer(&request, "B");
        assert_eq!((answer.status, answer.body.len()), (304, 0));
        assert_eq!(
            answer.headers.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            ["Content-Type", "ETag", "Last-Modified"]
        );
    }

    #[test]
    fn head_has_the_headers_of_the_whole_file_and_no_body_ax_31() {
        let head = Request { method: b"HEAD", range: Some(b"bytes=0-1"), ..Request::default() };
        let answer = entity(1000).answer(&head, "B");
        assert_eq!(answer.body, []);
        assert_eq!((answer.status, &answer.headers), (200, &get(1000, "").headers));
    }

    proptest! {
        /// Whatever is asked for, Content-Length is what is sent.
        #[test]
        fn content_length_is_the_length_of_the_body(range in "(bytes=[-0-9,]{0,30})?", len in 0u64..300) {
            let answer = get(len, &range);
            prop_assert_eq!(header(&answer, "Content-Length").unwrap(), body(&answer).len().to_string());
        }
    }
}

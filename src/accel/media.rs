//! Content-Type: always set, because PHP would set text/html.

use super::error::AccelError;

const UNKNOWN: &str = "application/octet-stream";

/// The header's value for a file called `name`. `given` is taken as it is; without one the extension decides, and an
/// unknown one gives application/octet-stream. `charset` is added to types of text that name none; other types have no
/// such parameter and are left alone.
///
/// # Errors
/// `AccelError::Argument` for a type that is not `type/subtype` with well-formed parameters (RFC 9110, section 8.3.1), or
/// a charset that is no token, or one beside a type that names its own.
pub fn content_type(given: Option<&[u8]>, name: &[u8], charset: Option<&str>) -> Result<String, AccelError> {
    let mut value = match given {
        None => guess(name).to_owned(),
        Some(given) => match std::str::from_utf8(given) {
            Ok(text) if is_media_type(text) => text.to_owned(),
            _ => return Err(AccelError::argument("type", "must be a media type such as \"application/pdf\"")),
        },
    };
    let Some(charset) = charset else { return Ok(value) };
    if charset.len() > 40 || !is_token(charset) {
        return Err(AccelError::argument("charset", "must be the name of a character set such as \"utf-8\""));
    }
    if names_charset(&value) {
        return Err(AccelError::argument("charset", "must be null when $type names a character set"));
    }
    if is_text(&value) {
        value.push_str("; charset=");
        value.push_str(charset);
    }
    Ok(value)
}

/// By the part after the last dot; a name that only starts with a dot has none.
fn guess(name: &[u8]) -> &'static str {
    let dot = name.iter().rposition(|&byte| byte == b'.').filter(|&at| at > 0);
    let extension = dot.and_then(|at| std::str::from_utf8(&name[at + 1..]).ok()).filter(|text| !text.is_empty());
    extension.and_then(|text| mime_guess::from_ext(text).first_raw()).unwrap_or(UNKNOWN)
}

/// Whether the value has a charset parameter.
#[must_use]
pub fn names_charset(value: &str) -> bool {
    value
        .split(';')
        .skip(1)
        .any(|parameter| parameter.split_once('=').is_some_and(|(name, _)| name.trim().eq_ignore_ascii_case("charset")))
}

/// Types that are read as characters.
fn is_text(value: &str) -> bool {
    let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let Some((main, sub)) = essence.split_once('/') else { return false };
    main == "text"
        || sub.ends_with("+xml")
        || main == "application" && matches!(sub, "xml" | "javascript" | "ecmascript" | "x-javascript" | "xml-dtd")
}

/// RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// `type/subtype` and parameters of tokens or quoted strings, all printable ASCII.
fn is_media_type(text: &str) -> bool {
    let (essence, mut rest) = text.split_at(text.find(';').unwrap_or(text.len()));
    let Some((main, sub)) = essence.trim_end_matches(' ').split_once('/') else { return false };
    if text.len() > 255 || !is_token(main) || !is_token(sub) {
        return false;
    }
    while let Some(parameter) = rest.strip_prefix(';') {
        let Some((name, value)) = parameter.trim_start_matches(' ').split_once('=') else { return false };
        let Some(end) = value_length(value) else { return false };
        if !is_token(name) {
            return false;
        }
        rest = value[end..].trim_start_matches(' ');
    }
    rest.is_empty()
}

/// Bytes of the token or quoted string at the start.
fn value_length(value: &str) -> Option<usize> {
    if !value.starts_with('"') {
        let end = value.find([';', ' ']).unwrap_or(value.len());
        return is_token(&value[..end]).then_some(end);
    }
    let mut bytes = value.bytes().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return Some(at + 1),
            b'\\' => match bytes.next() {
                Some((_, b' '..=b'~')) => {}
                _ => return None,
            },
            b' '..=b'~' => {}
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_name(name: &str) -> String {
        content_type(None, name.as_bytes(), None).unwrap()
    }

    #[test]
    fn the_extension_decides_and_nothing_is_html_by_accident_ax_01() {
        for (name, value) in [
            ("a.pdf", "application/pdf"),
            ("a.PNG", "image/png"),
            ("a.txt", "text/plain"),
            ("a.tar.gz", "application/gzip"),
            ("a.jpg.html", "text/html"),
        ] {
            assert_eq!(by_name(name), value, "{name}");
        }
        for name in
            ["", "README", "x.", "x.html.", "x.html ", ".html", "html", "x.unknown-ext", "x.html\u{202e}", "a.b/c"]
        {
            assert_eq!(by_name(name), UNKNOWN, "{name:?}");
        }
        assert_eq!(content_type(None, b"x.\xff\xfe", None).unwrap(), UNKNOWN);
    }

    #[test]
    fn a_charset_is_added_to_text_alone_ax_01() {
        let with = |name: &str| content_type(None, name.as_bytes(), Some("utf-8")).unwrap();
        assert_eq!(with("a.txt"), "text/plain; charset=utf-8");
        assert_eq!(with("a.svg"), "image/svg+xml; charset=utf-8");
        for (name, value) in
            [("a.png", "image/png"), ("a.json", "application/json"), ("a.zip", "application/zip"), ("a", UNKNOWN)]
        {
            assert_eq!(with(name), value);
        }
    }

    #[test]
    fn a_given_type_is_taken_as_it_is_or_refused() {
        for given in [
            "text/html",
            "application/vnd.api+json",
            "text/plain; charset=utf-8",
            "text/plain;charset=\"utf-8\"; format=flowed",
            "multipart/mixed; boundary=\"a;b\\\"c\"",
        ] {
            assert_eq!(content_type(Some(given.as_bytes()), b"x.pdf", None).unwrap(), given);
        }
        for given in [
            "",
            "text",
            "text/",
            "/plain",
            "text/plain\r\nX: y",
            "text/pl ain",
            "text/plain;",
            "text/plain; a",
            "a/b; c=",
            "a/b; c=\"d",
            "a/b/c",
            "t\u{e4}xt/plain",
            "a/b; c=\"\t\"",
            "text/plain\0",
            " text/plain",
            "a/b; c=d e",
        ] {
            let result = content_type(Some(given.as_bytes()), b"x", None);
            assert!(matches!(result, Err(AccelError::Argument { name: "type", .. })), "{given:?}");
        }
        assert!(content_type(Some(b"text/\xff"), b"x", None).is_err());
    }

    #[test]
    fn two_charsets_or_one_that_is_none_are_refused() {
        for (given, charset) in [
            (Some("text/plain; charset=x"), "utf-8"),
            (Some("text/plain; CharSet=\"x\""), "utf-8"),
            (None, ""),
            (None, "utf 8"),
            (None, "utf-8\r\nX: y"),
        ] {
            let result = content_type(given.map(str::as_bytes), b"a.txt", Some(charset));
            assert!(matches!(result, Err(AccelError::Argument { name: "charset", .. })), "{given:?} {charset:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_accepted_is_one_printable_line(given in prop::collection::vec(any::<u8>(), 0..30)) {
            if let Ok(value) = content_type(Some(&given), b"", None) {
                prop_assert!(value.bytes().all(|byte| matches!(byte, b' '..=b'~')) && value.contains('/'));
            }
        }
    }
}

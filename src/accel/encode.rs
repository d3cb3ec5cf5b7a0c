//! Paths as the servers read them in a header: percent-encoded once, byte by byte.

use super::config::Server;
use super::error::{AccelError, Refusal};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

/// All but RFC 3986's unreserved characters (section 2.3) and the slash. What nginx, mod_xsendfile and lighttpd decode
/// to the bytes of the path, whatever they are; nothing in it can end a header, start a query or look like an escape.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// An internal location of nginx: one slash at each end, none doubled, no `.` or `..`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    decoded: Vec<u8>,
    encoded: String,
}

impl Location {
    /// nginx's prefix as written in its configuration, not percent-encoded; slashes at the ends may be left out.
    ///
    /// # Errors
    /// `AccelError::Argument` for `""`, `"/"`, a named location (`@...`), control bytes, and empty, `.` or `..` segments
    /// within: nginx would look for another location than the one configured.
    pub fn new(location: &[u8]) -> Result<Self, AccelError> {
        let refuse = |message| Err(AccelError::argument("location", message));
        if location.first() == Some(&b'@') {
            return refuse("must be a path such as \"/protected/\", not a named location");
        }
        if location.iter().any(u8::is_ascii_control) {
            return refuse("must not contain control characters");
        }
        let start = location.iter().position(|&byte| byte != b'/').unwrap_or(location.len());
        let end = location.iter().rposition(|&byte| byte != b'/').map_or(start, |at| at + 1);
        let inner = &location[start..end];
        if inner.is_empty() {
            return refuse("must name a path below \"/\"");
        }
        if inner.split(|&byte| byte == b'/').any(|part| matches!(part, b"" | b"." | b"..")) {
            return refuse("must not contain empty, \".\" or \"..\" segments");
        }
        let decoded = [b"/", inner, b"/"].concat();
        Ok(Self { encoded: percent_encode(&decoded, PATH).collect(), decoded })
    }

    /// As nginx compares it with a decoded path.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.decoded
    }

    /// The value of X-Accel-Redirect for a path below the root without dots or double slashes. nginx decodes it since
    /// version 1.5.9.
    #[must_use]
    pub fn uri(&self, relative: &[u8]) -> String {
        let mut uri = String::with_capacity(self.encoded.len() + relative.len() + 16);
        uri.push_str(&self.encoded);
        uri.extend(percent_encode(relative, PATH));
        uri
    }
}

/// The value of X-Sendfile: the absolute path, spelled as the server reads it. mod_xsendfile 0.12 takes the bytes as they
/// are, and so does 1.0 with `XSendFileUnescape off`; lighttpd decodes percent signs and takes UTF-8 alone. `None` stands
/// for a server that is not known: the bytes as they are, if both read them alike.
///
/// # Errors
/// `Refusal::Unnameable` for what the header can't carry to this server. Control bytes end a header, or become `_` in
/// lighttpd, that is, another file's name; PHP cuts a space off the end of a header.
pub fn x_sendfile(root: &[u8], relative: &[u8], server: Option<Server>) -> Result<Vec<u8>, Refusal> {
    let path = [root.strip_suffix(b"/").unwrap_or(root), b"/", relative].concat();
    if path.iter().any(u8::is_ascii_control) {
        return Err(Refusal::Unnameable("control bytes"));
    }
    if server == Some(Server::Lighttpd) {
        if std::str::from_utf8(&path).is_err() {
            return Err(Refusal::Unnameable("bytes that are not UTF-8 to lighttpd"));
        }
        return Ok(percent_encode(&path, PATH).to_string().into_bytes());
    }
    if path.ends_with(b" ") {
        return Err(Refusal::Unnameable("a space at the end"));
    }
    if server != Some(Server::Apache) && path.contains(&b'%') {
        return Err(Refusal::Unnameable("a percent sign to a server that is not known (name it: $server)"));
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use percent_encoding::percent_decode_str;
    use proptest::prelude::*;

    fn uri(relative: impl AsRef<[u8]>) -> String {
        Location::new(b"/p/").unwrap().uri(relative.as_ref())
    }

    #[test]
    fn a_percent_sign_is_always_encoded_ax_02_ax_04() {
        for (path, value) in [
            ("90%.txt", "/p/90%25.txt"),
            ("%", "/p/%25"),
            ("%zz.txt", "/p/%25zz.txt"),
            ("100%25.txt", "/p/100%2525.txt"),
            ("a b.txt", "/p/a%20b.txt"),
            ("a%20b.txt", "/p/a%2520b.txt"),
        ] {
            assert_eq!(uri(path), value);
        }
    }

    #[test]
    fn reserved_characters_are_encoded_and_a_space_is_never_a_plus_ax_05() {
        assert_eq!(
            uri("d/ !\"#$&'()*+,:;<=>?@[\\]^`{|}"),
            "/p/d/%20%21%22%23%24%26%27%28%29%2A%2B%2C%3A%3B%3C%3D%3E%3F%40%5B%5C%5D%5E%60%7B%7C%7D"
        );
        assert_eq!(uri("AZaz09-._~/x"), "/p/AZaz09-._~/x");
    }

    #[test]
    fn other_bytes_are_encoded_as_they_are_on_disk_ax_06_ax_08() {
        assert_eq!(uri("\u{e4}"), "/p/%C3%A4");
        assert_eq!(uri("a\u{308}"), "/p/a%CC%88", "no normalisation");
        assert_eq!(uri(b"\xff\xfe"), "/p/%FF%FE");
        assert_eq!(uri("x\r\nSet-Cookie: a=1\t\x7f"), "/p/x%0D%0ASet-Cookie%3A%20a%3D1%09%7F");
    }

    #[test]
    fn a_location_has_exactly_one_slash_at_each_end_ax_15() {
        for location in ["/prot", "/prot/", "prot", "//prot", "prot//", "///prot///"] {
            assert_eq!(Location::new(location.as_bytes()).unwrap().as_bytes(), b"/prot/", "{location}");
        }
        assert_eq!(Location::new(b"a/b").unwrap().uri(b"c"), "/a/b/c");
        assert_eq!(Location::new("/f\u{fc}r %/".as_bytes()).unwrap().uri(b"c"), "/f%C3%BCr%20%25/c");
        for location in ["", "/", "//", "a//b", "/a/../b", "..", ".", "a/.", "@files", "a\nb", "a\0", "\x7f"] {
            let err = Location::new(location.as_bytes()).unwrap_err();
            assert!(matches!(err, AccelError::Argument { name: "location", .. }), "{location}");
        }
    }

    #[test]
    fn x_sendfile_is_spelled_as_each_server_reads_it() {
        let (apache, lighttpd) = (Some(Server::Apache), Some(Server::Lighttpd));
        let value = |path: &[u8], server| x_sendfile(b"/srv/my files", path, server).ok();
        for (path, raw, encoded, unknown) in [
            ("a+b/\u{e4}", Some("a+b/\u{e4}"), Some("a%2Bb/%C3%A4"), Some("a+b/\u{e4}")),
            ("90%.txt", Some("90%.txt"), Some("90%25.txt"), None),
            ("end ", None, Some("end%20"), None),
            ("a\nb", None, None, None),
            ("a\rb", None, None, None),
            ("\x7f", None, None, None),
            ("t\tx", None, None, None),
        ] {
            for (server, folder, want) in
                [(apache, "my files", raw), (lighttpd, "my%20files", encoded), (None, "my files", unknown)]
            {
                let want = want.map(|want| format!("/srv/{folder}/{want}").into_bytes());
                assert_eq!(value(path.as_bytes(), server), want, "{path:?} {server:?}");
            }
        }
        assert_eq!(value(b"\xff", apache).unwrap(), b"/srv/my files/\xff");
        assert_eq!(value(b"\xff", lighttpd), None);
        assert_eq!(x_sendfile(b"/", b"a", apache).unwrap(), b"/a");
        assert!(x_sendfile(b"/100%", b"a", None).is_err());
    }

    proptest! {
        #[test]
        fn an_encoded_path_is_plain_ascii_and_decodes_to_the_same_bytes(path in prop::collection::vec(any::<u8>(), 0..80)) {
            let value = uri(&path);
            prop_assert!(value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte)));
            let decoded: Vec<u8> = percent_decode_str(&value).collect();
            prop_assert_eq!(decoded, [b"/p/", path.as_slice()].concat());
        }
    }
}

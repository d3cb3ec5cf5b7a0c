//! Content-Disposition for any name at all (RFC 6266, RFC 8187).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What a browser is asked to do with the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Disposition {
    /// Save it.
    #[default]
    Attachment,
    /// Show it.
    Inline,
}

/// Bytes of a name, as UTF-8: what file systems take, and what a browser keeps on all of them.
const MAX_NAME: usize = 255;
/// A longer "extension" is not one, so it may be cut.
const MAX_EXTENSION: usize = 32;

/// RFC 8187, section 3.2.1: all but attr-char.
const ATTR: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// The header's value. Every name is made safe, none is refused; an empty one, or one of which nothing is left, becomes
/// `fallback` (the base name of the path), and at last `download`.
#[must_use]
pub fn content_disposition(kind: Disposition, name: &[u8], fallback: &[u8]) -> String {
    let kind = match kind {
        Disposition::Attachment => "attachment",
        Disposition::Inline => "inline",
    };
    let name = if name.is_empty() { fallback } else { name };
    if let Some(name) = as_it_is(name) {
        return [kind, "; filename=\"", name, "\""].concat();
    }
    let name = [name, fallback].into_iter().map(safe_name).find(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| "download".to_owned());
    let ascii: String = name.chars().map(|char| if is_plain(char) { char } else { '_' }).collect();
    if ascii == name {
        format!("{kind}; filename=\"{ascii}\"")
    } else {
        // The plain form comes first: old clients take the first one they understand (RFC 6266, appendix D).
        format!("{kind}; filename=\"{ascii}\"; filename*=UTF-8''{}", utf8_percent_encode(&name, ATTR))
    }
}

/// Most names: letters, digits, and what never needs a second look.
fn as_it_is(name: &[u8]) -> Option<&str> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b' ');
    let (first, last) = (name.first()?, name.last()?);
    let edges = first.is_ascii_alphanumeric() && last.is_ascii_alphanumeric();
    if !edges || name.len() > MAX_NAME || !name.iter().all(plain) {
        return None;
    }
    std::str::from_utf8(name).ok().filter(|name| !is_device(name))
}

/// Stands in a quoted string as itself with every client: no quote or backslash (escapes are often not undone), no
/// percent sign (some decode it), no semicolon (some split there).
fn is_plain(char: char) -> bool {
    matches!(char, ' '..='~') && !matches!(char, '"' | '\\' | '%' | ';')
}

/// A file name without what could hide its extension, leave the folder or reach a device; "" if nothing is left.
fn safe_name(name: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(name)
        .chars()
        .filter(|&char| !is_invisible(char))
        .map(|char| if matches!(char, '/' | '\\' | '\u{fffd}') { '_' } else { char })
        .collect();
    // Windows drops dots and spaces at the end, so "x.exe." would be saved as "x.exe".
    let text = text.trim_start().trim_end_matches(is_dropped);
    let name = shorten(text, MAX_NAME);
    if name.starts_with('.') || is_device(&name) {
        return format!("_{}", shorten(text, MAX_NAME - 1));
    }
    name
}

fn is_dropped(char: char) -> bool {
    char.is_whitespace() || char == '.'
}

/// Controls, line separators, direction marks and overrides, and characters of no width. The joiners stay: scripts and
/// emoji need them.
fn is_invisible(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(char, '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// Cuts on a character's border, in front of the extension.
fn shorten(name: &str, most: usize) -> String {
    if name.len() <= most {
        return name.to_owned();
    }
    let extension = match name.rfind('.') {
        Some(at) if at > 0 && name.len() - at <= MAX_EXTENSION => &name[at..],
        _ => "",
    };
    let mut end = most - extension.len();
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    let stem = &name[..end];
    format!("{}{extension}", stem.trim_end_matches(is_dropped))
}

/// CON, NUL and the like are devices on Windows, with any extension.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let is = |name: &str| stem.eq_ignore_ascii_case(name);
    match stem.as_bytes() {
        [port @ .., b'0'..=b'9'] if port.len() == 3 => {
            port.eq_ignore_ascii_case(b"COM") || port.eq_ignore_ascii_case(b"LPT")
        }
        _ => is("CON") || is("PRN") || is("AUX") || is("NUL"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use percent_encoding::percent_decode_str;
    use proptest::prelude::*;

    fn attachment(name: impl AsRef<[u8]>) -> String {
        content_disposition(Disposition::Attachment, name.as_ref(), b"base.txt")
    }

    #[test]
    fn a_plain_name_needs_one_parameter() {
        assert_eq!(attachment("report 2026 (1).pdf"), "attachment; filename=\"report 2026 (1).pdf\"");
        assert_eq!(content_disposition(Disposition::Inline, b"a", b""), "inline; filename=\"a\"");
    }

    #[test]
    fn letters_beyond_ascii_get_both_forms_ax_33() {
        for (name, plain, extended) in [
            ("T\u{e4}st.txt", "T_st.txt", "T%C3%A4st.txt"),
            ("\u{65e5}\u{672c}.txt", "__.txt", "%E6%97%A5%E6%9C%AC.txt"),
            ("\u{1f600}.png", "_.png", "%F0%9F%98%80.png"),
            ("a\u{308}", "a_", "a%CC%88"),
        ] {
            assert_eq!(attachment(name), format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{extended}"));
        }
    }

    #[test]
    fn quotes_semicolons_and_line_ends_can_t_leave_the_parameter_ax_35() {
        assert_eq!(
            attachment("x\".bat\"; filename=\"y"),
            "attachment; filename=\"x_.bat__ filename=_y\"; filename*=UTF-8''x%22.bat%22%3B%20filename%3D%22y"
        );
        assert_eq!(attachment("a\r\nSet-Cookie: s=1"), "attachment; filename=\"aSet-Cookie: s=1\"");
        assert_eq!(attachment("a\tb\0c\x7f"), "attachment; filename=\"abc\"");
        assert_eq!(attachment("100%.txt"), "attachment; filename=\"100_.txt\"; filename*=UTF-8''100%25.txt");
        assert_eq!(attachment("..\\..\\a/b"), "attachment; filename=\"_.._.._a_b\"");
    }

    #[test]
    fn hostile_names_are_made_harmless_ax_36() {
        for (name, safe) in [
            ("gpj.\u{202e}exe", "gpj.exe"),
            ("CON", "_CON"),
            ("com1.txt", "_com1.txt"),
            ("console", "console"),
            (".htaccess", "_.htaccess"),
            (" a ", "a"),
            ("x.exe. . ", "x.exe"),
            ("", "base.txt"),
            ("\u{202e}", "base.txt"),
            (" . ", "base.txt"),
            ("\u{2066}\u{feff}\r", "base.txt"),
        ] {
            assert_eq!(attachment(name), format!("attachment; filename=\"{safe}\""), "{name:?}");
        }
        assert_eq!(content_disposition(Disposition::Attachment, b"", b"\n"), "attachment; filename=\"download\"");
        assert_eq!(attachment(b"a\xffb.txt"), "attachment; filename=\"a_b.txt\"");
    }

    #[test]
    fn a_long_name_is_cut_between_characters_and_keeps_its_extension_ax_36() {
        let cut = safe_name(format!("{}.tar.gz", "\u{20ac}".repeat(2000)).as_bytes());
        assert!(cut.len() > MAX_NAME - 6 && cut.len() <= MAX_NAME && cut.ends_with("\u{20ac}.gz"), "{cut}");
        let cut = safe_name("x".repeat(300).as_bytes());
        assert_eq!(cut, "x".repeat(MAX_NAME));
        let cut = safe_name(format!("a.{}", "e".repeat(5000)).as_bytes());
        assert_eq!(cut.len(), MAX_NAME);
        let cut = safe_name(format!(".{}", "e".repeat(5000)).as_bytes());
        assert!(cut.len() == MAX_NAME && cut.starts_with("_.e"), "{cut}");
        assert_eq!(safe_name(cut.as_bytes()), cut);
        let cut = safe_name(format!("{}\u{3000}yyy", "x".repeat(252)).as_bytes());
        assert_eq!(cut, "x".repeat(252), "a wide blank at the cut");
    }

    proptest! {
        /// Any bytes at all: one line of printable ASCII, a parser of RFC 6266 gets back the safe name.
        #[test]
        fn any_name_gives_one_line_that_parses(name in prop::collection::vec(any::<u8>(), 0..400)) {
            let value = attachment(&name);
            prop_assert!(value.bytes().all(|byte| matches!(byte, b' '..=b'~')));
            let rest = value.strip_prefix("attachment; filename=\"").unwrap();
            let (plain, rest) = rest.split_once('"').unwrap();
            prop_assert!(!plain.is_empty() && !plain.contains(['\\', '/']));
            let full = match rest.strip_prefix("; filename*=UTF-8''") {
                Some(extended) => percent_decode_str(extended).decode_utf8().unwrap().into_owned(),
                None => { prop_assert_eq!(rest, ""); plain.to_owned() }
            };
            prop_assert!(full.len() <= MAX_NAME && !full.starts_with('.') && !full.ends_with(['.', ' ']));
            prop_assert!(!full.chars().any(|char| is_invisible(char) || matches!(char, '/' | '\\')));
            prop_assert_eq!(full.chars().count(), plain.chars().count());
        }

        /// The short cut gives what the long way gives.
        #[test]
        fn what_is_taken_as_it_is_is_safe(name in "[a-zA-Z0-9._ -]{0,12}|(con|LPT1|nul)[. ]?[a-z]{0,2}") {
            if let Some(same) = as_it_is(name.as_bytes()) {
                prop_assert_eq!(safe_name(name.as_bytes()), same);
            }
        }

        #[test]
        fn a_name_made_safe_is_left_alone_the_second_time(name in any::<String>()) {
            let once = safe_name(name.as_bytes());
            prop_assert_eq!(safe_name(once.as_bytes()), once);
        }
    }
}

//! Content-Disposition.

use super::Input;
use crate::accel::{Disposition, content_disposition};

/// Any two names give one line of printable ASCII, which a parser of RFC 6266 and RFC 8187 reads back as one safe file
/// name. The first byte chooses the kind and how much of the input is the path's base name; the rest is the name.
pub fn disposition(input: &[u8]) {
    let mut input = Input(input);
    let choice = input.byte();
    let (kind, word) =
        if choice % 2 == 0 { (Disposition::Attachment, "attachment") } else { (Disposition::Inline, "inline") };
    let fallback = input.bytes(usize::from(choice / 2));
    let name = input.rest();
    let value = content_disposition(kind, name, fallback);
    let (plain, full) = parse(&value, word);

    assert!((1..=255).contains(&full.len()), "{} bytes: {value}", full.len());
    assert!(!full.starts_with(['.', ' ']), "hidden: {value}");
    assert!(!full.ends_with(|char: char| char == '.' || char.is_whitespace()), "Windows drops its end: {value}");
    assert!(!full.contains(['/', '\\']), "leaves the folder: {value}");
    assert!(!full.chars().any(hides), "hides something: {value}");
    assert!(!reaches_a_device(&full), "a device: {value}");
    // Both forms are one name: old clients see a placeholder for each character they could not read.
    assert_eq!(plain.chars().count(), full.chars().count(), "{value}");
    for (plain, full) in plain.chars().zip(full.chars()) {
        assert!(plain == full || (plain == '_' && (!full.is_ascii() || "\"%;".contains(full))), "{value}");
    }

    // A second pass finds nothing to do, and so a name that is safe arrives as it is.
    let again = content_disposition(kind, full.as_bytes(), b"another");
    assert_eq!(again, value, "changed when it was safe");
    // It is made of the name; only where nothing of that is left, of the fallback.
    let of = |source: &[u8]| {
        let mut source = String::from_utf8_lossy(source).into_owned();
        source.insert(0, '_'); // what may be put in front
        let mut left = source.chars();
        full.chars().all(|char| left.any(|from| from == char || (char == '_' && "/\\\u{fffd}".contains(from))))
    };
    assert!(of(name) || of(fallback) || full == "download", "{value} of {}", name.escape_ascii());
}

/// The parameters as a strict reader takes them: the quoted string, and the extended form or the same again.
fn parse(value: &str, kind: &str) -> (String, String) {
    assert!(value.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "not printable: {value}");
    let rest = value.strip_prefix(kind).and_then(|rest| rest.strip_prefix("; filename=\"")).unwrap_or_default();
    let (plain, rest) = rest.split_once('"').unwrap_or_default();
    assert!(!plain.is_empty() && !plain.contains(['\\', '%', ';']), "needs a second look: {value}");
    let Some(encoded) = rest.strip_prefix("; filename*=UTF-8''") else {
        assert!(rest.is_empty(), "something follows: {value}");
        return (plain.to_owned(), plain.to_owned());
    };
    let mut full = Vec::new();
    let mut bytes = encoded.bytes();
    while let Some(byte) = bytes.next() {
        let digits = [bytes.clone().next(), bytes.clone().nth(1)]
            .map(|digit| digit.and_then(|digit| char::from(digit).to_digit(16)));
        match (byte, digits) {
            (b'%', [Some(high), Some(low)]) => {
                full.push((high * 16 + low) as u8);
                bytes.nth(1);
            }
            // attr-char of RFC 8187
            _ => {
                assert!(byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte), "not encoded: {value}");
                full.push(byte);
            }
        }
    }
    let full = String::from_utf8(full);
    assert!(full.is_ok(), "no UTF-8: {value}");
    (plain.to_owned(), full.unwrap_or_default())
}

/// Controls, line separators, marks and overrides of direction, characters of no width.
fn hides(char: char) -> bool {
    let code = char as u32;
    code < 0x20
        || (0x7f..0xa0).contains(&code)
        || [0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0xfeff].contains(&code)
        || (0x202a..=0x202e).contains(&code)
        || (0x2060..=0x2069).contains(&code)
        || (0xfff9..=0xfffb).contains(&code)
}

/// Windows opens the device whatever follows the first dot, blanks before it, letters of either case.
fn reaches_a_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let ports = ["COM", "LPT"].into_iter().flat_map(|port| (0..10).map(move |number| format!("{port}{number}")));
    ["CON", "PRN", "AUX", "NUL"].map(str::to_owned).into_iter().chain(ports).any(|device| device == stem)
}

//! One record is one line: how a newline inside a record is written, and read back.
//!
//! A newline becomes the two bytes `\n`. So that a record which already has these two bytes can be told apart, a run of
//! backslashes that stands directly before an `n` or a newline is doubled; every other backslash stays as it is
//! (`App\User`, `C:\temp` are written unchanged). Reading back: of the backslashes directly before an `n`, an odd number
//! means half of them and a newline, an even number half of them and the `n`.

use memchr::memchr2;

/// Appends `record` to `out` as one line's content, without its final newline.
pub fn escape_into(record: &[u8], out: &mut Vec<u8>) {
    let mut rest = record;
    while let Some(at) = memchr2(b'\n', b'\\', rest) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain);
        let run = special.iter().take_while(|&&byte| byte == b'\\').count();
        if run == 0 {
            out.extend_from_slice(b"\\n");
            rest = special.get(1..).unwrap_or_default();
            continue;
        }
        let (backslashes, after) = special.split_at(run);
        out.extend_from_slice(backslashes);
        if matches!(after.first(), Some(b'n' | b'\n')) {
            out.extend_from_slice(backslashes);
        }
        rest = after;
    }
    out.extend_from_slice(rest);
}

/// The record that [`escape_into`] has written as `line`.
pub fn unescape(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain);
        let run = special.iter().take_while(|&&byte| byte == b'\\').count();
        let (backslashes, after) = special.split_at(run);
        if after.first() == Some(&b'n') {
            out.extend_from_slice(backslashes.get(..run / 2).unwrap_or_default());
            out.push(if run % 2 == 1 { b'\n' } else { b'n' });
            rest = after.get(1..).unwrap_or_default();
        } else {
            out.extend_from_slice(backslashes);
            rest = after;
        }
    }
    out.extend_from_slice(rest);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn escaped(record: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        escape_into(record, &mut out);
        out
    }

    #[test]
    fn what_it_looks_like() {
        for (record, line) in [
            ("", ""),
            ("two\nlines", r"two\nlines"),
            ("crlf\r\n", "crlf\r\\n"),
            (r"App\Models\User C:\temp\", r"App\Models\User C:\temp\"),
            (r#"{"json":"a\nb"}"#, r#"{"json":"a\\nb"}"#),
            ("\\\n", r"\\\n"),
        ] {
            assert_eq!(String::from_utf8(escaped(record.as_bytes())).unwrap(), line);
        }
    }

    proptest! {
        #[test]
        fn it_is_one_line_and_comes_back(record in "[a\\\\n\n\u{0}é]{0,24}") {
            let line = escaped(record.as_bytes());
            prop_assert!(!line.contains(&b'\n'));
            prop_assert_eq!(unescape(&line), record.as_bytes());
        }

        #[test]
        fn any_bytes_come_back(record in proptest::collection::vec(any::<u8>(), 0..300)) {
            prop_assert_eq!(unescape(&escaped(&record)), record);
        }
    }
}

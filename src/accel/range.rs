//! Byte ranges of a request (RFC 9110, section 14).

/// More ranges than this are a flood: the whole file is sent instead.
const MAX_RANGES: usize = 64;

/// Bytes `start..start + len` of a file; never empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Offset of the first byte.
    pub start: u64,
    /// Number of bytes.
    pub len: u64,
}

impl Range {
    /// The value of Content-Range.
    #[must_use]
    pub fn content_range(&self, total: u64) -> String {
        format!("bytes {}-{}/{total}", self.start, self.start + self.len - 1)
    }
}

/// What a Range header asks of a file of a known size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// The whole file: there is no range, or the header is to be ignored.
    Whole,
    /// These parts, in the order asked for; at least one.
    Parts(Vec<Range>),
    /// Nothing in the file: 416.
    Unsatisfiable,
}

/// Reads a Range header.
///
/// As section 14.2 allows, a header is ignored when its unit is not `bytes`, when any part of it is malformed (`abc`,
/// `9-2`), and when it has the marks of an attack: more than 64 ranges, or ranges that add up to more than the file. An
/// empty file has no range to give, so it is sent whole, as nginx does.
#[must_use]
pub fn select(header: &[u8], total: u64) -> Selection {
    let Some(set) = range_set(header) else { return Selection::Whole };
    if total == 0 {
        return Selection::Whole;
    }
    let (mut parts, mut count, mut left) = (Vec::new(), 0, total);
    for spec in set.split(|&byte| byte == b',').map(trim) {
        if spec.is_empty() {
            continue; // section 5.6.1.2: empty list elements are ignored
        }
        let Some(asked) = parse(spec) else { return Selection::Whole };
        count += 1;
        if let Some(range) = clip(asked, total) {
            let Some(rest) = left.checked_sub(range.len) else { return Selection::Whole };
            left = rest;
            parts.push(range);
        }
        if count > MAX_RANGES {
            return Selection::Whole;
        }
    }
    match (count, parts.is_empty()) {
        (0, _) => Selection::Whole,
        (_, true) => Selection::Unsatisfiable,
        (_, false) => Selection::Parts(parts),
    }
}

fn range_set(header: &[u8]) -> Option<&[u8]> {
    let at = header.iter().position(|&byte| byte == b'=')?;
    let (unit, set) = header.split_at(at);
    trim(unit).eq_ignore_ascii_case(b"bytes").then(|| &set[1..])
}

fn trim(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

/// `first-last`, `first-` or `-suffix`.
fn parse(spec: &[u8]) -> Option<(Option<u64>, Option<u64>)> {
    let dash = spec.iter().position(|&byte| byte == b'-')?;
    let (first, last) = (number(&spec[..dash])?, number(&spec[dash + 1..])?);
    match (first, last) {
        (None, None) => None,
        (Some(first), Some(last)) if first > last => None,
        both => Some(both),
    }
}

/// Digits, or nothing; a number too large for 64 bits lies behind the end of every file, as the largest does.
#[allow(clippy::option_option)]
fn number(digits: &[u8]) -> Option<Option<u64>> {
    if digits.is_empty() {
        return Some(None);
    }
    let mut value = 0u64;
    for &byte in digits {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        value = value.saturating_mul(10).saturating_add(digit);
    }
    Some(Some(value))
}

/// Section 14.1.2: an end behind the file is its last byte, a suffix longer than the file is the whole file.
fn clip(asked: (Option<u64>, Option<u64>), total: u64) -> Option<Range> {
    let (start, len) = match asked {
        (Some(first), last) => {
            let end = last.map_or(total, |last| last.saturating_add(1).min(total));
            (first, end.checked_sub(first)?)
        }
        (None, suffix) => {
            let len = suffix.unwrap_or(0).min(total);
            (total - len, len)
        }
    };
    (len > 0).then_some(Range { start, len })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(header: &str, total: u64) -> Option<Vec<(u64, u64)>> {
        match select(header.as_bytes(), total) {
            Selection::Parts(parts) => Some(parts.iter().map(|part| (part.start, part.len)).collect()),
            Selection::Whole => None,
            Selection::Unsatisfiable => Some(Vec::new()),
        }
    }

    #[test]
    fn an_end_behind_the_file_is_clipped_ax_24() {
        for (header, range) in [
            ("bytes=990-5000", (990, 10)),
            ("bytes=999-", (999, 1)),
            ("bytes=-1", (999, 1)),
            ("bytes=-5000", (0, 1000)),
            ("bytes=0-0", (0, 1)),
            ("bytes=0-999", (0, 1000)),
            ("bytes=0-", (0, 1000)),
            ("BYTES=0-18446744073709551615", (0, 1000)),
            ("bytes= 5-6 ,", (5, 2)),
        ] {
            assert_eq!(parts(header, 1000), Some(vec![range]), "{header}");
        }
    }

    #[test]
    fn a_range_that_lies_outside_is_unsatisfiable_ax_26() {
        for header in [
            "bytes=1000-",
            "bytes=2000-",
            "bytes=-0",
            "bytes=18446744073709551616-",
            "bytes=99999999999999999999999-",
            "bytes=1000-1001,-0",
        ] {
            assert_eq!(select(header.as_bytes(), 1000), Selection::Unsatisfiable, "{header}");
        }
    }

    #[test]
    fn what_is_malformed_or_another_unit_is_ignored_ax_26() {
        for header in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=,",
            "bytes=abc",
            "bytes=9-2",
            "bytes=0x10-",
            "lines=0-1",
            "bytes 0-1",
            "bytes=0-1,x",
            "bytes=0-1,bytes=5-6",
            "bytes=0-1, bytes=5-6",
            "bytes=--1",
            "bytes=1-2-3",
            "bytes=+1-2",
            "bytes=1 -2",
        ] {
            assert_eq!(select(header.as_bytes(), 1000), Selection::Whole, "{header}");
        }
    }

    #[test]
    fn several_ranges_keep_their_order_and_lose_those_outside_ax_27() {
        assert_eq!(parts("bytes=0-1,5-6", 1000), Some(vec![(0, 2), (5, 2)]));
        assert_eq!(parts("bytes=500-,0-0,7000-,-1", 1000), Some(vec![(500, 500), (0, 1), (999, 1)]));
        assert_eq!(parts("bytes=2000-, 3-4", 1000), Some(vec![(3, 2)]));
    }

    #[test]
    fn a_flood_of_ranges_gets_the_whole_file_ax_27() {
        let flood = |spec: &str, times| format!("bytes={}", vec![spec; times].join(","));
        assert_eq!(parts(&flood("0-999", 2000), 1000), None);
        assert_eq!(parts(&flood("0-0", 65), 1000), None);
        assert_eq!(parts(&flood("5000-", 65), 1000), None);
        assert_eq!(parts(&flood("0-0", 64), 1000).unwrap().len(), 64);
        assert_eq!(parts("bytes=0-,0-0", 1000), None, "more than the file");
        assert_eq!(parts("bytes=0-,0-,0-", i64::MAX as u64), None);
        assert_eq!(parts("bytes=0-,0-", u64::MAX), None, "no sum is too large to be one");
    }

    #[test]
    fn an_empty_file_is_always_whole() {
        for header in ["bytes=0-0", "bytes=-5", "bytes=5-"] {
            assert_eq!(select(header.as_bytes(), 0), Selection::Whole);
        }
    }

    proptest! {
        #[test]
        fn every_range_given_lies_inside_the_file(header in "(bytes=)?[-0-9, a]{0,40}", total in any::<u64>()) {
            if let Selection::Parts(parts) = select(header.as_bytes(), total) {
                prop_assert!(!parts.is_empty());
                for part in parts {
                    prop_assert!(part.len > 0 && part.start + part.len <= total);
                }
            }
        }

        #[test]
        fn a_plain_range_is_what_slicing_gives(first in 0u64..200, last in 0u64..200, total in 1u64..150) {
            let got = parts(&format!("bytes={first}-{last}"), total);
            let want = match (first <= last, first < total) {
                (false, _) => None,
                (true, false) => Some(vec![]),
                (true, true) => Some(vec![(first, last.min(total - 1) - first + 1)]),
            };
            prop_assert_eq!(got, want);
        }
    }
}

//! Range headers.

use super::Input;
use crate::accel::range::{Range, Selection, select};

/// A Range header selects what section 14 of RFC 9110 says, computed here without limits: the file's size in the first
/// eight bytes, the header behind them.
pub fn range(input: &[u8]) {
    let mut input = Input(input);
    let total = input.word();
    let header = input.rest();
    let got = select(header, total);
    assert_eq!(got, selection(header, total), "{} of {total}", header.escape_ascii());
    if let Selection::Parts(parts) = got {
        for part in parts {
            let text = part.content_range(total);
            let last = u128::from(part.start) + u128::from(part.len) - 1;
            assert_eq!(text, format!("bytes {}-{last}/{total}", part.start));
            assert!(last < u128::from(total), "{text}");
        }
    }
}

/// The twin: text and wide numbers, every part looked at before anything is decided.
fn selection(header: &[u8], total: u64) -> Selection {
    let header: String = header.iter().copied().map(char::from).collect();
    let Some((unit, set)) = header.split_once('=') else { return Selection::Whole };
    if !unit.trim_matches([' ', '\t']).eq_ignore_ascii_case("bytes") || total == 0 {
        return Selection::Whole;
    }
    let specs: Vec<&str> = set.split(',').map(|spec| spec.trim_matches([' ', '\t'])).collect();
    let specs: Vec<&str> = specs.into_iter().filter(|spec| !spec.is_empty()).collect();
    let Some(asked) = specs.iter().map(|spec| bounds(spec)).collect::<Option<Vec<_>>>() else {
        return Selection::Whole;
    };
    let size = u128::from(total);
    let parts: Vec<(u128, u128)> = asked
        .iter()
        .map(|bounds| match *bounds {
            (Some(first), last) => (first, last.map_or(size, |last| size.min(last + 1))),
            (None, suffix) => (size - size.min(suffix.unwrap_or(0)), size),
        })
        .filter(|(start, end)| start < end)
        .collect();
    let sum: u128 = parts.iter().map(|(start, end)| end - start).sum();
    if asked.is_empty() || asked.len() > 64 || sum > size {
        return Selection::Whole;
    }
    if parts.is_empty() {
        return Selection::Unsatisfiable;
    }
    Selection::Parts(
        parts.iter().map(|(start, end)| Range { start: *start as u64, len: (end - start) as u64 }).collect(),
    )
}

/// `first-last`, `first-`, `-suffix`; `None` for anything else.
fn bounds(spec: &str) -> Option<(Option<u128>, Option<u128>)> {
    let (first, last) = spec.split_once('-')?;
    let (first, last) = (number(first)?, number(last)?);
    let backwards = first.zip(last).is_some_and(|(first, last)| first > last);
    (!backwards && (first.is_some() || last.is_some())).then_some((first, last))
}

/// Digits or nothing. Numbers beyond 64 bits are one number, the largest: so the documentation of `select` has it.
fn number(text: &str) -> Option<Option<u128>> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = text.trim_start_matches('0');
    let large = digits.len() > 20;
    Some((!text.is_empty()).then(|| {
        let value =
            if large { u128::MAX } else { digits.bytes().fold(0, |sum, digit| sum * 10 + u128::from(digit - b'0')) };
        value.min(u128::from(u64::MAX))
    }))
}

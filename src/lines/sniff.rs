//! What the first bytes of a source say: a byte order mark, or that it is no text at all.

use super::LinesError;

/// The longest of the marks below.
pub const LONGEST: usize = 4;

/// The UTF-8 byte order mark.
pub const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";

type Refusal = (&'static [u8], fn() -> LinesError);

/// Marks that refuse a source, longer ones before their own beginnings.
const REFUSED: [Refusal; 6] = [
    (b"\xff\xfe\0\0", || LinesError::Encoding { encoding: "UTF-32LE", mark: "FF FE 00 00" }),
    (b"\0\0\xfe\xff", || LinesError::Encoding { encoding: "UTF-32BE", mark: "00 00 FE FF" }),
    (b"\xff\xfe", || LinesError::Encoding { encoding: "UTF-16LE", mark: "FF FE" }),
    (b"\xfe\xff", || LinesError::Encoding { encoding: "UTF-16BE", mark: "FE FF" }),
    (b"\x1f\x8b", || LinesError::Compressed { format: "gzip", wrapper: "compress.zlib://" }),
    (b"\x28\xb5\x2f\xfd", || LinesError::Compressed { format: "zstd", wrapper: "compress.zstd://" }),
];

/// What the head of a source is.
#[derive(Debug, PartialEq, Eq)]
pub enum Head {
    /// Text, behind this many bytes of a UTF-8 mark.
    Text(usize),
    /// More bytes decide.
    Unsure,
}

/// Looks at the first bytes; `all` says that there are no more. Only a beginning of a mark is waited for, so that two
/// bytes from a slow pipe are not held back.
///
/// # Errors
/// [`LinesError::Encoding`], [`LinesError::Compressed`].
pub fn sniff(head: &[u8], all: bool) -> Result<Head, LinesError> {
    let head = &head[..head.len().min(LONGEST)];
    if !all {
        let marks = REFUSED.iter().map(|(mark, _)| *mark).chain([UTF8_BOM]);
        if marks.into_iter().any(|mark| head.len() < mark.len() && mark.starts_with(head)) {
            return Ok(Head::Unsure);
        }
    }
    if let Some((_, error)) = REFUSED.iter().find(|(mark, _)| head.starts_with(mark)) {
        return Err(error());
    }
    Ok(Head::Text(if head.starts_with(UTF8_BOM) { UTF8_BOM.len() } else { 0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_told_apart() {
        assert_eq!(sniff(b"ab", false).unwrap(), Head::Text(0));
        assert_eq!(sniff(b"\xef\xbb", false).unwrap(), Head::Unsure);
        assert_eq!(sniff(b"\xef\xbb", true).unwrap(), Head::Text(0));
        assert_eq!(sniff(b"\xef\xbb\xbfid", false).unwrap(), Head::Text(3));
        assert_eq!(sniff(b"\xff\xfe", false).unwrap(), Head::Unsure);
        for (bytes, name) in [
            (&b"\xff\xfea\0"[..], "UTF-16LE"),
            (b"\xfe\xff\0a", "UTF-16BE"),
            (b"\xff\xfe\0\0", "UTF-32LE"),
            (b"\0\0\xfe\xff", "UTF-32BE"),
            (b"\x1f\x8b\x08\0", "gzip"),
            (b"\x28\xb5\x2f\xfd", "zstd"),
        ] {
            assert!(sniff(bytes, false).unwrap_err().to_string().contains(name), "{name}");
        }
    }
}

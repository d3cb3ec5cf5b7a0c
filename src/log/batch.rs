//! The records that wait to be written: bytes and two counts, nothing that knows a file.

use super::escape::escape_into;

/// Whether a record is its own line. Short records are the rule, and for them a few vector instructions in place beat a
/// call of memchr2: blocks of 16 bytes, the last of which overlaps the one before.
#[inline]
fn is_plain(record: &[u8]) -> bool {
    let special = |byte: u8| u8::from(byte == b'\n') | u8::from(byte == b'\\');
    let Some(last) = record.last_chunk::<16>() else {
        return record.iter().fold(0, |found, &byte| found | special(byte)) == 0;
    };
    // Lane by lane, and only at the end across the lanes: that is what compiles to three instructions a block.
    let mut found = [0u8; 16];
    for block in record.as_chunks::<16>().0.iter().chain([last]) {
        for (lane, &byte) in found.iter_mut().zip(block) {
            *lane |= special(byte);
        }
    }
    u128::from_ne_bytes(found) == 0
}

/// Waiting records as the bytes of their lines. One spare newline stands in front of them, so that a batch that has to
/// end somebody else's torn line first is still one write.
#[derive(Debug)]
pub struct Batch {
    bytes: Vec<u8>,
    records: usize,
    since_ns: u64,
}

impl Default for Batch {
    fn default() -> Self {
        Batch { bytes: vec![b'\n'], records: 0, since_ns: 0 }
    }
}

impl Batch {
    /// Adds one record and gives the bytes it has become. `now` stamps the oldest record of a batch.
    #[inline]
    pub fn push(&mut self, record: &[u8], multiline: bool, now_ns: u64) -> &[u8] {
        let start = self.bytes.len();
        if self.records == 0 {
            self.since_ns = now_ns;
        }
        self.bytes.reserve(record.len() + 1);
        if multiline || is_plain(record) {
            self.bytes.extend_from_slice(record);
        } else {
            escape_into(record, &mut self.bytes);
        }
        self.bytes.push(b'\n');
        self.records += 1;
        self.bytes.get(start..).unwrap_or_default()
    }

    /// Takes the newest record back: `start` is where [`Batch::end`] was before it was added.
    pub fn pop(&mut self, start: usize) {
        self.bytes.truncate(start.max(1));
        self.records = self.records.saturating_sub(1);
    }

    /// Where the next record will start, for [`Batch::pop`].
    pub fn end(&self) -> usize {
        self.bytes.len()
    }

    /// The lines, ready to be written.
    pub fn lines(&self) -> &[u8] {
        self.bytes.get(1..).unwrap_or_default()
    }

    /// The lines with a newline in front.
    pub fn lines_after_newline(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes waiting.
    #[inline]
    pub fn len(&self) -> usize {
        self.bytes.len() - 1
    }

    /// Whether nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.bytes.len() == 1
    }

    /// Records waiting.
    #[inline]
    pub fn records(&self) -> usize {
        self.records
    }

    /// How long the oldest record has waited.
    #[inline]
    pub fn age_ns(&self, now_ns: u64) -> u64 {
        if self.records == 0 { 0 } else { now_ns.saturating_sub(self.since_ns) }
    }

    /// Forgets the first `bytes`, which are stored, and the records that end in them; gives how many these were.
    pub fn consume(&mut self, bytes: usize) -> usize {
        if bytes >= self.len() {
            self.bytes.truncate(1);
            return std::mem::take(&mut self.records);
        }
        let gone = memchr::memchr_iter(b'\n', self.lines().get(..bytes).unwrap_or_default()).count();
        let gone = gone.min(self.records.saturating_sub(1)); // in multiline records a newline ends nothing
        self.records -= gone;
        self.bytes.drain(1..=bytes);
        gone
    }

    /// Gives memory above `keep` bytes back: one huge record must not stay resident for ever.
    pub fn shrink(&mut self, keep: usize) {
        if self.is_empty() && self.bytes.capacity() > keep {
            self.bytes.shrink_to(keep);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn records_become_lines() {
        let mut batch = Batch::default();
        assert_eq!(batch.push(b"", false, 5), b"\n");
        batch.push(b"a\nb", false, 9);
        batch.push(b"a\nb", true, 9);
        assert_eq!(batch.lines(), b"\na\\nb\na\nb\n");
        assert_eq!(batch.lines_after_newline(), b"\n\na\\nb\na\nb\n");
        assert_eq!((batch.records(), batch.len(), batch.age_ns(12)), (3, 10, 7));
    }

    #[test]
    fn the_newest_can_be_refused() {
        let mut batch = Batch::default();
        batch.push(b"kept", false, 0);
        let start = batch.end();
        batch.push(b"refused", false, 0);
        batch.pop(start);
        assert_eq!((batch.lines(), batch.records()), (&b"kept\n"[..], 1));
    }

    #[test]
    fn a_special_byte_is_found_wherever_it_stands() {
        for len in 0..70 {
            assert!(is_plain(&vec![b'x'; len]));
            for at in 0..len {
                for special in [b'\n', b'\\'] {
                    let mut record = vec![b'x'; len];
                    record[at] = special;
                    assert!(!is_plain(&record), "{len} {at}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn consuming_in_pieces_is_consuming_at_once(records in proptest::collection::vec("[a-c\n]{0,5}", 1..9), cut in 0usize..60) {
            let mut batch = Batch::default();
            for record in &records {
                batch.push(record.as_bytes(), false, 0);
            }
            let whole = batch.lines().to_vec();
            let cut = cut.min(whole.len());
            let first = batch.consume(cut);
            prop_assert_eq!(batch.lines(), &whole[cut..]);
            prop_assert_eq!(first, whole[..cut].iter().filter(|&&byte| byte == b'\n').count());
            prop_assert_eq!(first + batch.consume(usize::MAX), records.len());
            prop_assert!(batch.is_empty());
        }
    }
}

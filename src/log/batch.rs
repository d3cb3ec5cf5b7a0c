//! The records that wait to be written: bytes and two counts, nothing that knows a file.

use super::escape::escape_into;

#[inline(always)]
fn special(byte: u8) -> u8 {
    u8::from(byte == b'\n') | u8::from(byte == b'\\')
}

/// Copies a record to its place and tells whether it is its own line: neither a newline nor a backslash in it. Both in one
/// pass over blocks of 16 bytes, the last of which overlaps the one before: records are short, and for them a few vector
/// instructions in place beat calls of memchr2 and memcpy.
#[inline(always)]
fn copy_plain(from: &[u8], to: &mut [u8]) -> bool {
    let Some(last) = from.last_chunk::<16>() else {
        to.copy_from_slice(from);
        return from.iter().fold(0, |found, &byte| found | special(byte)) == 0;
    };
    // Lane by lane, and only at the end across the lanes: that is what compiles to three instructions a block.
    let mut found = last.map(special);
    for (block, to) in from.as_chunks::<16>().0.iter().zip(to.as_chunks_mut::<16>().0) {
        for (lane, &byte) in found.iter_mut().zip(block) {
            *lane |= special(byte);
        }
        *to = *block;
    }
    if let Some(to) = to.last_chunk_mut::<16>() {
        *to = *last;
    }
    u128::from_ne_bytes(found) == 0
}

/// Room for the first batch.
const ROOM_BYTES: usize = 4096;

/// Waiting records as the bytes of their lines. One spare newline stands in front of them, so that a batch that has to
/// end somebody else's torn line first is still one write.
#[derive(Debug)]
pub struct Batch {
    /// The lines are those before `end`; what follows is room, so that adding a record is nothing but a copy.
    room: Vec<u8>,
    end: usize,
    records: usize,
    since_ns: u64,
    /// Where a record is escaped.
    line: Vec<u8>,
}

impl Default for Batch {
    fn default() -> Self {
        Batch { room: vec![b'\n'], end: 1, records: 0, since_ns: 0, line: Vec::new() }
    }
}

impl Batch {
    /// Adds one record. `now_ns` stamps the oldest record of a batch.
    #[inline(always)]
    pub fn push(&mut self, record: &[u8], multiline: bool, now_ns: u64) {
        if self.records == 0 {
            self.since_ns = now_ns;
        }
        self.records += 1;
        let room = self.room.get_mut(self.end..).and_then(|room| room.get_mut(..=record.len()));
        if let Some((newline, to)) = room.and_then(<[u8]>::split_last_mut)
            && (copy_plain(record, to) || multiline)
        {
            *newline = b'\n';
            self.end += record.len() + 1;
        } else {
            self.push_slowly(record, multiline);
        }
    }

    /// What has no room yet, or is not its own line.
    #[cold]
    #[inline(never)]
    fn push_slowly(&mut self, record: &[u8], multiline: bool) {
        self.line.clear();
        if multiline {
            self.line.extend_from_slice(record);
        } else {
            escape_into(record, &mut self.line);
        }
        self.line.push(b'\n');
        let end = self.end + self.line.len();
        if end > self.room.len() {
            self.room.resize(end.next_power_of_two().max(ROOM_BYTES), 0);
        }
        if let Some(room) = self.room.get_mut(self.end..end) {
            room.copy_from_slice(&self.line);
        }
        self.end = end;
    }

    /// The newest record's line: `start` is where [`Batch::end`] was before it was added.
    #[inline]
    pub fn since(&self, start: usize) -> &[u8] {
        self.room.get(start..self.end).unwrap_or_default()
    }

    /// Takes the newest record back: `start` is where [`Batch::end`] was before it was added.
    pub fn pop(&mut self, start: usize) {
        self.end = start.clamp(1, self.end);
        self.records = self.records.saturating_sub(1);
    }

    /// Where the next record will start, for [`Batch::pop`].
    #[inline]
    pub fn end(&self) -> usize {
        self.end
    }

    /// The lines, ready to be written.
    pub fn lines(&self) -> &[u8] {
        self.since(1)
    }

    /// The lines with a newline in front.
    pub fn lines_after_newline(&self) -> &[u8] {
        self.since(0)
    }

    /// Bytes waiting.
    #[inline]
    pub fn len(&self) -> usize {
        self.end - 1
    }

    /// Whether nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.end == 1
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
            self.end = 1;
            return std::mem::take(&mut self.records);
        }
        let gone = memchr::memchr_iter(b'\n', self.lines().get(..bytes).unwrap_or_default()).count();
        let gone = gone.min(self.records.saturating_sub(1)); // in multiline records a newline ends nothing
        self.records -= gone;
        self.room.copy_within(1 + bytes..self.end, 1);
        self.end -= bytes;
        gone
    }

    /// Gives memory above `keep` bytes back: one huge record must not stay resident for ever.
    pub fn shrink(&mut self, keep: usize) {
        if self.is_empty() && self.room.len() > keep.max(1) {
            self.room.truncate(keep.max(1));
            self.room.shrink_to_fit();
            self.line = Vec::new();
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
        batch.push(b"", false, 5);
        assert_eq!(batch.since(1), b"\n");
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
            let mut to = vec![0; len];
            assert!(copy_plain(&vec![b'x'; len], &mut to));
            assert_eq!(to, vec![b'x'; len]);
            for at in 0..len {
                for special in [b'\n', b'\\'] {
                    let mut record = vec![b'x'; len];
                    record[at] = special;
                    assert!(!copy_plain(&record, &mut to), "{len} {at}");
                }
            }
        }
    }

    #[test]
    fn memory_of_a_huge_record_is_given_back() {
        let mut batch = Batch::default();
        batch.push(&[b'x'; 1 << 20], false, 0);
        batch.consume(usize::MAX);
        batch.shrink(10_000);
        assert_eq!(batch.room.len(), 10_000);
        batch.push(&[b'y'; 20_000], false, 0);
        assert_eq!((batch.len(), batch.lines().last()), (20_001, Some(&b'\n')));
    }

    proptest! {
        #[test]
        fn records_of_any_size_stand_as_their_lines(records in proptest::collection::vec("[a-z\\\\\n]{0,40}|x{3000,6000}", 1..30)) {
            let (mut batch, mut lines) = (Batch::default(), Vec::new());
            for record in &records {
                batch.push(record.as_bytes(), false, 0);
                escape_into(record.as_bytes(), &mut lines);
                lines.push(b'\n');
            }
            prop_assert_eq!(batch.lines(), lines);
        }

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

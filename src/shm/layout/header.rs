//! What a segment says of itself, written before it is published and never changed after.

use super::super::error::{Kind, ShmError};
use super::super::key::{Key, fnv1a, fnv1a_step};
use super::super::memory::{Memory, Words, sure};
use super::{Block, Counters, MAX_BLOCK_BYTES, MAX_KEY_BYTES, MAX_SLOTS, ORDER_MARK, VERSION, trailer};
use crate::sys::robust;

/// What a segment says of itself; constant from its publication on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Counters or a block.
    pub kind: Kind,
    /// Slots, or bytes of the block.
    pub capacity: usize,
    /// Nanoseconds since 1970 at creation.
    pub generation: u64,
    /// See [`robust::abi`].
    pub abi: u64,
    /// Inode of the PID namespace, 0 if unknown.
    pub pid_namespace: u64,
    /// The key and, if it was made from one, the name.
    pub key: Key,
}

impl Header {
    /// Bytes of a segment of this kind and capacity.
    #[must_use]
    pub fn bytes(kind: Kind, capacity: usize) -> usize {
        match kind {
            Kind::Counters => Counters::new(capacity).bytes(),
            Kind::Block => Block::new(capacity).bytes(),
        }
    }

    fn checksum(words: &[u64]) -> u64 {
        words
            .iter()
            .fold(fnv1a(b""), |hash, word| word.to_ne_bytes().iter().fold(hash, |hash, byte| fnv1a_step(hash, *byte)))
    }

    /// The trailer's words from its version to its checksum, in order.
    #[must_use]
    pub fn encode(&self) -> Vec<u64> {
        let mut words = vec![0; trailer::CHECKSUM - trailer::VERSION];
        let name = self.key.name_bytes();
        let mut put = |at: usize, value: u64| words[at - trailer::VERSION] = value;
        put(trailer::VERSION, VERSION);
        put(trailer::KIND, self.kind as u64);
        put(trailer::ORDER, ORDER_MARK);
        put(trailer::CAPACITY, self.capacity as u64);
        put(trailer::GENERATION, self.generation);
        put(trailer::ABI, self.abi);
        put(trailer::PID_NAMESPACE, self.pid_namespace);
        put(trailer::KEY, i64::from(self.key.raw()).cast_unsigned());
        put(trailer::NAME_LEN, name.len() as u64);
        for (index, chunk) in name.chunks(8).enumerate() {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            put(trailer::NAME + index, u64::from_ne_bytes(bytes));
        }
        words.push(Self::checksum(&words));
        words
    }

    /// Writes everything but the state.
    pub fn write(&self, memory: Words<'_>, trailer_word: usize) {
        for (index, word) in self.encode().into_iter().enumerate() {
            sure(memory.store(trailer_word + trailer::VERSION + index, word));
        }
    }

    /// True when a segment that is being made holds nothing but what this version writes before it is published; each
    /// word may be there or not yet.
    #[must_use]
    pub fn may_become(memory: Words<'_>, trailer_word: usize, key: &Key) -> bool {
        let like = |at: usize, one_of: &[u64]| {
            let word = sure(memory.load(trailer_word + at));
            word == 0 || one_of.contains(&word)
        };
        like(trailer::ORDER, &[ORDER_MARK, ORDER_MARK.swap_bytes()])
            && like(trailer::VERSION, &[VERSION])
            && like(trailer::KIND, &[Kind::Counters as u64, Kind::Block as u64])
            && like(trailer::KEY, &[i64::from(key.raw()).cast_unsigned()])
            && [
                trailer::PHASE,
                trailer::COUNT,
                trailer::NAMES,
                trailer::HAZARDS,
                trailer::BLOCK_PHASE,
                trailer::BLOCK_FROM,
            ]
            .iter()
            .all(|at| like(*at, &[]))
    }

    /// Reads what a segment of `bytes` says of itself.
    ///
    /// # Errors
    /// `Foreign` when it is no segment of ours; `OtherLayout` of another version or machine; `Damaged` when the
    /// checksum or the size does not fit. `key` only names the segment in them.
    pub fn read(memory: Words<'_>, trailer_word: usize, bytes: usize, key: &Key) -> Result<Self, ShmError> {
        let word = |at: usize| sure(memory.load(trailer_word + at));
        let damaged = |what| ShmError::Damaged { key: key.text(), what };
        match word(trailer::ORDER) {
            ORDER_MARK => {}
            mark if mark.swap_bytes() == ORDER_MARK => {
                return Err(ShmError::OtherLayout { key: key.text(), what: "byte order" });
            }
            _ => return Err(damaged("byte order mark")),
        }
        if word(trailer::VERSION) != VERSION {
            return Err(ShmError::OtherLayout { key: key.text(), what: "layout version" });
        }
        let words: Vec<u64> = (trailer::VERSION..trailer::CHECKSUM).map(word).collect();
        if Self::checksum(&words) != word(trailer::CHECKSUM) {
            return Err(damaged("checksum"));
        }
        let kind = Kind::from_word(word(trailer::KIND)).ok_or_else(|| damaged("kind"))?;
        let capacity = usize::try_from(word(trailer::CAPACITY)).map_err(|_| damaged("capacity"))?;
        let most = match kind {
            Kind::Counters => MAX_SLOTS,
            Kind::Block => MAX_BLOCK_BYTES,
        };
        if capacity == 0 || capacity > most || Self::bytes(kind, capacity) != bytes {
            return Err(damaged("size"));
        }
        let raw = i32::try_from(word(trailer::KEY).cast_signed()).map_err(|_| damaged("key"))?;
        let len = usize::try_from(word(trailer::NAME_LEN)).ok().filter(|len| *len <= MAX_KEY_BYTES);
        let len = len.ok_or_else(|| damaged("name"))?;
        let name: Vec<u8> =
            (0..len.div_ceil(8)).flat_map(|index| word(trailer::NAME + index).to_ne_bytes()).take(len).collect();
        Ok(Header {
            kind,
            capacity,
            generation: word(trailer::GENERATION),
            abi: word(trailer::ABI),
            pid_namespace: word(trailer::PID_NAMESPACE),
            key: Key::stored(raw, name),
        })
    }

    /// True when this library's mutex is the one in the segment.
    #[must_use]
    pub fn same_libc(&self) -> bool {
        self.abi == robust::abi()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{TRAILER_BYTES, trailer_word};
    use super::*;
    use proptest::prelude::*;
    use std::sync::atomic::AtomicU64;

    fn header(kind: Kind, capacity: usize, name: &[u8]) -> Header {
        let key = if name.is_empty() { Key::number(7).unwrap() } else { Key::name(name, kind).unwrap() };
        Header { kind, capacity, generation: 9, abi: robust::abi(), pid_namespace: 4, key }
    }

    fn segment(header: &Header) -> (Vec<AtomicU64>, usize, usize) {
        let bytes = Header::bytes(header.kind, header.capacity);
        let words: Vec<AtomicU64> = (0..bytes / 8).map(|_| AtomicU64::new(0)).collect();
        let at = trailer_word(bytes).unwrap();
        header.write(Words(&words), at);
        (words, at, bytes)
    }

    proptest! {
        #[test]
        fn a_header_reads_back_as_it_was_written(
            kind in prop_oneof![Just(Kind::Counters), Just(Kind::Block)],
            capacity in 1usize..3000,
            name in prop::collection::vec(any::<u8>(), 0..=MAX_KEY_BYTES),
        ) {
            let written = header(kind, capacity, &name);
            let (words, at, bytes) = segment(&written);
            prop_assert_eq!(Header::read(Words(&words), at, bytes, &written.key).unwrap(), written);
        }

        #[test]
        fn one_changed_bit_is_damage_or_another_layout(word in 1usize..=42, bit in 0u32..64) {
            let written = header(Kind::Counters, 5, b"web");
            let (words, at, bytes) = segment(&written);
            let old = words[at + word].load(std::sync::atomic::Ordering::SeqCst);
            words[at + word].store(old ^ 1 << bit, std::sync::atomic::Ordering::SeqCst);
            let err = Header::read(Words(&words), at, bytes, &written.key).unwrap_err();
            let refused = matches!(err, ShmError::Damaged { .. } | ShmError::OtherLayout { .. });
            prop_assert!(refused);
        }
    }

    #[test]
    fn a_header_may_be_written_in_part_but_not_with_other_words() {
        let written = header(Kind::Block, 5, b"web");
        let (words, at, _) = segment(&written);
        for word in &words[at + 1..at + 20] {
            assert!(Header::may_become(Words(&words), at, &written.key));
            word.store(0, std::sync::atomic::Ordering::SeqCst);
        }
        for word in [trailer::ORDER, trailer::VERSION, trailer::KIND, trailer::KEY, trailer::BLOCK_PHASE] {
            words[at + word].store(77, std::sync::atomic::Ordering::SeqCst);
            assert!(!Header::may_become(Words(&words), at, &written.key), "word {word}");
            words[at + word].store(0, std::sync::atomic::Ordering::SeqCst);
        }
    }

    #[test]
    fn a_header_that_claims_another_size_than_the_kernel_is_damaged() {
        let written = header(Kind::Counters, 1 << 20, b"");
        let words: Vec<AtomicU64> = (0..TRAILER_BYTES / 8).map(|_| AtomicU64::new(0)).collect();
        written.write(Words(&words), 0);
        let err = Header::read(Words(&words), 0, TRAILER_BYTES, &written.key).unwrap_err();
        assert!(matches!(err, ShmError::Damaged { what: "size", .. }), "{err}");
    }

    /// CT-33
    #[test]
    fn a_segment_of_the_other_byte_order_is_told_apart() {
        let written = header(Kind::Block, 5, b"");
        let (words, at, bytes) = segment(&written);
        words[at + trailer::ORDER].store(ORDER_MARK.swap_bytes(), std::sync::atomic::Ordering::SeqCst);
        let err = Header::read(Words(&words), at, bytes, &written.key).unwrap_err();
        assert!(matches!(err, ShmError::OtherLayout { what: "byte order", .. }), "{err}");
    }
}

//! A segment, byte by byte. All words are 64 bits in the machine's byte order, at addresses divisible by 8.
//!
//! # Counters (kind 1), `n` slots, `b` = the power of two at or above `n`
//!
//! | from byte | bytes | what |
//! |---|---|---|
//! | 0 | 8·n | counter i: signed 64-bit integer at byte 8·i |
//! | N = 8·n rounded up to 64 | 256·n | name of slot i at N + 256·i: hash, length (0: no name), then at most 240 bytes |
//! | N + 256·n | 8·n | state of slot i: bit 0 grouped, 1 named, 2 pinned, 3 retired, bits 4-63 how often its name came or went |
//! | | 8·b | first slot of each hash chain, plus 1; 0: empty |
//! | | 8·n | next slot of the chain, plus 1; 0: last |
//! | | 16·n | journal: pairs of slot (upper half: length of the name that it gets) and value |
//! | after padding to 128 | 32768 | 256 hazard entries of 128 bytes: what is in flight (8), at byte 64 the owner's mutex (see `hazard`) |
//! | size − 1024, after padding to 64 | 1024 | trailer |
//!
//! # Block (kind 2), `n` bytes
//!
//! | from byte | bytes | what |
//! |---|---|---|
//! | 0 | n | the block |
//! | n rounded up to 64 | n | its second copy |
//! | size − 1024, after padding to 64 | 1024 | trailer |
//!
//! # Trailer: the last 1024 bytes of the size that `shmctl(IPC_STAT)` (in PHP `shmop_size()`) gives
//!
//! | byte | what |
//! |---|---|
//! | 0 | state: 0 new, `"rustioL1"` in use, `"rustioX1"` removed, `"rustioB1"` beyond repair, else being made (`"rust"` and the attempt's number) |
//! | 8 | layout version, 2 |
//! | 16 | kind: 1 counters, 2 block |
//! | 24 | byte order mark 0x0102030405060708 |
//! | 32 | capacity: slots, or bytes of the block |
//! | 40 | generation: nanoseconds since 1970 at creation |
//! | 48 | whose mutex: C library (1 glibc, 2 musl, 3 other), size of the mutex << 8, size of a pointer << 32 |
//! | 56 | PID namespace of the mutex's thread ids (inode; 0 unknown) |
//! | 64 | key, sign-extended |
//! | 72 | length of the segment's own name; 0: opened by a number |
//! | 80 | the name, at most 255 bytes, then zeros up to 336 |
//! | 336 | checksum: FNV-1a (64 bits) of bytes 8 to 335 |
//! | 384 | the mutex, 128 bytes |
//! | 512 | phase: number of compound operations << 8, and the kind of the one under way (0 none, see `journal`) |
//! | 520 | journal: number of entries |
//! | 528 | names: odd while the name table is being changed |
//! | 536 | all slots from this one up have a name |
//! | 544 | hazard entries that were ever used: the first so many |
//! | 576 | block: phase of the write (see `block`) |
//! | 584, 592 | block: first byte and length of the write under way |

mod header;

pub use header::Header;

/// Bytes of the trailer.
pub const TRAILER_BYTES: usize = 1024;
/// Most slots of one segment.
pub const MAX_SLOTS: usize = 1 << 24;
/// Most bytes of a counter's name.
pub const MAX_NAME_BYTES: usize = 240;
/// Most bytes of a segment's name.
pub const MAX_KEY_BYTES: usize = 255;
/// Most bytes of a block.
pub const MAX_BLOCK_BYTES: usize = 1 << 40;

/// Version of this layout.
pub const VERSION: u64 = 2;
/// State of a segment in use.
pub const LIVE: u64 = u64::from_ne_bytes(*b"rustioL1");
/// State of a segment whose removal has begun.
pub const REMOVED: u64 = u64::from_ne_bytes(*b"rustioX1");
/// State of a segment whose half-done change nobody can finish or undo; it can only be read by shmop, and removed.
pub const BROKEN: u64 = u64::from_ne_bytes(*b"rustioB1");
/// State while a segment is being made: this, and the number of the attempt in the low half.
pub const MAKING: u64 = 0x7275_7374_0000_0000;

const ORDER_MARK: u64 = 0x0102_0304_0506_0708;
const LINE: usize = 8; // words of a cache line
const TRAILER_WORDS: usize = TRAILER_BYTES / 8;
const NAME_WORDS: usize = 32;
/// Handles that can have a call under a name in flight without the lock, each in an entry of its own.
pub const HAZARDS: usize = 256;
/// Two cache lines, so that no two processes write to one, nor to neighbours that a processor fetches together.
const HAZARD_WORDS: usize = 16;
/// Where in an entry its owner's mutex is.
pub(super) const OWNER: usize = 8;

/// Word offsets in the trailer.
pub mod trailer {
    /// See the module's table.
    pub const STATE: usize = 0;
    pub(super) const VERSION: usize = 1;
    pub(super) const KIND: usize = 2;
    pub(super) const ORDER: usize = 3;
    pub(super) const CAPACITY: usize = 4;
    pub(super) const GENERATION: usize = 5;
    pub(super) const ABI: usize = 6;
    pub(super) const PID_NAMESPACE: usize = 7;
    pub(super) const KEY: usize = 8;
    pub(super) const NAME_LEN: usize = 9;
    pub(super) const NAME: usize = 10;
    pub(super) const CHECKSUM: usize = 42;
    pub(super) const MUTEX: usize = 48;
    /// See the module's table.
    pub const PHASE: usize = 64;
    pub(super) const COUNT: usize = 65;
    /// See the module's table.
    pub const NAMES: usize = 66;
    pub(super) const NAMED_FROM: usize = 67;
    /// See the module's table.
    pub const HAZARDS: usize = 68;
    /// See the module's table.
    pub const BLOCK_PHASE: usize = 72;
    pub(super) const BLOCK_FROM: usize = 73;
    /// See the module's table.
    pub const BLOCK_LEN: usize = 74;
}

fn padded(words: usize) -> usize {
    words.next_multiple_of(LINE)
}

/// Word of the trailer in a segment of so many bytes; None when it is too small or no size of ours.
#[must_use]
pub fn trailer_word(bytes: usize) -> Option<usize> {
    (bytes.is_multiple_of(8 * LINE)).then(|| (bytes / 8).checked_sub(TRAILER_WORDS)).flatten()
}

/// Byte of the mutex in a segment whose trailer is at this word.
#[must_use]
pub fn mutex_byte(trailer_word: usize) -> usize {
    (trailer_word + trailer::MUTEX) * 8
}

/// Where everything of a counter segment is, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counters {
    /// Number of slots; counter i is word i.
    pub slots: usize,
    names: usize,
    states: usize,
    /// First word of the chain heads.
    pub heads: usize,
    /// Number of chains, a power of two.
    pub chains: usize,
    next: usize,
    journal: usize,
    first_hazard: usize,
    /// Number of hazard entries.
    pub hazards: usize,
    /// First word of the trailer.
    pub trailer: usize,
}

impl Counters {
    /// The layout for `slots`, which is at most [`MAX_SLOTS`].
    #[must_use]
    pub fn new(slots: usize) -> Self {
        Self::with_hazards(slots, HAZARDS)
    }

    /// The layout with another number of hazard entries: for tests that copy all words again and again.
    #[must_use]
    pub(super) fn with_hazards(slots: usize, hazards: usize) -> Self {
        let slots = slots.min(MAX_SLOTS);
        let chains = slots.next_power_of_two();
        let names = padded(slots);
        let states = names + slots * NAME_WORDS;
        let heads = states + slots;
        let next = heads + chains;
        let journal = next + slots;
        let first_hazard = (journal + 2 * slots).next_multiple_of(HAZARD_WORDS);
        let trailer = first_hazard + hazards * HAZARD_WORDS;
        Counters { slots, names, states, heads, chains, next, journal, first_hazard, hazards, trailer }
    }

    /// Bytes of the segment.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.trailer * 8 + TRAILER_BYTES
    }

    /// State of a slot.
    #[inline(always)]
    #[must_use]
    pub fn state(&self, slot: usize) -> usize {
        self.states + slot
    }

    /// Hash of a slot's name; its length and its bytes are the words behind.
    #[must_use]
    pub fn name(&self, slot: usize) -> usize {
        self.names + slot * NAME_WORDS
    }

    /// Next slot of the chain.
    #[must_use]
    pub fn next(&self, slot: usize) -> usize {
        self.next + slot
    }

    /// First word of a journal entry.
    #[must_use]
    pub fn entry(&self, index: usize) -> usize {
        self.journal + 2 * index
    }

    /// First word of a hazard entry: what its owner has in flight.
    #[inline(always)]
    #[must_use]
    pub fn hazard(&self, entry: usize) -> usize {
        self.first_hazard + entry * HAZARD_WORDS
    }

    /// Number of hazard entries that were ever used.
    #[must_use]
    pub fn hazards_used(&self) -> usize {
        self.trailer + trailer::HAZARDS
    }

    /// Phase of the compound operation.
    #[must_use]
    pub fn phase(&self) -> usize {
        self.trailer + trailer::PHASE
    }

    /// Number of journal entries.
    #[must_use]
    pub fn count(&self) -> usize {
        self.trailer + trailer::COUNT
    }

    /// Odd while the name table changes.
    #[must_use]
    pub fn names_version(&self) -> usize {
        self.trailer + trailer::NAMES
    }

    /// All slots from the one in this word up have a name.
    #[must_use]
    pub fn named_from(&self) -> usize {
        self.trailer + trailer::NAMED_FROM
    }
}

/// Where everything of a block segment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Bytes of the block, which starts at byte 0.
    pub len: usize,
    /// First byte of the second copy.
    pub copy: usize,
    /// First word of the trailer.
    pub trailer: usize,
}

impl Block {
    /// The layout for `len` bytes, which are at most [`MAX_BLOCK_BYTES`].
    #[must_use]
    pub fn new(len: usize) -> Self {
        let len = len.min(MAX_BLOCK_BYTES);
        let padded = len.next_multiple_of(8 * LINE);
        Block { len, copy: padded, trailer: padded / 4 }
    }

    /// Bytes of the segment.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.trailer * 8 + TRAILER_BYTES
    }

    /// Phase of the write.
    #[must_use]
    pub fn phase(&self) -> usize {
        self.trailer + trailer::BLOCK_PHASE
    }

    /// First byte of the write under way.
    #[must_use]
    pub fn from(&self) -> usize {
        self.trailer + trailer::BLOCK_FROM
    }

    /// Length of the write under way.
    #[must_use]
    pub fn write_len(&self) -> usize {
        self.trailer + trailer::BLOCK_LEN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_of_a_layout_overlaps_or_leaves_the_segment(slots in 1usize..5000) {
            let at = Counters::new(slots);
            prop_assert!(at.slots <= at.name(0));
            prop_assert!(at.name(slots - 1) + NAME_WORDS <= at.state(0));
            prop_assert!(at.state(slots - 1) < at.heads);
            prop_assert!(at.heads + at.chains <= at.next(0));
            prop_assert!(at.next(slots - 1) < at.entry(0));
            prop_assert!(at.entry(slots - 1) + 2 <= at.hazard(0));
            prop_assert!(at.hazard(0).is_multiple_of(HAZARD_WORDS));
            prop_assert!(at.hazard(HAZARDS) <= at.trailer);
            prop_assert_eq!(trailer_word(at.bytes()), Some(at.trailer));
        }

        #[test]
        fn a_block_has_room_for_both_copies(len in 1usize..100_000) {
            let at = Block::new(len);
            prop_assert!(at.copy >= len && at.copy + len <= at.trailer * 8);
            prop_assert_eq!(trailer_word(at.bytes()), Some(at.trailer));
        }
    }

    #[test]
    fn the_mutex_fits_between_header_and_phase() {
        assert!(size_of::<libc::pthread_mutex_t>() <= (trailer::PHASE - trailer::MUTEX) * 8);
        assert!(size_of::<libc::pthread_mutex_t>() <= (HAZARD_WORDS - OWNER) * 8);
    }
}

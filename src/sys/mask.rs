//! Where the newlines are, 64 bytes at a time: each block becomes a bitmask, each mask a few positions. Finding them for a
//! whole chunk before any line is cut keeps the branches predictable: one search a line guesses wrong once a line.

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// LF.
    Lf,
    /// LF and CR.
    LfCr,
}

/// Bytes of a block; the memory behind what is searched must reach this far.
pub const BLOCK: usize = 64;
/// Positions found at once.
const CAPACITY: usize = 1024;
/// Bytes searched at once: what was looked at is still in the nearest cache when its lines are copied.
const REACH: usize = 1 << 14;

/// Positions of newlines, in order, found ahead and taken one by one.
pub struct Index {
    /// The last block may write a whole block's positions behind the capacity.
    found: Box<[u32; CAPACITY + BLOCK]>,
    base: usize,
    next: usize,
    count: usize,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("left", &(self.count - self.next)).finish_non_exhaustive()
    }
}

impl Default for Index {
    fn default() -> Self {
        Self { found: Box::new([0; CAPACITY + BLOCK]), base: 0, next: 0, count: 0 }
    }
}

impl Index {
    /// Takes the next position.
    #[inline]
    pub fn take(&mut self) -> Option<usize> {
        if self.next >= self.count {
            return None;
        }
        let at = *self.found.get(self.next)?;
        self.next += 1;
        Some(self.base + at as usize)
    }

    /// Nothing is left to take.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.next >= self.count
    }

    /// Forgets what was found.
    #[inline]
    pub fn clear(&mut self) {
        self.count = 0;
        self.next = 0;
    }

    /// Searches `bytes[from..to]` from the front, at most as far as the positions fit; gives how far it came. `bytes`
    /// reaches [`BLOCK`] bytes behind `to`; what is there is looked at and not counted.
    pub fn fill(&mut self, bytes: &[u8], from: usize, to: usize, wanted: Wanted) -> usize {
        self.base = from;
        self.next = 0;
        let len = (to - from).min(REACH);
        let text = &bytes[from..from + len.next_multiple_of(BLOCK)];
        let (done, count) = search(text, len, &mut self.found, wanted);
        self.count = count;
        from + done
    }
}

type Found = [u32; CAPACITY + BLOCK];

#[cfg(target_arch = "x86_64")]
fn search(text: &[u8], len: usize, found: &mut Found, wanted: Wanted) -> (usize, usize) {
    #[target_feature(enable = "avx2,bmi1,popcnt")]
    fn with_avx2(text: &[u8], len: usize, found: &mut Found, wanted: Wanted) -> (usize, usize) {
        search_by(text, len, found, wanted, |block, byte| imp::avx2(block, byte))
    }
    if std::is_x86_feature_detected!("avx2")
        && std::is_x86_feature_detected!("bmi1")
        && std::is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { with_avx2(text, len, found, wanted) };
    }
    search_by(text, len, found, wanted, imp::equal)
}

#[cfg(not(target_arch = "x86_64"))]
fn search(text: &[u8], len: usize, found: &mut Found, wanted: Wanted) -> (usize, usize) {
    search_by(text, len, found, wanted, imp::equal)
}

/// Bytes searched and positions found. Inlined into each caller, so that it is compiled for that caller's processor.
#[inline(always)]
fn search_by(
    text: &[u8],
    len: usize,
    found: &mut Found,
    wanted: Wanted,
    equal: impl Fn(&[u8; BLOCK], u8) -> u64,
) -> (usize, usize) {
    let (mut at, mut count) = (0, 0);
    for block in text.as_chunks::<BLOCK>().0 {
        let mut mask = equal(block, b'\n');
        if wanted == Wanted::LfCr {
            mask |= equal(block, b'\r');
        }
        if len - at < BLOCK {
            mask &= (1 << (len - at)) - 1;
        }
        let end = count + mask.count_ones() as usize;
        // Four at a time without asking, whether there are so many or not: usual blocks have no more.
        while let Some(slots) = found.get_mut(count..count + 4) {
            for slot in slots {
                *slot = at as u32 + mask.trailing_zeros();
                mask &= mask.wrapping_sub(1);
            }
            count += 4;
            if count >= end {
                break;
            }
        }
        count = end;
        at += BLOCK;
        if count > CAPACITY - BLOCK {
            break;
        }
    }
    (at.min(len), count)
}

#[cfg(target_arch = "x86_64")]
mod imp {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8, _mm256_cmpeq_epi8, _mm256_movemask_epi8,
        _mm256_set_epi64x, _mm256_set1_epi8,
    };

    fn word(bytes: [u8; 8]) -> i64 {
        i64::from_le_bytes(bytes)
    }

    /// SSE2. The compiler turns the words into one load.
    #[inline(always)]
    pub fn equal(block: &[u8; 64], byte: u8) -> u64 {
        let mut mask = 0;
        for (i, lane) in block.as_chunks::<16>().0.iter().enumerate() {
            let [a, b] = *lane.as_chunks::<8>().0 else { continue };
            // SAFETY: SSE2 is part of x86-64; nothing here touches memory.
            let bits = unsafe {
                let lane = _mm_set_epi64x(word(b), word(a));
                _mm_movemask_epi8(_mm_cmpeq_epi8(lane, _mm_set1_epi8(byte.cast_signed())))
            };
            mask |= u64::from(bits.cast_unsigned()) << (16 * i);
        }
        mask
    }

    /// The same for a caller that is compiled for AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn avx2(block: &[u8; 64], byte: u8) -> u64 {
        let mut mask = 0;
        for (i, lane) in block.as_chunks::<32>().0.iter().enumerate() {
            let [a, b, c, d] = *lane.as_chunks::<8>().0 else { continue };
            let lane = _mm256_set_epi64x(word(d), word(c), word(b), word(a));
            let bits = _mm256_movemask_epi8(_mm256_cmpeq_epi8(lane, _mm256_set1_epi8(byte.cast_signed())));
            mask |= u64::from(bits.cast_unsigned()) << (32 * i);
        }
        mask
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod imp {
    /// Eight bytes at a time: the zero byte test of Hacker's Delight (6-1), its exact form, and a multiplication that
    /// gathers the eight flags into one byte.
    #[inline(always)]
    pub fn equal(block: &[u8; 64], byte: u8) -> u64 {
        const LOW7: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let wanted = u64::from_le_bytes([byte; 8]);
        let mut mask = 0;
        for (i, word) in block.as_chunks::<8>().0.iter().enumerate() {
            let x = u64::from_le_bytes(*word) ^ wanted;
            let zero = !(((x & LOW7) + LOW7) | x | LOW7);
            mask |= ((zero >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
        }
        mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(len: usize) -> impl Strategy<Value = Vec<u8>> {
        let near = prop_oneof![Just(b'\n'), Just(b'\r'), Just(0x8a), Just(0x0b), Just(b'a'), any::<u8>()];
        prop::collection::vec(near, 0..len)
    }

    proptest! {
        #[test]
        fn every_newline_is_found_once(text in bytes(5000), start in 0usize..100, both: bool) {
            let mut padded = text.clone();
            padded.resize(text.len() + BLOCK, b'\n'); // what lies behind must not count
            let from = start.min(text.len());
            let wanted = if both { Wanted::LfCr } else { Wanted::Lf };
            let mut index = Index::default();
            let (mut got, mut at) = (Vec::new(), from);
            while at < text.len() {
                at = index.fill(&padded, at, text.len(), wanted);
                got.extend(std::iter::from_fn(|| index.take()));
            }
            let is = |byte| byte == b'\n' || (both && byte == b'\r');
            let expected: Vec<_> = (from..text.len()).filter(|i| is(text[*i])).collect();
            prop_assert_eq!(got, expected);
        }

        #[test]
        fn all_ways_agree(bytes in prop::collection::vec(any::<u8>(), 64)) {
            let block: [u8; 64] = bytes.try_into().unwrap();
            let expected = (0..64).filter(|i| block[*i] == block[7]).fold(0, |mask, i| mask | 1 << i);
            prop_assert_eq!(imp::equal(&block, block[7]), expected);
            #[cfg(target_arch = "x86_64")]
            if std::is_x86_feature_detected!("avx2") {
                // SAFETY: just seen to be there.
                prop_assert_eq!(unsafe { imp::avx2(&block, block[7]) }, expected);
            }
        }
    }
}

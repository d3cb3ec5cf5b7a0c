//! Newlines of 64 bytes at a time, as a bitmask: for lines of usual length that is cheaper than one search a line.

/// Which of the 64 bytes are LF: bit 0 stands for the first.
#[inline]
pub fn lf(block: &[u8; 64]) -> u64 {
    imp::equal(block, b'\n')
}

/// Which of the 64 bytes are LF or CR.
#[inline]
pub fn lf_cr(block: &[u8; 64]) -> u64 {
    imp::equal(block, b'\n') | imp::equal(block, b'\r')
}

#[cfg(target_arch = "x86_64")]
mod imp {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8};

    /// The compiler turns each pair of words into one load.
    #[inline]
    pub fn equal(block: &[u8; 64], byte: u8) -> u64 {
        let mut mask = 0;
        for (i, lane) in block.as_chunks::<16>().0.iter().enumerate() {
            let [low, high] = *lane.as_chunks::<8>().0 else { continue };
            // SAFETY: SSE2 is part of x86-64; nothing here touches memory.
            let bits = unsafe {
                let lane = _mm_set_epi64x(i64::from_le_bytes(high), i64::from_le_bytes(low));
                _mm_movemask_epi8(_mm_cmpeq_epi8(lane, _mm_set1_epi8(byte.cast_signed())))
            };
            mask |= u64::from(bits.cast_unsigned()) << (16 * i);
        }
        mask
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod imp {
    /// Eight bytes at a time: the zero byte test of Hacker's Delight (6-1), its exact form, and a multiplication that
    /// gathers the eight flags into one byte.
    #[inline]
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

    proptest! {
        #[test]
        fn every_bit_is_its_byte(bytes in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(0x8a), Just(0x0b), any::<u8>()], 64)) {
            let block: [u8; 64] = bytes.try_into().unwrap();
            for (i, byte) in block.iter().enumerate() {
                prop_assert_eq!(lf(&block) >> i & 1 == 1, *byte == b'\n');
                prop_assert_eq!(lf_cr(&block) >> i & 1 == 1, *byte == b'\n' || *byte == b'\r');
            }
        }
    }
}

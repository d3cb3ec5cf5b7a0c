//! How a segment is found: by a System V key, or by a name that becomes one.

use super::error::{BadArgument, Kind};
use super::layout::MAX_KEY_BYTES;

/// One step of [`fnv1a`].
pub(super) const fn fnv1a_step(hash: u64, byte: u8) -> u64 {
    (hash ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3)
}

/// FNV-1a with 64 bits: part of the layout, so it never changes.
pub(super) const fn fnv1a(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut at = 0;
    while at < bytes.len() {
        hash = fnv1a_step(hash, bytes[at]);
        at += 1;
    }
    hash
}

/// A System V key and the name it was made from, if any. The name is stored in the segment, so two names with one hash,
/// or a name and a number, are found out and never share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    raw: i32,
    name: Box<[u8]>,
}

impl Key {
    /// A key as for shmget(2), by its number.
    ///
    /// # Errors
    /// 0 (`IPC_PRIVATE`: a new segment for each call), -1 (what ftok() returns on failure), and what is no signed 32-bit
    /// integer (the kernel would cut it to another one's key).
    pub fn number(key: i64) -> Result<Self, BadArgument> {
        match i32::try_from(key) {
            Ok(0) => Err(BadArgument::PrivateKey),
            Ok(-1) => Err(BadArgument::FailedKey),
            Ok(raw) => Ok(Key { raw, name: Box::default() }),
            Err(_) => Err(BadArgument::WideKey),
        }
    }

    /// A key made from a name of 1 to 255 bytes: FNV-1a of `rustio:counters:` or `rustio:block:` and the name, its
    /// halves combined by exclusive or; 0 and -1 become 1 and -2.
    ///
    /// # Errors
    /// An empty or too long name.
    pub fn name(name: &[u8], kind: Kind) -> Result<Self, BadArgument> {
        if name.is_empty() || name.len() > MAX_KEY_BYTES {
            return Err(BadArgument::KeyLength);
        }
        let prefix: &[u8] = match kind {
            Kind::Counters => b"rustio:counters:",
            Kind::Block => b"rustio:block:",
        };
        let hash = name.iter().fold(fnv1a(prefix), |hash, byte| fnv1a_step(hash, *byte));
        let raw = match ((hash >> 32) as u32 ^ hash as u32).cast_signed() {
            0 => 1,
            -1 => -2,
            raw => raw,
        };
        Ok(Key { raw, name: name.into() })
    }

    /// What a segment holds.
    pub(super) fn stored(raw: i32, name: Vec<u8>) -> Self {
        Key { raw, name: name.into() }
    }

    /// The number that the kernel knows.
    #[must_use]
    pub fn raw(&self) -> i32 {
        self.raw
    }

    /// The name; empty when there is none.
    #[must_use]
    pub fn name_bytes(&self) -> &[u8] {
        &self.name
    }

    /// As messages name it: `key 0x0000abcd`, with the name if there is one.
    #[must_use]
    pub fn text(&self) -> String {
        let number = format!("key 0x{:08x}", self.raw);
        if self.name.is_empty() { number } else { format!("{number} (\"{}\")", self.name.escape_ascii()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_refused_with_their_reason_and_never_cut() {
        assert_eq!(Key::number(0), Err(BadArgument::PrivateKey));
        assert_eq!(Key::number(-1), Err(BadArgument::FailedKey));
        for wide in [1 << 32, (1 << 32) + 1, -(1 << 31) - 1, i64::MAX, i64::MIN, 0x8000_0000, 0xffff_ffff] {
            assert_eq!(Key::number(wide), Err(BadArgument::WideKey), "{wide}");
        }
        for fine in [1, -2, i64::from(i32::MAX), i64::from(i32::MIN)] {
            assert_eq!(i64::from(Key::number(fine).unwrap().raw()), fine);
        }
    }

    #[test]
    fn a_name_has_a_length() {
        assert_eq!(Key::name(b"", Kind::Counters), Err(BadArgument::KeyLength));
        assert_eq!(Key::name(&[b'x'; 256], Kind::Counters), Err(BadArgument::KeyLength));
        Key::name(&[b'x'; 255], Kind::Counters).unwrap();
    }

    #[test]
    fn the_hash_is_part_of_the_layout() {
        // Test vectors of FNV-1a, 64 bits.
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"foobar"), 0x85944171f73967e8);
        assert_ne!(Key::name(b"a", Kind::Counters).unwrap().raw(), Key::name(b"a", Kind::Block).unwrap().raw());
    }

    #[test]
    fn messages_show_any_byte_of_a_name() {
        let text = Key::name(b"a\0\xff", Kind::Block).unwrap().text();
        assert!(text.ends_with("(\"a\\x00\\xff\")"), "{text}");
    }
}

//! What a shared segment says of itself.

use std::sync::atomic::AtomicU64;

use super::Input;
use crate::shm::error::{Kind, ShmError};
use crate::shm::key::Key;
use crate::shm::layout::{Block, Counters, Header, TRAILER_BYTES};
use crate::shm::memory::Words;

const WORDS: usize = TRAILER_BYTES / 8;

/// Any words in a trailer are refused, or read as the table in [`layout`](crate::shm::layout) says; and what they lead to
/// lies inside the segment. The first byte mends what random bytes never get right, then follows the size that the kernel
/// is to give, then the trailer.
pub fn segment(input: &[u8]) {
    let mut input = Input(input);
    let mend = input.byte();
    let mend = |bit: u8| mend >> bit & 1 == 1;
    let mut bytes = (input.word() % (1 << 41)) as usize;
    let mut words = [0; WORDS];
    words.iter_mut().for_each(|word| *word = input.word());
    if mend(0) {
        words[3] = 0x0102_0304_0506_0708;
    }
    if mend(1) {
        words[3] = words[3].swap_bytes();
    }
    if mend(2) {
        words[1] = 2;
    }
    if mend(3)
        && let Some(size) = size(words[2], words[4])
    {
        bytes = size;
    }
    if mend(4) {
        words[42] = checksum(&words);
    }
    let key = Key::number(7).ok();
    let Some(key) = key else { return };

    let memory = words.map(AtomicU64::new);
    let read = Header::read(Words(&memory), 0, bytes, &key);
    let agreed = match (twin(&words, bytes), &read) {
        (Ok(name), Ok(header)) => {
            judge(header, &words, &name);
            places(header.kind, header.capacity, bytes);
            written_again(header, &words, &name, bytes);
            true
        }
        (Err(Refused::Other), Err(ShmError::OtherLayout { .. }))
        | (Err(Refused::Damaged), Err(ShmError::Damaged { .. })) => true,
        _ => false,
    };
    assert!(agreed, "{read:?} of {words:x?} in {bytes} bytes");
    let making = Header::may_become(Words(&memory), 0, &key);
    let known =
        [3, 1, 2, 8].iter().all(|at| words[*at] == 0) || read.as_ref().is_ok_and(|header| header.key.raw() == 7);
    let quiet = [64, 65, 66, 68, 72, 73].iter().all(|at| words[*at] == 0);
    assert!(quiet || !making, "{words:x?} would be taken over");
    assert!(making || !known || !quiet, "{words:x?} would be nobody's");
}

enum Refused {
    Damaged,
    Other,
}

/// The table, row by row; gives the name.
fn twin(words: &[u64; WORDS], bytes: usize) -> Result<Vec<u8>, Refused> {
    match words[3] {
        0x0102_0304_0506_0708 => {}
        0x0807_0605_0403_0201 => return Err(Refused::Other),
        _ => return Err(Refused::Damaged),
    }
    if words[1] != 2 {
        return Err(Refused::Other);
    }
    let raw = words[8].cast_signed();
    let fits = size(words[2], words[4]) == Some(bytes)
        && words[42] == checksum(words)
        && (i64::from(i32::MIN)..=i64::from(i32::MAX)).contains(&raw)
        && words[9] <= 255;
    if !fits {
        return Err(Refused::Damaged);
    }
    let name: Vec<u8> = words[10..42].iter().flat_map(|word| word.to_ne_bytes()).collect();
    Ok(name[..words[9] as usize].to_vec())
}

fn checksum(words: &[u64; WORDS]) -> u64 {
    let bytes = words[1..42].iter().flat_map(|word| word.to_ne_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Bytes of a segment of that kind and capacity, by the table; `None` if there is no such segment.
fn size(kind: u64, capacity: u64) -> Option<usize> {
    let n = usize::try_from(capacity).ok().filter(|n| *n > 0)?;
    match kind {
        1 if n <= 1 << 24 => {
            let chains = (0..).map(|bit| 1 << bit).find(|chains| *chains >= n)?;
            let table = up(8 * n) + 256 * n + 8 * n + 8 * chains + 8 * n + 16 * n;
            Some(table.next_multiple_of(128) + 256 * 128 + 1024)
        }
        2 if n <= 1 << 40 => Some(up(up(n) + n) + 1024),
        _ => None,
    }
}

fn up(bytes: usize) -> usize {
    bytes.div_ceil(64) * 64
}

fn judge(header: &Header, words: &[u64; WORDS], name: &[u8]) {
    assert_eq!(header.kind as u64, words[2]);
    assert_eq!(header.capacity as u64, words[4]);
    assert_eq!((header.generation, header.abi, header.pid_namespace), (words[5], words[6], words[7]));
    assert_eq!((i64::from(header.key.raw()), header.key.name_bytes()), (words[8].cast_signed(), name));
    assert!(
        header.key.text().bytes().all(|byte| (b' '..=b'~').contains(&byte)),
        "a message with {}",
        header.key.text()
    );
}

/// Nothing overlaps, nothing leaves the segment.
fn places(kind: Kind, capacity: usize, bytes: usize) {
    let trailer = bytes - TRAILER_BYTES;
    match kind {
        Kind::Counters => {
            let (at, n) = (Counters::new(capacity), capacity);
            let names = up(8 * n);
            let states = names + 256 * n;
            let next = states + 8 * n + 8 * at.chains;
            let got = [at.name(n - 1), at.state(n - 1), at.heads, at.next(n - 1), at.entry(n - 1), at.trailer];
            let table =
                [states - 256, states + 8 * n - 8, states + 8 * n, next + 8 * n - 8, next + 24 * n - 16, trailer];
            assert_eq!(got.map(|word| 8 * word), table, "{n} slots");
            assert!(at.slots == n && at.chains >= n && at.chains.is_power_of_two() && at.bytes() == bytes);
        }
        Kind::Block => {
            let at = Block::new(capacity);
            assert_eq!((at.len, at.copy, at.trailer * 8, at.bytes()), (capacity, up(capacity), trailer, bytes));
            assert!(at.copy + at.len <= trailer);
        }
    }
}

/// Writing what was read gives the same words, but for what a foreign writer left behind the name.
fn written_again(header: &Header, words: &[u64; WORDS], name: &[u8], bytes: usize) {
    let memory = [0; WORDS].map(AtomicU64::new);
    header.write(Words(&memory), 0);
    let written = memory.each_ref().map(|word| word.load(std::sync::atomic::Ordering::Relaxed));
    assert_eq!(written[1..10], words[1..10]);
    assert_eq!(written[42], checksum(&written));
    let after: Vec<u8> = written[10..42].iter().flat_map(|word| word.to_ne_bytes()).collect();
    assert_eq!(after[..name.len()], *name);
    assert!(after[name.len()..].iter().all(|byte| *byte == 0));
    assert_eq!(Header::read(Words(&memory), 0, bytes, &header.key).ok().as_ref(), Some(header));
}

//! One block of bytes whose readers never see half a write and never wait for a writer, not even for a dead one.
//!
//! There are two copies. The phase word counts writes in its upper bits, the lower two say what is under way:
//!
//! ```text
//!   4n    both copies are equal                      read the first
//!   4n+1  the second copy is being written           read the first
//!   4n+2  the first copy is being written            read the second
//!   4n+4  both copies are equal again
//! ```
//!
//! A reader notes the phase, copies, and looks again: what it read of the first copy is whole if the phase has not
//! reached the next 4n+2, of the second if it has not reached the next 4n+1. Writers hold the lock. One that finds 4n+1
//! left by a dead one makes the second copy equal to the first (the write never was); at 4n+2 the first equal to the
//! second (the write is finished). Both copy from a copy that nobody writes, so dying there and doing it again is fine.
//!
//! shmop_open() sees the first copy, which is whole but for the moment of 4n+2.

use super::handle::Handle;
use super::layout::{Block, trailer};
use super::memory::{Fault, Memory, Words, sure};
use crate::sys::sysv::Attachment;
use std::convert::Infallible;
use std::mem::MaybeUninit;

/// Bytes that are copied in and out, each copy of many steps.
pub trait Bytes: Memory {
    /// Copies into the segment.
    ///
    /// # Errors
    /// `Damaged` when the range is not inside.
    fn copy_in(&self, to: usize, from: &[u8]) -> Result<(), Fault<Self::Stop>>;

    /// Copies out of the segment.
    ///
    /// # Errors
    /// As for [`Bytes::copy_in`].
    fn copy_out(&self, from: usize, to: &mut [MaybeUninit<u8>]) -> Result<(), Fault<Self::Stop>>;

    /// Copies inside the segment.
    ///
    /// # Errors
    /// As for [`Bytes::copy_in`].
    fn copy_within(&self, from: usize, to: usize, len: usize) -> Result<(), Fault<Self::Stop>>;
}

/// An attached segment.
#[derive(Debug)]
pub struct Mapped<'s>(pub &'s Attachment);

impl Memory for Mapped<'_> {
    type Stop = Infallible;

    fn load(&self, word: usize) -> Result<u64, Infallible> {
        Words(self.0.words()).load(word)
    }
    fn store(&self, word: usize, value: u64) -> Result<(), Infallible> {
        Words(self.0.words()).store(word, value)
    }
    fn swap(&self, word: usize, value: u64) -> Result<u64, Infallible> {
        Words(self.0.words()).swap(word, value)
    }
    fn compare_exchange(&self, word: usize, old: u64, new: u64) -> Result<Result<(), u64>, Infallible> {
        Words(self.0.words()).compare_exchange(word, old, new)
    }
}

fn inside(done: bool) -> Result<(), Fault<Infallible>> {
    if done { Ok(()) } else { Err(Fault::Damaged("range of a write")) }
}

impl Bytes for Mapped<'_> {
    fn copy_in(&self, to: usize, from: &[u8]) -> Result<(), Fault<Infallible>> {
        inside(self.0.copy_in(to, from))
    }
    fn copy_out(&self, from: usize, to: &mut [MaybeUninit<u8>]) -> Result<(), Fault<Infallible>> {
        inside(self.0.copy_out(from, to))
    }
    fn copy_within(&self, from: usize, to: usize, len: usize) -> Result<(), Fault<Infallible>> {
        inside(self.0.copy_within(from, to, len))
    }
}

/// True when a dead writer left something for [`repair`].
///
/// # Errors
/// Only [`Memory::Stop`].
pub fn needs_repair<M: Memory>(memory: &M, trailer: usize) -> Result<bool, M::Stop> {
    Ok(!memory.load(trailer + trailer::BLOCK_PHASE)?.is_multiple_of(4))
}

/// Replaces bytes; the range is inside the block. The lock is held. `first_is_truth`: somebody may have written to the
/// first copy alone (shmop_write), so the second is made equal before.
///
/// # Errors
/// Only [`Memory::Stop`] while the layout fits the segment.
pub fn write<M: Bytes>(
    memory: &M,
    at: &Block,
    offset: usize,
    data: &[u8],
    first_is_truth: bool,
) -> Result<(), Fault<M::Stop>> {
    let idle = memory.load(at.phase())?;
    let (from, len) = if first_is_truth { (0, at.len) } else { (offset, data.len()) };
    memory.store(at.from(), from as u64)?;
    memory.store(at.write_len(), len as u64)?;
    memory.store(at.phase(), idle + 1)?;
    if first_is_truth {
        memory.copy_within(0, at.copy, at.len)?;
    }
    memory.copy_in(at.copy + offset, data)?;
    memory.store(at.phase(), idle + 2)?;
    memory.copy_in(offset, data)?;
    Ok(memory.store(at.phase(), idle + 4)?)
}

/// Copies bytes out; the range is inside the block. False when writers came between and it has to be tried again.
///
/// # Errors
/// As for [`write`].
pub fn try_read<M: Bytes>(
    memory: &M,
    at: &Block,
    offset: usize,
    to: &mut [MaybeUninit<u8>],
) -> Result<bool, Fault<M::Stop>> {
    let before = memory.load(at.phase())?;
    let (from, limit) =
        if before % 4 == 2 { (at.copy + offset, before + 3) } else { (offset, before - before % 4 + 2) };
    memory.copy_out(from, to)?;
    Ok(memory.load(at.phase())? < limit)
}

/// Finishes or drops the write of a dead holder. The lock is held.
///
/// # Errors
/// `Damaged`.
pub fn repair_block<M: Bytes>(memory: &M, at: &Block) -> Result<(), Fault<M::Stop>> {
    let phase = memory.load(at.phase())?;
    let word = |word| memory.load(word).map(|value| usize::try_from(value).unwrap_or(usize::MAX));
    let (from, len) = (word(at.from())?, word(at.write_len())?);
    if from.checked_add(len).is_none_or(|end| end > at.len) {
        return Err(Fault::Damaged("range of a write"));
    }
    match phase % 4 {
        0 => return Ok(()),
        1 => memory.copy_within(from, at.copy + from, len)?,
        2 => memory.copy_within(at.copy + from, from, len)?,
        _ => return Err(Fault::Damaged("phase")),
    }
    Ok(memory.store(at.phase(), phase - phase % 4 + 4)?)
}

pub(super) fn repair(handle: &Handle) -> Result<(), Fault<Infallible>> {
    repair_block(&Mapped(&handle.map), &Block::new(handle.header.capacity))
}

pub(super) fn phase(handle: &Handle) -> u64 {
    sure(handle.words().load(handle.trailer + trailer::BLOCK_PHASE))
}

#[cfg(test)]
mod tests {
    use super::super::sim::{Ending, Program, Steps, Stop, explore};
    use super::*;

    /// One word is one step of a copy.
    impl Bytes for Steps {
        fn copy_in(&self, to: usize, from: &[u8]) -> Result<(), Fault<Stop>> {
            for (index, word) in from.chunks_exact(8).enumerate() {
                self.store(to / 8 + index, u64::from_ne_bytes(word.try_into().unwrap()))?;
            }
            Ok(())
        }
        fn copy_out(&self, from: usize, to: &mut [MaybeUninit<u8>]) -> Result<(), Fault<Stop>> {
            for index in 0..to.len() / 8 {
                let word = self.load(from / 8 + index)?.to_ne_bytes();
                to[8 * index..8 * index + 8].copy_from_slice(&word.map(MaybeUninit::new));
            }
            Ok(())
        }
        fn copy_within(&self, from: usize, to: usize, len: usize) -> Result<(), Fault<Stop>> {
            for index in 0..len / 8 {
                let word = self.load(from / 8 + index)?;
                self.store(to / 8 + index, word)?;
            }
            Ok(())
        }
    }

    const AT: Block = Block { len: 16, copy: 16, trailer: 4 };

    fn words() -> Vec<u64> {
        vec![0; 4 + trailer::BLOCK_LEN + 1]
    }

    fn locked(steps: &Steps, work: impl Fn() -> Result<(), Fault<Stop>>) -> Result<(), Fault<Stop>> {
        steps.lock()?;
        if needs_repair(steps, AT.trailer)? {
            repair_block(steps, &AT)?;
        }
        work()?;
        Ok(steps.unlock()?)
    }

    fn both(value: u64) -> Vec<u8> {
        [value.to_ne_bytes(), value.to_ne_bytes()].concat()
    }

    fn writer<'p>(value: u64, first_is_truth: bool) -> Program<'p> {
        Box::new(move |steps| {
            locked(steps, || write(steps, &AT, 0, &both(value), first_is_truth))?;
            Ok(value)
        })
    }

    /// What a reader sees, 99 if it is torn.
    fn read(steps: &Steps) -> Result<u64, Fault<Stop>> {
        let mut bytes = [MaybeUninit::new(0); 16];
        while !try_read(steps, &AT, 0, &mut bytes)? {}
        // SAFETY: initialised above, and copied over with initialised bytes.
        #[allow(unsafe_code)]
        let bytes = bytes.map(|byte| unsafe { byte.assume_init() });
        let (first, second) = bytes.split_at(8);
        Ok(if first == second { u64::from_ne_bytes(first.try_into().unwrap()) } else { 99 })
    }

    fn reader<'p>() -> Program<'p> {
        Box::new(read)
    }

    fn next<'p>() -> Program<'p> {
        Box::new(|steps| {
            locked(steps, || Ok(()))?;
            Ok(0)
        })
    }

    fn equal(ending: &Ending) -> bool {
        ending.words[0] == ending.words[1] && ending.words[..2] == ending.words[2..4]
    }

    #[test]
    fn no_reader_sees_half_a_write_whoever_dies() {
        let programs = [writer(1, false), writer(2, true), reader()];
        let endings = explore(words(), &programs, 1, &next(), |ending| {
            equal(ending) && ending.reports[2].is_none_or(|seen| seen <= 2) && {
                let alive: Vec<u64> = ending.reports[..2].iter().flatten().copied().collect();
                alive.is_empty() || alive.len() == 1 && ending.words[0] <= 2 || alive.contains(&ending.words[0])
            }
        });
        assert!(endings.unwrap() > 5);
    }

    #[test]
    fn a_reader_ends_beside_a_writer_that_died_and_nobody_repairs() {
        let endings =
            explore(words(), &[writer(1, false), reader()], 1, &next(), |e| e.reports[1].is_none_or(|seen| seen <= 1));
        endings.unwrap();
    }

    #[test]
    fn a_repairer_may_die_too() {
        let programs = [writer(1, false), next(), reader()];
        explore(words(), &programs, 2, &next(), |e| equal(e) && e.reports[2].is_none_or(|seen| seen <= 1)).unwrap();
    }
}

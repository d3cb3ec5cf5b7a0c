//! How a segment comes to be: created by exactly one of many processes, whoever of them dies.
//!
//! ```text
//!   (nothing) --shmget(IPC_EXCL)--> 0 --claim--> MAKING+1 --publish--> LIVE --destroy--> REMOVED --IPC_RMID--> (nothing)
//!                                                 |   ^
//!                                    maker dies,  |   |
//!                                 another alone:  +---+  MAKING+2, ...
//! ```
//!
//! The state word is claimed by compare-and-swap: at once by whoever created the segment and finds it new; by others only
//! when the kernel counts a single mapping of it, their own. A maker stays attached until it has published, and those who
//! wait detach between two looks; so who is alone knows that no maker lives, without asking for any process id. The
//! claim's number moves on, so of two that find a dead maker one wins. Publishing is the release store of the state.
//!
//! An opener that finds REMOVED finishes the removal by the segment's id and starts over.

use super::layout::{BROKEN, LIVE, MAKING, REMOVED};
use super::memory::Memory;

/// What the kernel knows of the key, and the state word of the segment that this process has attached.
pub trait Kernel {
    /// As for [`Memory::Stop`].
    type Stop;
    /// Names a segment for ever.
    type Id: Copy;

    /// The segment that has the key, if any.
    fn find(&self) -> Result<Option<Self::Id>, Self::Stop>;
    /// A new segment, None if the key has one already.
    fn create(&self) -> Result<Option<Self::Id>, Self::Stop>;
    /// Attaches it; false if it is gone.
    fn attach(&self, id: Self::Id) -> Result<bool, Self::Stop>;
    /// Detaches what is attached.
    fn detach(&self) -> Result<(), Self::Stop>;
    /// True when this process's mapping is the only one.
    fn alone(&self, id: Self::Id) -> Result<bool, Self::Stop>;
    /// Frees the key if the segment still has it.
    fn remove(&self, id: Self::Id) -> Result<(), Self::Stop>;
    /// Word of the state in the attached segment; None if no segment of ours can be so.
    fn state_word(&self) -> Option<usize>;
    /// Everything but the state.
    fn initialise(&self) -> Result<(), Self::Stop>;
    /// What is written of the attached segment so far is what makers write.
    fn looks_made(&self) -> Result<bool, Self::Stop>;
    /// An unpublished segment may be made by this process: it has the size for it, and holds nothing of others.
    fn may_make(&self, state: u64) -> Result<bool, Self::Stop>;
}

/// What one look at the key led to.
#[derive(Debug, PartialEq, Eq)]
pub enum Attempt<I> {
    /// Attached, published.
    Ready(I),
    /// Not yet: detached, try again after a while. The state that was seen.
    Again(I, u64),
    /// Something changed under way: try again at once.
    Changed,
    /// Attached, and not ours.
    Foreign(I),
    /// Attached, said to be in the making by others, but not by anything they have written.
    Damaged(I),
    /// Nothing there, and nothing may be created.
    Missing,
}

/// One look. `create`: make it if it does not exist. `patient`: enough time has passed to take over from a dead maker.
///
/// # Errors
/// What the kernel's calls fail with.
pub fn attempt<K, S>(kernel: &K, create: bool, patient: bool) -> Result<Attempt<K::Id>, S>
where
    K: Kernel<Stop = S> + Memory<Stop = S>,
{
    let (id, mine) = match kernel.find()? {
        Some(id) => (id, false),
        None if !create => return Ok(Attempt::Missing),
        None => match kernel.create()? {
            Some(id) => (id, true),
            None => return Ok(Attempt::Changed),
        },
    };
    if !kernel.attach(id)? {
        return Ok(Attempt::Changed);
    }
    let Some(word) = kernel.state_word() else { return Ok(Attempt::Foreign(id)) };
    let state = kernel.load(word)?;
    match state {
        LIVE | BROKEN => return Ok(Attempt::Ready(id)), // whose calls will say so, and that can be destroyed
        REMOVED => {
            kernel.detach()?;
            kernel.remove(id)?;
            return Ok(Attempt::Changed);
        }
        _ if state != 0 && state >> 32 != MAKING >> 32 => return Ok(Attempt::Foreign(id)),
        _ => {}
    }
    let free = mine && state == 0 || create && patient && kernel.alone(id)?;
    if free && kernel.may_make(state)? {
        if kernel.compare_exchange(word, state, MAKING | ((state & 0xffff_ffff) + 1))?.is_ok() {
            kernel.initialise()?;
            kernel.store(word, LIVE)?;
            return Ok(Attempt::Ready(id));
        }
    } else if free && state != 0 && kernel.compare_exchange(word, state, REMOVED)?.is_ok() {
        // A dead maker wanted another size: nothing to take over, but nothing to keep either.
        kernel.detach()?;
        kernel.remove(id)?;
        return Ok(Attempt::Changed);
    }
    if patient && !free && state != 0 && !kernel.looks_made()? && kernel.load(word)? == state {
        return Ok(Attempt::Damaged(id)); // nobody makes it who would ever be done
    }
    kernel.detach()?;
    Ok(Attempt::Again(id, state))
}

#[cfg(test)]
mod tests {
    use super::super::memory::Fault;
    use super::super::sim::{AGAIN, Program, Steps, Stop, explore_with};
    use super::*;
    use std::cell::Cell;

    const KEY: usize = 0; // which segment has the key; 0 none
    const MADE: usize = 1; // segments made so far
    const WORDS: usize = 4; // of each segment: attached (a bit for each process), state, maker, content

    struct Sim<'s> {
        steps: &'s Steps,
        attached: Cell<usize>,
    }

    impl Sim<'_> {
        fn at(&self, id: usize, word: usize) -> usize {
            2 + (id - 1) * WORDS + word
        }
        fn me(&self) -> u64 {
            1 << self.steps.me()
        }
    }

    impl Memory for Sim<'_> {
        type Stop = Stop;
        fn load(&self, word: usize) -> Result<u64, Stop> {
            self.steps.load(word)
        }
        fn store(&self, word: usize, value: u64) -> Result<(), Stop> {
            self.steps.store(word, value)
        }
        fn swap(&self, word: usize, value: u64) -> Result<u64, Stop> {
            self.steps.swap(word, value)
        }
        fn compare_exchange(&self, word: usize, old: u64, new: u64) -> Result<Result<(), u64>, Stop> {
            self.steps.compare_exchange(word, old, new)
        }
    }

    impl Kernel for Sim<'_> {
        type Stop = Stop;
        type Id = usize;
        fn find(&self) -> Result<Option<usize>, Stop> {
            Ok(Some(self.steps.load(KEY)? as usize).filter(|id| *id != 0))
        }
        fn create(&self) -> Result<Option<usize>, Stop> {
            self.steps
                .whole(|words| {
                    if words[KEY] != 0 {
                        return 0;
                    }
                    words[MADE] += 1;
                    words[KEY] = words[MADE];
                    words[KEY]
                })
                .map(|id| Some(id as usize).filter(|id| *id != 0))
        }
        fn attach(&self, id: usize) -> Result<bool, Stop> {
            let (at, me) = (self.at(id, 0), self.me());
            let there = self.steps.whole(|words| {
                // Removed and without a mapping: the memory is gone.
                if words[KEY] != id as u64 && words[at] == 0 {
                    return 0;
                }
                words[at] |= me;
                1
            })?;
            self.attached.set(if there == 1 { id } else { 0 });
            Ok(there == 1)
        }
        fn detach(&self) -> Result<(), Stop> {
            let (at, me) = (self.at(self.attached.get(), 0), self.me());
            self.attached.set(0);
            self.steps.whole(|words| {
                words[at] &= !me;
                0
            })?;
            Ok(())
        }
        fn alone(&self, id: usize) -> Result<bool, Stop> {
            Ok(self.steps.load(self.at(id, 0))? == self.me())
        }
        fn remove(&self, id: usize) -> Result<(), Stop> {
            self.steps.whole(|words| {
                if words[KEY] == id as u64 {
                    words[KEY] = 0;
                }
                0
            })?;
            Ok(())
        }
        fn state_word(&self) -> Option<usize> {
            Some(self.at(self.attached.get(), 1))
        }
        fn initialise(&self) -> Result<(), Stop> {
            let id = self.attached.get();
            assert_ne!(self.steps.load(self.at(id, 1))?, LIVE, "made again while in use");
            self.steps.store(self.at(id, 2), self.me())?;
            self.steps.store(self.at(id, 3), 7)?;
            assert_eq!(self.steps.load(self.at(id, 2))?, self.me(), "two makers at once");
            Ok(())
        }
        fn looks_made(&self) -> Result<bool, Stop> {
            Ok(true)
        }
        fn may_make(&self, _: u64) -> Result<bool, Stop> {
            Ok(true)
        }
    }

    fn open<'p>() -> Program<'p> {
        Box::new(|steps| {
            let sim = Sim { steps, attached: Cell::new(0) };
            match attempt(&sim, true, true)? {
                Attempt::Ready(id) => {
                    assert_eq!(steps.load(sim.at(id, 3))?, 7, "not initialised");
                    Ok(id as u64)
                }
                Attempt::Again(..) | Attempt::Changed => Ok(AGAIN),
                other => panic!("{other:?}"),
            }
        })
    }

    fn destroy<'p>() -> Program<'p> {
        Box::new(|steps| {
            let sim = Sim { steps, attached: Cell::new(0) };
            match attempt(&sim, true, true)? {
                Attempt::Ready(id) => {
                    steps.store(sim.at(id, 1), REMOVED)?;
                    sim.remove(id)?;
                    sim.detach()?;
                    Ok(0)
                }
                Attempt::Again(..) | Attempt::Changed => Ok(AGAIN),
                other => panic!("{other:?}"),
            }
        })
    }

    /// The kernel detaches a dead process.
    fn bury(words: &mut [u64], me: usize) {
        for at in (2..words.len()).step_by(WORDS) {
            words[at] &= !(1 << me);
        }
    }

    #[test]
    fn three_creators_of_which_two_die_end_with_one_segment_that_is_whole() {
        let last: Program<'_> = Box::new(|_| Ok::<_, Fault<Stop>>(0));
        let endings = explore_with(vec![0; 2 + WORDS], &[open(), open(), open()], 2, &last, bury, |ending| {
            ending.reports.iter().flatten().all(|id| *id == 1)
        });
        assert!(endings.unwrap() > 3);
    }

    #[test]
    fn openers_beside_a_destroyer_that_may_die_get_a_whole_segment() {
        let last: Program<'_> = Box::new(|_| Ok::<_, Fault<Stop>>(0));
        let endings = explore_with(vec![0; 2 + 3 * WORDS], &[open(), destroy(), open()], 1, &last, bury, |ending| {
            // Nobody is left with a key that leads to a removed segment for good: the next opener takes it away.
            ending.words[MADE] <= 3
        });
        assert!(endings.unwrap() > 3);
    }
}

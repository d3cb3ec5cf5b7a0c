//! What holds for any bytes at all: one function a parser, which judges it by a naive twin and panics where they differ.
//!
//! ```text
//! fuzz/fuzz_targets/NAME.rs (make fuzz)      -+
//!                                             +->  fuzzing::NAME(bytes)
//! tests.rs, the seeds and what is made of them -+
//! ```
//!
//! The functions are no part of the library: they are there in its own tests and under `--cfg fuzzing`, which cargo-fuzz
//! sets. An input's first bytes are options, the rest is text; what lies behind an input's end reads as zeros, so that
//! every input means something.

mod disposition;
mod lines;
mod names;
mod range;
mod segment;
#[cfg(test)]
mod tests;

pub use disposition::disposition;
pub use lines::lines;
pub use names::names;
pub use range::range;
pub use segment::segment;

/// One property of all of them.
pub type Property = fn(&[u8]);

/// Each property with the name of its fuzz target and of its folder of seeds.
pub const PROPERTIES: [(&str, Property); 5] =
    [("lines", lines), ("segment", segment), ("names", names), ("disposition", disposition), ("range", range)];

/// Takes decisions off the front of the input.
struct Input<'i>(&'i [u8]);

impl<'i> Input<'i> {
    fn bytes(&mut self, n: usize) -> &'i [u8] {
        let (taken, rest) = self.0.split_at(n.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn rest(&mut self) -> &'i [u8] {
        self.bytes(usize::MAX)
    }

    fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or(0)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    fn word(&mut self) -> u64 {
        let mut word = [0; 8];
        let taken = self.bytes(8);
        word[..taken.len()].copy_from_slice(taken);
        u64::from_le_bytes(word)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

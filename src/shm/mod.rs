//! Counters and blocks of bytes in System V shared memory.

pub mod error;
pub mod journal;
pub mod key;
pub mod layout;
pub mod memory;
pub mod names;
#[cfg(test)]
mod protocol_tests;
#[cfg(test)]
mod sim;
pub mod table;

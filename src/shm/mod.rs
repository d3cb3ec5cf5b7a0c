//! Counters and blocks of bytes in System V shared memory.

pub mod block;
pub mod counters;
pub mod error;
pub mod handle;
pub mod hazard;
pub mod hooks;
pub mod journal;
pub mod key;
pub mod layout;
pub mod life;
pub mod listing;
pub mod lock;
pub mod memory;
pub mod names;
pub mod oldsem;
pub mod open;
#[cfg(test)]
mod protocol_tests;
pub mod save;
pub mod segment;
#[cfg(test)]
mod sim;
pub mod table;

//! Records appended in batches, safe among processes, with group commit.

pub mod batch;
pub mod error;
pub mod escape;
pub mod group;
pub mod protocol;
pub mod state;
pub mod words;

pub use error::LogError;

//! rustio: native I/O fast paths for PHP.
//!
//! ```text
//! php  ->  lines | log | accel | shm  ->  sys  ->  libc
//! ```
//!
//! An arrow is the only direction in which a module may use another: never upward, never sideways. Everything but
//! [`php`] builds and tests without PHP (`cargo test --no-default-features`), so a leak of PHP into the core does not
//! compile. The binding decides nothing: it parses arguments, calls once, maps the result.

pub mod accel;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
pub mod lines;
pub mod log;
#[cfg(feature = "php")]
pub mod php;
pub mod shm;
pub mod sys;

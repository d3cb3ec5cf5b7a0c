//! Thin wrappers of system calls and shared memory: the only `unsafe` outside [`crate::php`].
//!
//! A wrapper keeps its manual page's name, retries nothing but EINTR, decides nothing, and returns `io::Error` made
//! right after the call, before anything can change errno.
#![allow(unsafe_code)]

pub mod append;
pub mod clock;
pub mod fd;
pub mod flock;
pub mod fork;
pub mod futex;
pub mod mapping;
pub mod mask;
pub mod pagecache;
pub mod private_fd;
pub mod resolve;
pub mod signal;

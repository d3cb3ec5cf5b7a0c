//! A path under a root becomes the headers with which a web server sends it, or is streamed from here.

mod disposition;
mod encode;
mod error;
mod media;
mod root;

pub use disposition::{Disposition, content_disposition};
pub use encode::Location;
pub use error::{AccelError, Refusal};
pub use root::{Found, Root};

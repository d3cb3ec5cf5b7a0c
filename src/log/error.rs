//! Why a log call failed.

use std::io;
use std::path::{Path, PathBuf};

/// Why a log call failed. Every variant has an errno ([`LogError::errno`]) and the operation that met it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// A system call failed.
    #[error("{op} {}: {}{advice}", path.display(), reason(source))]
    Io {
        /// The call, as its manual page is named.
        op: &'static str,
        /// What it was applied to.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
        /// What the caller needs to know to make it work, or nothing.
        advice: String,
    },
    /// The newest record was refused: the disk takes nothing and as much as allowed is waiting already.
    #[error("append {}: No buffer space available ({pending} bytes are waiting to be written)", path.display())]
    Full {
        /// The log.
        path: PathBuf,
        /// Bytes that wait.
        pending: usize,
    },
    /// The logger has been closed.
    #[error("{op} {}: the logger is closed", path.display())]
    Closed {
        /// What was asked of it.
        op: &'static str,
        /// The log.
        path: PathBuf,
    },
}

/// The system's text without the number that Rust adds: the number has a place of its own.
fn reason(source: &io::Error) -> String {
    match source.raw_os_error() {
        Some(errno) => nix::errno::Errno::from_raw(errno).desc().to_owned(),
        None => source.to_string(),
    }
}

fn errno_of(source: &io::Error) -> i32 {
    match (source.raw_os_error(), source.kind()) {
        (Some(errno), _) if errno != 0 => errno,
        (_, io::ErrorKind::NotFound) => libc::ENOENT,
        (_, io::ErrorKind::InvalidInput) => libc::EINVAL,
        _ => libc::EIO,
    }
}

impl LogError {
    /// A failed system call.
    pub fn io(op: &'static str, path: &Path, source: io::Error) -> Self {
        LogError::Io { op, path: path.to_owned(), source, advice: String::new() }
    }

    /// A failed system call and what is behind it, which the system does not tell.
    pub fn because(op: &'static str, path: &Path, source: io::Error, advice: String) -> Self {
        LogError::Io { op, path: path.to_owned(), source, advice }
    }

    /// The number of the error, never 0: what the library found out by itself has the number that comes nearest.
    pub fn errno(&self) -> i32 {
        match self {
            LogError::Io { source, .. } => errno_of(source),
            LogError::Full { .. } => libc::ENOBUFS,
            LogError::Closed { .. } => libc::EBADF,
        }
    }

    /// Whether the newest record was not accepted. All other errors leave it accepted.
    pub fn is_refusal(&self) -> bool {
        match self {
            LogError::Io { op, .. } => *op == "spool",
            LogError::Full { .. } | LogError::Closed { .. } => true,
        }
    }

    /// The operation that met it.
    pub fn operation(&self) -> &'static str {
        match self {
            LogError::Io { op, .. } | LogError::Closed { op, .. } => op,
            LogError::Full { .. } => "append",
        }
    }

    /// What it was applied to.
    pub fn path(&self) -> &Path {
        match self {
            LogError::Io { path, .. } | LogError::Full { path, .. } | LogError::Closed { path, .. } => path,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_names_call_path_and_reason() {
        let err = LogError::io("write", Path::new("/dev/full"), io::Error::from_raw_os_error(libc::ENOSPC));
        assert_eq!(err.to_string(), "write /dev/full: No space left on device");
        assert_eq!((err.errno(), err.operation()), (28, "write"));
    }

    #[test]
    fn no_error_is_number_0() {
        use io::ErrorKind::{InvalidInput, NotFound, UnexpectedEof};
        let errno = |source: io::Error| LogError::io("write", Path::new("/log"), source).errno();
        assert_eq!([UnexpectedEof, NotFound, InvalidInput].map(|kind| errno(kind.into())), [5, 2, 22]);
        assert_eq!(errno(io::Error::from_raw_os_error(0)), 5);
    }
}

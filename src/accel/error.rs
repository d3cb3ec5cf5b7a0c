//! Why a file can't be handed to the web server.

use std::io;
use std::path::PathBuf;

/// Why a call on [`Accel`](super::Accel) failed. No header has been sent when it comes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AccelError {
    /// The file must not or can't be sent; [`Refusal::status`] is the HTTP status to answer.
    #[error("{} can't be sent from {}: {refusal}", file.display(), root.display())]
    NotServable {
        /// As the caller named it.
        file: PathBuf,
        /// The directory it was looked for in.
        root: PathBuf,
        /// Why not.
        refusal: Refusal,
    },
    /// An argument has a value that it can't have; the text goes on after the argument's name.
    #[error("{name} {message}")]
    Argument {
        /// The parameter, as in the PHP signature.
        name: &'static str,
        /// "must be ..." in PHP's words.
        message: String,
    },
    /// The server's configuration can't be written for this root.
    #[error("no configuration can be written for {}: {what}", root.display())]
    Unwritable {
        /// The directory.
        root: PathBuf,
        /// Why not.
        what: &'static str,
    },
    /// A system call failed, and the file is not to blame.
    #[error("{op} {}: {source}", path.display())]
    Io {
        /// The system call.
        op: &'static str,
        /// What it was called on.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl AccelError {
    /// An argument that can't be accepted.
    pub(super) fn argument(name: &'static str, message: impl Into<String>) -> Self {
        Self::Argument { name, message: message.into() }
    }
}

/// Why one file is not sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It lies outside the root once symbolic links are resolved, or was named by an absolute path.
    #[error("it is outside")]
    Outside,
    /// There is nothing of that name, or the path to it can't be walked.
    #[error("{0}")]
    Missing(io::Error),
    /// It is a directory.
    #[error("it is a directory")]
    Directory,
    /// It is a FIFO, socket or device; these are never opened.
    #[error("it is not a regular file")]
    Special,
    /// This process may not read it, or not search a directory on the way.
    #[error("{0}")]
    Unreadable(io::Error),
    /// Somebody kept replacing it while it was being opened.
    #[error("it was replaced while it was being opened")]
    Changed,
    /// Its path holds what X-Sendfile can't carry to the server.
    #[error("X-Sendfile can't carry {0}")]
    Unnameable(&'static str),
}

impl Refusal {
    /// The HTTP status to answer: 403 for what may not be read, 404 for all else, so that the answer never tells what
    /// exists outside the root.
    #[must_use]
    pub fn status(&self) -> u16 {
        if matches!(self, Self::Unreadable(_)) { 403 } else { 404 }
    }

    /// The errno that says the same.
    #[must_use]
    pub fn errno(&self) -> i32 {
        match self {
            Self::Missing(source) | Self::Unreadable(source) => source.raw_os_error().unwrap_or(libc::ENOENT),
            Self::Outside => libc::EXDEV,
            Self::Directory => libc::EISDIR,
            Self::Special => libc::EINVAL,
            Self::Changed => libc::ESTALE,
            Self::Unnameable(_) => libc::EILSEQ,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_not_be_read_is_403() {
        assert_eq!(Refusal::Unreadable(io::Error::from_raw_os_error(libc::EACCES)).status(), 403);
        for refusal in
            [Refusal::Outside, Refusal::Directory, Refusal::Special, Refusal::Changed, Refusal::Unnameable("x")]
        {
            assert_eq!(refusal.status(), 404, "{refusal}");
            assert_ne!(refusal.errno(), 0, "{refusal}");
        }
        let missing = Refusal::Missing(io::Error::from_raw_os_error(libc::ENOTDIR));
        assert_eq!((missing.status(), missing.errno()), (404, libc::ENOTDIR));
    }

    #[test]
    fn a_message_names_file_root_and_reason() {
        let err =
            AccelError::NotServable { file: "a/b".into(), root: "/srv/files".into(), refusal: Refusal::Directory };
        assert_eq!(err.to_string(), "a/b can't be sent from /srv/files: it is a directory");
    }
}

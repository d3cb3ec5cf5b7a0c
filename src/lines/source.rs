//! Where the bytes come from.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use crate::sys::fd;

/// A source of bytes. `Interrupted` passes through to the caller of the reader, who lets signal handlers run and calls
/// again.
pub trait Source {
    /// Reads into `buf`; 0 is the end. Waits for a source that has nothing yet.
    ///
    /// # Errors
    /// The system's.
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize>;

    /// Makes the next read start at `offset`.
    ///
    /// # Errors
    /// ESPIPE on a source that can't go back or forward.
    fn seek(&mut self, offset: u64) -> io::Result<()>;

    /// The first bytes of the source, if that can be told without moving: what a range in the middle needs to know.
    ///
    /// # Errors
    /// The system's.
    fn head(&mut self, _buf: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }

    /// Is offset 0 the first byte of a file? Not where a stream was handed over in its middle: there a byte order mark is
    /// text.
    fn starts_file(&self) -> bool {
        true
    }

    /// Asked at the end: is the source shorter than `position` now, or than it was when this pass began?
    ///
    /// # Errors
    /// The system's.
    fn is_cut_below(&mut self, _position: u64) -> io::Result<bool> {
        Ok(false)
    }
}

/// Offsets are signed for the kernel.
const LARGEST: u64 = i64::MAX as u64;

/// A file of its own description. Files with positions are read by pread(2), so that a process and its forks, which
/// share the description, don't take bytes from each other.
#[derive(Debug)]
pub struct FileSource {
    fd: OwnedFd,
    /// `None` for what has no position: pipes, terminals, sockets.
    position: Option<u64>,
    /// When it was opened, and again when a pass over it begins.
    size: u64,
    begins: bool,
}

impl FileSource {
    /// Opens for reading. Waits for a FIFO's writer.
    ///
    /// # Errors
    /// See open(2); EISDIR for a directory; `Interrupted` for a signal while waiting.
    pub fn open(path: &CStr) -> io::Result<Self> {
        let fd = fd::open(path, libc::O_RDONLY, 0)?;
        let stat = fd::fstat(fd.as_fd())?;
        let kind = stat.st_mode & libc::S_IFMT;
        if kind == libc::S_IFDIR {
            return Err(io::Error::from_raw_os_error(libc::EISDIR));
        }
        let position = matches!(kind, libc::S_IFREG | libc::S_IFBLK).then_some(0);
        if position.is_some() {
            // Only advice: a file system that can't take it reads as well without.
            let _ = fd::fadvise(fd.as_fd(), libc::POSIX_FADV_SEQUENTIAL);
        }
        Ok(Self { fd, position, size: u64::try_from(stat.st_size).unwrap_or(0), begins: true })
    }

    /// Its size in bytes when it was opened; `None` for what has no position.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        self.position.map(|_| self.size)
    }

    fn size_now(&self) -> io::Result<u64> {
        Ok(u64::try_from(fd::fstat(self.fd.as_fd())?.st_size).unwrap_or(0))
    }

    /// Reads at `offset` without moving.
    ///
    /// # Errors
    /// See pread(2).
    pub fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        fd::pread(self.fd.as_fd(), buf, offset)
    }
}

impl Source for FileSource {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if std::mem::take(&mut self.begins) {
            self.size = self.size_now()?;
        }
        if let Some(position) = &mut self.position {
            if *position > LARGEST - buf.len() as u64 {
                return Ok(0); // no file is so long; pread(2) would say EINVAL
            }
            let n = fd::pread(self.fd.as_fd(), buf, *position)?;
            *position += n as u64;
            return Ok(n);
        }
        loop {
            match fd::read(self.fd.as_fd(), buf) {
                Err(err) if err.kind() == io::ErrorKind::WouldBlock => fd::wait_readable(self.fd.as_fd())?,
                done => return done,
            }
        }
    }

    fn seek(&mut self, offset: u64) -> io::Result<()> {
        match &mut self.position {
            Some(position) => {
                *position = offset;
                self.begins = true;
                Ok(())
            }
            None => Err(io::Error::from_raw_os_error(libc::ESPIPE)),
        }
    }

    fn head(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.position.is_some() { self.read_at(buf, 0) } else { Ok(0) }
    }

    fn is_cut_below(&mut self, position: u64) -> io::Result<bool> {
        let (Some(_), Some(last)) = (self.position, position.checked_sub(1)) else { return Ok(false) };
        let size = self.size_now()?;
        if size < self.size {
            return Ok(true); // what follows the cut may be read up to it, and its last line is torn
        }
        // Files of /proc say 0 and have content, which may be shorter each time it is made.
        if size >= position || size == 0 {
            return Ok(false);
        }
        // If the last byte that was read can't be read again, it is gone.
        Ok(last >= LARGEST || self.read_at(&mut [0], last)? == 0)
    }
}

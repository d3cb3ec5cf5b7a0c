//! A file's bytes as memory that processes share: atomics and raw copies, never a reference to bytes others may change.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::atomic::{AtomicU32, AtomicU64};

use memmap2::{MmapOptions, MmapRaw};
use nix::fcntl::{FallocateFlags, fallocate};
use nix::sys::signal::Signal;

use super::signal::Shield;

/// A shared mapping of the first bytes of a file. Offsets, never pointers: an offset outside it panics.
#[derive(Debug)]
pub struct Mapping {
    map: MmapRaw,
}

impl Mapping {
    /// Maps `len` bytes after making sure that the file has room for all of them: a hole on a full tmpfs would be a
    /// SIGBUS later.
    ///
    /// # Errors
    /// ENOSPC and the rest of fallocate(2), ENOMEM and the rest of mmap(2).
    pub fn reserve(fd: BorrowedFd<'_>, len: usize) -> io::Result<Self> {
        let size = len.try_into().map_err(|_| io::Error::from_raw_os_error(libc::EOVERFLOW))?;
        let shield = Shield::raise(); // over RLIMIT_FSIZE it is EFBIG and SIGXFSZ, as for a write
        if let Err(err) = fallocate(fd, FallocateFlags::empty(), 0, size) {
            if err == nix::Error::EFBIG {
                shield.discard(Signal::SIGXFSZ);
            }
            return Err(err.into());
        }
        Ok(Mapping { map: MmapOptions::new().len(len).map_raw(fd.as_raw_fd())? })
    }

    /// Mapped bytes.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether nothing is mapped.
    pub fn is_empty(&self) -> bool {
        self.map.len() == 0
    }

    fn check(&self, offset: usize, len: usize, align: usize) {
        let inside = offset.checked_add(len).is_some_and(|end| end <= self.map.len());
        assert!(inside && offset.is_multiple_of(align), "{len} bytes at {offset} of {}", self.map.len());
    }

    /// The 64-bit word at `offset`, a multiple of 8.
    pub fn word(&self, offset: usize) -> &AtomicU64 {
        self.check(offset, 8, 8);
        // SAFETY: in bounds and aligned (a mapping starts on a page), alive as long as self, and everyone who shares
        // it uses atomics, too.
        unsafe { &*self.map.as_ptr().add(offset).cast::<AtomicU64>() }
    }

    /// The 32-bit word at `offset`, a multiple of 4.
    pub fn half_word(&self, offset: usize) -> &AtomicU32 {
        self.check(offset, 4, 4);
        // SAFETY: as for word.
        unsafe { &*self.map.as_ptr().add(offset).cast::<AtomicU32>() }
    }

    /// Copies bytes in.
    #[inline]
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        self.check(offset, bytes.len(), 1);
        // SAFETY: in bounds; ours and the source can't overlap, since nobody has a reference into a mapping.
        unsafe { self.map.as_mut_ptr().add(offset).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    /// Copies bytes out.
    pub fn read(&self, offset: usize, len: usize) -> Vec<u8> {
        self.check(offset, len, 1);
        let mut out = vec![0; len];
        // SAFETY: in bounds, into a buffer of our own.
        unsafe { self.map.as_ptr().add(offset).copy_to_nonoverlapping(out.as_mut_ptr(), len) };
        out
    }
}

/// Gives the memory of everything from `offset` on back, keeping the file's size.
///
/// # Errors
/// EOPNOTSUPP where the file system can't; see fallocate(2).
pub fn punch_hole(fd: BorrowedFd<'_>, offset: u64) -> io::Result<()> {
    let size = super::fd::fstat(fd)?.st_size;
    let offset = offset.try_into().map_err(|_| io::Error::from_raw_os_error(libc::EOVERFLOW))?;
    if size > offset {
        let flags = FallocateFlags::FALLOC_FL_PUNCH_HOLE | FallocateFlags::FALLOC_FL_KEEP_SIZE;
        fallocate(fd, flags, offset, size - offset)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;
    use std::sync::atomic::Ordering::SeqCst;

    use super::*;

    #[test]
    fn two_mappings_of_a_file_see_each_other() {
        let file = tempfile::tempfile().unwrap();
        let one = Mapping::reserve(file.as_fd(), 4096).unwrap();
        let two = Mapping::reserve(file.as_fd(), 8192).unwrap();
        one.write(5, b"hello");
        one.word(64).store(7, SeqCst);
        assert_eq!(two.read(5, 5), b"hello");
        assert_eq!(two.word(64).load(SeqCst), 7);
        assert_eq!(two.half_word(64).load(SeqCst), if cfg!(target_endian = "little") { 7 } else { 0 });
    }

    #[test]
    #[should_panic(expected = "8 bytes at 4092")]
    fn outside_is_refused() {
        let file = tempfile::tempfile().unwrap();
        Mapping::reserve(file.as_fd(), 4096).unwrap().word(4092);
    }
}

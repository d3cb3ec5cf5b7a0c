//! The page cache's part of one file.

use std::io;
use std::num::NonZeroUsize;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr;

/// Bytes mapped at once to ask about: bounds the answer to a quarter of a megabyte.
const WINDOW: u64 = 1 << 30;

/// How many of the file's first `size` bytes' pages are in the page cache, and how many there are: mincore(2) over a
/// mapping that is never touched, so that a file cut meanwhile raises no SIGBUS.
///
/// Since Linux 5.2 the kernel answers "all" for a file that the process neither owns nor may write; the caller checks.
///
/// # Errors
/// See mmap(2), mincore(2); ENODEV where files can't be mapped.
pub fn resident_pages(fd: BorrowedFd<'_>, size: u64) -> io::Result<(u64, u64)> {
    let page = page_size();
    let (mut resident, mut pages) = (0, 0);
    let mut at = 0;
    while at < size {
        let len = usize::try_from(WINDOW.min(size - at)).map_err(io::Error::other)?;
        let mut answer = vec![0u8; len.div_ceil(page.get())];
        window(fd, at, len, &mut answer)?;
        resident += answer.iter().filter(|byte| *byte & 1 == 1).count() as u64;
        pages += answer.len() as u64;
        at += len as u64;
    }
    Ok((resident, pages))
}

fn window(fd: BorrowedFd<'_>, at: u64, len: usize, answer: &mut [u8]) -> io::Result<()> {
    let offset = at.try_into().map_err(io::Error::other)?;
    // SAFETY: a new mapping without any access rights, at an address the kernel chooses.
    let map = unsafe { libc::mmap(ptr::null_mut(), len, libc::PROT_NONE, libc::MAP_SHARED, fd.as_raw_fd(), offset) };
    if map == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the mapping made above; the answer has a byte for each of its pages.
    let status = unsafe { libc::mincore(map, len, answer.as_mut_ptr()) };
    let err = io::Error::last_os_error();
    // SAFETY: unmaps exactly what was mapped above, and nothing refers to it.
    unsafe { libc::munmap(map, len) };
    if status == 0 { Ok(()) } else { Err(err) }
}

fn page_size() -> NonZeroUsize {
    // SAFETY: asks for a constant.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).ok().and_then(NonZeroUsize::new).unwrap_or(NonZeroUsize::MIN.saturating_add(4095))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::AsFd;

    #[test]
    fn what_was_just_written_is_resident() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[1; 100_000]).unwrap();
        let (resident, pages) = resident_pages(file.as_fd(), 100_000).unwrap();
        assert_eq!((resident, pages), (pages, 100_000_u64.div_ceil(page_size().get() as u64)));
        assert_eq!(resident_pages(file.as_fd(), 0).unwrap(), (0, 0));
    }
}

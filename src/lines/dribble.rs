//! A source for tests: data in pieces, with signals between them.

use std::io;

use super::Source;

/// Hands out at most `step` bytes a call, so that every border gets tried, and counts as a pipe if it has no positions.
pub struct Dribble {
    pub text: Vec<u8>,
    pub at: usize,
    pub step: usize,
    pub pipe: bool,
    pub interrupts: bool,
    pub interrupted: bool,
}

impl Source for Dribble {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.interrupts && !std::mem::replace(&mut self.interrupted, true) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        self.interrupted = false;
        let left = self.text.get(self.at..).unwrap_or_default(); // a seek may lead behind the end
        let n = self.step.min(buf.len()).min(left.len());
        buf[..n].copy_from_slice(&left[..n]);
        self.at += n;
        Ok(n)
    }

    fn seek(&mut self, offset: u64) -> io::Result<()> {
        if self.pipe {
            return Err(io::Error::from_raw_os_error(libc::ESPIPE));
        }
        self.at = offset as usize;
        Ok(())
    }

    fn head(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.pipe {
            return Ok(0);
        }
        let n = buf.len().min(self.text.len());
        buf[..n].copy_from_slice(&self.text[..n]);
        Ok(n)
    }
}

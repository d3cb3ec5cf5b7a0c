//! What the process tests of shared segments have in common: keys of their own, and children that are this very binary.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustio::shm::key::Key;
use rustio::sys::sysv;
use tempfile::NamedTempFile;

/// A key that no other test has; whatever is under it is removed in the end.
pub struct TestKey {
    file: NamedTempFile,
    pub raw: i32,
}

impl TestKey {
    pub fn new() -> Self {
        loop {
            let file = NamedTempFile::new().unwrap();
            let path = CString::new(file.path().as_os_str().as_bytes()).unwrap();
            #[allow(unsafe_code)]
            // SAFETY: the path is a C string that outlives the call.
            let raw = unsafe { libc::ftok(path.as_ptr(), 0x52) };
            if sysv::shmget(raw, 0, 0).is_err() {
                return TestKey { file, raw };
            }
        }
    }

    pub fn key(&self) -> Key {
        Key::number(self.raw.into()).unwrap()
    }

    pub fn dir(&self) -> &std::path::Path {
        self.file.path().parent().unwrap()
    }
}

impl Drop for TestKey {
    fn drop(&mut self) {
        while let Ok(id) = sysv::shmget(self.raw, 0, 0) {
            sysv::remove(id).unwrap();
        }
    }
}

/// Starts this binary again in a role; see [`role`].
pub fn spawn(role: &str, args: &[&str]) -> Child {
    command(Command::new(std::env::current_exe().unwrap()), role, args)
}

/// As [`spawn`], by another program that runs it (unshare, ...), whose arguments are given.
pub fn command(mut command: Command, role: &str, args: &[&str]) -> Child {
    command
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env("RUSTIO_TEST_ROLE", role)
        .env("RUSTIO_TEST_ARGS", args.join("\n"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

/// The role of this process and its arguments; None in the test run itself.
pub fn role() -> Option<(String, Vec<String>)> {
    let role = std::env::var("RUSTIO_TEST_ROLE").ok()?;
    let args = std::env::var("RUSTIO_TEST_ARGS").unwrap_or_default();
    Some((role, args.lines().map(str::to_owned).collect()))
}

/// Waits for a child that must end well within a minute.
pub fn finish(mut child: Child) {
    drop(child.stdin.take());
    let start = Instant::now();
    loop {
        match child.try_wait().unwrap() {
            Some(status) => {
                assert!(status.success(), "{status}");
                return;
            }
            None if start.elapsed() > Duration::from_secs(60) => {
                child.kill().unwrap();
                panic!("a child hangs");
            }
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// SIGKILL, and the zombie reaped.
pub fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Small random numbers.
pub struct Random(pub u64);

impl Random {
    pub fn new() -> Self {
        let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Random(time.as_nanos() as u64 | 1)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Waits until a condition holds, which must be within a minute.
pub fn until(mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "never came true");
        std::thread::sleep(Duration::from_micros(200));
    }
}

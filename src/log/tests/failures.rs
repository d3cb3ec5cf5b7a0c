//! What a logger that could not write does afterwards.

use std::time::Instant;

use super::*;

#[test]
fn a_close_that_failed_can_be_tried_again() {
    let place = Place::new();
    let away = place.dir.path().join("away");
    let dir = place.dir.path().join("dir");
    fs::create_dir(&dir).unwrap();
    let log_path = dir.join("log");
    let mut log = Log::new(Options { state_dir: place.options().state_dir, ..Options::new(&log_path) }).unwrap();
    log.append(b"late").unwrap();
    fs::rename(&dir, &away).unwrap();
    assert_eq!(log.close().unwrap_err().errno(), libc::ENOENT);
    assert_eq!(log.flush().unwrap_err().errno(), libc::ENOENT);
    fs::rename(&away, &dir).unwrap();
    log.flush().unwrap();
    assert_eq!(fs::read(&log_path).unwrap(), b"late\n");
    log.close().unwrap();
    assert_eq!(log.append(b"x").unwrap_err().errno(), libc::EBADF);
    drop(log);
    assert_eq!(fs::read(&log_path).unwrap(), b"late\n");
}

#[test]
fn what_a_failed_close_has_left_to_the_spool_is_not_called_written() {
    let place = Place::new();
    let log_path = place.dir.path().join("missing/log");
    let options = Options { state_dir: place.options().state_dir, spool: true, ..Options::new(&log_path) };
    let mut log = Log::new(options).unwrap();
    log.append(b"late").unwrap();
    assert_eq!(log.close().unwrap_err().errno(), libc::ENOENT);
    for again in [Log::flush, Log::close] {
        assert_eq!(again(&mut log).unwrap_err().errno(), libc::EBADF);
    }
    assert_eq!(log.in_spool(), 1);
}

#[test]
fn a_lock_that_was_waited_for_in_vain_is_not_waited_for_at_each_record() {
    let place = Place::new();
    fs::write(&place.path, b"").unwrap();
    let holder = fs::File::open(&place.path).unwrap();
    assert!(crate::sys::flock::try_exclusive(holder.as_fd()).unwrap());
    let wait_limit = Duration::from_secs(1);
    let mut log = Log::new(Options { batch_records: 1, wait_limit, ..place.options() }).unwrap();
    let waits: Vec<bool> = (0..4)
        .map(|_| {
            let start = Instant::now();
            assert_eq!(log.append(b"x").unwrap_err().errno(), libc::EAGAIN);
            start.elapsed() >= wait_limit
        })
        .collect();
    assert_eq!(waits, [true, false, false, false]);
    drop(holder);
    log.append(b"y").unwrap();
    assert_eq!(place.read(), "x\nx\nx\nx\ny\n");
}

#[test]
fn no_more_waits_than_is_allowed_however_large_a_batch_may_be() {
    let place = Place::new();
    let log_path = place.dir.path().join("missing/log");
    let options = Options {
        batch_bytes: 1 << 20,
        batch_records: 1 << 20,
        max_pending_bytes: 1000,
        state_dir: place.options().state_dir,
        ..Options::new(&log_path)
    };
    let mut log = Log::new(options).unwrap();
    let refused = (0..300).filter(|_| log.append(&[b'x'; 99]).is_err_and(|err| err.is_refusal())).count();
    assert_eq!((log.stats().pending_bytes, refused), (1000, 290));
}

#[test]
fn a_link_that_leads_out_of_what_is_permitted_is_not_followed() {
    let place = Place::new();
    let outside = place.dir.path().join("outside");
    let permit = |path: &std::path::Path| !fs::read_link(path).is_ok_and(|target| target.ends_with("outside"));
    let mut log = Log::new(Options { permit, ..place.options() }).unwrap();
    log.append(b"in").unwrap();
    log.flush().unwrap();
    fs::remove_file(&place.path).unwrap();
    std::os::unix::fs::symlink(&outside, &place.path).unwrap();
    log.append(b"waits").unwrap();
    assert_eq!(log.flush().unwrap_err().errno(), libc::EPERM);
    assert!(!outside.exists());
    fs::remove_file(&place.path).unwrap();
    log.flush().unwrap();
    assert_eq!(place.read(), "waits\n");
}

#[test]
fn another_way_to_the_same_directory_finds_the_same_spool() {
    let place = Place::new();
    let link = place.dir.path().join("link");
    std::os::unix::fs::symlink(place.path.parent().unwrap(), &link).unwrap();
    let through = link.join(".").join(place.path.file_name().unwrap());
    assert_eq!(spool::key(&through), spool::key(&place.path));
    assert_ne!(spool::key(&through), spool::key(&link.join("other")));
}

//! One logger on a real file system.

mod failures;

use std::fs;
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Duration;

use super::*;
use crate::sys::flock;

struct Place {
    dir: tempfile::TempDir,
    path: PathBuf,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("state")).unwrap();
        let path = dir.path().join("app.log");
        Place { dir, path }
    }

    fn options(&self) -> Options {
        Options { state_dir: Some(self.dir.path().join("state")), ..Options::new(&self.path) }
    }

    fn log(&self) -> Log {
        Log::new(self.options()).unwrap()
    }

    fn read(&self) -> String {
        fs::read_to_string(&self.path).unwrap()
    }
}

fn errno<T: std::fmt::Debug>(result: Result<T, LogError>) -> (&'static str, i32) {
    let err = result.unwrap_err();
    (err.operation(), err.errno())
}

#[test]
fn records_wait_until_a_batch_is_full_or_flushed() {
    let place = Place::new();
    let mut log = Log::new(Options { batch_records: 3, ..place.options() }).unwrap();
    log.append(b"one").unwrap();
    log.append(b"").unwrap();
    assert!(!place.path.exists());
    log.append(b"two\nlines").unwrap();
    assert_eq!(place.read(), "one\n\ntwo\\nlines\n");
    log.append(b"last").unwrap();
    assert_eq!((log.stats().pending_records, log.stats().writes), (1, 1));
    log.flush().unwrap();
    assert_eq!(place.read(), "one\n\ntwo\\nlines\nlast\n");
}

#[test]
fn the_oldest_record_does_not_wait_longer_than_asked() {
    let place = Place::new();
    let mut log = Log::new(Options { batch_time: Duration::from_millis(30), ..place.options() }).unwrap();
    log.append(b"one").unwrap();
    std::thread::sleep(Duration::from_millis(60));
    log.append(b"two").unwrap();
    assert_eq!(place.read(), "one\ntwo\n");
}

#[test]
fn closing_and_dropping_write_and_closed_refuses() {
    let place = Place::new();
    let mut log = place.log();
    log.append(b"one").unwrap();
    log.close().unwrap();
    log.close().unwrap();
    assert_eq!(errno(log.append(b"x")), ("append", libc::EBADF));
    let mut log = place.log();
    log.append(b"two").unwrap();
    drop(log);
    assert_eq!(place.read(), "one\ntwo\n");
}

#[test]
fn rotation_of_every_kind_is_noticed() {
    let place = Place::new();
    let mut log = place.log();
    let mut put = |record: &[u8]| {
        log.append(record).unwrap();
        log.flush().unwrap();
    };
    put(b"one");
    let old = place.dir.path().join("app.log.1");
    fs::rename(&place.path, &old).unwrap();
    put(b"two");
    assert_eq!((fs::read_to_string(&old).unwrap(), place.read()), ("one\n".into(), "two\n".into()));
    fs::rename(&place.path, &old).unwrap();
    fs::write(&place.path, "").unwrap();
    put(b"three");
    assert_eq!(place.read(), "three\n");
    fs::copy(&place.path, &old).unwrap();
    fs::File::options().write(true).open(&place.path).unwrap().set_len(0).unwrap(); // copytruncate
    put(b"four");
    assert_eq!(place.read(), "four\n"); // no hole in front
    fs::remove_file(&place.path).unwrap();
    put(b"five");
    assert_eq!(place.read(), "five\n");
    assert_eq!(log.stats().reopens, 3);
}

#[test]
fn a_directory_that_is_gone_keeps_the_records_waiting() {
    let place = Place::new();
    let dir = place.dir.path().join("sub");
    fs::create_dir(&dir).unwrap();
    let mut log = Log::new(Options { path: dir.join("log"), ..place.options() }).unwrap();
    log.append(b"one").unwrap();
    log.flush().unwrap();
    fs::remove_dir_all(&dir).unwrap();
    log.append(b"two").unwrap();
    assert_eq!(errno(log.flush()), ("open", libc::ENOENT));
    fs::create_dir(&dir).unwrap();
    log.flush().unwrap();
    assert_eq!(fs::read_to_string(dir.join("log")).unwrap(), "two\n");
}

#[test]
fn a_torn_line_of_somebody_else_is_ended_first() {
    let place = Place::new();
    fs::write(&place.path, "torn").unwrap();
    let mut log = place.log();
    log.append(b"one").unwrap();
    log.flush().unwrap();
    fs::File::options()
        .append(true)
        .open(&place.path)
        .map(|mut file| std::io::Write::write(&mut file, b"to"))
        .unwrap()
        .unwrap();
    log.append(b"two").unwrap();
    log.flush().unwrap();
    assert_eq!(place.read(), "torn\none\nto\ntwo\n");
}

#[test]
fn a_full_device_keeps_records_and_refuses_beyond_the_limit() {
    let place = Place::new();
    let options = Options { path: "/dev/full".into(), batch_bytes: 10, max_pending_bytes: 30, ..place.options() };
    let mut log = Log::new(options).unwrap();
    log.append(b"1234").unwrap();
    assert_eq!(errno(log.append(b"123456789")), ("write", libc::ENOSPC));
    log.append(b"1234").unwrap(); // tried again with the next batch
    assert_eq!(errno(log.append(b"1234567890123456789")), ("append", libc::ENOBUFS));
    assert_eq!((log.stats().pending_records, log.stats().pending_bytes, log.stats().refused), (3, 20, 1));
    assert_eq!(errno(log.close()), ("write", libc::ENOSPC));
}

#[test]
fn a_record_above_the_limit_is_written_while_the_disk_takes_it() {
    let place = Place::new();
    let mut log = Log::new(Options { max_pending_bytes: 100, batch_bytes: 50, ..place.options() }).unwrap();
    let record = vec![b'x'; 300_000];
    log.append(&record).unwrap();
    assert_eq!(place.read().len(), 300_001);
}

#[test]
fn a_lock_that_is_held_is_waited_for_no_longer_than_asked() {
    let place = Place::new();
    let other = fs::File::create(&place.path).unwrap();
    assert!(flock::try_exclusive(other.as_fd()).unwrap());
    let mut log = Log::new(Options { wait_limit: Duration::from_millis(20), ..place.options() }).unwrap();
    log.append(b"one").unwrap();
    assert_eq!(errno(log.flush()), ("flock", libc::EAGAIN));
    flock::unlock(other.as_fd()).unwrap();
    log.flush().unwrap();
    assert_eq!(place.read(), "one\n");
}

#[test]
fn syncing_is_counted_and_shared_words_are_used() {
    let place = Place::new();
    let mut log = Log::new(Options { sync: Durability::Record, ..place.options() }).unwrap();
    log.append(b"one").unwrap();
    log.append(b"two").unwrap();
    assert_eq!((log.stats().syncs, log.stats().writes, log.stats().group), (2, 2, true));
    let mut other = place.log();
    other.append(b"three").unwrap();
    other.sync().unwrap();
    other.sync().unwrap();
    assert_eq!(other.stats().syncs, 1);
    assert_eq!(place.read(), "one\ntwo\nthree\n");
}

#[test]
fn without_a_state_directory_everyone_syncs_alone_and_a_spool_is_refused() {
    let place = Place::new();
    let options = Options { state_dir: Some("/nonexistent".into()), sync: Durability::Record, ..place.options() };
    let mut log = Log::new(options.clone()).unwrap();
    log.append(b"one").unwrap();
    assert!(!log.stats().group);
    assert_eq!(log.stats().syncs, 1);
    assert_eq!(errno(Log::new(Options { spool: true, ..options })), ("mkdir", libc::ENOENT));
}

#[test]
fn a_sync_after_a_rotation_covers_the_old_file() {
    let place = Place::new();
    let mut log = place.log();
    log.append(b"one").unwrap();
    log.flush().unwrap();
    fs::rename(&place.path, place.dir.path().join("old")).unwrap();
    log.append(b"two").unwrap();
    log.sync().unwrap();
    assert_eq!(log.stats().syncs, 2); // the file system for the old one, the new file by itself
}

#[test]
fn a_pipe_takes_records_and_its_loss_is_an_error() {
    let place = Place::new();
    nix::unistd::mkfifo(&place.path, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let mut log = Log::new(Options { wait_limit: Duration::from_millis(20), ..place.options() }).unwrap();
    log.append(b"one").unwrap();
    assert_eq!(errno(log.flush()), ("open", libc::ENXIO));
    let reader = fs::File::options().read(true).write(true).open(&place.path).unwrap();
    log.flush().unwrap();
    log.append(&[b'x'; 100_000]).unwrap_err(); // a full pipe is not waited for for ever
    assert_eq!(log.stats().pending_bytes, 100_001); // whole, whatever is in the pipe
    drop(reader);
    assert_eq!(errno(log.flush()), ("open", libc::ENXIO));
}

#[test]
fn a_spool_left_behind_is_appended_once_by_the_next_logger() {
    let place = Place::new();
    let mut log = Log::new(Options { spool: true, ..place.options() }).unwrap();
    log.append(b"one").unwrap();
    log.append(b"two").unwrap();
    // What a kill leaves: the spool without its owner, and nothing written.
    let spool = log.spool.take().unwrap();
    drop(spool);
    std::mem::forget(log);
    let mut next = place.log();
    assert_eq!(next.stats().recovered, 2);
    next.append(b"three").unwrap();
    drop(next);
    drop(place.log());
    assert_eq!(place.read(), "one\ntwo\nthree\n");
}

#[test]
fn a_spool_grows_with_what_waits_and_is_empty_after_a_flush() {
    let place = Place::new();
    let mut log =
        Log::new(Options { spool: true, batch_bytes: 1 << 20, batch_records: 100_000, ..place.options() }).unwrap();
    for _ in 0..10 {
        log.append(&[b'x'; 50_000]).unwrap();
    }
    log.flush().unwrap();
    drop(log.spool.take());
    drop(log);
    let next = place.log();
    assert_eq!((next.stats().recovered, place.read().len()), (0, 500_010));
}

#[test]
fn many_loggers_of_one_process_keep_apart() {
    let place = Place::new();
    let path: &Path = &place.path;
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let options = Options { batch_records: 7, ..place.options() };
            scope.spawn(move || {
                let mut log = Log::new(options).unwrap();
                for n in 0..500 {
                    log.append(format!("{thread} {n}").as_bytes()).unwrap();
                }
            });
        }
    });
    let text = fs::read_to_string(path).unwrap();
    for thread in 0..4 {
        let mine: Vec<_> = text.lines().filter_map(|line| line.strip_prefix(&format!("{thread} "))).collect();
        assert_eq!(mine, (0..500).map(|n| n.to_string()).collect::<Vec<_>>());
    }
}

/// A FIFO with a reader's end of its own, and a logger that waits for no reader.
fn pipe_log(place: &Place, options: Options) -> (fs::File, Log) {
    nix::unistd::mkfifo(&place.path, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let log = Log::new(Options { wait_limit: Duration::from_millis(20), batch_records: 1, ..options }).unwrap();
    (reader(&place.path), log)
}

fn reader(path: &Path) -> fs::File {
    use std::os::unix::fs::OpenOptionsExt;
    fs::File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path).unwrap()
}

/// What is in the pipe now, each record as its first letter and its length.
fn drained(mut reader: &fs::File) -> Vec<String> {
    let mut all = Vec::new();
    let _ = std::io::Read::read_to_end(&mut reader, &mut all); // EAGAIN when it is empty
    let text = String::from_utf8(all).unwrap();
    text.lines().map(|line| format!("{}{}", &line[..line.len().min(1)], line.len())).collect()
}

#[test]
fn a_slow_reader_gets_a_torn_record_to_its_end_and_a_new_reader_from_its_start() {
    let (a, b, c) = ([b'a'; 40_000], [b'b'; 40_000], [b'c'; 100]);
    let place = Place::new();
    let (slow, mut log) = pipe_log(&place, place.options());
    log.append(&a).unwrap();
    assert_eq!(errno(log.append(&b)), ("write", libc::EAGAIN));
    assert_eq!((log.stats().pending_records, log.stats().pending_bytes), (1, 40_001));
    let first = drained(&slow);
    assert_eq!(first[0], "a40000");
    log.append(&c).unwrap();
    log.flush().unwrap();
    assert_eq!(drained(&slow), [format!("b{}", 40_000 - first[1][1..].parse::<usize>().unwrap()), "c100".into()]);

    for others in [false, true] {
        let place = Place::new();
        let (gone, mut log) = pipe_log(&place, place.options());
        log.append(&a).unwrap();
        assert_eq!(errno(log.append(&b)), ("write", libc::EAGAIN));
        let other = others.then(|| fs::File::options().write(true).open(&place.path).unwrap());
        drop(gone);
        assert_eq!(errno(log.flush()), ("open", libc::ENXIO));
        let new = reader(&place.path);
        if other.is_some() {
            // The pipe has outlived its reader, and what was in it.
            assert_eq!(errno(log.flush()), ("write", libc::EAGAIN));
            assert_eq!(drained(&new)[0], "a40000");
        }
        log.flush().unwrap();
        let rest = drained(&new);
        assert_eq!(rest, if others { vec!["0", "b40000"] } else { vec!["b40000"] }); // the 0 ends the torn line
    }
}

#[test]
fn a_torn_record_that_is_refused_ends_with_a_newline() {
    let place = Place::new();
    let (slow, mut log) = pipe_log(&place, Options { max_pending_bytes: 1000, ..place.options() });
    log.append(&[b'a'; 40_000]).unwrap();
    assert_eq!(errno(log.append(&[b'b'; 40_000])), ("append", libc::ENOBUFS));
    let torn = drained(&slow);
    assert_eq!(torn[0], "a40000");
    log.append(b"next").unwrap();
    assert_eq!(drained(&slow), ["0", "n4"]);
}

#[test]
fn a_dead_loggers_records_go_whole_through_a_full_pipe_and_once() {
    let place = Place::new();
    let (slow, mut dead) = pipe_log(&place, place.options());
    dead = Log::new(Options { spool: true, batch_records: 9, ..dead.options().clone() }).unwrap();
    dead.options.batch_bytes = 1 << 20;
    dead.reset_due();
    for letter in [b'a', b'b', b'c'] {
        dead.append(&[letter; 40_000]).unwrap();
    }
    drop(dead.spool.take());
    let options = Options { spool: false, batch_records: 1, ..dead.options().clone() };
    std::mem::forget(dead);
    let mut next = Log::new(options).unwrap();
    assert_eq!(errno(next.append(b"own")), ("write", libc::EAGAIN));
    let mut seen = drained(&slow);
    for _ in 0..9 {
        next.looked_ns = 0;
        let _ = next.flush();
        seen.extend(drained(&slow));
    }
    let whole: Vec<_> =
        seen.iter().filter(|line| ["a40000", "b40000", "c40000", "o3"].contains(&line.as_str())).collect();
    assert_eq!(whole, ["a40000", "b40000", "c40000", "o3"], "{seen:?}");
    assert_eq!(next.stats().recovered, 3);
}

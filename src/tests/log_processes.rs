//! Loggers in many processes, killed at any moment: this binary runs itself again as the worker.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails here has failed")]

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustio::log::{Durability, Log, Options};

/// A directory for one test, and its loggers.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("state")).unwrap();
        Place { dir }
    }

    fn log(&self) -> PathBuf {
        self.dir.path().join("log")
    }

    /// Starts a worker process.
    fn worker(&self, name: &str, records: usize, size: usize, how: &str) -> Child {
        let test = std::env::current_exe().unwrap();
        Command::new(test)
            .args(["worker", "--exact", "--nocapture", "--ignored"])
            .env("LOG_DIR", self.dir.path())
            .env("LOG_WORKER", format!("{name} {records} {size} {how}"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap()
    }

    /// Every line of the file and of those it was rotated to; panics unless each is a whole record.
    fn records(&self) -> Vec<Record> {
        let mut all = Vec::new();
        for entry in fs::read_dir(self.dir.path()).unwrap().flatten() {
            if entry.file_name().to_str().unwrap().starts_with("log") {
                let text = fs::read_to_string(entry.path()).unwrap();
                assert!(text.is_empty() || text.ends_with('\n'), "a torn tail in {:?}", entry.path());
                all.extend(text.lines().map(Record::parse));
            }
        }
        all
    }
}

/// One line: `<writer> <number> <length> <filler> <sum>`.
#[derive(Debug, PartialEq, Eq, Hash, Clone)]
struct Record {
    writer: String,
    number: usize,
}

impl Record {
    fn line(writer: &str, number: usize, size: usize) -> String {
        let filler: String = (0..size).map(|n| char::from(b'a' + ((n * 7 + number) % 26) as u8)).collect();
        let body = format!("{writer} {number} {size} {filler}");
        let sum: u32 = body.bytes().fold(17, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        format!("{body} {sum:08x}")
    }

    fn parse(line: &str) -> Record {
        let fields: Vec<&str> = line.split(' ').collect();
        let [writer, number, size, _, _] = fields[..] else { panic!("no record: {line:.200?}") };
        let (number, size) = (number.parse().unwrap(), size.parse().unwrap());
        assert_eq!(Record::line(writer, number, size), line, "a damaged record");
        Record { writer: writer.to_owned(), number }
    }
}

/// Not a test: what the child processes run.
#[test]
#[ignore = "started by the other tests as a process of its own"]
fn worker() {
    let (Ok(dir), Ok(task)) = (std::env::var("LOG_DIR"), std::env::var("LOG_WORKER")) else { return };
    let fields: Vec<&str> = task.splitn(4, ' ').collect();
    let [name, records, size, how] = fields[..] else { panic!("{task}") };
    let (records, size): (usize, usize) = (records.parse().unwrap(), size.parse().unwrap());
    let options = Options {
        spool: how.contains("spool"),
        sync: if how.contains("record") { Durability::Record } else { Durability::Never },
        batch_records: if how.contains("single") { 1 } else { 50 },
        state_dir: Some(Path::new(&dir).join("state")),
        ..Options::new(&Path::new(&dir).join("log"))
    };
    let mut log = Log::new(options).unwrap();
    let mut out = std::io::stdout().lock();
    for number in 0..records {
        log.append(Record::line(name, number, size).as_bytes()).unwrap();
        if how.contains("ack") {
            writeln!(out, "acked {number}").unwrap();
        }
    }
    log.close().unwrap();
    let stats = log.stats();
    writeln!(out, "done {} {} {}", stats.writes, stats.syncs, stats.shared_syncs).unwrap();
}

/// Waits for a child, and kills it when it takes too long.
fn wait(mut child: Child) -> String {
    let stdout = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || BufReader::new(stdout).lines().map_while(Result::ok).collect::<Vec<_>>());
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(start.elapsed() < Duration::from_secs(120), "a worker hangs");
        std::thread::sleep(Duration::from_millis(2));
    };
    assert!(status.success(), "{status}");
    reader.join().unwrap().into_iter().find(|line| line.starts_with("done")).unwrap()
}

fn assert_whole_once_in_order(records: &[Record], writer: &str, count: usize) {
    let mine: Vec<usize> =
        records.iter().filter(|record| record.writer == writer).map(|record| record.number).collect();
    assert_eq!(mine, (0..count).collect::<Vec<_>>(), "{writer}");
}

#[test]
fn many_processes_keep_every_record_whole_once_and_in_order() {
    for (size, count, how) in [(10, 2000, "batch"), (9000, 200, "batch"), (200_000, 20, "batch"), (4000, 200, "single")]
    {
        let place = Place::new();
        let workers: Vec<_> = (0..8).map(|n| place.worker(&format!("w{n}"), count, size, how)).collect();
        workers.into_iter().for_each(|worker| drop(wait(worker)));
        let records = place.records();
        (0..8).for_each(|n| assert_whole_once_in_order(&records, &format!("w{n}"), count));
    }
}

#[test]
fn group_commit_serves_every_process() {
    let place = Place::new();
    let workers: Vec<_> = (0..8).map(|n| place.worker(&format!("w{n}"), 100, 80, "record")).collect();
    let mut served = 0;
    for worker in workers {
        let done = wait(worker);
        served += done.split(' ').skip(2).map(|count| count.parse::<usize>().unwrap()).sum::<usize>();
    }
    let records = place.records();
    (0..8).for_each(|n| assert_whole_once_in_order(&records, &format!("w{n}"), 100));
    // By an fdatasync of its own or another's; how many share one depends on how long it takes.
    assert!(served >= 800, "{served} syncs, own or shared, for 800 records");
}

/// Kills workers at random moments while others log; then nothing is torn, and what a spool or an acknowledgement has
/// promised is there, once.
fn kill_at_random(rounds: usize, size: usize, how: &str, promised: bool) {
    let place = Place::new();
    let steady = place.worker("steady", 3000, 300, "batch");
    let mut acked: HashMap<String, usize> = HashMap::new();
    let mut seed = 12345u64;
    for round in 0..rounds {
        let name = format!("v{round}");
        let mut victim = place.worker(&name, 1_000_000, size, how);
        let mut out = BufReader::new(victim.stdout.take().unwrap());
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let wanted = (seed >> 33) as usize % 400;
        let mut line = String::new();
        let mut last = 0;
        while out.read_line(&mut line).is_ok_and(|n| n > 0) {
            if let Some(number) = line.trim_end().strip_prefix("acked ") {
                last = number.parse::<usize>().unwrap() + 1;
                if last >= wanted {
                    break;
                }
            }
            line.clear();
        }
        victim.kill().unwrap();
        victim.wait().unwrap();
        line.clear();
        while out.read_line(&mut line).is_ok_and(|n| n > 0) {
            if let Some(number) = line.strip_suffix('\n').and_then(|line| line.strip_prefix("acked ")) {
                last = number.parse::<usize>().unwrap() + 1;
            }
            line.clear();
        }
        acked.insert(name, last);
    }
    wait(steady);
    wait(place.worker("last", 1, 10, how)); // repairs and recovers
    let records = place.records();
    assert_whole_once_in_order(&records, "steady", 3000);
    assert_whole_once_in_order(&records, "last", 1);
    for (name, acked) in acked {
        let stored = records.iter().filter(|record| record.writer == name).count();
        assert_whole_once_in_order(&records, &name, stored);
        assert!(!promised || stored >= acked, "{name}: {stored} of {acked}");
    }
    let left = fs::read_dir(place.dir.path().join("state")).unwrap().flatten();
    let spools = left.flat_map(|user| fs::read_dir(user.path().join("spools")).into_iter().flatten().flatten());
    let spools = spools.filter(|entry| entry.file_name().to_str().unwrap().starts_with("spool")).count();
    assert!(spools <= 1, "{spools} spools left"); // that of "last", idle when it ended
}

#[test]
fn kills_lose_nothing_that_a_spool_has_accepted() {
    kill_at_random(60, 300, "spool ack", true);
}

#[test]
fn kills_lose_nothing_that_a_spool_has_accepted_in_big_batches() {
    kill_at_random(30, 20_000, "spool ack", true);
}

#[test]
fn kills_lose_nothing_that_was_acknowledged_as_synced() {
    kill_at_random(20, 100, "record ack", true);
}

#[test]
fn kills_tear_nothing_without_a_spool() {
    kill_at_random(30, 9000, "batch ack", false);
}

#[test]
fn rotation_at_full_speed_loses_nothing() {
    let place = Place::new();
    let workers: Vec<_> = (0..4).map(|n| place.worker(&format!("w{n}"), 20_000, 100, "batch")).collect();
    for round in 0..20 {
        std::thread::sleep(Duration::from_millis(20));
        let _ = fs::rename(place.log(), place.dir.path().join(format!("log.{round}")));
        if round % 2 == 0 {
            let _ = fs::File::options().append(true).create(true).open(place.log());
        }
    }
    workers.into_iter().for_each(|worker| drop(wait(worker)));
    let records = place.records();
    for n in 0..4 {
        let writer = format!("w{n}");
        let mut mine: Vec<_> = records.iter().filter(|record| record.writer == writer).map(|r| r.number).collect();
        mine.sort_unstable(); // the files were read in no order
        assert_eq!(mine, (0..20_000).collect::<Vec<_>>());
    }
}

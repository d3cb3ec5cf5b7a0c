//! Every interleaving, every death: the machine of the parent module runs in a world of two inodes and one path, and all
//! reachable states are visited.

use std::collections::{HashMap, HashSet};

use super::*;

/// What may happen besides the loggers' own steps, each at most as often as its number says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Luck {
    kills: u8,
    rotations: u8,
    failed_syncs: u8,
    background_failures: u8,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Inode {
    // bit sets of records: in the page cache only, on disk, dropped by a failed write-back
    dirty: u16,
    durable: u16,
    lost: u16,
    errors: u8,
    error_seen: bool,
    name_durable: bool,
    written: u64,
    synced: u64,
    gap: u64,
    failures: u64,
    name_synced: bool,
    lock: Option<usize>,
    leader: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Fd {
    inode: usize,
    seen: u8,
    failures: u64,
    opened: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Idle,
    Locked,
    Written { failures: u64 },
    Waiting { commit: Commit, syncing: Option<u16> },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Process {
    alive: bool,
    fd: Option<Fd>,
    phase: Phase,
    record: u16,
    left: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct World {
    inodes: [Inode; 2],
    path: usize,
    processes: Vec<Process>,
    luck: Luck,
}

impl World {
    fn new(processes: usize, records: u8, luck: Luck) -> Self {
        let process = |n: usize| Process {
            alive: true,
            fd: None,
            phase: Phase::Idle,
            record: 1 << (n * usize::from(records)),
            left: records,
        };
        World { inodes: Default::default(), path: 0, processes: (0..processes).map(process).collect(), luck }
    }

    /// Every world that can come next.
    fn successors(&self) -> Vec<World> {
        let mut out = Vec::new();
        for n in 0..self.processes.len() {
            if self.processes[n].alive && !(self.processes[n].left == 0 && self.processes[n].phase == Phase::Idle) {
                self.step(n, &mut out);
                if self.luck.kills > 0 {
                    let mut next = self.clone();
                    next.luck.kills -= 1;
                    next.kill(n);
                    out.push(next);
                }
            }
        }
        if self.luck.rotations > 0 {
            let mut next = self.clone();
            next.luck.rotations -= 1;
            next.path = 1;
            out.push(next);
        }
        for at in 0..2 {
            if self.luck.background_failures > 0 && self.inodes[at].dirty != 0 {
                let mut next = self.clone();
                next.luck.background_failures -= 1;
                next.inodes[at].fail();
                next.inodes[at].error_seen = false;
                out.push(next);
            }
            if self.inodes[at].errors > 0 && !self.inodes[at].error_seen {
                let mut next = self.clone(); // somebody outside calls fsync and is told
                next.inodes[at].error_seen = true;
                out.push(next);
            }
        }
        out
    }

    fn kill(&mut self, n: usize) {
        for inode in &mut self.inodes {
            inode.lock = inode.lock.filter(|&holder| holder != n);
            inode.leader = inode.leader.filter(|&holder| holder != n);
        }
        self.processes[n] = Process { alive: false, fd: None, phase: Phase::Idle, record: 0, left: 0 };
    }

    fn step(&self, n: usize, out: &mut Vec<World>) {
        let mut next = self.clone();
        let process = &mut next.processes[n];
        match process.phase {
            Phase::Idle => match process.fd {
                Some(fd) if fd.inode == self.path => {
                    let inode = &mut next.inodes[fd.inode];
                    if inode.lock.is_some() {
                        return;
                    }
                    inode.lock = Some(n);
                    process.phase = Phase::Locked;
                }
                _ => {
                    let inode = &next.inodes[self.path];
                    let seen = if inode.error_seen { inode.errors } else { inode.errors.saturating_sub(1) };
                    process.fd = Some(Fd { inode: self.path, seen, failures: inode.failures, opened: None });
                }
            },
            Phase::Locked => {
                let fd = process.fd.as_mut().unwrap();
                let inode = &mut next.inodes[fd.inode];
                if fd.failures != inode.failures {
                    inode.lock = None;
                    process.fd = None;
                    process.phase = Phase::Idle;
                } else {
                    fd.opened.get_or_insert(inode.written);
                    let failures = inode.failures;
                    inode.dirty |= process.record;
                    process.phase = Phase::Written { failures };
                }
            }
            Phase::Written { failures } => {
                let fd = process.fd.unwrap();
                let inode = &mut next.inodes[fd.inode];
                inode.written += 1;
                inode.lock = None;
                let claim = Claim { first: inode.written, last: inode.written, failures };
                process.phase = Phase::Waiting { commit: Commit::new(claim, fd.opened.unwrap()), syncing: None };
            }
            Phase::Waiting { commit, syncing } => return self.wait(n, commit, syncing, out),
        }
        out.push(next);
    }

    fn wait(&self, n: usize, mut commit: Commit, syncing: Option<u16>, out: &mut Vec<World>) {
        let fd = self.processes[n].fd.unwrap();
        let mut next = self.clone();
        let inode = &mut next.inodes[fd.inode];
        let answer = match commit.action() {
            Action::LoadSynced => Answer::Value(inode.synced),
            Action::LoadGap => Answer::Value(inode.gap),
            Action::LoadFailures => Answer::Value(inode.failures),
            Action::LoadWritten => Answer::Value(inode.written),
            Action::TryLead => {
                let mine = inode.leader.is_none();
                if mine {
                    inode.leader = Some(n);
                }
                Answer::Flag(mine)
            }
            Action::SyncDirectory => {
                if !inode.name_synced {
                    inode.name_durable = true;
                    inode.name_synced = true;
                }
                Answer::Flag(true)
            }
            Action::Gather | Action::Sleep => Answer::Done,
            Action::StoreGap(value) => {
                inode.gap = inode.gap.max(value);
                Answer::Done
            }
            Action::StoreSynced(value) => {
                inode.synced = inode.synced.max(value);
                Answer::Done
            }
            Action::AddFailure => {
                inode.failures += 1;
                Answer::Done
            }
            Action::StopLeading => {
                assert_eq!(inode.leader, Some(n));
                inode.leader = None;
                Answer::Done
            }
            Action::Sync => match syncing {
                None => {
                    let started = Phase::Waiting { commit, syncing: Some(inode.dirty) };
                    next.processes[n].phase = started;
                    return out.push(next);
                }
                Some(covered) => return self.sync_ends(n, commit, covered, out),
            },
            Action::Finish(verdict) => {
                let record = self.processes[n].record;
                if matches!(verdict, Verdict::Durable { .. }) {
                    assert_eq!(inode.durable & record, record, "acknowledged, not on disk: {self:?}");
                    assert!(inode.name_durable, "acknowledged in a file without a name: {self:?}");
                }
                assert_ne!(inode.leader, Some(n), "leadership kept: {self:?}");
                let process = &mut next.processes[n];
                process.left -= 1;
                process.record <<= 1;
                process.phase = Phase::Idle;
                return out.push(next);
            }
        };
        commit.answer(answer);
        next.processes[n].phase = Phase::Waiting { commit, syncing: None };
        out.push(next);
    }

    /// An fdatasync of process `n` returns: well, with an error that was waiting for this descriptor, or with a new one.
    fn sync_ends(&self, n: usize, commit: Commit, covered: u16, out: &mut Vec<World>) {
        for fails in [false, true] {
            let mut next = self.clone();
            let fd = next.processes[n].fd.as_mut().unwrap();
            let inode = &mut next.inodes[fd.inode];
            let told = fd.seen != inode.errors;
            if fails {
                if next.luck.failed_syncs == 0 {
                    continue;
                }
                next.luck.failed_syncs -= 1;
                inode.fail();
            } else {
                let stored = covered & inode.dirty;
                inode.dirty &= !stored;
                inode.durable |= stored;
            }
            if fails || told {
                fd.seen = inode.errors;
                inode.error_seen = true;
            }
            let mut commit = commit;
            commit.answer(Answer::Flag(!fails && !told));
            next.processes[n].phase = Phase::Waiting { commit, syncing: None };
            out.push(next);
        }
    }

    fn is_over(&self) -> bool {
        self.processes.iter().all(|process| !process.alive || (process.left == 0 && process.phase == Phase::Idle))
    }
}

impl Inode {
    /// Write-back fails: the kernel marks every dirty page clean.
    fn fail(&mut self) {
        self.lost |= self.dirty;
        self.dirty = 0;
        self.errors += 1;
    }
}

/// Visits every reachable world and checks that each can still come to an end. Gives their number.
fn explore(start: World) -> usize {
    let mut numbers: HashMap<World, usize> = HashMap::new();
    let mut before: Vec<Vec<u32>> = vec![Vec::new()];
    let mut over = Vec::new();
    numbers.insert(start.clone(), 0);
    let mut todo = vec![(start, 0)];
    while let Some((world, from)) = todo.pop() {
        if world.is_over() {
            over.push(from);
        }
        for next in world.successors() {
            let fresh = numbers.len();
            let to = *numbers.entry(next.clone()).or_insert(fresh);
            if to == fresh {
                before.push(Vec::new());
                todo.push((next, to));
            }
            before[to].push(u32::try_from(from).unwrap());
        }
    }
    let mut ends: HashSet<usize> = over.iter().copied().collect();
    while let Some(world) = over.pop() {
        for &earlier in &before[world] {
            if ends.insert(earlier as usize) {
                over.push(earlier as usize);
            }
        }
    }
    assert_eq!(ends.len(), numbers.len(), "some world can never come to an end");
    numbers.len()
}

const NONE: Luck = Luck { kills: 0, rotations: 0, failed_syncs: 0, background_failures: 0 };

#[test]
fn three_writers_and_a_death() {
    let worlds = explore(World::new(3, 1, Luck { kills: 1, ..NONE }));
    assert!(worlds > 10_000, "{worlds}");
}

#[test]
fn two_writers_a_failed_sync_and_a_death() {
    explore(World::new(2, 2, Luck { kills: 1, failed_syncs: 1, ..NONE }));
}

#[test]
fn two_writers_and_a_rotation() {
    explore(World::new(2, 2, Luck { rotations: 1, kills: 1, ..NONE }));
}

#[test]
fn two_writers_and_a_failure_that_somebody_else_is_told() {
    explore(World::new(2, 2, Luck { background_failures: 1, ..NONE }));
}

#[test]
fn three_writers_and_every_kind_of_failure() {
    explore(World::new(3, 1, Luck { failed_syncs: 1, background_failures: 1, ..NONE }));
}

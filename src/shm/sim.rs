//! An exhaustive simulation: every interleaving of a few processes over shared words, with a death after any step.
//!
//! The processes run the real protocols over [`Steps`], a memory that records what each operation gave. One step of a
//! process is made by running it from its start over the recorded results and letting one more operation through; so a
//! state is nothing but words, lock and records, can be copied, and is visited once however it was reached.

use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::layout::OWNER;
use super::memory::{Fault, Memory};

/// A report that means: start over (with nothing remembered).
pub const AGAIN: u64 = u64::MAX;

/// Why a simulated process does not go on now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It has made its step.
    Stepped,
    /// It waits for the lock.
    Blocked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Lock {
    Free,
    Held(usize),
    OwnerDied,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Shared {
    words: Vec<u64>,
    lock: Lock,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Status {
    Running,
    Done(u64),
    Dead,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Process {
    history: Vec<u64>,
    status: Status,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    shared: Shared,
    processes: Vec<Process>,
    deaths_left: usize,
}

#[derive(Debug)]
struct Cursor {
    shared: Shared,
    history: Vec<u64>,
    position: usize,
    fresh: usize,
}

/// The memory that one process sees.
#[derive(Debug)]
pub struct Steps {
    me: usize,
    /// How many operations one turn makes: 1, or no end for a process that runs alone.
    turn: usize,
    cursor: RefCell<Cursor>,
}

impl Steps {
    fn step(&self, operation: impl FnOnce(&mut Shared) -> Result<u64, Stop>) -> Result<u64, Stop> {
        let mut cursor = self.cursor.borrow_mut();
        if cursor.position < cursor.history.len() {
            cursor.position += 1;
            return Ok(cursor.history[cursor.position - 1]);
        }
        if cursor.fresh == self.turn {
            return Err(Stop::Stepped);
        }
        let result = operation(&mut cursor.shared)?;
        cursor.fresh += 1;
        cursor.history.push(result);
        cursor.position += 1;
        Ok(result)
    }

    /// Which process this is.
    pub fn me(&self) -> usize {
        self.me
    }

    /// Something the kernel does at one go.
    pub fn whole(&self, change: impl FnOnce(&mut [u64]) -> u64) -> Result<u64, Stop> {
        self.step(|shared| Ok(change(&mut shared.words)))
    }

    /// Takes the lock; true when its last holder died with it.
    pub fn lock(&self) -> Result<bool, Stop> {
        self.step(|shared| match shared.lock {
            Lock::Held(_) => Err(Stop::Blocked),
            Lock::Free | Lock::OwnerDied => {
                let died = shared.lock == Lock::OwnerDied;
                shared.lock = Lock::Held(self.me);
                Ok(died.into())
            }
        })
        .map(|died| died != 0)
    }

    /// Releases the lock.
    pub fn unlock(&self) -> Result<(), Stop> {
        self.step(|shared| {
            assert_eq!(shared.lock, Lock::Held(self.me), "unlocked by another one");
            shared.lock = Lock::Free;
            Ok(0)
        })
        .map(drop)
    }
}

impl Memory for Steps {
    type Stop = Stop;

    fn load(&self, word: usize) -> Result<u64, Stop> {
        self.step(|shared| Ok(shared.words[word]))
    }

    fn store(&self, word: usize, value: u64) -> Result<(), Stop> {
        self.swap(word, value).map(drop)
    }

    fn swap(&self, word: usize, value: u64) -> Result<u64, Stop> {
        self.step(|shared| Ok(std::mem::replace(&mut shared.words[word], value)))
    }

    fn compare_exchange(&self, word: usize, old: u64, new: u64) -> Result<Result<(), u64>, Stop> {
        // One result word: whether it was another value, and which (two steps of a record, one of the process).
        let found = self.step(|shared| {
            let found = shared.words[word];
            if found == old {
                shared.words[word] = new;
            }
            Ok(found)
        })?;
        Ok(if found == old { Ok(()) } else { Err(found) })
    }

    /// The kernel has marked the entries of the dead (see [`mark_dead`]); what is a mutex there is a word here.
    fn bury(&self, entry: usize) -> Result<bool, Stop> {
        let dead = self.step(|shared| {
            let dead = shared.words[entry + OWNER];
            if dead != 0 {
                shared.words[entry] = 0;
            }
            Ok(dead)
        })?;
        Ok(dead != 0)
    }
}

/// The owner of the hazard entry at this word has died.
pub fn mark_dead(words: &mut [u64], entry: usize) {
    words[entry + OWNER] = 1;
}

/// What a process does, and what it reports when it is done.
pub type Program<'p> = Box<dyn Fn(&Steps) -> Result<u64, Fault<Stop>> + 'p>;

/// How one run ended.
#[derive(Debug)]
pub struct Ending {
    /// The words, after the last repair.
    pub words: Vec<u64>,
    /// Each process's report; None if it died.
    pub reports: Vec<Option<u64>>,
}

/// Tries all runs of `programs` from `words` with at most `deaths` deaths. After each, `last` runs alone (the next
/// locker) and `judge` looks at what is left. Gives the number of different endings, or the first one judged wrong.
pub fn explore(
    words: Vec<u64>,
    programs: &[Program<'_>],
    deaths: usize,
    last: &Program<'_>,
    judge: impl Fn(&Ending) -> bool,
) -> Result<usize, Ending> {
    explore_with(words, programs, deaths, last, |_, _| {}, judge)
}

/// As [`explore`], with what the kernel does to the words when a process dies.
pub fn explore_with(
    words: Vec<u64>,
    programs: &[Program<'_>],
    deaths: usize,
    last: &Program<'_>,
    bury: impl Fn(&mut [u64], usize),
    judge: impl Fn(&Ending) -> bool,
) -> Result<usize, Ending> {
    let running = Process { history: Vec::new(), status: Status::Running };
    let start = State {
        shared: Shared { words, lock: Lock::Free },
        processes: vec![running; programs.len()],
        deaths_left: deaths,
    };
    let mut seen = HashSet::from([fingerprint(&start)]);
    let mut open = vec![start];
    let mut endings = 0;
    while let Some(state) = open.pop() {
        let mut next = Vec::new();
        for (me, program) in programs.iter().enumerate() {
            if state.processes[me].status != Status::Running {
                continue;
            }
            next.extend(advance(&state, me, program));
            if state.deaths_left > 0 {
                let mut dead = kill(&state, me);
                bury(&mut dead.shared.words, me);
                next.push(dead);
            }
        }
        let running = state.processes.iter().any(|process| process.status == Status::Running);
        assert!(!running || !next.is_empty(), "deadlock: {state:?}");
        if !running {
            let ending = end(state, last);
            if !judge(&ending) {
                return Err(ending);
            }
            endings += 1;
            continue;
        }
        for state in next {
            if seen.insert(fingerprint(&state)) {
                open.push(state);
            }
        }
    }
    Ok(endings)
}

/// 128 bits of a state instead of all of it: a hundred times as many fit into memory.
fn fingerprint(state: &State) -> (u64, u64) {
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        (salt, state).hash(&mut hasher);
        hasher.finish()
    };
    (half(1), half(2))
}

fn run(
    shared: Shared,
    history: Vec<u64>,
    me: usize,
    turn: usize,
    program: &Program<'_>,
) -> (Cursor, Result<u64, Fault<Stop>>) {
    let steps = Steps { me, turn, cursor: RefCell::new(Cursor { shared, history, position: 0, fresh: 0 }) };
    let result = program(&steps);
    (steps.cursor.into_inner(), result)
}

fn advance(state: &State, me: usize, program: &Program<'_>) -> Option<State> {
    let (cursor, result) = run(state.shared.clone(), state.processes[me].history.clone(), me, 1, program);
    let status = match result {
        Ok(AGAIN) => {
            let mut next = state.clone();
            next.shared = cursor.shared;
            next.processes[me].history.clear();
            return Some(next);
        }
        Ok(report) => Status::Done(report),
        Err(Fault::Stop(Stop::Stepped)) => Status::Running,
        Err(Fault::Stop(Stop::Blocked)) => return None,
        Err(fault) => panic!("{fault:?} in {state:?}"),
    };
    let mut next = state.clone();
    next.shared = cursor.shared;
    // What it has seen no longer matters once it is done: fewer states are different.
    let history = if status == Status::Running { cursor.history } else { Vec::new() };
    next.processes[me] = Process { history, status };
    Some(next)
}

fn kill(state: &State, me: usize) -> State {
    let mut next = state.clone();
    next.deaths_left -= 1;
    next.processes[me] = Process { history: Vec::new(), status: Status::Dead };
    if next.shared.lock == Lock::Held(me) {
        next.shared.lock = Lock::OwnerDied;
    }
    next
}

fn end(state: State, last: &Program<'_>) -> Ending {
    let reports = state
        .processes
        .iter()
        .map(|process| if let Status::Done(report) = process.status { Some(report) } else { None })
        .collect();
    let (cursor, result) = run(state.shared, Vec::new(), usize::MAX, usize::MAX, last);
    result.unwrap();
    Ending { words: cursor.shared.words, reports }
}

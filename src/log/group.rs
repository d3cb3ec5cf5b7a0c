//! Who syncs for whom: group commit as a machine of single steps, without files or processes.
//!
//! # The shared words, one set per inode
//! - `written`: tickets given out. A writer takes `++written` after its write(2) has returned, still under the lock.
//! - `synced`: every ticket up to it is on disk, except those that `gap` and `failures` take back.
//! - `failures`: fdatasync calls that failed. After one the kernel may have dropped any page that was dirty, and will not
//!   say so again, so nothing written before is ever acknowledged by a later success.
//! - `gap`: a leader vouches only for what was written after it opened the file (an error that somebody else was told
//!   before is not reported to a later opener); tickets up to `gap` have to be synced by their own writers.
//!
//! # States and transitions
//! ```text
//!          +--------------------- woken or out of time ---------------------+
//!          v                                                                |
//! Look: synced, gap, failures --- another failure since my write ---> Failed|
//!          |   |    |  `-------- gap covers mine -> Own: fdatasync -> Durable / add failure -> Failed
//!          |   |    `----------- synced covers mine -----------------> Durable
//!          |   `--- leadership taken by another ---> Sleep ----------------'
//!          `--- leadership mine: Look again -> directory -> Gather -> w = written -> fdatasync
//!                   good: [gap = opened] -> synced = w -> give up leadership, wake -> Durable
//!                   bad:  failures + 1               -> give up leadership, wake -> Failed
//! ```
//! `synced` is read first and stored last: whoever sees it sees the `gap` and `failures` that qualify it. A leader that
//! dies loses its leadership in the kernel; sleepers wake by themselves after a while. A waiter that was covered by a good
//! sync and then sees a failure before it looked reports a failure: wrong only on the safe side.

/// What a logger has written and not yet seen on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    /// Ticket of the first such write.
    pub first: u64,
    /// Ticket of the last.
    pub last: u64,
    /// `failures` before the first of them.
    pub failures: u64,
}

/// What the driver does next, and with what [`Answer`] it comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Read `synced`: [`Answer::Value`].
    LoadSynced,
    /// Read `gap`: [`Answer::Value`].
    LoadGap,
    /// Read `failures`: [`Answer::Value`].
    LoadFailures,
    /// Try to become the leader, without waiting: [`Answer::Flag`].
    TryLead,
    /// Make a new file's name durable, unless it is known to be: [`Answer::Flag`] tells success.
    SyncDirectory,
    /// Wait a little while more records arrive.
    Gather,
    /// Read `written`: [`Answer::Value`].
    LoadWritten,
    /// fdatasync: [`Answer::Flag`] tells success.
    Sync,
    /// Store `gap`, never below what it is.
    StoreGap(u64),
    /// Store `synced`, never below what it is.
    StoreSynced(u64),
    /// Add one to `failures`.
    AddFailure,
    /// Give leadership back and wake the sleepers.
    StopLeading,
    /// Sleep until woken, at most a few milliseconds.
    Sleep,
    /// The end.
    Finish(Verdict),
}

/// What the driver found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// A word's value.
    Value(u64),
    /// Success or not.
    Flag(bool),
    /// Nothing to tell.
    Done,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Everything claimed is on disk; `shared` when another process's fdatasync put it there.
    Durable {
        /// No fdatasync of our own was needed.
        shared: bool,
    },
    /// It may not be, and no later success can tell.
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Synced,
    Gap,
    Failures,
    Lead,
    Directory,
    Gather,
    Written,
    LeaderSync,
    PublishGap,
    PublishSynced,
    LeaderFailed,
    Release,
    Own,
    OwnFailed,
    Sleep,
    End,
}

/// One logger that waits for its [`Claim`]: give it the answer to its last action, it tells the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Commit {
    claim: Claim,
    opened: u64,
    state: State,
    leading: bool,
    own_sync: bool,
    synced: u64,
    gap: u64,
    written: u64,
    outcome: Option<Verdict>,
}

impl Commit {
    /// Starts waiting. `opened`: what `written` was when this logger's descriptor was opened and the lock first held.
    pub fn new(claim: Claim, opened: u64) -> Self {
        Commit {
            claim,
            opened,
            state: State::Synced,
            leading: false,
            own_sync: false,
            synced: 0,
            gap: 0,
            written: 0,
            outcome: None,
        }
    }

    /// What to do now.
    pub fn action(&self) -> Action {
        match self.state {
            State::Synced => Action::LoadSynced,
            State::Gap => Action::LoadGap,
            State::Failures => Action::LoadFailures,
            State::Lead => Action::TryLead,
            State::Directory => Action::SyncDirectory,
            State::Gather => Action::Gather,
            State::Written => Action::LoadWritten,
            State::LeaderSync | State::Own => Action::Sync,
            State::PublishGap => Action::StoreGap(self.opened),
            State::PublishSynced => Action::StoreSynced(self.written),
            State::LeaderFailed | State::OwnFailed => Action::AddFailure,
            State::Release => Action::StopLeading,
            State::Sleep => Action::Sleep,
            State::End => Action::Finish(self.outcome.unwrap_or(Verdict::Failed)),
        }
    }

    /// Takes the answer to [`Commit::action`].
    pub fn answer(&mut self, answer: Answer) {
        let value = if let Answer::Value(value) = answer { value } else { 0 };
        let success = answer == Answer::Flag(true);
        self.state = match self.state {
            State::Synced => {
                self.synced = value;
                State::Gap
            }
            State::Gap => {
                self.gap = value;
                State::Failures
            }
            State::Failures => self.looked(value),
            State::Lead if success => {
                self.leading = true;
                State::Synced
            }
            State::Lead => State::Sleep,
            State::Sleep => State::Synced,
            State::Directory if success => State::Gather,
            State::Directory => self.end(Verdict::Failed),
            State::Gather => State::Written,
            State::Written => {
                self.written = value;
                State::LeaderSync
            }
            State::LeaderSync => {
                self.own_sync = true;
                match (success, self.opened > self.synced) {
                    (true, true) => State::PublishGap,
                    (true, false) => State::PublishSynced,
                    (false, _) => State::LeaderFailed,
                }
            }
            State::PublishGap => State::PublishSynced,
            State::PublishSynced => self.end(Verdict::Durable { shared: false }),
            State::LeaderFailed | State::OwnFailed => self.end(Verdict::Failed),
            State::Own if success => self.end(Verdict::Durable { shared: false }),
            State::Own => State::OwnFailed,
            State::Release => {
                self.leading = false;
                if self.outcome.is_some() { State::End } else { State::Own }
            }
            State::End => State::End,
        };
    }

    /// The three words are read: what they mean for this claim.
    fn looked(&mut self, failures: u64) -> State {
        if failures != self.claim.failures {
            return self.end(Verdict::Failed);
        }
        if self.gap >= self.claim.first {
            return if self.leading { State::Release } else { State::Own };
        }
        if self.synced >= self.claim.last {
            return self.end(Verdict::Durable { shared: !self.own_sync });
        }
        if self.leading { State::Directory } else { State::Lead }
    }

    fn end(&mut self, verdict: Verdict) -> State {
        self.outcome = Some(verdict);
        if self.leading { State::Release } else { State::End }
    }
}

#[cfg(test)]
mod tests;

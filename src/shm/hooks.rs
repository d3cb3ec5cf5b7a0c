//! What the lock asks its caller's world: which Fiber this is, and whether a wait must end.

use std::sync::OnceLock;

/// Answers of the embedding program. Without any there is one context and no wait is interrupted.
#[derive(Debug, Clone, Copy)]
pub struct Hooks {
    /// A number for the current Fiber of this thread; 0 outside of any.
    pub context: fn() -> usize,
    /// Lets signal handlers run; true when the wait must end. Called now and then while a process waits, never while it
    /// holds a lock that it got here.
    pub interrupted: fn() -> bool,
}

static HOOKS: OnceLock<Hooks> = OnceLock::new();

/// Sets the answers, once, before the first lock is taken; later calls do nothing.
pub fn set(hooks: Hooks) {
    HOOKS.get_or_init(|| hooks);
}

pub(super) fn context() -> usize {
    HOOKS.get().map_or(0, |hooks| (hooks.context)())
}

pub(super) fn interrupted() -> bool {
    HOOKS.get().is_some_and(|hooks| (hooks.interrupted)())
}

//! How an execution ended. An ending is a fact about one run; whether it is a bug is for
//! [`judge`](contest_campaign::judge) to say.

use super::event::{ObjectId, ThreadIndex};
use super::frame::DRIVER_FILE;
use super::waits_for::{Awaited, WaitsFor};

/// A panic, with what a report needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Panic {
    /// Which virtual thread panicked.
    pub thread: ThreadIndex,
    /// The message.
    pub message: String,
    /// `file:line:column` of the panic.
    pub location: String,
    /// Number of events before it in the whole execution.
    pub step: u32,
    /// Harness call in which it happened, if in one.
    pub call: Option<u16>,
}

/// A thread that cannot run at the end, and what it waits for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockedThread {
    /// The thread.
    pub thread: ThreadIndex,
    /// Name of the thread or of what it runs.
    pub name: String,
    /// The object it waits for.
    pub object: ObjectId,
    /// What it waits for.
    pub waits_for: WaitsFor,
    /// `file:line:column` of the blocking call.
    pub location: String,
    /// Harness call that blocks, if in one.
    pub call: Option<u16>,
    /// What a wait for a wake-up, a token or a futex is for, where names were looked up.
    pub awaited: Option<Awaited>,
    /// The line of the package that led to where it waits, if that is in code of ours and names were looked up.
    pub line: Option<String>,
}

impl BlockedThread {
    /// Where it waits, as reports say it. Empty for a place in the driver, which says nothing to its user.
    #[must_use]
    pub fn place(&self) -> &str {
        let place = self.line.as_deref().unwrap_or(&self.location);
        match place.contains(DRIVER_FILE) {
            true => "",
            false => place,
        }
    }

    /// True if it waits for a lock that it holds itself.
    #[must_use]
    pub fn waits_for_itself(&self) -> bool {
        self.waits_for.held_by().contains(&self.thread)
    }

    /// What it waits for, as reports say it after the name of the thread. `title` names threads.
    #[must_use]
    pub fn text(&self, title: &dyn Fn(ThreadIndex) -> String) -> String {
        (self.waits_for).written(title, self.awaited.as_ref(), true)
    }

    /// As [`text`](Self::text), without where a lock was acquired and what follows from that.
    #[must_use]
    pub fn brief_text(&self, title: &dyn Fn(ThreadIndex) -> String) -> String {
        (self.waits_for).written(title, self.awaited.as_ref(), false)
    }
}

/// A value that had to be dropped and was not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Leak {
    /// What it is: `Arc`, `allocation`, or the name of a type.
    pub what: &'static str,
    /// Where it was made.
    pub location: &'static std::panic::Location<'static>,
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The main thread ran to its end.
    Finished,
    /// No thread can run and the main thread has not ended.
    Deadlock(Vec<BlockedThread>),
    /// Threads spin in loops that wait for a change which no thread is left to make.
    Livelock(Vec<BlockedThread>),
    /// A panic left the main thread.
    Panicked(Panic),
    /// The code under test called for the end of the process (`process::exit`, `process::abort`): the text says which
    /// call.
    Exit(String),
    /// More visible operations than the limit: inconclusive, never a pass.
    StepLimit(u32),
    /// Memory limit of one execution reached: inconclusive.
    MemoryLimit(u64),
    /// The strategy ended it because its continuation was explored before (sleep sets) or leads nowhere.
    Abandoned,
    /// Something the engine cannot control or the user must mend; the text says what and where.
    Unsupported(String),
}

//! What hand-written models add to an execution: cells whose accesses last a while, values that must be dropped,
//! statics of one execution.

use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};

use super::thread_locals::ThreadLocals;
use contest_data::trace::{Leak, ThreadIndex};

#[derive(Debug)]
struct OpenAccess {
    cell: usize,
    token: u32,
    writes: bool,
    thread: ThreadIndex,
    location: &'static Location<'static>,
}

/// An access that cannot begin because another to the same cell has not ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Overlap {
    pub thread: ThreadIndex,
    pub writes: bool,
    pub location: &'static Location<'static>,
}

/// What the main thread of an execution is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MainName {
    /// `main`, as that of a process.
    #[default]
    Main,
    /// It has no name.
    Nameless,
    /// As a thread that was started with this name.
    Given(String),
}

#[derive(Debug, Default)]
pub(super) struct ModelState {
    /// Number of the execution in the whole process; 0 until it is first needed.
    epoch: u64,
    accesses: u32,
    open: Vec<OpenAccess>,
    /// By number; `None` once dropped.
    tracked: Vec<Option<Leak>>,
    /// Address and number of tracked memory.
    memory: Vec<(usize, usize)>,
    pub statics: ThreadLocals,
    /// The main thread has dropped the statics; using one is an error.
    pub statics_dropped: bool,
    pub main_name: MainName,
}

impl ModelState {
    pub(super) fn reset(&mut self) {
        self.epoch = 0;
        self.accesses = 0;
        self.open.clear();
        self.tracked.clear();
        self.memory.clear();
        self.statics.forget();
        self.statics_dropped = false;
        self.main_name = MainName::Main;
    }

    /// True if no value is tracked and no access lasts: what a generated test leaves.
    pub(super) fn tracks_nothing(&self) -> bool {
        self.open.is_empty() && self.tracked.is_empty() && self.memory.is_empty()
    }

    pub(super) fn has_statics(&self) -> bool {
        !self.statics.is_empty()
    }

    /// A number that no other execution of this process has.
    pub(super) fn epoch(&mut self) -> u64 {
        static LAST: AtomicU64 = AtomicU64::new(0);
        if self.epoch == 0 {
            self.epoch = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        }
        self.epoch
    }

    /// Begins an access, which lasts until [`ModelState::end_access`] with the token returned.
    pub(super) fn begin_access(
        &mut self,
        cell: usize,
        writes: bool,
        thread: ThreadIndex,
        location: &'static Location<'static>,
    ) -> Result<u32, Overlap> {
        let overlap = self
            .open
            .iter()
            .find(|access| access.cell == cell && (writes || access.writes));
        if let Some(access) = overlap {
            return Err(Overlap {
                thread: access.thread,
                writes: access.writes,
                location: access.location,
            });
        }
        self.accesses += 1;
        self.open.push(OpenAccess {
            cell,
            token: self.accesses,
            writes,
            thread,
            location,
        });
        Ok(self.accesses)
    }

    pub(super) fn end_access(&mut self, token: u32) {
        // The newest first: accesses are mostly nested.
        if let Some(index) = self.open.iter().rposition(|access| access.token == token) {
            self.open.remove(index);
        }
    }

    pub(super) fn track(&mut self, leak: Leak) -> usize {
        self.tracked.push(Some(leak));
        self.tracked.len() - 1
    }

    pub(super) fn untrack(&mut self, number: usize) {
        if let Some(tracked) = self.tracked.get_mut(number) {
            *tracked = None;
        }
    }

    pub(super) fn track_memory(&mut self, address: usize, leak: Leak) {
        let number = self.track(leak);
        self.memory.push((address, number));
    }

    /// Memory of another origin is not known here, and stays so.
    pub(super) fn untrack_memory(&mut self, address: usize) {
        if let Some(index) = self.memory.iter().rposition(|entry| entry.0 == address) {
            let (_, number) = self.memory.swap_remove(index);
            self.untrack(number);
        }
    }

    /// What has not been dropped.
    pub(super) fn leaks(&self) -> impl Iterator<Item = Leak> {
        self.tracked.iter().flatten().copied()
    }
}

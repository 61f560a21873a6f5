//! Plain accesses in a model: steps that are *bound* to the visible operation before them in their thread, because
//! nothing can come between.
//!
//! What they read and wrote is not known, so plans over them are tried, and may diverge, like those over the contents
//! of locks.

use crate::coverage::FastMap;
use contest_data::sorted::SortedMap;
use contest_data::trace::{ExecutionRecord, PlainAccess, ThreadSet};

/// Accesses that are kept of one thread between two of its visible operations.
const MOST: usize = 8;

/// The accesses that can be part of a pattern, by the position of the operation they are bound to.
#[derive(Debug, Default)]
pub(super) struct PlainSteps<'r> {
    by_anchor: SortedMap<u32, Vec<&'r PlainAccess>>,
    /// Accesses that were left out because there were too many of them.
    pub dropped: u64,
}

impl<'r> PlainSteps<'r> {
    /// From the position `begin` on: the accesses of locations that two threads use and one writes, alike ones once.
    pub(super) fn of(record: &'r ExecutionRecord, begin: u32) -> Self {
        let concurrent = || {
            let list = record.plain.list.iter();
            list.filter(|access| access.step > begin)
        };
        let mut users: FastMap<usize, (ThreadSet, bool)> = FastMap::default();
        for access in concurrent() {
            let user = users.entry(access.location).or_default();
            user.0.insert(access.thread);
            user.1 |= access.writes;
        }
        let is_shared = |access: &&PlainAccess| {
            let user = users.get(&access.location);
            user.is_some_and(|&(threads, written)| written && threads.has_several())
        };
        let mut steps = Self::default();
        let mut last: Vec<Option<u32>> = vec![None; usize::from(record.threads)];
        let mut position = 0;
        for access in concurrent().filter(is_shared) {
            while position < access.step.min(record.events.len() as u32) {
                last[record.events[position as usize].thread.index()] = Some(position);
                position += 1;
            }
            let Some(anchor) = last.get(access.thread.index()).copied().flatten() else {
                continue;
            };
            let list = steps.by_anchor.get_or_default(anchor);
            let alike = |known: &&PlainAccess| {
                (known.location, known.writes, known.place)
                    == (access.location, access.writes, access.place)
            };
            if list.iter().any(alike) {
                continue;
            }
            if list.len() < MOST {
                list.push(access);
            } else {
                steps.dropped += 1;
            }
        }
        steps
    }

    /// The accesses bound to the operation at this position, in order.
    pub(super) fn bound_to(&self, position: u32) -> &[&'r PlainAccess] {
        self.by_anchor.get(&position).map_or(&[], Vec::as_slice)
    }
}

//! Plain accesses that can be part of a pattern: while several threads run, at a location that two of them access and
//! one writes.

use super::access::concurrent_part;
use contest_data::fast_hash::FastMap;
use contest_data::trace::{ExecutionRecord, ThreadSet};

/// Finds them; keeps its buffers from one execution to the next.
#[derive(Debug, Default)]
pub struct SharedAccesses {
    /// By location: threads, and whether one writes.
    users: FastMap<usize, (ThreadSet, bool)>,
    found: Vec<u32>,
}

impl SharedAccesses {
    /// Their numbers in the execution's list.
    pub fn of(&mut self, record: &ExecutionRecord) -> &[u32] {
        self.users.clear();
        self.found.clear();
        let plain = record.plain.list.as_slice();
        let (begin, end) = concurrent_part(&record.events);
        let first = plain.partition_point(|access| (access.step as usize) <= begin);
        let last = plain.partition_point(|access| (access.step as usize) <= end);
        let plain = &plain[first..last.max(first)];
        for access in plain {
            let user = self.users.entry(access.location).or_default();
            user.0.insert(access.thread);
            user.1 |= access.writes;
        }
        self.found
            .extend((first as u32..).zip(plain).filter_map(|(number, access)| {
                let (threads, written) = self.users[&access.location];
                let shared = written && threads.has_several();
                shared.then_some(number)
            }));
        &self.found
    }
}

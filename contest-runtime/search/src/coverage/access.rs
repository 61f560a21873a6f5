//! Accesses of shared variables, as they stand in an execution.

use super::sites::{SiteId, SiteTable};
use contest_data::fast_hash::FastMap;
use contest_data::trace::{
    Action, Event, ExecutionRecord, LockMode, ObjectId, Origin, PlainAccess, ThreadIndex, ThreadSet,
};

/// Whether what a lock or a channel holds counts as a variable of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contents {
    /// Where an execution has plain accesses of memory on record, as [`Contents::Ignored`]. Else taking a lock counts
    /// as an access of what it protects (read mode: a read; exclusively: a read and a write), sending and receiving as
    /// accesses of the queue. Coarse, and right where the protected data is plain.
    #[default]
    Counted,
    /// Only atomics are variables: what is behind the locks is seen by its own accesses.
    Ignored,
}

/// One access of a variable by one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Position of the event in the execution; for a plain access of the one before it.
    pub event: u32,
    /// Thread that accesses it.
    pub thread: ThreadIndex,
    /// Harness call it belongs to.
    pub call: Option<u16>,
    /// Which variable, in this execution.
    pub variable: ObjectId,
    /// Which place in the source.
    pub site: SiteId,
    /// It reads.
    pub reads: bool,
    /// It writes. A read-modify-write does both.
    pub writes: bool,
    /// Value read, if `reads`.
    pub read: u64,
    /// Value written, if `writes`.
    pub wrote: u64,
    /// The values are known. False for the contents of locks and channels.
    pub valued: bool,
}

/// How an event accesses a variable: the variable, reads, writes, values known.
#[must_use]
pub fn access_of(event: &Event, contents: Contents) -> Option<(ObjectId, bool, bool, bool)> {
    let content = |object, reads, writes| {
        (contents == Contents::Counted).then_some((object, reads, writes, false))
    };
    match event.action {
        Action::Load(_) | Action::CasFail(_) => Some((event.object, true, false, true)),
        Action::Store(_) => Some((event.object, false, true, true)),
        Action::Rmw(..) => Some((event.object, true, true, true)),
        Action::Acquire(LockMode::Exclusive)
        | Action::TryAcquire(LockMode::Exclusive, true)
        | Action::Arrive(true) => content(event.object, true, true),
        Action::Acquire(LockMode::Read) | Action::TryAcquire(LockMode::Read, true) => {
            content(event.object, true, false)
        }
        Action::Wake(_) if event.second != ObjectId::NONE => content(event.second, true, true),
        Action::Send(_, true) => content(event.object, false, true),
        Action::Receive(_, true) => content(event.object, true, true),
        Action::Receive(_, false) => content(event.object, true, false),
        _ => None,
    }
}

/// The accesses of one execution that can be part of a pattern: of variables that at least two threads access and one
/// writes. What the main thread does before it starts the others and after it has joined the last of them is no part of
/// any.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    /// In order of execution.
    pub list: Vec<Access>,
    /// For each variable in dense numbering, its accesses in order.
    pub by_variable: Vec<Vec<u32>>,
    /// For each thread, its accesses in order.
    pub by_thread: Vec<Vec<u32>>,
    /// Dense number of the variable of each access.
    pub variable: Vec<u32>,
    /// Place of each access in `by_variable`.
    pub place: Vec<u32>,
    /// Place of each access in `by_thread`.
    pub turn: Vec<u32>,
    dense: Vec<u32>,
    users: Vec<(ThreadSet, bool)>,
    /// Locations of plain accesses: numbers after those of the objects.
    locations: FastMap<usize, u32>,
}

impl Accesses {
    /// Reads an execution; keeps its buffers from one to the next.
    pub fn read(&mut self, record: &ExecutionRecord, sites: &mut SiteTable, contents: Contents) {
        let plain = record.plain.list.as_slice();
        let contents = if record.plain.cover_contents() {
            Contents::Ignored
        } else {
            contents
        };
        self.list.clear();
        self.users.clear();
        self.users
            .resize(record.objects.len(), (ThreadSet::EMPTY, false));
        self.locations.clear();
        let (begin, end) = concurrent_part(&record.events);
        // A plain access is between the events before its step and those from it on.
        let first = plain.partition_point(|access| (access.step as usize) <= begin);
        let last = plain.partition_point(|access| (access.step as usize) <= end);
        let plain = &plain[first..last.max(first)];
        // Accesses by the engine itself are not accesses of the code under test.
        let of_engine = |access: &PlainAccess| {
            access
                .symbols
                .is_some_and(|symbols| symbols.origin == Origin::Engine)
        };
        for (position, event) in (begin..).zip(&record.events[begin..end]) {
            if record.visible_at(position).is_none()
                && let Some((object, _, writes, _)) = access_of(event, contents)
                && let Some(user) = self.users.get_mut(object.0 as usize)
            {
                user.0.insert(event.thread);
                user.1 |= writes;
            }
        }
        for access in plain.iter().filter(|access| !of_engine(access)) {
            let next = self.users.len() as u32;
            let number = *self.locations.entry(access.location).or_insert(next);
            if number == next {
                self.users.push((ThreadSet::EMPTY, false));
            }
            let user = &mut self.users[number as usize];
            user.0.insert(access.thread);
            user.1 |= access.writes;
        }
        let mut variables = 0;
        self.dense.clear();
        for &(threads, written) in &self.users {
            let shared = written && threads.has_several();
            self.dense.push(if shared { variables } else { u32::MAX });
            variables += u32::from(shared);
        }
        reuse(&mut self.by_variable, variables as usize);
        reuse(&mut self.by_thread, usize::from(record.threads));
        self.variable.clear();
        self.place.clear();
        self.turn.clear();
        let mut plain = plain.iter().filter(|access| !of_engine(access)).peekable();
        for position in begin..=end {
            while let Some(access) = plain.next_if(|access| access.step as usize <= position) {
                self.add_plain(record, access, sites);
            }
            let Some(event) = record.events[..end].get(position) else {
                break;
            };
            // Operations of compiled code have no source location; their plain accesses are recorded too.
            if record.visible_at(position).is_some() {
                continue;
            }
            let Some((object, reads, writes, valued)) = access_of(event, contents) else {
                continue;
            };
            if !self.is_shared(object, event.thread) {
                continue;
            }
            self.add(Access {
                event: position as u32,
                thread: event.thread,
                call: event.call,
                variable: object,
                site: sites.number(event, object, &record.objects),
                reads,
                writes,
                read: event.read,
                wrote: event.wrote,
                valued,
            });
        }
    }

    fn is_shared(&self, object: ObjectId, thread: ThreadIndex) -> bool {
        let variable = self.dense.get(object.0 as usize);
        variable.is_some_and(|&variable| variable != u32::MAX)
            && thread.index() < self.by_thread.len()
    }

    fn add_plain(&mut self, record: &ExecutionRecord, access: &PlainAccess, sites: &mut SiteTable) {
        let Some(&number) = self.locations.get(&access.location) else {
            return;
        };
        if !self.is_shared(ObjectId(number), access.thread) {
            return;
        }
        let call = record.calls.iter().rev().find(|call| {
            call.thread == access.thread && (call.began..=call.ended).contains(&access.step)
        });
        self.add(Access {
            event: access.step.saturating_sub(1),
            thread: access.thread,
            call: call.map(|call| call.call),
            variable: ObjectId(number),
            site: sites.number_plain(access),
            reads: !access.writes,
            writes: access.writes,
            read: 0,
            wrote: 0,
            valued: false,
        });
    }

    fn add(&mut self, access: Access) {
        let variable = self.dense[access.variable.0 as usize];
        let number = self.list.len() as u32;
        self.variable.push(variable);
        let of_variable = &mut self.by_variable[variable as usize];
        self.place.push(of_variable.len() as u32);
        of_variable.push(number);
        let of_thread = &mut self.by_thread[access.thread.index()];
        self.turn.push(of_thread.len() as u32);
        of_thread.push(number);
        self.list.push(access);
    }

    /// The access of this number.
    #[must_use]
    pub fn get(&self, number: u32) -> &Access {
        &self.list[number as usize]
    }

    /// Number of shared variables.
    #[must_use]
    pub fn variables(&self) -> usize {
        self.by_variable.len()
    }
}

fn reuse(lists: &mut Vec<Vec<u32>>, length: usize) {
    lists.truncate(length);
    lists.iter_mut().for_each(Vec::clear);
    lists.resize_with(length, Vec::new);
}

/// From the first creation of a thread to the last join: before and after, the main thread is alone.
pub(super) fn concurrent_part(events: &[Event]) -> (usize, usize) {
    let begin = events
        .iter()
        .position(|event| matches!(event.action, Action::Spawn(_)));
    let end = events.iter().rposition(|event| {
        event.thread == ThreadIndex::MAIN && matches!(event.action, Action::Join(_))
    });
    (begin.unwrap_or(0), end.unwrap_or(events.len()))
}

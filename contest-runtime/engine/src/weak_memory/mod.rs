//! What atomic operations may read under RC11.
//!
//! Each location has its writes in modification order. Which of them a thread may still read follows from the vector
//! clocks of the execution ([`happens_before`](crate::happens_before)): nothing older than a write that happens before
//! the read, or than what was read by a read that happens before it. These are the views of a view machine (Kang et
//! al., "A Promising Semantics", POPL 2017, without promises), computed from clocks instead of being kept beside
//! them, so that locks, channels and joined threads carry them too. What the order of sequentially consistent events
//! forbids beyond that is found in the execution graph ([`ExecutionGraph`]).
//!
//! Not modelled: reads from the future (load buffering), accesses of different width to one location (the later one
//! starts a new history).
//!
//! In: atomic operations and fences in the order of the execution, with clocks. Out: the writes that the next one may
//! take.

mod history;
mod order_of_sc;
#[cfg(test)]
mod tests;

use std::sync::atomic::Ordering;

use contest_data::decision::LocationWrite;
use contest_data::execution_graph::Deeds;
use contest_data::trace::{ObjectId, ReadWrite, ThreadIndex, Writes};
use history::{Location, Message};
use order_of_sc::OrderOfSc;

/// Writes of a location that are considered: older ones are forgotten.
const WINDOW: usize = 64;

/// An atomic operation that is about to be performed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Request {
    pub thread: ThreadIndex,
    pub object: ObjectId,
    pub size: u8,
    /// What it does to memory if it succeeds.
    pub deeds: Deeds,
    pub order: Ordering,
    /// What a compare-exchange compares with, and its ordering if it fails.
    pub exchange: Option<(u64, Ordering)>,
    /// It reads nothing but this value.
    pub only: Option<u64>,
}

/// Which of the writes that an operation may take are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All.
    Allowed,
    /// All that are coherent, without a check of the order of `SeqCst` events: it is known to allow what is chosen.
    Coherent,
    /// The newest one.
    Newest,
}

/// Clocks at the present moment.
pub(crate) trait Clocks {
    /// The clock of the thread that is about to perform an operation.
    fn own(&self) -> &[u32];
    /// The clock that a write hands on, by its number.
    fn handed_on(&self, message: u32) -> &[u32];
}

/// What an operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    location: usize,
    /// Place in modification order of the write that is read, or that a store comes after.
    at: usize,
    /// Number of that write.
    pub message: u32,
    /// Its value.
    pub value: u64,
}

/// The writes of an execution.
#[derive(Debug, Default)]
pub(crate) struct WeakMemory {
    /// Location of an object, plus 1.
    by_object: Vec<u32>,
    locations: Vec<Location>,
    used: usize,
    messages: u32,
    /// How often a location began, or began anew.
    begun: u32,
    sc: OrderOfSc,
    /// Of the last request.
    shown: Vec<LocationWrite>,
    coherent: Vec<u16>,
    alternatives: Vec<u16>,
    bounded: bool,
    overlapping: bool,
}

impl WeakMemory {
    /// Forgets everything; keeps buffers.
    pub(crate) fn reset(&mut self) {
        self.by_object.clear();
        self.used = 0;
        self.messages = 0;
        self.begun = 0;
        self.sc.clear();
        self.bounded = false;
        self.overlapping = false;
    }

    /// The writes to the location of the last request, the newest [`WINDOW`] of them.
    pub(crate) fn shown(&self) -> &[LocationWrite] {
        &self.shown
    }

    /// What coherence and atomicity leave to the last request, as places in [`shown`](Self::shown), newest first.
    pub(crate) fn coherent(&self) -> &[u16] {
        &self.coherent
    }

    /// What the last request may take: of [`coherent`](Self::coherent), what the order of `SeqCst` events allows.
    pub(crate) fn alternatives(&self) -> &[u16] {
        &self.alternatives
    }

    /// Number of the next write, to be reserved for what an operation writes.
    pub(crate) fn next_message(&mut self) -> u32 {
        self.messages += 1;
        self.messages - 1
    }

    fn location(&mut self, request: &Request, bits: u64, clocks: &impl Clocks) -> usize {
        let size = request.size;
        let index = request.object.0 as usize;
        if self.by_object.len() <= index {
            self.by_object.resize(index + 1, 0);
        }
        if self.by_object[index] == 0 {
            if self.used == self.locations.len() {
                self.locations.push(Location::default());
            }
            self.locations[self.used].clear();
            self.used += 1;
            self.by_object[index] = self.used as u32;
        }
        let location = self.by_object[index] as usize - 1;
        let newest = self.locations[location].newest();
        if newest.is_none_or(|newest| newest.value != bits) || self.locations[location].size != size
        {
            // At its first use, or after an exclusive access that is no atomic operation; else by one that overlaps.
            let number = self.next_message();
            let anew = &mut self.locations[location];
            let known = || anew.floor(request.thread, clocks.own()).map(|at| at + 1);
            let exclusive = anew.size == size && known() == Some(anew.messages.len());
            self.overlapping |= !anew.messages.is_empty() && !exclusive;
            anew.size = size;
            anew.begin_anew(self.begun, Message::initial(number, bits));
            self.begun += 1;
        }
        location
    }

    /// Finds what an operation may take. `bits`: what is in memory, which is the newest write's value.
    pub(crate) fn consider(
        &mut self,
        request: &Request,
        bits: u64,
        clocks: &impl Clocks,
        wanted: Wanted,
    ) {
        let at = self.location(request, bits, clocks);
        let location = &self.locations[at];
        let end = location.messages.len();
        let start = end.saturating_sub(WINDOW).max(location.first);
        self.shown.clear();
        let messages = &location.messages[start..];
        self.shown
            .extend(messages.iter().map(|message| LocationWrite {
                event: message.event,
                value: message.value,
                taken: false,
            }));
        for (shown, next) in self.shown.iter_mut().zip(messages.iter().skip(1)) {
            shown.taken = next.updates;
        }
        let known = location.floor(request.thread, clocks.own());
        if known.is_none() && start > location.first {
            self.bounded = true;
        }
        let floor = known.unwrap_or(start).max(start);
        self.coherent.clear();
        self.alternatives.clear();
        for place in (floor..end).rev() {
            if wanted == Wanted::Newest && !self.coherent.is_empty() {
                break;
            }
            let shown = &self.shown[place - start];
            let (deeds, order) = request.as_it_turns_out(shown.value);
            let other = request.only.is_some_and(|only| only != shown.value);
            if other || deeds != Deeds::Read && shown.taken {
                continue;
            }
            self.coherent.push((place - start) as u16);
            let needs_no_check = place + 1 == end || wanted == Wanted::Coherent;
            let allowed = needs_no_check
                || match self
                    .sc
                    .allows((request.thread, deeds, order), (location, place), clocks)
                {
                    Some(allowed) => allowed,
                    None => {
                        self.bounded = true;
                        false
                    }
                };
            if allowed {
                self.alternatives.push((place - start) as u16);
            }
        }
    }

    /// What the last request takes if it is given one of its alternatives, by number.
    pub(crate) fn take(&self, request: &Request, choice: u16) -> Taken {
        let location = self.by_object[request.object.0 as usize] as usize - 1;
        let messages = &self.locations[location].messages;
        let start = messages.len() - self.shown.len();
        let at = start + usize::from(self.alternatives[usize::from(choice)]);
        Taken {
            location,
            at,
            message: messages[at].number,
            value: messages[at].value,
        }
    }

    /// The operation was performed as this event: `wrote` is the number and the value of what it wrote. `epoch`: of its
    /// thread at the operation; `clock`: of its thread with what it acquired. Returns what it read, if it read, and the
    /// value that is newest now.
    pub(crate) fn performed(
        &mut self,
        (request, taken): (&Request, Taken),
        (event, epoch): (u32, u32),
        wrote: Option<(u32, u64)>,
        clock: &[u32],
    ) -> (Option<ReadWrite>, u64) {
        let (deeds, order) = request.as_it_turns_out(taken.value);
        let location = &mut self.locations[taken.location];
        let read = (deeds != Deeds::Write).then(|| ReadWrite {
            event,
            from: location.messages[taken.at].event,
            newer: location.messages[taken.at + 1..]
                .iter()
                .map(|message| message.event)
                .collect(),
        });
        let from = location.messages[taken.at].node;
        let node = self.sc.perform(
            (request.thread, deeds, order, epoch),
            (location, taken.at),
            from,
            clock,
        );
        let known = match wrote {
            Some((number, value)) => {
                let message = Message {
                    number,
                    value,
                    event,
                    node,
                    updates: deeds == Deeds::Update,
                };
                location.messages.insert(taken.at + 1, message);
                number
            }
            None => taken.message,
        };
        location.know(request.thread, epoch, known);
        let newest = location.newest().map_or(0, |newest| newest.value);
        (read, newest)
    }

    /// A fence was performed.
    pub(crate) fn fence(
        &mut self,
        thread: ThreadIndex,
        order: Ordering,
        epoch: u32,
        clock: &[u32],
    ) {
        self.sc.fence(thread, order, epoch, clock);
    }

    /// True if there is a write to the object that is newer than all that the thread has read of it.
    pub(crate) fn is_behind(&self, thread: ThreadIndex, object: ObjectId) -> bool {
        let found = self.by_object.get(object.0 as usize).copied().unwrap_or(0);
        found != 0 && self.locations[found as usize - 1].is_behind(thread)
    }

    /// Appends what is known now of modification orders.
    pub(crate) fn write_down(&self, writes: &mut Writes) {
        writes.bounded |= self.bounded;
        writes.overlapping |= self.overlapping;
        let locations = self.locations[..self.used].iter();
        writes.orders.extend(locations.map(|location| {
            let messages = location.messages.iter();
            messages.map(|message| message.event).collect::<Vec<_>>()
        }));
    }
}

impl Request {
    /// What it does, and how it is ordered, if it finds this value.
    fn as_it_turns_out(&self, value: u64) -> (Deeds, Ordering) {
        match self.exchange {
            Some((expected, failure)) if expected != value => (Deeds::Read, failure),
            _ => (self.deeds, self.order),
        }
    }
}

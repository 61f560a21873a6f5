//! The detector against a naive one that follows the definitions, and the classic shapes.

mod naive;
mod random_traces;
mod shapes;
mod trace_maker;

use super::{Access, Accesses, ChannelEnds, Facts, Synchronisation};
use contest_data::trace::{AccessKind, Action, Event, MemoryFault, ObjectId, Place, ThreadIndex};

/// One step of a trace: an operation, a plain access, or an atomic operation that is an access too.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub thread: u16,
    pub action: Option<Action>,
    pub object: u32,
    pub second: Option<u32>,
    /// Number of a message.
    pub number: u64,
    pub access: Option<(AccessKind, usize, usize)>,
    pub ends: ChannelEnds,
    pub round_is_complete: bool,
}

impl Facts for Step {
    fn channel(&self, _: ObjectId) -> ChannelEnds {
        self.ends
    }

    fn round_is_complete(&self, _: ObjectId) -> bool {
        self.round_is_complete
    }
}

impl Step {
    pub(super) fn operation(thread: u16, action: Action, object: u32) -> Self {
        Self {
            thread,
            action: Some(action),
            object,
            second: None,
            number: 0,
            access: None,
            ends: ChannelEnds::default(),
            round_is_complete: false,
        }
    }

    pub(super) fn access(thread: u16, kind: AccessKind, location: usize, size: usize) -> Self {
        Self {
            action: None,
            access: Some((kind, location, size)),
            ..Self::operation(thread, Action::Begin, 0)
        }
    }

    fn event(&self, action: Action) -> Event {
        Event {
            thread: ThreadIndex(self.thread),
            index: 0,
            call: None,
            action,
            object: ObjectId(self.object),
            second: self.second.map_or(ObjectId::NONE, ObjectId),
            location: std::panic::Location::caller(),
            name: "",
            read: 0,
            wrote: self.number,
        }
    }
}

/// Both parts of the detector, kept from one trace to the next as the engine does.
#[derive(Debug, Default)]
pub(super) struct Detector {
    synchronisation: Synchronisation,
    accesses: Accesses,
}

impl Detector {
    /// The races of a trace. The place of an access is its number in the trace.
    pub(super) fn races(&mut self, trace: &[Step]) -> Vec<MemoryFault> {
        self.synchronisation.reset();
        self.accesses.reset();
        let mut races = Vec::new();
        for (number, step) in trace.iter().enumerate() {
            let thread = ThreadIndex(step.thread);
            let epoch = self.synchronisation.epoch(thread);
            if let Some(action) = step.action {
                self.synchronisation.perform(&step.event(action), step);
            }
            let Some((kind, location, size)) = step.access else {
                continue;
            };
            let access = Access {
                thread,
                epoch,
                step: number as u32,
                place: Place::Addresses(number as u32),
                kind,
                location,
                size,
            };
            let clock = self.synchronisation.clock(thread);
            if kind == AccessKind::Free {
                self.accesses.free(&access, clock, &mut races);
            } else {
                self.accesses.access(&access, clock, &mut races);
            }
        }
        races
    }
}

//! Places of an execution that is over: call stacks that were kept as numbers get the names of their functions.

use crate::execution::Engine;
use crate::execution::machine::Machine;
use crate::execution::symboliser::Names;
use contest_data::trace::{
    AccessKind, Deed, Ending, ExecutionRecord, Frame, MemoryFault, Origin, Place, WaitsFor, Within,
};

impl Engine {
    /// Names the functions on the call stacks of the memory faults and of the leaked blocks of the last execution.
    /// Drops faults of the engine itself: what it keeps in the memory of code under test is not ordered by what code
    /// under test does. Returns the record.
    pub fn name_places(&mut self, names: &mut dyn Names) -> &ExecutionRecord {
        let Machine {
            record,
            layer,
            threads,
            ..
        } = self.machine_mut();
        let (stacks, allocations) = (&layer.stacks, &layer.allocations);
        let mut name = |number, addresses: &[usize]| names.functions(number, addresses);
        for fault in &mut record.faults {
            for (deed, at) in fault.deeds_mut() {
                if let Place::Addresses(number) = at.place {
                    let mut frames = name(number, stacks.addresses(number));
                    if matches!(deed, Deed::Access(AccessKind::Free) | Deed::Allocation) {
                        frames = outside_of_allocator(frames);
                    }
                    at.place = Place::Stack(frames);
                }
            }
        }
        for allocated in (record.unowned.iter_mut()).filter_map(|block| block.allocated.as_mut()) {
            if let Place::Addresses(number) = allocated.place {
                let frames = name(number, stacks.addresses(number));
                allocated.place = Place::Stack(outside_of_allocator(frames));
            }
        }
        for access in &mut record.visible {
            if let Place::Addresses(number) = access.place {
                access.place = Place::Stack(name(number, stacks.addresses(number)));
            }
        }
        for (_, place) in record.places.iter_mut().chain(&mut record.callers) {
            if let Place::Addresses(number) = *place {
                *place = Place::Stack(name(number, stacks.addresses(number)));
            }
        }
        if let Ending::Deadlock(blocked) | Ending::Livelock(blocked) = &mut record.ending {
            for thread in blocked {
                let task = &threads[thread.thread.index()].task;
                if matches!(thread.waits_for, WaitsFor::Wake { .. })
                    && let Some(Place::Addresses(number)) = task.awaits
                {
                    let frames = name(number, stacks.addresses(number));
                    thread.location = Place::Stack(frames).location_in_package();
                }
            }
        }
        // Looking for a field takes long: not where allocations are not noted, which is in most executions.
        let of_faults = (record.faults.iter_mut()).filter_map(MemoryFault::touched_mut);
        let of_visible = record.visible.iter_mut().map(|access| &mut access.touched);
        let all = of_faults
            .chain(of_visible)
            .filter(|_| allocations.is_some());
        for touched in all.flatten() {
            let mut calls: &[usize] = &[];
            if let Within::Block {
                allocated: Place::Addresses(number),
                ..
            } = touched.within
            {
                calls = stacks.addresses(number);
            }
            touched.field = names.field(touched, calls);
            if let Within::Block { allocated, .. } = &mut touched.within
                && let Place::Addresses(number) = *allocated
            {
                let frames = names.functions(number, stacks.addresses(number));
                *allocated = Place::Stack(outside_of_allocator(frames));
            }
        }
        self.contend_named(names);
        self.name_objects(names);
        let record = &mut self.machine_mut().record;
        let mut known: Vec<MemoryFault> = Vec::new();
        record.faults.retain(|fault| {
            // What the engine drops, as its part of a test, is dropped all the same.
            let engine = !matches!(fault, MemoryFault::WrongThread { .. })
                && fault.deeds().any(|(_, at)| at.place.is_of_engine());
            let new = !engine && !known.iter().any(|other| other.same_locations(fault));
            if new {
                known.push(*fault);
            }
            new
        });
        record
    }

    /// What two threads accessed unordered should be visible, but for what drop-in types and the types of `std` under
    /// them do: that happens at once.
    fn contend_named(&mut self, names: &mut dyn Names) {
        let machine = self.machine_mut();
        let mut inner = std::mem::take(&mut machine.record.contended);
        inner.retain(|contended| match contended.place {
            Place::Addresses(number) => {
                let frames = names.functions(number, machine.layer.stacks.addresses(number));
                !Place::Stack(frames).is_inside_drop_in()
                    && machine.layer.makes_a_difference(contended, names)
            }
            // The lock of a stream, which has no place.
            Place::Stack([]) => true,
            _ => false,
        });
        machine.record.contended = inner;
        for race in machine.accesses.contended().to_vec() {
            let mut is_of_engine = |place: Place| match place {
                Place::Addresses(number) => {
                    let frames = names.functions(number, machine.layer.stacks.addresses(number));
                    Place::Stack(frames).is_of_engine()
                }
                named => named.is_of_engine(),
            };
            if !race.deeds().any(|(_, at)| is_of_engine(at.place))
                && let Some(touched) = race.touched()
                && let Within::Address(address) = touched.within
            {
                machine.contend((address, touched.size), race.second().1.place);
            }
        }
    }
}

/// What is allocated or freed passes through the allocator, which is the engine's. Behind it may come the driver: in
/// optimised code the function that frees has left the stack if that was the last thing it did.
fn outside_of_allocator(frames: &'static [Frame]) -> &'static [Frame] {
    let first = frames
        .iter()
        .position(|frame| frame.origin() != Origin::Engine && !frame.function.starts_with("__"));
    &frames[first.unwrap_or(0)..]
}

//! Which fields the plain accesses of an execution accessed, found out when it is over.

use crate::execution::Engine;
use crate::execution::symboliser::{AccessSymboliser, Noted, NotedBlock};
use contest_data::trace::{Place, ThreadIndex};

impl Engine {
    /// Sets whether the executions to come record what fields are found from: the blocks that code under test
    /// allocates, and accesses even if they are not watched, after the first `from_call` calls. `None`: they do not.
    pub fn note_fields(&mut self, from_call: Option<usize>) {
        let notes = &mut self.machine_mut().layer.notes;
        notes.on = from_call.is_some();
        notes.from_call = from_call.unwrap_or_default();
    }

    /// True if the last execution recorded what fields are found from.
    pub fn notes_fields(&self) -> bool {
        self.machine().layer.notes.on
    }

    /// True if the thread wrote, after so many visible operations, to memory that was there before, or if not all that
    /// it wrote is known. For an execution that noted fields.
    pub fn wrote_to_older(&self, thread: ThreadIndex, began: u32) -> bool {
        let machine = self.machine();
        let (blocks, plain) = (&machine.layer.notes.blocks, &machine.record.plain);
        let is_new = |address| blocks.at(address).is_some_and(|block| block.step >= began);
        let mut accesses = plain.list.iter();
        plain.dropped > 0
            || accesses.any(|access| {
                access.writes
                    && access.thread == thread
                    && access.step >= began
                    && !is_new(access.location)
            })
    }

    /// Names the functions and fields of the plain accesses of the last execution with these numbers.
    pub fn symbolise_plain_accesses(
        &mut self,
        numbers: impl Iterator<Item = usize>,
        symboliser: &mut dyn AccessSymboliser,
    ) {
        let machine = self.machine_mut();
        let (stacks, blocks) = (&machine.layer.stacks, &machine.layer.notes.blocks);
        let list = &mut machine.record.plain.list;
        for number in numbers {
            let Some(access) = list.get_mut(number) else {
                return;
            };
            let Place::Addresses(stack) = access.place else {
                continue;
            };
            let block = blocks.at(access.location).map(|block| NotedBlock {
                start: block.start,
                size: block.size,
                stack: block.stack,
                calls: stacks.addresses(block.stack),
            });
            access.symbols = Some(symboliser.symbolise(&Noted {
                stack,
                calls: stacks.addresses(stack),
                address: access.location,
                size: access.size,
                block,
            }));
        }
    }
}

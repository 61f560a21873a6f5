//! The fields that the objects of an execution are: `Registry.last` in place of `Mutex#2`. Looked at only in executions
//! that are described.
//!
//! Where objects are, and what points to their blocks, is noted while the memory of the execution is there; names are
//! looked up afterwards. An object in a block of its own (an `Arc<Mutex<T>>`) is named by the field that points there.

use std::collections::{HashMap, HashSet};

use super::known_blocks::KnownBlock;
use super::object_names::{Found, name_wait, names_of};
use super::stacks::CallStacks;
use crate::execution::Engine;
use crate::execution::current;
use crate::execution::machine::Machine;
use crate::execution::symboliser::{Names, NotedBlock};
use crate::memory::mapping::Region;
use crate::memory::{ObjectField, Sought, arena, pointers, shared};
use contest_data::trace::{Ending, ObjectId};

/// From an object to the field that leads to it there are at most so many pointers.
const MOST_POINTERS: usize = 2;
/// So many fields that point to a block are looked at.
const MOST_HOLDERS: usize = 16;

/// Some address: in a block of the heap, or in a static.
#[derive(Clone, Copy, Debug)]
struct Location {
    address: usize,
    block: Option<KnownBlock>,
}

/// Where the objects of an execution were.
#[derive(Debug, Default)]
pub(crate) struct Located {
    on: bool,
    /// Plain accesses of statics are kept, also where one thread runs.
    pub(super) notes_statics: bool,
    objects: Vec<(ObjectId, Location)>,
    /// The words that pointed to a block, by its address.
    holders: HashMap<usize, Vec<Location>>,
}

impl Located {
    pub(crate) fn clear(&mut self) {
        self.objects.clear();
        self.holders.clear();
    }
}

impl Engine {
    /// From here on objects get the names of the fields that they are, or do no longer. Allocations have to be noted
    /// too.
    pub fn note_objects(&mut self, on: bool) {
        let machine = self.machine_mut();
        machine.layer.located.on = on;
        machine.objects.note_addresses(on);
        machine.field_names.want(on);
    }

    /// Objects of the last execution that lie in static memory, with their addresses, if they were to get names.
    #[must_use]
    pub fn static_objects(&self) -> Vec<(ObjectId, usize)> {
        let (start, length) = crate::memory::static_range::static_range();
        let mut noted = self.machine().objects.noted().unwrap_or_default();
        noted.retain(|(_, address)| address.wrapping_sub(start) < length);
        noted
    }

    /// From here on plain accesses of statics are kept, also where one thread runs; or no longer.
    pub fn note_statics(&mut self, on: bool) {
        self.machine_mut().layer.located.notes_statics = on;
    }

    /// Addresses in static memory that code under test has accessed without synchronisation in the last execution, if
    /// that was to be noted, and whether it wrote there.
    #[must_use]
    pub fn accessed_statics(&mut self) -> Vec<(usize, bool)> {
        let (start, length) = crate::memory::static_range::static_range();
        self.machine_mut().accesses.plain_in(start, length)
    }

    /// Notes where the objects are, while the memory of the execution is there.
    pub(in crate::execution) fn locate_objects(&mut self) {
        let machine = &mut *current::machine();
        if !machine.layer.located.on {
            return;
        }
        let (Some(objects), Some(allocations)) =
            (machine.objects.noted(), &machine.layer.allocations)
        else {
            return;
        };
        let located = &mut machine.layer.located;
        let blocks = &allocations.blocks;
        let at = |address| Location {
            address,
            block: blocks.at(address).copied(),
        };
        located.objects = (objects
            .iter()
            .map(|&(object, address)| (object, at(address))))
        .collect();
        let mut targets: HashSet<usize> = (located.objects.iter())
            .filter_map(|(_, location)| Some(location.block?.start))
            .collect();
        for _ in 0..MOST_POINTERS {
            let mut next = HashSet::new();
            for (block, holder) in pointers_to(&targets, blocks.all()) {
                let holder = at(holder);
                let known = located.holders.entry(block).or_default();
                if known.len() < MOST_HOLDERS {
                    known.push(holder);
                    next.extend(holder.block.map(|block| block.start));
                }
            }
            next.retain(|block| !located.holders.contains_key(block));
            targets = next;
        }
    }

    /// Names the objects of the last execution, in its record.
    pub(super) fn name_objects(&mut self, names: &mut dyn Names) {
        let Machine { record, layer, .. } = self.machine_mut();
        let (located, stacks) = (&layer.located, &layer.stacks);
        if located.objects.is_empty() {
            return;
        }
        let fields = located.objects.iter().map(|&(object, location)| {
            let what = record.objects[object.0 as usize];
            // Plain memory is named where it is accessed.
            let named = (what != "memory").then(|| located.field(location, what, stacks, names));
            (object, named.flatten())
        });
        let fields: Vec<_> = fields.collect();
        record.object_names = names_of(&record.objects, &fields, names);
        let mut ending = std::mem::replace(&mut record.ending, Ending::Finished);
        if let Ending::Deadlock(blocked) | Ending::Livelock(blocked) = &mut ending {
            for thread in blocked {
                name_wait(record, thread, names);
            }
        }
        record.ending = ending;
    }
}

/// Words that hold one of these addresses: what they hold and their own address. Those in blocks that are not freed
/// come first, then those in statics.
fn pointers_to(targets: &HashSet<usize>, blocks: &[KnownBlock]) -> Vec<(usize, usize)> {
    let is_live = |block: &KnownBlock| {
        Region::contains(block.start) && arena::is_in_block(block.start, block.size.max(1))
    };
    let (live, freed): (Vec<_>, Vec<_>) = blocks.iter().partition(|block| is_live(block));
    let in_blocks = |blocks: Vec<&KnownBlock>| -> Vec<(usize, usize)> {
        blocks.iter().map(|it| (it.start, it.size)).collect()
    };
    let ranges = [in_blocks(live), vec![shared::statics()], in_blocks(freed)];
    let mut found = Vec::new();
    for range in ranges.into_iter().flatten() {
        // SAFETY: the arena and the statics are mapped for good; the execution is over, so no thread writes there.
        unsafe { pointers::pointers_to(targets, range, |at, block| found.push((block, at))) };
    }
    found
}

impl Located {
    /// The field of the package that an object is, or that leads to it; else the field of a dependency that it is.
    fn field(
        &self,
        location: Location,
        what: &'static str,
        stacks: &CallStacks,
        names: &mut dyn Names,
    ) -> Option<Found> {
        let own = field_at(location, Sought::Object(what), stacks, names);
        let is_whole = |own: &Found| own.field.of_package && own.field.item.is_none();
        if own.as_ref().is_some_and(is_whole) {
            return own;
        }
        // An item of a `Vec` says less than the field that has the `Vec`.
        let holder = self.holder(location, stacks, names);
        match (own, holder) {
            (own, None) => own.filter(|own| !own.field.name.is_empty()),
            (None, holder) => holder,
            (Some(own), Some(mut holder)) if own.field.of_package => {
                let within = own.field.name.find('[').map(|at| &own.field.name[at..]);
                holder.field.name.push_str(within.unwrap_or_default());
                let name = holder.field.name;
                let field = ObjectField { name, ..own.field };
                Some(Found { field, ..own })
            }
            (Some(own), Some(mut holder)) => {
                holder.field.part = own.field.part;
                if let Some(item) = own.field.item {
                    holder.field.name.push_str(&format!("[{item}]"));
                }
                Some(holder)
            }
        }
    }

    /// The field of the package that leads to the block in which something is.
    fn holder(
        &self,
        location: Location,
        stacks: &CallStacks,
        names: &mut dyn Names,
    ) -> Option<Found> {
        let mut seen = HashSet::new();
        let mut next: Vec<usize> = location.block.iter().map(|block| block.start).collect();
        for _ in 0..MOST_POINTERS {
            let blocks = std::mem::take(&mut next).into_iter();
            let blocks: Vec<usize> = blocks.filter(|block| seen.insert(*block)).collect();
            let holders = blocks.iter().filter_map(|block| self.holders.get(block));
            for holder in holders.flatten() {
                let Some(held) = field_at(*holder, Sought::Pointer, stacks, names) else {
                    continue;
                };
                if held.field.of_package {
                    return Some(held);
                }
                // On through a `Vec` or a `Box`, not through what a dependency keeps: that may lead anywhere, as a
                // message or a waker does.
                if held.field.name.is_empty() {
                    next.extend(held.block);
                }
            }
        }
        None
    }
}

fn field_at(
    location: Location,
    sought: Sought,
    stacks: &CallStacks,
    names: &mut dyn Names,
) -> Option<Found> {
    let noted = location.block.map(|block| NotedBlock {
        start: block.start,
        size: block.size,
        stack: block.stack,
        calls: stacks.addresses(block.stack),
    });
    let field = names.object(location.address, noted.as_ref(), sought)?;
    let block = location.block.map(|block| block.start);
    Some(Found { field, block })
}

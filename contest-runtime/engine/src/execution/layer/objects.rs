//! The fields that the objects of an execution are: `Registry.last` in place of `Mutex#2`. Looked at only in executions
//! that are described.
//!
//! Where objects are, and what points to their blocks, is noted while the memory of the execution is there; names are
//! looked up afterwards. An object in a block of its own (an `Arc<Mutex<T>>`) is named by the field that points there.

use std::collections::{HashMap, HashSet};

use super::known_blocks::KnownBlock;
use super::stacks::CallStacks;
use crate::execution::current;
use crate::execution::machine::Machine;
use crate::execution::symboliser::{Names, NotedBlock};
use crate::execution::Engine;
use crate::memory::mapping::Region;
use crate::memory::{ObjectField, Sought, arena, pointers, shared};
use contest_data::trace::{Ending, NamedObject, ObjectId};

/// From an object to the field that leads to it there are at most so many pointers.
const MOST_POINTERS: usize = 3;
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
        located.objects = (objects.iter().map(|&(object, address)| (object, at(address)))).collect();
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
            (object, location.address, named.flatten())
        });
        let fields: Vec<_> = fields.collect();
        record.object_names = names_of(&record.objects, &fields)
            .into_iter()
            .map(|named| {
                let (name, field) = named?;
                let (name, field) = (names.keep(name), names.keep(field));
                Some(NamedObject { name, field })
            })
            .collect();
        if let Ending::Deadlock(blocked) | Ending::Livelock(blocked) = &mut record.ending {
            for name in blocked.iter_mut().flat_map(|it| it.waits_for.names_mut()) {
                let of_type = record.objects.iter().enumerate();
                let mut of_type = of_type.filter(|(_, what)| **what == name.what);
                let named = of_type.nth(name.number - 1);
                let named = named.and_then(|(object, _)| record.object_names[object]);
                name.field = named.map(|named| named.name);
            }
        }
    }
}

/// Words that hold one of these addresses: what they hold and their own address. Those in blocks that are not freed come
/// first, then those in statics.
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
        // SAFETY: the arena and the statics are mapped for good; the execution is over, so nobody writes there.
        unsafe { pointers::pointers_to(targets, range, |at, block| found.push((block, at))) };
    }
    found
}

/// The field that an object is, with the block or static that the field is in.
#[derive(Debug)]
struct Found {
    field: ObjectField,
    block: Option<usize>,
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
        if own.as_ref().is_some_and(|own| own.field.of_package) {
            return own;
        }
        let mut seen = HashSet::new();
        let mut next: Vec<usize> = location.block.iter().map(|block| block.start).collect();
        for _ in 0..MOST_POINTERS {
            let blocks = std::mem::take(&mut next).into_iter();
            let blocks: Vec<usize> = blocks.filter(|block| seen.insert(*block)).collect();
            let holders = blocks.iter().filter_map(|block| self.holders.get(block));
            for holder in holders.flatten() {
                if let Some(mut held) = field_at(*holder, Sought::Pointer, stacks, names)
                    && held.field.of_package
                {
                    if let Some(own) = own {
                        held.field.part = own.field.part;
                    }
                    return Some(held);
                }
                next.extend(holder.block.map(|block| block.start));
            }
        }
        own
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

/// A field of one value: the field's name, the block that it is in, how far into that.
type Instance<'a> = (&'a str, Option<usize>, u64);

/// Name and field by object. Where several values have the field, they are numbered by first use; where one field has
/// several objects in it, the part of each is named. Objects that are still alike are numbered: one came in the memory
/// of another.
fn names_of(
    types: &[&'static str],
    found: &[(ObjectId, usize, Option<Found>)],
) -> Vec<Option<(String, String)>> {
    fn instance(found: &Found) -> Instance<'_> {
        (&found.field.name, found.block, found.field.start)
    }
    let mut instances: HashMap<&str, Vec<Instance<'_>>> = HashMap::new();
    let mut addresses: HashMap<Instance<'_>, HashSet<usize>> = HashMap::new();
    for (_, address, found) in found {
        let Some(found) = found else { continue };
        let alike = instances.entry(&found.field.name).or_default();
        if !alike.contains(&instance(found)) {
            alike.push(instance(found));
        }
        addresses.entry(instance(found)).or_default().insert(*address);
    }
    let mut names = vec![None; types.len()];
    let mut times: HashMap<(String, &str), usize> = HashMap::new();
    for (object, _, found) in found {
        let Some(found) = found else { continue };
        let field = &found.field;
        let alike = &instances[field.name.as_str()];
        let mut name = field.name.clone();
        if alike.len() > 1 {
            let number = alike.iter().position(|it| *it == instance(found));
            name.push_str(&format!("#{}", number.unwrap_or_default() + 1));
        }
        let of_field = name.clone();
        if addresses[&instance(found)].len() > 1 && !field.part.is_empty() {
            name.push_str(&format!(".{}", field.part));
        }
        let times = times.entry((name.clone(), types[object.0 as usize])).or_default();
        *times += 1;
        if *times > 1 {
            name.push_str(&format!("#{times}"));
        }
        names[object.0 as usize] = Some((name, of_field));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, block: usize, start: u64, part: &str) -> Option<Found> {
        Some(Found {
            field: ObjectField {
                name: name.to_owned(),
                start,
                part: part.to_owned(),
                of_package: true,
            },
            block: Some(block),
        })
    }

    fn names(found: Vec<(&'static str, usize, Option<Found>)>) -> Vec<String> {
        let types: Vec<&str> = found.iter().map(|it| it.0).collect();
        let objects = found.into_iter().enumerate();
        let objects: Vec<_> = objects
            .map(|(number, (_, address, found))| (ObjectId(number as u32), address, found))
            .collect();
        let names = names_of(&types, &objects).into_iter();
        names
            .map(|named| named.map_or_else(String::new, |it| it.0))
            .collect()
    }

    #[test]
    fn the_same_field_of_two_values_is_numbered_and_of_one_value_it_is_not() {
        let named = names(vec![
            ("Mutex", 16, found("Account.sum", 0, 16, "")),
            ("Mutex", 96, found("Account.sum", 80, 16, "")),
            ("Mutex", 48, found("Account.log", 0, 48, "")),
            ("Mutex", 200, None),
        ]);
        assert_eq!(named, ["Account.sum#1", "Account.sum#2", "Account.log", ""]);
    }

    #[test]
    fn several_objects_in_one_field_are_named_by_their_parts_and_one_alone_is_not() {
        let named = names(vec![
            ("Mutex", 16, found("Registry.last", 0, 16, "waiters")),
            ("atomic", 24, found("Registry.last", 0, 16, "permits")),
            ("atomic", 64, found("Registry.spin", 0, 64, "lock")),
        ]);
        let parts = ["Registry.last.waiters", "Registry.last.permits"];
        assert_eq!(named[..2], parts);
        assert_eq!(named[2], "Registry.spin");
    }

    #[test]
    fn an_object_in_the_memory_of_another_one_has_a_name_of_its_own() {
        let field = || found("Registry.last", 0, 16, "");
        let named = names(vec![("Mutex", 16, field()), ("Mutex", 16, field())]);
        assert_eq!(named, ["Registry.last", "Registry.last#2"]);
        // A futex and its word are one to the reader.
        let named = names(vec![("atomic", 16, field()), ("futex", 16, field())]);
        assert_eq!(named, ["Registry.last", "Registry.last"]);
    }
}

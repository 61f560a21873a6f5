//! The fields that the objects of an execution are: `Registry.last` in place of `Mutex#2`. Looked at only in executions
//! that are described.
//!
//! Where objects are, and what points to their blocks, is noted while the memory of the execution is there; names are
//! looked up afterwards. An object in a block of its own (an `Arc<Mutex<T>>`) is named by the field that points there.

use std::collections::{HashMap, HashSet};

use super::known_blocks::KnownBlock;
use super::stacks::CallStacks;
use crate::execution::Engine;
use crate::execution::current;
use crate::execution::machine::Machine;
use crate::execution::symboliser::{Names, NotedBlock};
use crate::memory::mapping::Region;
use crate::memory::{ObjectField, Sought, arena, pointers, shared};
use contest_data::trace::{
    Action, Awaited, BlockedThread, Ending, ExecutionRecord, NamedObject, ObjectId, ThreadIndex,
    WaitsFor,
};

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

/// Names what a thread waits for.
fn name_wait(record: &ExecutionRecord, thread: &mut BlockedThread, names: &mut dyn Names) {
    for name in thread.waits_for.names_mut() {
        let mut of_type = (0..)
            .zip(&record.objects)
            .filter(|(_, what)| **what == name.what);
        let object = of_type
            .nth(name.number - 1)
            .map(|(object, _)| ObjectId(object));
        name.field = object
            .and_then(|object| record.object_name(object))
            .map(|it| it.name);
    }
    if matches!(
        thread.waits_for,
        WaitsFor::Wake { .. } | WaitsFor::Unpark | WaitsFor::Futex(_)
    ) {
        thread.awaited = awaited(record, thread.thread, names);
    }
}

/// The fields that a thread used last, in the line of the package that led to the dependency in which it waits.
fn awaited(
    record: &ExecutionRecord,
    thread: ThreadIndex,
    names: &mut dyn Names,
) -> Option<Awaited> {
    let events = (0..record.events.len()).rev();
    let mut own = events
        .clone()
        .filter(|&at| record.events[at].thread == thread);
    let field = |at: usize| {
        let named = record.object_name(record.events[at].object)?;
        named.of_package.then_some(named.field)
    };
    let mut own = own.by_ref().skip_while(|&at| record.caller(at).is_none());
    let first = own.next()?;
    let line = record.caller(first);
    let of_line = own.take_while(|&at| record.caller(at) == line);
    let mut fields: Vec<&'static str> = Vec::new();
    for field in std::iter::once(first).chain(of_line).filter_map(field) {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    let changes = |at: &usize| {
        let event = &record.events[*at];
        let writes = matches!(event.action, Action::Rmw(..) | Action::Store(_));
        let by_other = event.thread != thread && event.thread != ThreadIndex::MAIN;
        writes
            && by_other
            && event.read != event.wrote
            && field(*at).is_some_and(|it| fields.contains(&it))
    };
    let changed = events.clone().find(changes).map(|at| {
        let place = record.caller(at).unwrap_or_else(|| record.location(at));
        (record.events[at].thread, names.keep(place))
    });
    (!fields.is_empty()).then_some(Awaited { fields, changed })
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
                        if let Some(item) = own.field.item {
                            held.field.name.push_str(&format!("[{item}]"));
                        }
                    }
                    return Some(held);
                }
                next.extend(holder.block.map(|block| block.start));
            }
        }
        own.filter(|own| !own.field.name.is_empty())
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

fn instance(found: &Found) -> Instance<'_> {
    (&found.field.name, found.block, found.field.start)
}

/// Names by object. Where several values have the field, they are numbered by first use; where one field has several
/// objects in it, the part of each is named. Objects that are still alike are numbered: one came in the memory of
/// another.
fn names_of(
    types: &[&'static str],
    found: &[(ObjectId, Option<Found>)],
    names: &mut dyn Names,
) -> Vec<Option<NamedObject>> {
    let mut instances: HashMap<&str, Vec<Instance<'_>>> = HashMap::new();
    let mut parts: HashMap<Instance<'_>, Vec<&[String]>> = HashMap::new();
    for found in found.iter().filter_map(|(_, found)| found.as_ref()) {
        let alike = instances.entry(&found.field.name).or_default();
        if !alike.contains(&instance(found)) {
            alike.push(instance(found));
        }
        let parts = parts.entry(instance(found)).or_default();
        if !parts.contains(&&*found.field.part) {
            parts.push(&found.field.part);
        }
    }
    let mut named = vec![None; types.len()];
    let mut times: HashMap<(String, &str), usize> = HashMap::new();
    for (object, found) in found {
        let (object, Some(found)) = (object.0 as usize, found) else {
            continue;
        };
        let alike = &instances[found.field.name.as_str()];
        let mut name = found.field.name.clone();
        if alike.len() > 1 {
            let number = alike.iter().position(|it| *it == instance(found));
            name.push_str(&format!("#{}", number.unwrap_or_default() + 1));
        }
        let field = names.keep(name.clone());
        name.push_str(&part(&found.field.part, &parts[&instance(found)]));
        let times = times.entry((name.clone(), types[object])).or_default();
        *times += 1;
        if *times > 1 {
            name.push_str(&format!("#{times}"));
        }
        named[object] = Some(NamedObject {
            name: names.keep(name),
            field,
            of_package: found.field.of_package,
        });
    }
    named
}

/// What distinguishes a part from the others: `.permits` of `s.permits.inner` beside `s.waiters.0`.
fn part(of: &[String], all: &[&[String]]) -> String {
    let differs = |at: usize| all.iter().any(|other| other.get(at) != of.get(at));
    let Some(first) = (0..of.len()).find(|&at| differs(at)) else {
        return String::new();
    };
    let alike = |other: &&&[String]| other.get(..=first) == of.get(..=first);
    let last = match all.iter().filter(alike).count() {
        1 => first + 1,
        _ => of.len(),
    };
    format!(".{}", of[first..last].join("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_data::trace::{Frame, Touched};

    struct Leaking;

    impl Names for Leaking {
        fn functions(&mut self, _: u32, _: &[usize]) -> &'static [Frame] {
            &[]
        }

        fn field(&mut self, _: &Touched, _: &[usize]) -> Option<&'static str> {
            None
        }

        fn object(
            &mut self,
            _: usize,
            _: Option<&NotedBlock<'_>>,
            _: Sought,
        ) -> Option<ObjectField> {
            None
        }

        fn keep(&mut self, text: String) -> &'static str {
            text.leak()
        }
    }

    fn found(name: &str, block: usize, start: u64, part: &[&str]) -> Option<Found> {
        Some(Found {
            field: ObjectField {
                name: name.to_owned(),
                item: None,
                start,
                part: part.iter().map(|&it| it.to_owned()).collect(),
                of_package: true,
            },
            block: Some(block),
        })
    }

    fn names(found: Vec<(&'static str, Option<Found>)>) -> Vec<&'static str> {
        let types: Vec<&str> = found.iter().map(|it| it.0).collect();
        let objects = (0..).zip(found);
        let objects: Vec<_> = objects
            .map(|(number, (_, found))| (ObjectId(number), found))
            .collect();
        let named = names_of(&types, &objects, &mut Leaking).into_iter();
        named.map(|named| named.map_or("", |it| it.name)).collect()
    }

    #[test]
    fn the_same_field_of_two_values_is_numbered_and_of_one_value_it_is_not() {
        let named = names(vec![
            ("Mutex", found("Account.sum", 0, 16, &[])),
            ("Mutex", found("Account.sum", 80, 16, &[])),
            ("Mutex", found("Account.log", 0, 48, &[])),
            ("Mutex", None),
        ]);
        assert_eq!(named, ["Account.sum#1", "Account.sum#2", "Account.log", ""]);
    }

    #[test]
    fn several_objects_in_one_field_are_named_by_their_parts_and_one_alone_is_not() {
        let named = names(vec![
            (
                "Mutex",
                found("Registry.last", 0, 16, &["s", "waiters", "0"]),
            ),
            (
                "atomic",
                found("Registry.last", 0, 16, &["s", "permits", "inner"]),
            ),
            ("atomic", found("Registry.spin", 0, 64, &["lock"])),
            ("atomic", found("Registry.ring", 0, 80, &["head", "index"])),
            ("atomic", found("Registry.ring", 0, 80, &["head", "lap"])),
            ("atomic", found("Registry.ring", 0, 80, &["tail"])),
        ]);
        let parts = ["Registry.last.waiters", "Registry.last.permits"];
        assert_eq!(named[..2], parts);
        assert_eq!(named[2], "Registry.spin");
        let parts = ["Registry.ring.head.index", "Registry.ring.head.lap"];
        assert_eq!(named[3..5], parts);
        assert_eq!(named[5], "Registry.ring.tail");
    }

    #[test]
    fn an_object_in_the_memory_of_another_one_has_a_name_of_its_own() {
        let field = || found("Registry.last", 0, 16, &[]);
        let named = names(vec![("Mutex", field()), ("Mutex", field())]);
        assert_eq!(named, ["Registry.last", "Registry.last#2"]);
        // A futex and its word are one to the reader.
        let named = names(vec![("atomic", field()), ("futex", field())]);
        assert_eq!(named, ["Registry.last", "Registry.last"]);
    }
}

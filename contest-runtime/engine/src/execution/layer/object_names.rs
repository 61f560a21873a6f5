//! The names of the objects of an execution, from the fields that they are.

use std::collections::HashMap;

use crate::execution::symboliser::Names;
use crate::memory::ObjectField;
use contest_data::trace::{
    Action, Awaited, BlockedThread, ExecutionRecord, NamedObject, ObjectId, Origin, ThreadIndex,
    WaitsFor, origin,
};

/// The field that an object is, with the block or static that the field is in.
#[derive(Debug)]
pub(super) struct Found {
    pub field: ObjectField,
    pub block: Option<usize>,
}

/// A field of one value: the field's name, the block that it is in, how far into that.
type Instance<'a> = (&'a str, Option<usize>, u64);

fn instance(found: &Found) -> Instance<'_> {
    (&found.field.name, found.block, found.field.start)
}

/// Names by object. Where several values have the field, they are numbered by first use; where one field has several
/// objects in it, the part of each is named. Objects that are still alike are numbered: one came in the memory of
/// another.
pub(super) fn names_of(
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

/// Names what a thread waits for.
pub(super) fn name_wait(
    record: &ExecutionRecord,
    thread: &mut BlockedThread,
    names: &mut dyn Names,
) {
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
    let says_nothing = match &thread.waits_for {
        WaitsFor::Wake { .. } | WaitsFor::Unpark | WaitsFor::Futex(_) => true,
        WaitsFor::Notification(condvar) => condvar.field.is_none(),
        _ => false,
    };
    if says_nothing {
        let Some((last, line)) = last_from_package(record, thread.thread) else {
            return;
        };
        thread.awaited = awaited(record, thread.thread, last, names);
        // What stands in for libc is no place that a person knows.
        if origin("", &thread.location) == Origin::Engine {
            thread.line = Some(line);
        }
    }
}

/// The last event of a thread that it made in a dependency, and the line of the package that led there.
fn last_from_package(record: &ExecutionRecord, thread: ThreadIndex) -> Option<(usize, String)> {
    let mut events = (0..record.events.len()).rev();
    events.find_map(|at| {
        let own = record.events[at].thread == thread;
        Some((at, own.then(|| record.caller(at))??))
    })
}

/// The fields that a thread used last, in the line of the package that led to the dependency in which it waits.
fn awaited(
    record: &ExecutionRecord,
    thread: ThreadIndex,
    last: usize,
    names: &mut dyn Names,
) -> Option<Awaited> {
    let events = (0..record.events.len()).rev();
    let own = (0..last)
        .rev()
        .filter(|&at| record.events[at].thread == thread);
    let field = |at: usize| {
        let named = record.object_name(record.events[at].object)?;
        named.of_package.then_some(named.field)
    };
    let line = record.caller(last);
    let of_line = own.take_while(|&at| record.caller(at) == line);
    let mut fields: Vec<&'static str> = Vec::new();
    for field in std::iter::once(last).chain(of_line).filter_map(field) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::symboliser::NotedBlock;
    use crate::memory::Sought;
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

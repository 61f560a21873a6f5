//! All graphs of a program that RC11 allows, by trying all of them.

use std::collections::BTreeSet;

use contest_data::execution_graph::{Deeds, ExecutionGraph, Node};

use crate::program::{GraphKey, LOCATIONS, Name, Op, Outcome, Program};

struct Event {
    name: Name,
    op: Op,
}

fn location(op: Op) -> Option<usize> {
    match op {
        Op::R(at, _) | Op::W(at, ..) | Op::U(at, ..) | Op::C(at, ..) | Op::Weak(at, ..) => Some(at),
        Op::F(_) => None,
    }
}

fn reads(op: Op) -> bool {
    matches!(op, Op::R(..) | Op::U(..) | Op::C(..) | Op::Weak(..))
}

/// Every graph with its outcome. A weak compare-exchange is one that is not weak, or a read of what it expects.
pub(crate) fn allowed(program: &Program) -> (BTreeSet<GraphKey>, BTreeSet<Outcome>) {
    let mut found = (BTreeSet::new(), BTreeSet::new());
    let weak: Vec<(usize, usize)> = (0..program.len())
        .flat_map(|thread| (0..program[thread].len()).map(move |index| (thread, index)))
        .filter(|&(thread, index)| matches!(program[thread][index], Op::Weak(..)))
        .collect();
    for failing in 0..1_u32 << weak.len() {
        let mut strong = program.clone();
        let mut expected = Vec::new();
        for (number, &(thread, index)) in weak.iter().enumerate() {
            let Op::Weak(at, value, new, success, failure) = program[thread][index] else {
                continue;
            };
            strong[thread][index] = if failing >> number & 1 != 0 {
                expected.push(((thread, index), value));
                Op::R(at, failure)
            } else {
                Op::C(at, value, new, success, failure)
            };
        }
        allowed_with(&strong, &expected, &mut found);
    }
    found
}

/// Every graph in which these reads take these values.
fn allowed_with(program: &Program, expected: &[(Name, u32)], found: &mut Found) {
    let mut events = Vec::new();
    for (thread, operations) in program.iter().enumerate() {
        for (index, &op) in operations.iter().enumerate() {
            events.push(Event {
                name: (thread, index),
                op,
            });
        }
    }
    let readers: Vec<usize> = (0..events.len())
        .filter(|&at| reads(events[at].op))
        .collect();
    let writers = |reader: usize| {
        let here = location(events[reader].op);
        let may_write = |at: &usize| {
            *at != reader
                && location(events[*at].op) == here
                && matches!(events[*at].op, Op::W(..) | Op::U(..) | Op::C(..))
        };
        let mut all: Vec<Option<usize>> = (0..events.len()).filter(may_write).map(Some).collect();
        all.push(None);
        all
    };
    let choices: Vec<Vec<Option<usize>>> = readers.iter().map(|&reader| writers(reader)).collect();
    let mut from = vec![None; events.len()];
    choose(&events, &readers, &choices, (0, expected), &mut from, found);
}

type Found = (BTreeSet<GraphKey>, BTreeSet<Outcome>);

fn choose(
    events: &[Event],
    readers: &[usize],
    choices: &[Vec<Option<usize>>],
    (at, expected): (usize, &[(Name, u32)]),
    from: &mut Vec<Option<usize>>,
    found: &mut Found,
) {
    let Some(&reader) = readers.get(at) else {
        return try_orders(events, from, expected, found);
    };
    for &choice in &choices[at] {
        from[reader] = choice;
        choose(events, readers, choices, (at + 1, expected), from, found);
    }
}

/// An order that extends program order and reads-from.
fn sorted(events: &[Event], from: &[Option<usize>]) -> Option<Vec<usize>> {
    let mut sorted: Vec<usize> = Vec::new();
    while sorted.len() < events.len() {
        let next = (0..events.len()).find(|&at| {
            let (thread, index) = events[at].name;
            !sorted.contains(&at)
                && from[at].is_none_or(|from| sorted.contains(&from))
                && (0..at).all(|other| {
                    let (other_thread, other_index) = events[other].name;
                    other_thread != thread || other_index >= index || sorted.contains(&other)
                })
        })?;
        sorted.push(next);
    }
    Some(sorted)
}

fn try_orders(
    events: &[Event],
    from: &[Option<usize>],
    expected: &[(Name, u32)],
    found: &mut Found,
) {
    let Some(sorted) = sorted(events, from) else {
        return;
    };
    let mut read = vec![0; events.len()];
    let mut wrote = vec![None; events.len()];
    for &at in &sorted {
        if let Some(from) = from[at] {
            // It did not write.
            let Some(value) = wrote[from] else { return };
            read[at] = value;
        }
        wrote[at] = match events[at].op {
            Op::W(_, value, _) => Some(value),
            Op::U(_, add, _) => Some(read[at] + add),
            Op::C(_, expected, new, ..) if read[at] == expected => Some(new),
            _ => None,
        };
    }
    let as_expected = |at: usize| {
        let mut expected = expected.iter();
        let found = expected.find(|(name, _)| *name == events[at].name);
        found.is_none_or(|(_, value)| read[at] == *value)
    };
    if !(0..events.len()).all(as_expected) {
        return;
    }
    let mut orders: Vec<Vec<usize>> = vec![Vec::new(); LOCATIONS];
    permute(
        events,
        (from, &sorted, &read, &wrote),
        0,
        &mut orders,
        found,
    );
}

type Given<'g> = (
    &'g [Option<usize>],
    &'g [usize],
    &'g [u32],
    &'g [Option<u32>],
);

/// All modification orders of writes from `at` on.
fn permute(
    events: &[Event],
    given: Given<'_>,
    at: usize,
    orders: &mut Vec<Vec<usize>>,
    found: &mut Found,
) {
    if at == events.len() {
        return check(events, given, orders, found);
    }
    if given.3[at].is_none() {
        return permute(events, given, at + 1, orders, found);
    }
    let here = location(events[at].op).unwrap();
    for place in 0..=orders[here].len() {
        orders[here].insert(place, at);
        permute(events, given, at + 1, orders, found);
        orders[here].remove(place);
    }
}

fn check(
    events: &[Event],
    (from, sorted, read, wrote): Given<'_>,
    orders: &[Vec<usize>],
    found: &mut Found,
) {
    let mut graph = ExecutionGraph::default();
    let mut number = vec![None; events.len()];
    for &at in sorted {
        let (deeds, order) = match events[at].op {
            Op::R(_, order) => (Deeds::Read, order),
            Op::W(_, _, order) => (Deeds::Write, order),
            Op::U(_, _, order) => (Deeds::Update, order),
            Op::C(_, _, _, success, _) if wrote[at].is_some() => (Deeds::Update, success),
            Op::C(_, _, _, _, failure) | Op::Weak(_, _, _, _, failure) => (Deeds::Read, failure),
            Op::F(order) => (Deeds::Fence, order),
        };
        let here = location(events[at].op).unwrap_or(0);
        let until = orders[here]
            .iter()
            .position(|&write| write == at)
            .unwrap_or(0);
        let earlier = orders[here][..until].iter();
        let place = earlier.filter(|&&write| number[write].is_some()).count();
        let node = Node {
            thread: events[at].name.0 as u16,
            deeds,
            location: here as u32,
            order,
            from: from[at].and_then(|from| number[from]),
        };
        number[at] = Some(graph.len());
        graph.push(node, 0, place);
    }
    if !graph.is_consistent() {
        return;
    }
    let name = |at: usize| events[at].name;
    let reads_from = (0..events.len())
        .filter(|&at| reads(events[at].op))
        .map(|at| (name(at), from[at].map(name)))
        .collect();
    let named = orders.iter().filter(|order| !order.is_empty());
    let mut named: Vec<Vec<Name>> = named
        .map(|order| order.iter().map(|&at| name(at)).collect())
        .collect();
    named.sort();
    found.0.insert((reads_from, named));
    let threads = events
        .iter()
        .map(|event| event.name.0 + 1)
        .max()
        .unwrap_or(0);
    let mut registers = vec![Vec::new(); threads];
    for at in (0..events.len()).filter(|&at| reads(events[at].op)) {
        registers[events[at].name.0].push(read[at]);
    }
    let last = orders.iter().map(|order| {
        let last = order.last().and_then(|&last| wrote[last]);
        last.unwrap_or(0)
    });
    found.1.insert((registers, last.collect()));
}

//! Random graphs against the axioms written out with matrices.

use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

use super::{Deeds, ExecutionGraph, Node};
use crate::rng::Rng;

type Relation = Vec<Vec<bool>>;

fn relation(n: usize, holds: impl Fn(usize, usize) -> bool) -> Relation {
    (0..n)
        .map(|a| (0..n).map(|b| holds(a, b)).collect())
        .collect()
}

fn then(first: &Relation, second: &Relation) -> Relation {
    let n = first.len();
    relation(n, |a, b| (0..n).any(|c| first[a][c] && second[c][b]))
}

fn or(first: &Relation, second: &Relation) -> Relation {
    relation(first.len(), |a, b| first[a][b] || second[a][b])
}

fn closure(of: &Relation) -> Relation {
    let mut of = of.clone();
    for c in 0..of.len() {
        for a in 0..of.len() {
            for b in 0..of.len() {
                of[a][b] |= of[a][c] && of[c][b];
            }
        }
    }
    of
}

fn has_cycle(of: &Relation) -> bool {
    let all = closure(of);
    (0..all.len()).any(|event| all[event][event])
}

/// The axioms, with initial writes as events of their own, before the others.
fn allowed(graph: &ExecutionGraph, locations: usize) -> bool {
    let events = graph.nodes().len();
    let n = events + locations;
    let node = |event: usize| {
        event
            .checked_sub(locations)
            .map(|event| graph.nodes()[event])
    };
    let location = |event: usize| match node(event) {
        None => Some(event as u32),
        Some(node) => (!matches!(node.deeds, Deeds::Fence | Deeds::Other)).then_some(node.location),
    };
    let is =
        |event: usize, deeds: &[Deeds]| node(event).is_some_and(|node| deeds.contains(&node.deeds));
    let fence = |event| is(event, &[Deeds::Fence]);
    let sc = |event| node(event).is_some_and(|node| node.order == SeqCst);
    let releases =
        |event| node(event).is_some_and(|node| matches!(node.order, Release | AcqRel | SeqCst));
    let acquires =
        |event| node(event).is_some_and(|node| matches!(node.order, Acquire | AcqRel | SeqCst));
    let sb = relation(n, |a, b| match (node(a), node(b)) {
        (None, Some(_)) => true,
        (Some(first), Some(second)) => first.thread == second.thread && a < b,
        _ => false,
    });
    let from = |event: usize| {
        let node = node(event)?;
        matches!(node.deeds, Deeds::Read | Deeds::Update).then(|| {
            node.from
                .map_or(node.location as usize, |from| from + locations)
        })
    };
    let rf = relation(n, |a, b| from(b) == Some(a));
    let place = |event: usize| match node(event) {
        None => Some(0),
        Some(node) => {
            let order = graph.order(node.location);
            let at = order.iter().position(|&write| write + locations == event)?;
            Some(at + 1)
        }
    };
    let mo = relation(n, |a, b| {
        location(a).is_some()
            && location(a) == location(b)
            && matches!((place(a), place(b)), (Some(first), Some(second)) if first < second)
    });
    let rb = relation(n, |a, b| {
        from(a).is_some_and(|write| mo[write][b]) && a != b
    });
    let same = relation(n, |a, b| a == b);
    // Atomicity.
    for update in (0..n).filter(|&event| is(event, &[Deeds::Update])) {
        let write = from(update).unwrap();
        if !mo[write][update] || (0..n).any(|other| mo[write][other] && mo[other][update]) {
            return false;
        }
    }
    let to_update = relation(n, |a, b| rf[a][b] && is(b, &[Deeds::Update]));
    let sequence = or(&same, &closure(&to_update));
    let sw = relation(n, |a, b| {
        releases(a)
            && acquires(b)
            && (0..n).any(|first| {
                let starts = a == first && place(first).is_some() && !fence(a)
                    || fence(a) && sb[a][first] && place(first).is_some();
                starts
                    && (0..n).any(|last| {
                        sequence[first][last]
                            && (0..n).any(|read| {
                                rf[last][read] && (read == b || fence(b) && sb[read][b])
                            })
                    })
            })
    });
    let hb = closure(&or(&sb, &sw));
    let eco = closure(&or(&rf, &or(&mo, &rb)));
    if (0..n).any(|a| hb[a][a] || eco[a][a] || (0..n).any(|b| hb[a][b] && eco[b][a])) {
        return false;
    }
    let same_location = |a: usize, b: usize| location(a).is_some() && location(a) == location(b);
    let apart = relation(n, |a, b| sb[a][b] && !same_location(a, b));
    let near = relation(n, |a, b| hb[a][b] && same_location(a, b));
    let scb = or(
        &or(&sb, &then(&then(&apart, &hb), &apart)),
        &or(&near, &or(&mo, &rb)),
    );
    let hb_or_same = or(&hb, &same);
    let enters = relation(n, |a, b| sc(a) && (a == b || fence(a) && hb_or_same[a][b]));
    let leaves = relation(n, |a, b| sc(b) && (a == b || fence(b) && hb_or_same[a][b]));
    let base = then(&then(&enters, &scb), &leaves);
    let way = or(&hb, &then(&then(&hb, &eco), &hb));
    let fences = relation(n, |a, b| {
        sc(a) && sc(b) && fence(a) && fence(b) && way[a][b]
    });
    !has_cycle(&or(&base, &fences))
}

fn one_of<T: Copy>(rng: &mut Rng, of: &[T]) -> T {
    of[rng.below(of.len() as u32) as usize]
}

fn random_graph(rng: &mut Rng, locations: u32, orders: &[Ordering]) -> ExecutionGraph {
    let mut graph = ExecutionGraph::default();
    let threads = 2 + rng.below(3) as u16;
    for _ in 0..2 + rng.below(8) {
        let deeds = one_of(
            rng,
            &[
                Deeds::Read,
                Deeds::Read,
                Deeds::Write,
                Deeds::Write,
                Deeds::Update,
                Deeds::Fence,
            ],
        );
        let location = rng.below(locations);
        let order = loop {
            let order = one_of(rng, orders);
            let fits = match deeds {
                Deeds::Read => !matches!(order, Release | AcqRel),
                Deeds::Write => !matches!(order, Acquire | AcqRel),
                Deeds::Fence => order != Relaxed,
                _ => true,
            };
            if fits {
                break order;
            }
        };
        let written = graph.order(location).to_vec();
        let at = rng.below(written.len() as u32 + 1) as usize;
        let node = Node {
            thread: rng.below(u32::from(threads)) as u16,
            deeds,
            location,
            order,
            from: at.checked_sub(1).map(|at| written[at]),
        };
        graph.push(node, 0, at);
    }
    graph
}

#[test]
fn random_graphs_are_allowed_as_the_axioms_say() {
    let mut rng = Rng::new(17);
    let every = [Relaxed, Acquire, Release, AcqRel, SeqCst, SeqCst];
    let mut found = [0, 0];
    for round in 0..40_000 {
        let orders = if round % 2 == 0 {
            &every[..]
        } else {
            &[SeqCst, Relaxed, SeqCst]
        };
        let mut graph = random_graph(&mut rng, 1 + round % 3, orders);
        let is = graph.is_consistent();
        assert_eq!(is, allowed(&graph, 3), "{graph:?}");
        found[usize::from(is)] += 1;
    }
    assert!(found.iter().all(|&count| count > 5_000), "{found:?}");
}

/// Two threads store to one location and read the other one.
fn store_buffering(order: Ordering) -> ExecutionGraph {
    let mut graph = ExecutionGraph::default();
    for thread in 0..2 {
        let node = |deeds, location| Node {
            thread,
            deeds,
            location,
            order,
            from: None,
        };
        graph.push(node(Deeds::Write, u32::from(thread)), 0, 0);
        graph.push(node(Deeds::Read, u32::from(1 - thread)), 0, 0);
    }
    graph
}

#[test]
fn store_buffering_needs_sequential_consistency_to_be_forbidden() {
    assert!(store_buffering(Relaxed).is_consistent());
    assert!(!store_buffering(SeqCst).is_consistent());
}

//! Programs whose orderings are changed by place, held against programs that are written with these orderings.

use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};

use contest_data::limits::MemoryModel;
use contest_data::orderings::{AtomicRole, OrderingChange, OrderingSettings};
use contest_search::explore::{Budget, Explorer};

use crate::program::{Explored, Op, Op::C, Op::F, Op::R, Op::W, Program, explore_changed};

const X: usize = 0;
const Y: usize = 1;

fn explore(program: &Program, settings: OrderingSettings) -> Explored {
    let budget = Budget::executions(1_000_000);
    let explorer = Explorer::weak("dpor", 1, budget).unwrap();
    let explored = explore_changed(program, MemoryModel::Rc11, explorer, settings);
    assert!(explored.exhausted, "{program:?}: {:?}", explored.cut);
    assert_eq!(explored.executions, explored.graphs.len(), "a graph twice");
    explored
}

/// Explores the program with these orderings, by role: of the operations that have others, which is all of them.
fn changed(program: &Program, to: &dyn Fn(&mut OrderingChange)) -> Explored {
    let collect = OrderingSettings {
        changes: Vec::new(),
        collect: true,
    };
    let places = explore(program, collect).places;
    assert!(!places.is_empty());
    let changes = places.iter().map(|place| {
        let mut change = OrderingChange::none(place);
        to(&mut change);
        change
    });
    let settings = OrderingSettings {
        changes: changes.collect(),
        collect: false,
    };
    explore(program, settings)
}

fn written(program: &Program) -> Explored {
    explore(program, OrderingSettings::default())
}

fn store_buffering(store: Ordering, load: Ordering) -> Program {
    vec![
        vec![W(X, 1, store), R(Y, load)],
        vec![W(Y, 1, store), R(X, load)],
    ]
}

#[test]
fn orderings_are_changed_as_if_they_were_written() {
    let message = |store, load| -> Program {
        vec![
            vec![W(X, 1, Relaxed), W(Y, 1, store)],
            vec![R(Y, load), R(X, Relaxed)],
        ]
    };
    for (program, to, same_as) in [
        (
            store_buffering(Relaxed, Relaxed),
            (SeqCst, SeqCst),
            store_buffering(SeqCst, SeqCst),
        ),
        (
            store_buffering(SeqCst, SeqCst),
            (Release, Acquire),
            store_buffering(Release, Acquire),
        ),
        (
            message(Release, Relaxed),
            (Release, Acquire),
            message(Release, Acquire),
        ),
    ] {
        let found = changed(&program, &|change| match change.place.role {
            AtomicRole::Store => change.order = to.0.into(),
            _ => change.order = to.1.into(),
        });
        let expected = written(&same_as);
        assert_eq!(found.outcomes, expected.outcomes, "{program:?}");
        assert_eq!(found.executions, expected.executions, "{program:?}");
    }
}

#[test]
fn a_fence_that_is_not_in_the_source_is_executed_before_its_operation() {
    let program = store_buffering(Relaxed, Relaxed);
    let found = changed(&program, &|change| {
        if change.place.role == AtomicRole::Load {
            change.fence_before = Some(SeqCst.into());
        }
    });
    let fenced = |own, other| -> Vec<Op> { vec![W(own, 1, Relaxed), F(SeqCst), R(other, Relaxed)] };
    let expected = written(&vec![fenced(X, Y), fenced(Y, X)]);
    assert_eq!(found.outcomes, expected.outcomes);
    assert_eq!(found.executions, 3);
}

#[test]
fn a_fence_of_the_source_can_be_taken_out() {
    let fenced = |own, other| -> Vec<Op> { vec![W(own, 1, Relaxed), F(SeqCst), R(other, Relaxed)] };
    let found = changed(&vec![fenced(X, Y), fenced(Y, X)], &|change| {
        if change.place.role == AtomicRole::Fence {
            change.order = Relaxed.into();
        }
    });
    let expected = written(&store_buffering(Relaxed, Relaxed));
    assert_eq!(found.outcomes, expected.outcomes);
}

#[test]
fn both_orderings_of_a_compare_exchange_are_changed() {
    let program = |success, failure| -> Program {
        vec![
            vec![W(X, 1, Relaxed), C(Y, 0, 1, Release, Relaxed)],
            vec![C(Y, 0, 2, success, failure), R(X, Relaxed)],
        ]
    };
    let found = changed(&program(Relaxed, Relaxed), &|change| {
        if change.place.failure.is_some() && change.order == Relaxed.into() {
            change.failure = Some(Acquire.into());
        }
    });
    let expected = written(&program(Relaxed, Acquire));
    assert_eq!(found.outcomes, expected.outcomes);
    assert_eq!(found.executions, expected.executions);
    assert_ne!(found.outcomes, written(&program(Relaxed, Relaxed)).outcomes);
}

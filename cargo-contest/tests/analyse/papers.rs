//! The examples of DepCon+ (figures 1 and 3) and two subjects of its evaluation: summaries and relations as the paper
//! states them.

use std::path::Path;

use contest_catalog::dependency_graph::{Dependency, DependencyGraph, Relation};

use crate::support::{accesses, directory, graph, locks, method, pairs, source};

fn subject(name: &str, ty: &str) -> DependencyGraph {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/subjects")
        .join(name);
    let scratch = tempfile::tempdir().unwrap();
    let analysis = directory(&path, scratch.path()).unwrap();
    assert_eq!(analysis.skipped, []);
    let mut graph = graph(&analysis, ty);
    let public = [
        "mark",
        "available",
        "read",
        "close",
        "size",
        "get",
        "put",
        "equals",
        "length",
        "delete",
        "append",
        "entries",
        "put_all",
    ];
    // Only what tests can call.
    let methods = std::mem::take(&mut graph.methods);
    DependencyGraph::new(
        ty.to_string(),
        methods
            .into_iter()
            .filter(|it| public.contains(&it.operation.as_str()))
            .collect(),
    )
}

#[track_caller]
fn pair(graph: &DependencyGraph, a: &str, b: &str) -> Dependency {
    let number = |name: &str| {
        let at = graph
            .methods
            .iter()
            .position(|it| it.operation == name)
            .unwrap_or_else(|| panic!("no {name}"));
        u16::try_from(at).unwrap()
    };
    let pair = *graph.pair(number(a), number(b)).unwrap();
    assert!(
        pair.exact,
        "{a} and {b} are not exact: {:?}",
        graph
            .methods
            .iter()
            .map(|it| &it.inexact)
            .collect::<Vec<_>>()
    );
    pair
}

#[test]
fn summaries_of_buffered_input_stream_are_those_of_the_paper() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/subjects/faulty/buffered_input_stream");
    let scratch = tempfile::tempdir().unwrap();
    let analysis = directory(&path, scratch.path()).unwrap();
    let mark = method(&analysis, "BufferedInputStream", "mark");
    assert_eq!(
        accesses(&mark),
        [
            "R(self.position)",
            "W(self.mark_limit)",
            "W(self.mark_position)"
        ]
    );
    assert_eq!(locks(&mark), ["self.monitor"]);
    let close = method(&analysis, "BufferedInputStream", "close");
    assert!(locks(&close).is_empty());
    assert!(
        accesses(&close).contains(&"W(self.buffer.*)".to_string()),
        "{:?}",
        accesses(&close)
    );
    assert!(
        accesses(&close).contains(&"RW(self.input.*)".to_string()),
        "{:?}",
        accesses(&close)
    );
    for name in ["read", "available"] {
        assert_eq!(
            locks(&method(&analysis, "BufferedInputStream", name)),
            ["self.monitor"]
        );
    }
}

#[test]
fn relations_of_buffered_input_stream_are_those_of_figure_5() {
    let graph = subject("faulty/buffered_input_stream", "BufferedInputStream");
    // ct1
    let it = pair(&graph, "available", "available");
    assert!(
        !it.parallel && it.conflict == Relation::No && it.can_be_pruned(),
        "{it:?}"
    );
    // ct2
    let it = pair(&graph, "read", "mark");
    assert!(
        !it.parallel && it.conflict == Relation::Yes && it.can_be_pruned(),
        "{it:?}"
    );
    // ct3
    let it = pair(&graph, "close", "mark");
    assert!(
        it.parallel && it.conflict == Relation::No && it.can_be_pruned(),
        "{it:?}"
    );
    // ct4, the one that fails
    let it = pair(&graph, "close", "read");
    assert!(
        it.parallel && it.conflict == Relation::Yes && !it.can_be_pruned(),
        "{it:?}"
    );
    assert!(
        graph.kept() < graph.pairs.len() / 2 + 1,
        "{} of {}",
        graph.kept(),
        graph.pairs.len()
    );
}

#[test]
fn relations_of_hashtable_are_those_of_figure_6() {
    let graph = subject("faulty/hashtable", "Hashtable");
    let equals = graph
        .methods
        .iter()
        .find(|it| it.operation == "equals")
        .unwrap();
    assert_eq!(pairs(equals), ["(self.table, other1.table)"]);
    // ct5
    let it = pair(&graph, "size", "equals");
    assert_eq!(it.double_lock, Relation::No);
    // ct6
    let it = pair(&graph, "equals", "equals");
    assert_eq!(it.double_lock, Relation::Yes);
    assert!(
        graph
            .pairs
            .iter()
            .all(|it| it.rank() <= pair(&graph, "equals", "equals").rank())
    );
}

#[test]
fn string_buffer_appends_are_double_lock_dependent_and_race_with_deletes() {
    let graph = subject("faulty/string_buffer", "StringBuffer");
    assert_eq!(pair(&graph, "append", "append").double_lock, Relation::Yes);
    assert_eq!(pair(&graph, "length", "append").double_lock, Relation::No);
    // `append` reads the other buffer twice without its lock in between.
    let it = pair(&graph, "append", "delete");
    assert!(it.parallel && it.conflict == Relation::Yes, "{it:?}");
    assert!(pair(&graph, "delete", "delete").can_be_pruned());
}

#[test]
fn synchronized_maps_that_take_each_other_over_are_double_lock_dependent() {
    let graph = subject("faulty/synchronized_map", "SynchronizedMap");
    assert_eq!(
        pair(&graph, "put_all", "put_all").double_lock,
        Relation::Yes
    );
    assert_eq!(pair(&graph, "put_all", "entries").double_lock, Relation::No);
    // One that reads the other map before it takes its own lock.
    let fixed = source(
        "use std::sync::Mutex; pub struct M { map: Mutex<Vec<u32>> }
         impl M {
             fn entries(&self) -> Vec<u32> { self.map.lock().unwrap().clone() }
             pub fn put_all(&self, other: &M) { let all = other.entries(); self.map.lock().unwrap().extend(all); }
         }",
    );
    assert!(pairs(&method(&fixed, "M", "put_all")).is_empty());
}

//! Operations of a catalog to summaries: by the place of declaration, by name, and what is said of those that are not
//! found.

use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{OperationEntry, Returned, SubjectEntry, Taken};

use contest_data::observed::{OperationFact, PairFact, Seen, SeenTogether};

use contest_catalog::method_summary::MethodSummary;

use crate::support::{accesses, reasons, source};

fn operation(name: &str, declared: &str, taken: Taken) -> OperationEntry {
    OperationEntry {
        name: name.to_string(),
        text: Expression::Object.method(name, []),
        expression: Expression::Object.method(name, []),
        taken,
        arguments: Vec::new(),
        returned: Returned::Observe,
        weak: false,
        approximate: false,
        polled: false,
        not_cancel_safe: None,
        announced_panic: None,
        observer: false,
        may_observe: false,
        keeping: contest_data::subject::Keeping::No,
        user_code: contest_data::subject::UserCode::Plain,
        given_out: Vec::new(),
        from_trait: None,
        declared: declared.to_string(),
    }
}

#[test]
fn operations_are_found_by_place_then_by_name_and_none_is_lost() {
    let analysis = source(
        "use std::sync::Mutex;\n\
         #[derive(Default)]\n\
         pub struct S { m: Mutex<u32> }\n\
         impl S {\n\
             /// Adds.\n\
             #[inline]\n\
             pub fn add(&self) { *self.m.lock().unwrap() += 1; }\n\
             pub fn get(&self) -> u32 { *self.m.lock().unwrap() }\n\
             pub fn set(&mut self) { *self.m.get_mut().unwrap() = 1; }\n\
         }\n",
    );
    let subject = SubjectEntry {
        path: "krate::S".to_string(),
        type_expression: "krate::S".to_string(),
        declared: "src/lib.rs:3".to_string(),
        constructors: Vec::new(),
        operations: vec![
            operation("add", "src/lib.rs:7", Taken::Reference),
            operation("get", "elsewhere.rs:1", Taken::Reference),
            operation("set", "src/lib.rs:9", Taken::MutableReference),
            operation("Extra::made_by_a_macro", "src/lib.rs:1", Taken::Reference),
            operation("get().chain", "src/lib.rs:8", Taken::Reference),
        ],
        left_out: Vec::new(),
    };
    let graph = analysis.subject(&subject);
    let names: Vec<&str> = graph
        .methods
        .iter()
        .map(|it| it.operation.as_str())
        .collect();
    assert_eq!(
        names,
        ["add", "get", "set", "Extra::made_by_a_macro", "get().chain"]
    );
    let exact: Vec<bool> = graph.methods.iter().map(|it| it.is_exact()).collect();
    assert_eq!(exact, [true, true, true, false, false]);
    assert_eq!(graph.methods[2].accesses[0].to_string(), "W(self.m.*)");
    // `set` needs the object for itself, so it is in no pair.
    assert_eq!(graph.pairs.len(), 4 * 5 / 2);
    assert!(graph.pairs.iter().all(|it| it.first != 2 && it.second != 2));
    assert!(graph.pair(0, 1).unwrap().can_be_pruned());
    assert!(!graph.pair(0, 3).unwrap().can_be_pruned());
    let again = serde_json::to_string(&graph).unwrap();
    assert_eq!(
        serde_json::from_str::<contest_catalog::dependency_graph::DependencyGraph>(&again).unwrap(),
        graph
    );
}

/// A subject of the type `S` in `src/lib.rs` with these operations, each found by its name.
fn subject(operations: &[&str]) -> SubjectEntry {
    SubjectEntry {
        path: "krate::S".to_string(),
        type_expression: "krate::S".to_string(),
        declared: "src/lib.rs:1".to_string(),
        constructors: Vec::new(),
        operations: operations
            .iter()
            .map(|name| operation(name, "", Taken::Reference))
            .collect(),
        left_out: Vec::new(),
    }
}

fn why(text: &str, name: &str) -> Vec<String> {
    reasons(&summary(text, name))
}

/// Accesses of an operation.
fn touched(text: &str, name: &str) -> Vec<String> {
    accesses(&summary(text, name))
}

fn summary(text: &str, name: &str) -> MethodSummary {
    let graph = source(text).subject(&subject(&[name]));
    graph.methods[0].clone()
}

#[test]
fn what_the_driver_does_with_a_result_is_part_of_the_operation() {
    let text = "use std::sync::{Mutex, MutexGuard};
        use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
        pub struct S { m: Mutex<u32>, n: AtomicUsize }
        pub struct Items<'a>(&'a S);
        impl Iterator for Items<'_> {
            type Item = usize;
            fn next(&mut self) -> Option<usize> { Some(self.0.n.fetch_add(1, SeqCst)) }
        }
        #[derive(Debug)] pub struct Plain(u32);
        impl S {
            pub fn items(&self) -> Items<'_> { Items(self) }
            pub fn guard(&self) -> MutexGuard<'_, u32> { self.m.lock().unwrap() }
            pub fn lazy(&self) -> impl Iterator<Item = usize> + '_ { (0..2).map(|_| self.n.fetch_add(1, SeqCst)) }
            pub fn plain(&self) -> Plain { Plain(1) }
        }";
    // What the object that is returned refers to is known, not by which field.
    assert_eq!(touched(text, "items"), ["RW(self..)"]);
    assert_eq!(touched(text, "guard"), ["R(self.m.*)"]);
    assert!(touched(text, "lazy").contains(&"RW(self.n)".to_string()));
    assert!(why(text, "plain").is_empty() && touched(text, "plain").is_empty());
}

#[test]
fn a_derived_clone_runs_those_of_the_fields() {
    let text = "use std::sync::Arc;
        use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
        #[derive(Clone)] pub struct S { HANDLE }
        pub struct Counted(Arc<AtomicUsize>);
        impl Clone for Counted {
            fn clone(&self) -> Self { self.0.fetch_add(1, SeqCst); Counted(self.0.clone()) }
        }";
    let counted = text.replace("HANDLE", "inner: Option<Counted>");
    assert_eq!(touched(&counted, "Clone::clone"), ["RW(self.inner.0)"]);
    let shared = text.replace("HANDLE", "inner: Arc<Counted>");
    assert!(why(&shared, "Clone::clone").is_empty() && touched(&shared, "Clone::clone").is_empty());
}

/// The check that a debug switch of `run` makes.
#[test]
fn what_was_seen_and_is_not_in_an_exact_summary_is_reported() {
    let analysis = source(
        "use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
pub struct S { n: AtomicUsize, m: AtomicUsize }
impl S {
    pub fn up(&self) {
        self.n.fetch_add(1, SeqCst);
    }
    pub fn other(&self) -> usize {
        self.m.load(SeqCst)
    }
}",
    );
    let subject = subject(&["up", "other"]);
    let graph = analysis.subject(&subject);
    let seen = |operation, does, location: &str| Seen {
        operation,
        does,
        what: "fetch_add AtomicUsize".to_string(),
        location: location.to_string(),
    };
    let own = |location: &str| {
        let (file, rest) = location.split_once(':')?;
        let line = rest.split(':').next()?.parse().ok()?;
        (file == "src/lib.rs").then(|| (file.to_string(), line))
    };
    let check = |alone: &[Seen], together: &[SeenTogether]| {
        analysis.check(&subject, &graph, alone, together, &own)
    };
    let right = check(
        &[
            seen(0, OperationFact::Writes, "src/lib.rs:5:16"),
            seen(0, OperationFact::Writes, "/elsewhere/lib.rs:5:16"),
        ],
        &[],
    );
    assert_eq!(
        (right.compared, right.elsewhere, right.wrong.len()),
        (1, 1, 0)
    );
    let wrong = check(
        &[
            seen(1, OperationFact::Writes, "src/lib.rs:8:16"),
            seen(1, OperationFact::Locks, "src/lib.rs:5:16"),
        ],
        &[SeenTogether {
            operations: (0, 1),
            does: PairFact::Conflict,
            locations: ("src/lib.rs:5:16".into(), "src/lib.rs:8:16".into()),
        }],
    );
    assert_eq!(wrong.wrong.len(), 3, "{:?}", wrong.wrong);
    assert!(wrong.wrong[0].contains("S::other writes a variable at src/lib.rs:8"));
}

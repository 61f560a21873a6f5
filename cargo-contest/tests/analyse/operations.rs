//! Operations of a catalog to summaries: by the place of declaration, by name, and what is said of those that are not found.

use cargo_contest::discover::subject_catalog::{OperationEntry, Returned, SubjectEntry, Taken};

use crate::support::source;

fn operation(name: &str, declared: &str, taken: Taken) -> OperationEntry {
    OperationEntry {
        name: name.to_string(),
        text: format!("{{s}}.{name}()"),
        expression: format!("{{s}}.{name}()"),
        taken,
        arguments: Vec::new(),
        returned: Returned::Observe,
        weak: false,
        observer: false,
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
        serde_json::from_str::<cargo_contest::analyse::dependency_graph::DependencyGraph>(&again)
            .unwrap(),
        graph
    );
}

//! Files of the tool and of the search do not import each other in circles: each can be read after those that it
//! imports.

use std::collections::{BTreeMap, BTreeSet};

use super::imports::{Module, imports_of, sources_of};
use super::root;

/// Packages whose files import each other in no circles.
pub(super) const CIRCLE_FREE: [&str; 8] = [
    "cargo-contest",
    "cargo-contest/catalog",
    "cargo-contest/build",
    "cargo-contest/discover",
    "cargo-contest/analyse",
    "cargo-contest/drive",
    "cargo-contest/report",
    "contest-runtime/search",
];

/// Modules that lie on a circle of imports, or between two circles.
fn on_circles(mut imports: BTreeMap<Module, BTreeSet<Module>>) -> Vec<Module> {
    loop {
        let imported: BTreeSet<Module> = imports.values().flatten().cloned().collect();
        let ends: Vec<Module> = imports
            .iter()
            .filter(|(module, of)| of.is_empty() || !imported.contains(*module))
            .map(|(module, _)| module.clone())
            .collect();
        if ends.is_empty() {
            return imports.into_keys().collect();
        }
        imports.retain(|module, _| !ends.contains(module));
        for of in imports.values_mut() {
            of.retain(|it| !ends.contains(it));
        }
    }
}

/// Modules on circles of imports among the files below `source`.
fn circles_below(source: &str) -> Vec<String> {
    let sources: Vec<(Module, String)> = sources_of(&root().join(source));
    assert!(sources.len() > 10, "{}", sources.len());
    let found = on_circles(imports_of(&sources)).into_iter();
    found.map(|it| it.join("::")).collect()
}

#[test]
fn files_of_the_tool_and_of_the_search_do_not_import_each_other_in_circles() {
    for package in CIRCLE_FREE {
        let found = circles_below(&format!("{package}/src"));
        assert_eq!(found, [""; 0], "{package}");
    }
}

#[test]
fn circles_are_found_and_nothing_else() {
    let source = |module: &str, text: &str| {
        let module = module.split("::").map(str::to_owned).collect();
        (module, text.to_owned())
    };
    let found = on_circles(imports_of(&[
        source("a", "mod b; mod c; use b::X;"),
        source("a::b", "use super::c::Y; pub(super) fn f() { serde::g() }"),
        source("a::c", "fn f() { super::b::g() }"),
        source(
            "d",
            "use crate::a; #[cfg(test)] mod tests { use crate::e; }",
        ),
        source("e", "use crate::d::{self, Z};"),
    ]));
    assert_eq!(found, [["a", "b"], ["a", "c"]]);
}

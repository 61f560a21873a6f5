//! Which module may import which: a stage only earlier stages and the floor, plain data nothing at all.

use std::collections::BTreeSet;
use std::path::Path;

use syn::visit::Visit;

use super::{root, rust_files};

/// Modules of a crate that may be imported by anyone, stages in order, and modules at the edge that no other module
/// imports.
struct Layers {
    package: &'static str,
    floor: &'static [&'static str],
    stages: &'static [&'static str],
    edge: &'static [&'static str],
}

const TOOL: Layers = Layers {
    package: "cargo-contest",
    floor: &["workspace", "skipped", "pair_path", "progress_event"],
    stages: &[
        "discover",
        "analyse",
        "instrument",
        "harness",
        "campaign",
        "report",
        "emit",
        "init",
    ],
    edge: &["cli", "pipeline", "main", "lib"],
};

const SEARCH: Layers = Layers {
    package: "contest-runtime/search",
    floor: &[],
    stages: &["coverage", "strategies", "research", "explore"],
    edge: &["lib"],
};

/// Imports a module may have, where `ARCHITECTURE.md` names them.
const ALLOWED: &[(&str, &str, &[&str])] = &[
    ("contest-runtime/data", "trace", &[]),
    ("contest-runtime/campaign", "judge", &["generate"]),
    ("cargo-contest", "cli", &["pair_path"]),
    ("cargo-contest", "pair_path", &[]),
    ("cargo-contest", "skipped", &[]),
];

/// First segments after `crate` of everything a file names, test code left out.
#[derive(Default)]
struct Imports {
    modules: BTreeSet<String>,
}

impl Imports {
    fn use_tree(&mut self, tree: &syn::UseTree, inside_crate: bool) {
        match tree {
            syn::UseTree::Path(path) if path.ident == "crate" => self.use_tree(&path.tree, true),
            syn::UseTree::Path(path) if inside_crate => {
                self.modules.insert(path.ident.to_string());
            }
            syn::UseTree::Name(name) if inside_crate => {
                self.modules.insert(name.ident.to_string());
            }
            syn::UseTree::Rename(name) if inside_crate => {
                self.modules.insert(name.ident.to_string());
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.use_tree(tree, inside_crate);
                }
            }
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Imports {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.use_tree(&item.tree, false);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let mut segments = path.segments.iter();
        if segments.next().is_some_and(|first| first.ident == "crate")
            && let Some(second) = segments.next()
        {
            self.modules.insert(second.ident.to_string());
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let test = item.attrs.iter().any(|attribute| {
            attribute.path().is_ident("cfg")
                && attribute
                    .parse_args::<syn::Path>()
                    .is_ok_and(|path| path.is_ident("test"))
        });
        if !test {
            syn::visit::visit_item_mod(self, item);
        }
    }
}

fn imports(source: &str) -> BTreeSet<String> {
    let mut imports = Imports::default();
    imports.visit_file(&syn::parse_file(source).unwrap());
    imports.modules
}

/// `(top-level module, file, imported top-level modules)` of every file of a package, files of tests left out.
fn files_of(package: &str) -> Vec<(String, String, BTreeSet<String>)> {
    let source = root().join(package).join("src");
    rust_files(&source)
        .into_iter()
        .filter(|path| {
            let relative = path.strip_prefix(&source).unwrap();
            !relative
                .iter()
                .any(|part| part == "tests" || part == "tests.rs" || part == "sample.rs")
        })
        .map(|path| {
            let relative = path.strip_prefix(&source).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            (
                top_level(relative),
                relative.display().to_string(),
                imports(&text),
            )
        })
        .collect()
}

fn top_level(relative: &Path) -> String {
    let first = relative.iter().next().unwrap().to_str().unwrap();
    first.trim_end_matches(".rs").to_string()
}

#[test]
fn a_stage_of_the_tool_imports_only_earlier_stages_and_the_floor() {
    imports_go_one_way(&TOOL);
}

#[test]
fn a_room_of_the_search_imports_only_earlier_rooms() {
    imports_go_one_way(&SEARCH);
}

fn imports_go_one_way(layers: &Layers) {
    let Layers {
        package,
        floor,
        stages,
        edge,
    } = layers;
    let files = files_of(package);
    assert!(files.len() > 10, "{files:?}");
    for (module, file, imported) in files {
        if edge.contains(&module.as_str()) {
            continue;
        }
        let known = floor.contains(&module.as_str()) || stages.contains(&module.as_str());
        assert!(
            known,
            "{package}/src/{file}: add `{module}` to the layers in tests/tidy"
        );
        for other in imported {
            if other == module || floor.contains(&other.as_str()) {
                continue;
            }
            let order = |name: &str| stages.iter().position(|stage| *stage == name);
            assert!(
                order(&other).is_some() && order(&other) < order(&module),
                "{package}/src/{file} imports `{other}`, which is not an earlier stage"
            );
        }
    }
}

#[test]
fn plain_data_and_rules_import_only_what_the_architecture_allows() {
    for (package, module, allowed) in ALLOWED {
        let files: Vec<_> = files_of(package)
            .into_iter()
            .filter(|(top, ..)| top == module)
            .collect();
        assert!(!files.is_empty(), "{package} has no module {module}");
        for (_, file, imported) in files {
            for other in imported {
                assert!(
                    other == *module || allowed.contains(&other.as_str()),
                    "{package}/src/{file} imports `{other}`; allowed: {allowed:?}"
                );
            }
        }
    }
}

#[test]
fn the_scan_sees_every_form_of_import() {
    let source = "
        use crate::a;
        use crate::{b::X, c as d};
        use std::fmt;
        fn f() { crate::e::g(); let _: crate::h::T; }
        #[cfg(test)]
        mod tests { use crate::not_this; }
    ";
    let modules: Vec<String> = imports(source).into_iter().collect();
    assert_eq!(modules, ["a", "b", "c", "e", "h"]);
}

//! Files of the tool and of the search strategies do not import each other in circles: each can be read after those
//! that it imports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use syn::visit::Visit;

use super::{root, rust_files};

/// Rooms that still have circles. The list may only shrink.
const EXCEPTIONS: &[&str] = &["analyse"];

/// A module with a file of its own, as segments from the crate's root.
type Module = Vec<String>;

/// Paths that a file names, as segments; test code left out.
#[derive(Default)]
struct Named {
    paths: Vec<Vec<String>>,
}

impl Named {
    fn use_tree(&mut self, tree: &syn::UseTree, mut before: Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.use_tree(&path.tree, before);
            }
            syn::UseTree::Name(name) => {
                before.push(name.ident.to_string());
                self.paths.push(before);
            }
            syn::UseTree::Rename(name) => {
                before.push(name.ident.to_string());
                self.paths.push(before);
            }
            syn::UseTree::Glob(_) => self.paths.push(before),
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.use_tree(tree, before.clone());
                }
            }
        }
    }
}

impl<'ast> Visit<'ast> for Named {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.use_tree(&item.tree, Vec::new());
    }

    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {
        // `pub(super)` names no item.
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter().map(|it| it.ident.to_string());
        self.paths.push(segments.collect());
        syn::visit::visit_path(self, path);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let is_test = |it: &syn::Attribute| {
            it.path().is_ident("cfg")
                && it
                    .parse_args::<syn::Path>()
                    .is_ok_and(|it| it.is_ident("test"))
        };
        if !item.attrs.iter().any(is_test) {
            syn::visit::visit_item_mod(self, item);
        }
    }
}

/// `report/human.rs` and `report/human/mod.rs` are `[report, human]`.
fn module_of(relative: &Path) -> Module {
    let mut segments: Module = relative
        .with_extension("")
        .iter()
        .map(|it| it.to_str().unwrap().to_owned())
        .collect();
    if segments.last().is_some_and(|it| it == "mod") {
        segments.pop();
    }
    segments
}

/// The file that a path named in `module` leads to.
fn file_of(path: &[String], module: &Module, modules: &BTreeSet<Module>) -> Option<Module> {
    let up = path.iter().take_while(|it| *it == "super").count();
    let mut full = match path.first()?.as_str() {
        "crate" => path[1..].to_vec(),
        "self" => [module, &path[1..]].concat(),
        "super" => [&module[..module.len().checked_sub(up)?], &path[up..]].concat(),
        _ => [&module[..], path].concat(),
    };
    // A name of another crate, or of the file itself, is a child of no module.
    let relative = !matches!(path[0].as_str(), "crate" | "self" | "super");
    while !full.is_empty() && !modules.contains(&full) {
        full.pop();
    }
    let outside = relative && full.len() <= module.len();
    (!full.is_empty() && !outside).then_some(full)
}

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

fn imports_of(sources: &[(Module, String)]) -> BTreeMap<Module, BTreeSet<Module>> {
    let modules: BTreeSet<Module> = sources.iter().map(|(module, _)| module.clone()).collect();
    let imports = sources.iter().map(|(module, text)| {
        let mut named = Named::default();
        named.visit_file(&syn::parse_file(text).unwrap());
        let files = named.paths.iter();
        let files = files.filter_map(|path| file_of(path, module, &modules));
        (module.clone(), files.filter(|it| it != module).collect())
    });
    imports.collect()
}

/// Modules on circles of imports among the files below `source`, rooms in `exceptions` left out.
fn circles_below(source: &str, exceptions: &[&str]) -> Vec<String> {
    let source = root().join(source);
    let sources: Vec<(Module, String)> = rust_files(&source)
        .into_iter()
        .map(|path| (module_of(path.strip_prefix(&source).unwrap()), path))
        .filter(|(module, _)| !module.iter().any(|it| it == "tests" || it == "sample"))
        .filter(|(module, _)| !exceptions.contains(&module[0].as_str()))
        .map(|(module, path)| (module, std::fs::read_to_string(path).unwrap()))
        .collect();
    assert!(sources.len() > 50, "{}", sources.len());
    let found = on_circles(imports_of(&sources)).into_iter();
    found.map(|it| it.join("::")).collect()
}

#[test]
fn files_of_the_tool_do_not_import_each_other_in_circles() {
    let found = circles_below("cargo-contest/src", EXCEPTIONS);
    assert!(found.is_empty(), "on a circle of imports: {found:?}");
}

#[test]
fn files_of_the_search_do_not_import_each_other_in_circles() {
    let found = circles_below("contest-runtime/search/src", &[]);
    assert!(found.is_empty(), "on a circle of imports: {found:?}");
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

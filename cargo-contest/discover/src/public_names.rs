//! By which path a dependent names each item: a walk over public modules and re-exports.

use std::collections::HashMap;

use rustdoc_types::{Id, ItemEnum, ItemKind, Visibility};

use super::document::{Document, is_hidden};
use super::named_library::NamedLibrary;
use super::std_paths::{crate_of, is_std};
use contest_catalog::skipped::Skipped;

/// The namespaces in which one definition path may mean two things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Namespace {
    Type,
    Value,
}

/// How a dependent names an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublicName {
    /// `parking_lot::Mutex`.
    pub(crate) path: String,
    /// Only reachable through `#[doc(hidden)]` items.
    pub(crate) hidden: bool,
    /// Inside a module or crate that is re-exported from elsewhere: it can be named but is not tested.
    pub(crate) foreign_module: bool,
}

/// All names, by definition path.
#[derive(Debug, Default)]
pub(crate) struct PublicNames {
    names: HashMap<(String, Namespace), PublicName>,
    /// Re-exports that were not followed.
    pub(crate) skipped: Vec<Skipped>,
}

impl PublicNames {
    pub(crate) fn get(&self, path: &str, namespace: Namespace) -> Option<&PublicName> {
        self.names.get(&(path.to_owned(), namespace))
    }

    /// All definition paths of a namespace, in order of their public name.
    pub(crate) fn all(&self, namespace: Namespace) -> Vec<(&str, &PublicName)> {
        let mut all: Vec<_> = self
            .names
            .iter()
            .filter(|((_, own), _)| *own == namespace)
            .map(|((path, _), name)| (path.as_str(), name))
            .collect();
        all.sort_by(|left, right| left.1.path.cmp(&right.1.path));
        all
    }

    fn record(&mut self, definition: String, namespace: Namespace, name: PublicName) {
        let rank = |it: &PublicName| {
            (
                it.hidden,
                it.foreign_module,
                it.path.contains("::prelude::"),
                it.path.matches("::").count(),
                it.path.len(),
            )
        };
        let entry = self.names.entry((definition, namespace));
        entry
            .and_modify(|known| {
                if rank(&name) < rank(known) {
                    *known = name.clone();
                }
            })
            .or_insert(name);
    }
}

/// Walks the public modules of the first document; the others are looked into where it re-exports them. Those of crates
/// in `named` have names of their own as well.
pub(crate) fn public_names(documents: &[Document], named: &[NamedLibrary]) -> PublicNames {
    let mut walk = Walk {
        documents,
        names: PublicNames::default(),
        open: Vec::new(),
    };
    let root = documents[0].content.root;
    let place = Place {
        prefix: documents[0].name.clone(),
        hidden: false,
        foreign_module: false,
    };
    walk.module(0, root, &place);
    let others = documents.iter().enumerate().skip(1);
    for (at, document) in others {
        let Some(named) = named.iter().find(|it| it.library == document.name) else {
            continue;
        };
        let place = Place {
            prefix: named.path.clone(),
            hidden: false,
            foreign_module: true,
        };
        walk.module(at, document.content.root, &place);
    }
    walk.names
}

struct Walk<'a> {
    documents: &'a [Document],
    names: PublicNames,
    /// Modules being walked: re-exports may be cyclic.
    open: Vec<(usize, Id)>,
}

/// The current path, as a dependent writes it.
#[derive(Clone)]
struct Place {
    prefix: String,
    hidden: bool,
    foreign_module: bool,
}

impl Place {
    fn inside(&self, name: &str) -> Self {
        Self {
            prefix: format!("{}::{name}", self.prefix),
            ..self.clone()
        }
    }
}

impl Walk<'_> {
    fn module(&mut self, document: usize, id: Id, place: &Place) {
        if self.open.contains(&(document, id)) || self.open.len() > 24 {
            return;
        }
        let children = match self.documents[document].item(id).map(|it| &it.inner) {
            Some(ItemEnum::Module(module)) => module.items.clone(),
            _ => return,
        };
        self.open.push((document, id));
        for child in children {
            self.child(document, child, place);
        }
        self.open.pop();
    }

    fn child(&mut self, document: usize, id: Id, place: &Place) {
        let Some(item) = self.documents[document].item(id) else {
            return;
        };
        if item.visibility != Visibility::Public {
            return;
        }
        let mut place = place.clone();
        place.hidden |= is_hidden(item);
        match &item.inner {
            ItemEnum::Use(used) => {
                let Some(target) = used.id else { return };
                let at = if used.is_glob {
                    place
                } else {
                    place.inside(&used.name)
                };
                self.target(document, target, used.is_glob, &at);
            }
            ItemEnum::ExternCrate { name, rename } => {
                let at = place.inside(rename.as_ref().unwrap_or(name));
                if let Some(foreign) = self.documents.iter().position(|it| it.name == *name) {
                    self.foreign_module(foreign, self.documents[foreign].content.root, &at);
                }
            }
            _ => {
                let name = item.name.clone().unwrap_or_default();
                self.item(document, id, &place.inside(&name));
            }
        }
    }

    /// What a `use` leads to; `place` already has its name.
    fn target(&mut self, document: usize, id: Id, is_glob: bool, place: &Place) {
        if self.documents[document].item(id).is_some() {
            if is_glob {
                self.module(document, id, place);
            } else {
                self.item(document, id, place);
            }
            return;
        }
        let Some(summary) = self.documents[document].summary(id) else {
            return;
        };
        let path = summary.path.join("::");
        let kind = summary.kind;
        if is_std(&path) {
            return;
        }
        let foreign = self
            .documents
            .iter()
            .position(|it| it.name == crate_of(&path));
        let foreign_id = foreign.and_then(|index| {
            if summary.path.len() == 1 {
                Some(self.documents[index].content.root)
            } else {
                self.documents[index].by_path(&path)
            }
        });
        match (kind, foreign, foreign_id) {
            (ItemKind::Module, Some(foreign), Some(id)) if is_glob => {
                self.module(foreign, id, place);
            }
            (ItemKind::Module, Some(foreign), Some(id)) => self.foreign_module(foreign, id, place),
            (ItemKind::Module, ..) => self.names.skipped.push(Skipped::new(
                place.prefix.clone(),
                format!("re-export of `{path}`, whose documentation was not read"),
            )),
            _ => {
                if let Some(namespace) = namespace_of(kind) {
                    self.record(path, namespace, place);
                }
            }
        }
    }

    fn foreign_module(&mut self, document: usize, id: Id, place: &Place) {
        if !place.foreign_module && !place.hidden {
            let name = &self.documents[document].name;
            self.names.skipped.push(Skipped::new(
                place.prefix.clone(),
                format!("re-export of another crate; test it with `-p {name}`"),
            ));
        }
        let place = Place {
            foreign_module: true,
            ..place.clone()
        };
        self.module(document, id, &place);
    }

    fn item(&mut self, document: usize, id: Id, place: &Place) {
        let Some(item) = self.documents[document].item(id) else {
            return;
        };
        let namespace = match &item.inner {
            ItemEnum::Module(_) => return self.module(document, id, place),
            ItemEnum::Struct(_)
            | ItemEnum::Enum(_)
            | ItemEnum::Union(_)
            | ItemEnum::Trait(_)
            | ItemEnum::TypeAlias(_) => Namespace::Type,
            ItemEnum::Function(_) | ItemEnum::Static(_) | ItemEnum::Constant { .. } => {
                Namespace::Value
            }
            _ => return,
        };
        let Some(path) = self.documents[document].definition_path(id) else {
            return;
        };
        let mut place = place.clone();
        place.hidden |= is_hidden(item);
        self.record(path, namespace, &place);
    }

    fn record(&mut self, definition: String, namespace: Namespace, place: &Place) {
        self.names.record(
            definition,
            namespace,
            PublicName {
                path: place.prefix.clone(),
                hidden: place.hidden,
                foreign_module: place.foreign_module,
            },
        );
    }
}

fn namespace_of(kind: ItemKind) -> Option<Namespace> {
    match kind {
        ItemKind::Struct
        | ItemKind::Enum
        | ItemKind::Union
        | ItemKind::Trait
        | ItemKind::TypeAlias => Some(Namespace::Type),
        ItemKind::Function | ItemKind::Static | ItemKind::Constant => Some(Namespace::Value),
        _ => None,
    }
}

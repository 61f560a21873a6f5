//! The rustdoc JSON of one crate with the indexes discovery needs.

use std::collections::HashMap;

use rustdoc_types::{Attribute, Crate, Id, Item, ItemEnum, ItemKind, ItemSummary};

/// One crate.
#[derive(Debug)]
pub(crate) struct Document {
    /// As definition paths begin.
    pub(crate) name: String,
    pub(crate) content: Crate,
    /// Local items in the type namespace by definition path.
    by_path: HashMap<String, Id>,
}

impl Document {
    pub(crate) fn new(content: Crate) -> Self {
        let name = content
            .index
            .get(&content.root)
            .and_then(|it| it.name.clone())
            .unwrap_or_default();
        let by_path = content
            .paths
            .iter()
            .filter(|(_, summary)| summary.crate_id == 0 && in_type_namespace(summary.kind))
            .map(|(id, summary)| (summary.path.join("::"), *id))
            .collect();
        Self {
            name,
            content,
            by_path,
        }
    }

    pub(crate) fn item(&self, id: Id) -> Option<&Item> {
        self.content.index.get(&id)
    }

    pub(crate) fn summary(&self, id: Id) -> Option<&ItemSummary> {
        self.content.paths.get(&id)
    }

    /// Definition path of an item that is not associated with a type.
    pub(crate) fn definition_path(&self, id: Id) -> Option<String> {
        Some(self.summary(id)?.path.join("::"))
    }

    /// A local item in the type namespace.
    pub(crate) fn by_path(&self, path: &str) -> Option<Id> {
        self.by_path.get(path).copied()
    }

    /// Items of this crate in order of their place in the source, so that everything made from them has one order.
    pub(crate) fn items_in_order(&self) -> Vec<&Item> {
        let mut items: Vec<&Item> = self.content.index.values().collect();
        items.sort_by_key(|it| it.id.0);
        items
    }
}

fn in_type_namespace(kind: ItemKind) -> bool {
    matches!(
        kind,
        ItemKind::Struct
            | ItemKind::Enum
            | ItemKind::Union
            | ItemKind::Trait
            | ItemKind::TypeAlias
            | ItemKind::Module
    )
}

/// `#[doc(hidden)]`.
pub(crate) fn is_hidden(item: &Item) -> bool {
    item.attrs.iter().any(|it| match it {
        Attribute::Other(text) => text.starts_with("#[doc(") && text.contains("hidden"),
        _ => false,
    })
}

/// True for an impl block of a derived trait: its methods do what they do for every type.
pub(crate) fn is_derived(item: &Item) -> bool {
    item.attrs.contains(&Attribute::AutomaticallyDerived)
}

/// Impl blocks of a type.
pub(crate) fn impls_of(item: &Item) -> &[Id] {
    match &item.inner {
        ItemEnum::Struct(it) => &it.impls,
        ItemEnum::Enum(it) => &it.impls,
        ItemEnum::Union(it) => &it.impls,
        _ => &[],
    }
}

/// Generic parameters of a type.
pub(crate) fn generics_of(item: &Item) -> Option<&rustdoc_types::Generics> {
    match &item.inner {
        ItemEnum::Struct(it) => Some(&it.generics),
        ItemEnum::Enum(it) => Some(&it.generics),
        ItemEnum::Union(it) => Some(&it.generics),
        ItemEnum::Trait(it) => Some(&it.generics),
        ItemEnum::TypeAlias(it) => Some(&it.generics),
        _ => None,
    }
}

//! Which other crates have to be read to understand a crate's API.

use rustdoc_types::{
    GenericBound, GenericParamDefKind, Generics, Id, ItemEnum, Type, Visibility, WherePredicate,
};

use super::document::{Document, generics_of};

/// Names of crates that a document's re-exports lead to and, for the package itself, those of its aliases and bounds.
pub(super) fn foreign_crates(document: &Document, is_package: bool) -> Vec<String> {
    let mut wanted = Vec::new();
    let mut want = |id: Id| {
        if document.item(id).is_some() {
            return;
        }
        if let Some(summary) = document.summary(id) {
            let name = &summary.path[0];
            if !matches!(name.as_str(), "std" | "core" | "alloc") && !wanted.contains(name) {
                wanted.push(name.clone());
            }
        }
    };
    let items = document.items_in_order();
    for item in &items {
        match &item.inner {
            ItemEnum::Use(used) if item.visibility == Visibility::Public => {
                if let Some(id) = used.id {
                    want(id);
                }
            }
            ItemEnum::TypeAlias(alias) if is_package => {
                if let Type::ResolvedPath(path) = &alias.type_ {
                    want(path.id);
                }
            }
            _ => {}
        }
    }
    if is_package {
        for item in items {
            if !matches!(item.visibility, Visibility::Public | Visibility::Default) {
                continue;
            }
            let generics = match &item.inner {
                ItemEnum::Impl(it) if it.blanket_impl.is_none() && !it.is_synthetic => &it.generics,
                ItemEnum::Function(it) => &it.generics,
                _ => match generics_of(item) {
                    Some(generics) => generics,
                    None => continue,
                },
            };
            bounded_traits(generics, &mut want);
        }
    }
    wanted
}

/// Those of `named` whose traits have impl blocks in the document.
pub(super) fn crates_of_traits(document: &Document, named: &[String]) -> Vec<String> {
    let items = document.items_in_order();
    let traits = items.iter().filter_map(|item| match &item.inner {
        ItemEnum::Impl(it) if it.blanket_impl.is_none() => it.trait_.as_ref(),
        _ => None,
    });
    let crates: Vec<&String> = traits
        .filter_map(|it| document.summary(it.id)?.path.first())
        .collect();
    let mut found = named.to_vec();
    found.retain(|it| crates.contains(&it));
    found
}

fn bounded_traits(generics: &Generics, want: &mut dyn FnMut(Id)) {
    let mut all = |bounds: &[GenericBound]| {
        for bound in bounds {
            if let GenericBound::TraitBound { trait_, .. } = bound {
                want(trait_.id);
            }
        }
    };
    for parameter in &generics.params {
        if let GenericParamDefKind::Type { bounds, .. } = &parameter.kind {
            all(bounds);
        }
    }
    for predicate in &generics.where_predicates {
        if let WherePredicate::BoundPredicate { bounds, .. } = predicate {
            all(bounds);
        }
    }
}

//! Which other crates have to be read to understand a crate's API.

use rustdoc_types::{
    AssocItemConstraintKind, Function, GenericArg, GenericArgs, GenericBound, GenericParamDefKind,
    Generics, Id, ItemEnum, ItemKind, Term, Type, Visibility, WherePredicate,
};

use super::document::{Document, generics_of, is_derived};
use super::named_library::NamedLibrary;

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

/// Crates whose traits have impl blocks in the document that someone has written.
pub(super) fn crates_of_traits(document: &Document) -> Vec<String> {
    let items = document.items_in_order();
    let traits = items.iter().filter_map(|item| match &item.inner {
        ItemEnum::Impl(it)
            if it.blanket_impl.is_none() && !it.is_synthetic && !is_derived(item) =>
        {
            it.trait_.as_ref()
        }
        _ => None,
    });
    let crates = traits.filter_map(|it| crate_name(document, it.id));
    distinct(crates)
}

/// Crates of the types and traits that functions of the document take, or that methods of traits have to return.
pub(super) fn crates_of_arguments(document: &Document) -> Vec<String> {
    let mut found = Vec::new();
    for function in functions(document) {
        let inputs = function.sig.inputs.iter().map(|(_, ty)| ty);
        let output = function.sig.output.iter().filter(|_| !function.has_body);
        for ty in inputs.chain(output) {
            paths_in(ty, &mut |id| found.extend(crate_name(document, id)));
        }
    }
    distinct(found.into_iter())
}

/// Crates of the type aliases that functions of the document take or return: `anyhow::Result` says nothing by itself.
pub(super) fn crates_of_aliases(document: &Document) -> Vec<String> {
    let mut found = Vec::new();
    let mut of_alias = |id: Id| {
        let summary = document.summary(id);
        if summary.is_some_and(|it| it.kind == ItemKind::TypeAlias) {
            found.extend(crate_name(document, id));
        }
    };
    for function in functions(document) {
        let inputs = function.sig.inputs.iter().map(|(_, ty)| ty);
        for ty in inputs.chain(&function.sig.output) {
            paths_in(ty, &mut of_alias);
        }
    }
    distinct(found.into_iter())
}

/// The functions that a dependent may call, or has to implement.
fn functions(document: &Document) -> impl Iterator<Item = &Function> {
    let items = document.items_in_order().into_iter();
    items.filter_map(|item| match (&item.inner, &item.visibility) {
        (ItemEnum::Function(it), Visibility::Public | Visibility::Default) => Some(it),
        _ => None,
    })
}

/// Of these crates, those by which a dependent can name their items: themselves if they are in `named`, and who of
/// `named` may re-export from them. Members of the workspace beside the package may implement their traits.
pub(super) fn nameable(crates: Vec<String>, named: &[NamedLibrary]) -> Vec<String> {
    let mut found = Vec::new();
    for library in crates {
        let uses = |it: &&NamedLibrary| it.uses.contains(&library);
        let beside = named.iter().filter(|it| it.is_beside && uses(it));
        let beside: Vec<String> = beside.map(|it| it.library.clone()).collect();
        if !named.iter().any(|it| it.library == library) {
            let re_exports = named.iter().filter(|it| !it.is_beside && uses(it));
            let mut re_exports: Vec<&NamedLibrary> = re_exports.collect();
            if re_exports.is_empty() {
                continue;
            }
            // A crate is most often split into crates with its own name in front.
            re_exports.sort_by_key(|it| !library.starts_with(&it.library));
            found.extend(re_exports.iter().take(2).map(|it| it.library.clone()));
        }
        found.push(library);
        found.extend(beside);
    }
    distinct(found.into_iter())
}

/// Of an item of another crate than the document's, and than `std`.
fn crate_name(document: &Document, id: Id) -> Option<String> {
    let summary = document.summary(id).filter(|it| it.crate_id != 0)?;
    let name = summary.path.first()?;
    (!matches!(name.as_str(), "std" | "core" | "alloc")).then(|| name.clone())
}

fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut found = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// All types and traits in a type.
fn paths_in(ty: &Type, found: &mut dyn FnMut(Id)) {
    match ty {
        Type::ResolvedPath(path) => path_and_arguments(path, found),
        Type::DynTrait(it) => {
            for bound in &it.traits {
                path_and_arguments(&bound.trait_, found);
            }
        }
        Type::ImplTrait(bounds) => {
            for bound in bounds {
                if let GenericBound::TraitBound { trait_, .. } = bound {
                    path_and_arguments(trait_, found);
                }
            }
        }
        Type::Tuple(items) => items.iter().for_each(|it| paths_in(it, found)),
        Type::Slice(it)
        | Type::Array { type_: it, .. }
        | Type::BorrowedRef { type_: it, .. }
        | Type::RawPointer { type_: it, .. } => paths_in(it, found),
        _ => {}
    }
}

fn path_and_arguments(path: &rustdoc_types::Path, found: &mut dyn FnMut(Id)) {
    found(path.id);
    match path.args.as_deref() {
        Some(GenericArgs::AngleBracketed { args, constraints }) => {
            for argument in args {
                if let GenericArg::Type(it) = argument {
                    paths_in(it, found);
                }
            }
            // The output of a future.
            for constraint in constraints {
                if let AssocItemConstraintKind::Equality(Term::Type(it)) = &constraint.binding {
                    paths_in(it, found);
                }
            }
        }
        Some(GenericArgs::Parenthesized { inputs, output }) => {
            inputs
                .iter()
                .chain(output)
                .for_each(|it| paths_in(it, found));
        }
        _ => {}
    }
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

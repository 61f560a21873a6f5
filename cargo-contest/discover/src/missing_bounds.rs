//! Type arguments that are accepted only because an `unsafe impl` of `Sync` or `Send` lacks a bound.
//!
//! `unsafe impl<T> Sync for Shared<T> {}` makes `Shared<Cell<u32>>` shareable. Whether that is wrong depends on what
//! the type does with its `T`: a lock needs only `T: Send`; a type that only hands out `&T` needs only `T: Sync`. So
//! the impl itself is not reported; the type is tested again, with a `T` that is not `Sync`, or with one that is not
//! `Send`, and what happens to it in an execution is the proof (the class of bugs of Bae et al., Rudra, SOSP 2021,
//! section 3.3, there found by a lint).

use contest_data::subject::Probe;
use rustdoc_types::ItemEnum;

use super::holds::Holds;
use super::instantiation::Instance;
use super::library::{ItemRef, Library};
use super::recipes::Recipes;
use super::render::source;
use super::rust_type::{RustType, Substitution, TypeArgument};
use super::std_paths::is_std;

pub(super) const SYNC: &str = "core::marker::Sync";
const SEND: &str = "core::marker::Send";

/// As `usual`, instances of the type at `at`, with a type that is not `Sync`, or not `Send`, in place of one argument:
/// those that are `Sync`, and are so by a handwritten impl, of the type or of a part of it.
pub(super) fn probing_instances(
    recipes: &Recipes<'_>,
    at: ItemRef,
    usual: &RustType,
) -> Vec<(Instance, Probe)> {
    if !is_by_hand(recipes, usual, &[SYNC], &mut Vec::new()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (ty, probe) in with_probes(recipes, at, usual) {
        // A value that is not `Send` is shared by reference and stays on its thread.
        if recipes.solver.implements(&ty, SYNC) == Holds::Yes {
            let is_sync = Holds::Yes;
            found.push((Instance { ty, is_sync }, probe));
        }
    }
    found
}

/// As [`probing_instances`], those that are `Send`: other threads may own them.
pub(super) fn sent_instances(
    recipes: &Recipes<'_>,
    at: ItemRef,
    usual: &RustType,
) -> Vec<(RustType, Probe)> {
    if !is_by_hand(recipes, usual, &[SEND, SYNC], &mut Vec::new()) {
        return Vec::new();
    }
    let mut found = with_probes(recipes, at, usual);
    found.retain(|(ty, _)| recipes.solver.implements(ty, SEND) == Holds::Yes);
    found
}

/// `usual` with each probe in place of each argument, where the bounds of the type admit it.
fn with_probes(recipes: &Recipes<'_>, at: ItemRef, usual: &RustType) -> Vec<(RustType, Probe)> {
    let library = recipes.solver.library;
    let Some((path, arguments)) = usual.as_named() else {
        return Vec::new();
    };
    let generics = library.item(at).and_then(super::document::generics_of);
    let Some(generics) = generics else {
        return Vec::new();
    };
    let constraints = library.constraints(at.document, generics);
    let names: Vec<String> = generics.params.iter().map(|it| it.name.clone()).collect();
    let own: Substitution = names
        .iter()
        .cloned()
        .zip(arguments.iter().cloned())
        .collect();
    let mut found = Vec::new();
    for (place, name) in names.into_iter().enumerate() {
        let Some(TypeArgument::Type(before)) = arguments.get(place) else {
            continue;
        };
        // Functions and unit markers are not values that a type shares.
        if matches!(before, RustType::Function { .. }) || *before == RustType::unit() {
            continue;
        }
        for probe in [Probe::Unshared, Probe::Unsent] {
            let argument = TypeArgument::Type(recipes.probe(probe));
            let mut by = own.clone();
            by.insert(name.clone(), argument.clone());
            if recipes.solver.failing(&constraints, &by).is_some() {
                continue;
            }
            let mut arguments = arguments.to_vec();
            arguments[place] = argument;
            let ty = RustType::Named {
                path: path.to_owned(),
                arguments,
            };
            if source(library, &ty).is_ok() {
                found.push((ty, probe));
            }
        }
    }
    found
}

/// True if one of these markers is implemented explicitly, for the type or for a part of it.
pub(super) fn is_by_hand(
    recipes: &Recipes<'_>,
    ty: &RustType,
    markers: &[&str],
    seen: &mut Vec<RustType>,
) -> bool {
    if seen.contains(ty) || seen.len() > 64 {
        return false;
    }
    seen.push(ty.clone());
    let mut part = |it: &RustType| is_by_hand(recipes, it, markers, seen);
    match ty {
        RustType::Tuple(items) => items.iter().any(part),
        RustType::Array(item, _) | RustType::Slice(item) => part(item),
        RustType::Reference { to, .. } => part(to),
        RustType::Named { path, .. } if is_std(path) => {
            (0..3).any(|it| ty.argument(it).is_some_and(&mut part))
        }
        RustType::Named { path, .. } => {
            has_written(recipes, path, markers)
                || (recipes.solver.fields(ty)).is_some_and(|fields| fields.iter().any(part))
        }
        _ => false,
    }
}

/// True if one of these markers is implemented explicitly for the type.
fn has_written(recipes: &Recipes<'_>, path: &str, markers: &[&str]) -> bool {
    let mut written = written(recipes.solver.library, path);
    written.any(|(marker, _)| markers.contains(&marker))
}

/// The explicit impls of the markers for a type: `Send` or `Sync`, and which item it is.
pub(super) fn unsafe_impls(
    library: &Library,
    path: &str,
) -> impl Iterator<Item = (&'static str, ItemRef)> {
    written(library, path).map(|(marker, at)| match marker {
        SEND => ("Send", at),
        _ => ("Sync", at),
    })
}

fn written(library: &Library, path: &str) -> impl Iterator<Item = (&'static str, ItemRef)> {
    library.impls_of_type(path).into_iter().filter_map(|at| {
        let Some(ItemEnum::Impl(block)) = library.item(at).map(|it| &it.inner) else {
            return None;
        };
        let path = library
            .trait_bound(at.document, block.trait_.as_ref()?)
            .path;
        let marker = [SEND, SYNC].into_iter().find(|it| *it == path)?;
        (!block.is_synthetic && !block.is_negative).then_some((marker, at))
    })
}

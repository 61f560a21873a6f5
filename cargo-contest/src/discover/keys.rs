//! Keys: values that only methods of an object give and that its other methods take back, as a token or the id of a
//! job.
//!
//! A key of another object is nobody's, or is the same by chance, and then a call gets an id before it was given out.
//! So an object and a key of its own are one subject, a tuple like a family, whose key is no receiver.

use super::families::{given, made, methods, only_from_methods, only_from_objects};
use super::pairs::{Candidate, End, Root, subject_of};
use super::public_names::Namespace;
use super::recipes::Recipes;
use super::related::{Branch, is_key, methods_that_take};
use super::rust_type::RustType;
use super::subject_catalog::{Made, SubjectEntry};

/// Objects of these types with a key, as subjects.
pub(super) fn with_keys(
    recipes: &Recipes<'_>,
    candidates: &[Candidate<'_>],
    roots: &[&std::path::Path],
) -> Vec<SubjectEntry> {
    let objects = candidates
        .iter()
        .filter(|it| !only_from_objects(recipes, &it.ty));
    objects
        .filter_map(|it| with_key(recipes, it, candidates, roots))
        .collect()
}

fn with_key(
    recipes: &Recipes<'_>,
    object: &Candidate<'_>,
    candidates: &[Candidate<'_>],
    roots: &[&std::path::Path],
) -> Option<SubjectEntry> {
    let (key, branch, _) = key_of(recipes, &object.ty)?;
    let candidate = candidates.iter().find(|it| it.ty == key)?;
    let members = [
        End::of(recipes, object, &object.ty)?,
        End::of_keys(recipes, candidate, &key)?,
    ];
    let (constructors, _) = recipes.constructors(&object.ty, 0);
    let constructors = constructors
        .iter()
        .filter(|it| it.made == Made::Plain)
        .map(|it| made(it, 1, &[&branch], &members));
    let root = Root {
        constructors: constructors.collect(),
        left_out: Vec::new(),
        chains: false,
        drops: false,
        hands_over: true,
    };
    subject_of(recipes, &members, root, roots)
}

/// What a method of an object gives, others take back, and nothing else makes; true if a new object has one, as far as
/// the type says.
fn key_of(recipes: &Recipes<'_>, own: &RustType) -> Option<(RustType, Branch, bool)> {
    let keys = methods(recipes, own).into_iter().filter_map(|method| {
        let signature = method.0.as_ref()?;
        let has_one = signature.output.path() != "core::option::Option";
        let (key, branch) = given(recipes, own, 0, &method)?;
        let may_be = !branch.mutable
            && key != *own
            && is_key(recipes, &key)
            && only_from_methods(recipes, &key);
        if !may_be {
            return None;
        }
        let taking = methods_that_take(recipes, own, &key);
        let is_given_back = !taking.is_empty() && !taking.contains(&signature.name);
        is_given_back.then_some((key, branch, has_one))
    });
    keys.min_by_key(|(_, _, has_one)| !has_one)
}

/// Takes from the subject of a type what gives it keys of other objects, which nobody has: the key of a family is its
/// own.
pub(super) fn without_foreign_keys(
    recipes: &Recipes<'_>,
    ty: &RustType,
    subject: &mut SubjectEntry,
    families: &[SubjectEntry],
) {
    let Some((key, _, true)) = key_of(recipes, ty) else {
        return;
    };
    let path = |it: &RustType| {
        let name = recipes.solver.library.names.get(it.path(), Namespace::Type);
        name.map(|it| it.path.clone())
    };
    let ends = [path(ty), path(&key)];
    let is_theirs = |it: &SubjectEntry| it.ends().into_iter().map(Some).eq(ends.iter().cloned());
    if families.iter().any(is_theirs) {
        let taking = methods_that_take(recipes, ty, &key);
        let takes = |name: &str| taking.iter().any(|it| name.split('.').next() == Some(it));
        subject.operations.retain(|it| !takes(&it.name));
    }
}

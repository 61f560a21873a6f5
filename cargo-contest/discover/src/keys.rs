//! Keys: values that only methods of an object return and that its other methods take, as a token or the id of a job.
//!
//! A key that another object has returned is either unknown to this one, or equal to a key that no call has returned
//! yet. So an object and a key that it has returned are one subject, a tuple like a family. Nothing is called on the
//! key.

use super::families::{
    Lasting, given, made, methods, only_from_methods, only_from_objects, prepares,
};
use super::holds::Holds;
use super::pairs::{Candidate, End, Root, subject_of};
use super::public_names::Namespace;
use super::recipes::Recipes;
use super::related::{Branch, is_key, methods_that_take};
use super::rust_type::RustType;
use super::signature::Signature;
use super::std_values::LONG;
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{Made, SubjectEntry};

/// A key of an object.
pub(super) struct Key {
    pub(super) ty: RustType,
    /// How the object makes one.
    pub(super) branch: Branch,
    /// A new object has one, as far as the type says: it is no `Option`.
    has_one: bool,
    /// Calls after which it is more likely to have one: `restock("a", 1)` before `reserve("a", 1)`.
    before: Vec<Branch>,
}

impl Key {
    /// It is one for a while: what is over at once is soon no key any more.
    pub(super) fn lasts(&self) -> bool {
        self.branch.text.to_string().contains(LONG)
    }
}

/// Calls before the one that returns a key, each of which makes another constructor.
const MOST_BEFORE: usize = 2;

/// The keys of a type, in the order of the methods that return them.
pub(super) fn keys_of(recipes: &Recipes<'_>, own: &RustType) -> Vec<Key> {
    let is = |it: &RustType, path: &str| recipes.solver.implements(it, path) == Holds::Yes;
    let methods = methods(recipes, own).into_iter();
    let returned = methods.filter_map(|method| {
        let parts = parts(given(recipes, own, 0, &method, Lasting::Yes)?);
        let signature = method.0?;
        Some(parts.map(move |(ty, branch)| (signature.clone(), ty, branch)))
    });
    let keys = returned.flatten().filter_map(|(signature, ty, branch)| {
        let may_be = ty != *own
            && ty.as_named().is_some()
            && is(&ty, "core::marker::Send")
            && is(&ty, "core::marker::Sync")
            && is_key(recipes, &ty)
            && only_from_methods(recipes, &ty);
        if !may_be {
            return None;
        }
        let taking = methods_that_take(recipes, own, &ty);
        let is_taken = !taking.is_empty() && !taking.contains(&signature.name);
        is_taken.then(|| Key {
            before: before(recipes, own, &signature),
            ty,
            branch,
            has_one: signature.output.path() != "core::option::Option",
        })
    });
    keys.collect()
}

/// Calls of other methods about the same: with parameters of the same names and types, and perhaps more. Only where the
/// method may fail, and not of what the manifest leaves out.
fn before(recipes: &Recipes<'_>, own: &RustType, of: &Signature) -> Vec<Branch> {
    let fails = ["core::option::Option", "core::result::Result"];
    if !fails.contains(&of.output.path()) {
        return Vec::new();
    }
    let parameters = &of.inputs[1..];
    let is_about_the_same = |method: &Signature| {
        let mut shared = parameters.iter();
        method.name != of.name
            && !parameters.is_empty()
            && shared.all(|it| method.inputs.iter().skip(1).any(|own| own == it))
            && !recipes.hints.leaves_out(&method.path())
    };
    let others = methods(recipes, own).into_iter();
    let others = others.filter_map(|(method, by)| Some((method.filter(is_about_the_same)?, by)));
    let calls = others.filter_map(|(method, by)| prepares(recipes, own, &method, &by));
    calls.take(MOST_BEFORE).collect()
}

/// What is returned, or each part of it: a session and its token.
fn parts((ty, branch): (RustType, Branch)) -> impl Iterator<Item = (RustType, Branch)> {
    // The other parts stay: a guard may keep the key alive.
    let (types, is_tuple) = match ty {
        RustType::Tuple(parts) => (parts, true),
        ty => (vec![ty], false),
    };
    let length = types.len();
    types.into_iter().enumerate().map(move |(index, ty)| {
        let part = |of: &Expression| match is_tuple {
            true => Expression::TupleElement {
                tuple: Box::new(of.clone()),
                index,
                length,
            },
            false => of.clone(),
        };
        let branch = Branch {
            expression: part(&branch.expression),
            text: part(&branch.text),
            ..branch
        };
        (ty, branch)
    })
}

/// Objects of these types with a key, which is one of the candidates, as subjects.
pub(super) fn with_keys<'c>(
    recipes: &Recipes<'_>,
    objects: impl Iterator<Item = &'c Candidate<'c>>,
    candidates: &[Candidate<'_>],
    roots: &[&std::path::Path],
) -> Vec<SubjectEntry> {
    let objects = objects.filter(|it| !only_from_objects(recipes, &it.ty));
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
    let key = shared_key(recipes, &object.ty)?;
    let candidate = candidates.iter().find(|it| it.ty == key.ty)?;
    let members = [
        End::of(recipes, object, &object.ty)?,
        End::of_key(candidate),
    ];
    let (constructors, _) = recipes.constructors(&object.ty, 0);
    let plain = constructors.iter().filter(|it| it.made == Made::Plain);
    let mut constructors = Vec::new();
    for root in plain {
        let before = key.before.iter().map(Some).chain([None]);
        constructors.extend(before.map(|it| made(root, 1, it, &[&key.branch], &members)));
    }
    let root = Root::of_family(constructors);
    subject_of(recipes, &members, root, roots)
}

/// The key of an object that threads share; rather one that also a new object returns.
fn shared_key(recipes: &Recipes<'_>, own: &RustType) -> Option<Key> {
    let keys = keys_of(recipes, own).into_iter();
    let shared = keys.filter(|it| !it.branch.mutable);
    shared.min_by_key(|it| !it.has_one)
}

/// Takes the operations that take a key from the subject of an object, if there is a subject of both: there the key is
/// one that the object has returned.
pub(super) fn without_foreign_keys(
    recipes: &Recipes<'_>,
    ty: &RustType,
    subject: &mut SubjectEntry,
    families: &[SubjectEntry],
) {
    let Some(key) = shared_key(recipes, ty).filter(|it| it.has_one) else {
        return;
    };
    let path = |it: &RustType| {
        let name = recipes.solver.library.names.get(it.path(), Namespace::Type);
        name.map(|it| it.path.clone())
    };
    let ends = [path(ty), path(&key.ty)];
    let is_theirs = |it: &SubjectEntry| it.ends().into_iter().map(Some).eq(ends.iter().cloned());
    if families.iter().any(is_theirs) {
        let taking = methods_that_take(recipes, ty, &key.ty);
        let takes = |name: &str| taking.iter().any(|it| name.split('.').next() == Some(it));
        subject.operations.retain(|it| !takes(&it.name));
    }
}

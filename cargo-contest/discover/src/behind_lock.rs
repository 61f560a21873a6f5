//! Objects behind a lock, on request: `Mutex<T>` and `RwLock<T>`, as users share what is changed through `&mut self`.
//!
//! Each call has the object for itself, so single calls do not disturb each other. What the lock does not protect is
//! what one call relies on from the one before: an answer may no longer hold, a key may be gone. So two calls make one
//! operation, each under the lock by itself: one that looks and one that changes, and one that returns what another
//! one takes.

use super::derived::borrows;
use super::exclusive::{over_guard, place_in_guard};
use super::holds::Holds;
use super::operations::operations;
use super::pairs::Candidate;
use super::recipes::Recipes;
use super::render::source;
use super::rust_type::RustType;
use super::signature::Signature;
use super::two_calls::{Locked, two_calls};
use contest_catalog::expression::Expression;
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::{
    ConstructorEntry, Made, OperationEntry, Returned, SubjectEntry, Taken,
};

/// A lock of `std`.
#[derive(Clone, Copy, PartialEq)]
enum Lock {
    Mutex,
    RwLock,
}

impl Lock {
    fn name(self) -> &'static str {
        match self {
            Self::Mutex => "Mutex",
            Self::RwLock => "RwLock",
        }
    }

    /// The method that locks it for a call.
    fn method(self, taken: Taken) -> &'static str {
        match (self, taken) {
            (Self::Mutex, _) => "lock",
            (Self::RwLock, Taken::MutableReference) => "write",
            (Self::RwLock, _) => "read",
        }
    }
}

/// The subjects of a type behind each lock, if it is changed through `&mut self`.
pub(super) fn behind_lock(
    recipes: &Recipes<'_>,
    candidate: &Candidate<'_>,
    roots: &[&std::path::Path],
) -> Vec<SubjectEntry> {
    let ty = &candidate.ty;
    let is = |marker| recipes.solver.implements(ty, marker) == Holds::Yes;
    if !is("core::marker::Send") || !ty.is_closed() || borrows(ty) {
        return Vec::new();
    }
    let mut locks = vec![Lock::Mutex];
    if is("core::marker::Sync") {
        locks.push(Lock::RwLock);
    }
    let subjects = locks.into_iter();
    subjects
        .filter_map(|lock| subject(recipes, candidate, lock, roots))
        .collect()
}

fn subject(
    recipes: &Recipes<'_>,
    candidate: &Candidate<'_>,
    lock: Lock,
    roots: &[&std::path::Path],
) -> Option<SubjectEntry> {
    let ty = &candidate.ty;
    let library = recipes.solver.library;
    let declared = |signature: &Signature| library.location(signature.at, roots);
    let own = operations(recipes, ty, &declared);
    let mut left_out = own.left_out;
    let mut found = Vec::new();
    for (entry, output) in own.found.into_iter().zip(own.outputs) {
        let name = entry.name.clone();
        match locked(entry, output, lock) {
            Ok(locked) => found.push(locked),
            Err(why) => left_out.push(Skipped::new(name, why)),
        }
    }
    let looks = |it: &Locked| !it.changes && !it.entry.declared.is_empty();
    let wanted =
        found.iter().any(|it| it.changes) && (lock == Lock::Mutex || found.iter().any(looks));
    if !wanted {
        return None;
    }
    let (both, more) = two_calls(library, &found);
    left_out.extend(more);
    let (made, without) = recipes.constructors(ty, 0);
    left_out.extend(without);
    let new = |constructor: ConstructorEntry| ConstructorEntry {
        expression: Expression::call(
            format!("std::sync::{}::new", lock.name()),
            [constructor.expression],
        ),
        text: Expression::call(format!("{}::new", lock.name()), [constructor.text]),
        ..constructor
    };
    let plain = made.into_iter().filter(|it| it.made == Made::Plain);
    let constructors: Vec<ConstructorEntry> = plain.map(new).collect();
    let written = source(library, ty).ok()?;
    let operations = found.into_iter().map(|it| it.entry);
    (!constructors.is_empty()).then(|| SubjectEntry {
        path: format!("{}<{}>", candidate.name.path, lock.name()),
        type_expression: format!("std::sync::{}<{written}>", lock.name()),
        declared: library.location(candidate.at, roots),
        constructors,
        operations: operations.chain(both).collect(),
        left_out,
    })
}

/// An operation of the object as one under the lock.
fn locked(mut entry: OperationEntry, output: RustType, lock: Lock) -> Result<Locked, &'static str> {
    let place = place_in_guard(&entry)?;
    if entry.polled || entry.returned == Returned::Future {
        return Err("its future keeps the object to itself");
    }
    let kept = kept(&output).ok_or("what it returns keeps the object locked")?;
    let guard = Expression::Object.method(lock.method(entry.taken), []);
    let unwrapped = guard.clone().method("unwrap", []);
    entry.expression = over_guard(&entry.expression, &unwrapped, place);
    entry.text = over_guard(&entry.text, &guard, place);
    if let Some(way) = kept.way {
        entry.expression = entry.expression.method(way, []);
        entry.returned = Returned::Observe;
    }
    let changes = entry.taken == Taken::MutableReference;
    entry.taken = Taken::Reference;
    Ok(Locked {
        entry,
        output: kept.ty,
        changes,
    })
}

/// What is left of a result when the lock is released.
struct Kept {
    ty: RustType,
    /// The method that makes it so.
    way: Option<&'static str>,
}

fn kept(output: &RustType) -> Option<Kept> {
    let shared = |it: &RustType| match it {
        RustType::Reference { mutable: false, to } if !borrows(to) => Some((**to).clone()),
        _ => None,
    };
    if !borrows(output) {
        let ty = output.clone();
        return Some(Kept { ty, way: None });
    }
    if let Some(ty) = shared(output) {
        let is_owned = matches!(ty, RustType::Named { .. } | RustType::Primitive(_));
        let text = ty == RustType::Primitive("str".to_owned());
        return is_owned.then_some(Kept {
            ty: if text { RustType::string() } else { ty },
            way: Some(if text { "to_owned" } else { "clone" }),
        });
    }
    if output.path() != "core::option::Option" {
        return None;
    }
    let ty = RustType::named("core::option::Option", [shared(output.argument(0)?)?]);
    let way = Some("cloned");
    Some(Kept { ty, way })
}

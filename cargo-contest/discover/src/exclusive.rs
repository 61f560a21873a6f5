//! Objects that are waited for and changed through `&mut self`: timer queues, sets of tasks, streams.
//!
//! A method that is polled (`poll_expired(&mut self, cx)`) leaves its waker behind and gives the object back, so what
//! others do with the object meanwhile must wake it. The subject is the object in a `Mutex`: each call, and each poll,
//! has it for itself. One thread of a test polls.
//!
//! Some methods want what another method of the same object returned and nothing else makes: the key of an entry. Then
//! the object and one such key are the subject.

use super::constructors::borrows;
use super::holds::Holds;
use super::keys::keys_of;
use super::operations::{Operations, operations};
use super::pairs::Candidate;
use super::polls::Polled;
use super::recipes::Recipes;
use super::related::{Branch, hand_over};
use super::render::source;
use super::rust_type::RustType;
use super::signature::Signature;
use contest_catalog::expression::{Expression, Hole};
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::{
    ConstructorEntry, Made, OperationEntry, Passed, Returned, SubjectEntry, Taken,
};
use contest_data::subject::{EndUse, Needs};

/// Ends of the subject: what all threads may use, and what one of them waits for.
const SHARED: EndUse = EndUse {
    end: 0,
    needs: Needs::Shared,
};
const POLLER: EndUse = EndUse {
    end: 1,
    needs: Needs::Alone,
};

/// How a subject that threads share is polled: by one of them.
pub(super) fn polled_by_one(operations: &mut Operations) {
    for entry in &mut operations.found {
        if entry.polled && entry.taken == Taken::Reference {
            entry.taken = Taken::End(POLLER);
        }
    }
}

/// The subject of a type that is polled through `&mut self`.
pub(super) struct Exclusive {
    pub(super) subject: SubjectEntry,
    /// Threads that share the type without a mutex can do more than look at it.
    pub(super) also_shared: bool,
}

/// The subject of a type that is polled through `&mut self`, if something else can be done with it meanwhile.
pub(super) fn exclusive(
    recipes: &Recipes<'_>,
    candidate: &Candidate<'_>,
    roots: &[&std::path::Path],
) -> Option<Exclusive> {
    let ty = &candidate.ty;
    let library = recipes.solver.library;
    let is_sent = recipes.solver.implements(ty, "core::marker::Send") == Holds::Yes;
    if !is_sent || !ty.is_closed() || borrows(ty) || !has_polled(recipes, ty) {
        return None;
    }
    let declared = |signature: &Signature| library.location(signature.at, roots);
    let mut own = operations(recipes, ty, &declared);
    let waits = |it: &OperationEntry| it.polled && it.taken == Taken::MutableReference;
    if !own.found.iter().any(waits) {
        return None;
    }
    let also_shared = changes_shared(&own);
    // What only looks finds nothing in a new object.
    let keys = keys_of(recipes, ty).into_iter();
    let key = keys.min_by_key(|it| (!it.branch.mutable, !it.lasts()));
    let handed = match &key {
        Some(key) => {
            let members = [(ty, false), (&key.ty, true)];
            hand_over(recipes, &members, 0, &declared, &mut own)
        }
        None => Vec::new(),
    };
    let object = match &key {
        Some(_) => Expression::Field(Box::new(Expression::Object), 0),
        None => Expression::Object,
    };
    let mut found = Vec::new();
    let mut left_out = own.left_out;
    for (number, entry) in own.found.into_iter().enumerate() {
        let name = entry.name.clone();
        match in_mutex(entry, &object) {
            Ok(mut entry) => {
                if let Some(key) = handed.iter().find(|it| it.operation == number) {
                    let place = Expression::Field(Box::new(Expression::Object), 1);
                    key.pass(&mut entry, place.clone(), place);
                }
                found.push(entry);
            }
            Err(why) => left_out.push(Skipped::new(name, why)),
        }
    }
    let changes = |it: &OperationEntry| !it.polled && !it.observer && !it.weak;
    if !found.iter().any(changes) {
        return None;
    }
    let (made, without) = recipes.constructors(ty, 0);
    left_out.extend(without);
    let mut seen = Vec::new();
    left_out.retain(|it| {
        !seen.contains(&it.item) && {
            seen.push(it.item.clone());
            true
        }
    });
    let plain = made.into_iter().filter(|it| it.made == Made::Plain);
    let constructors: Vec<ConstructorEntry> = plain
        .map(|it| constructor(it, key.as_ref().map(|it| &it.branch)))
        .collect();
    if constructors.is_empty() {
        return None;
    }
    let written = format!("std::sync::Mutex<{}>", source(library, ty).ok()?);
    let type_expression = match &key {
        Some(key) => format!("({written}, {})", source(library, &key.ty).ok()?),
        None => written,
    };
    recipes.note_returned(&Operations {
        outputs: own.outputs,
        ..Operations::default()
    });
    let subject = SubjectEntry {
        path: candidate.name.path.clone(),
        type_expression,
        declared: library.location(candidate.at, roots),
        constructors,
        operations: found,
        left_out,
    };
    Some(Exclusive {
        subject,
        also_shared,
    })
}

/// True if the type has a method that is polled.
fn has_polled(recipes: &Recipes<'_>, ty: &RustType) -> bool {
    let mut own = recipes.functions.inherent(ty.path());
    let of_traits = || recipes.solver.trait_functions(ty).into_iter();
    own.any(|it| Polled::of(it).is_some()) || of_traits().any(|(it, _)| Polled::of(&it).is_some())
}

/// True if threads that share the object do more than look at it: some method changes it through `&self`.
fn changes_shared(operations: &Operations) -> bool {
    let all = operations.found.iter().zip(&operations.outputs);
    let mut shared = all.filter(|(it, _)| it.taken == Taken::Reference && !it.declared.is_empty());
    shared.any(|(it, output)| {
        let given = it.arguments.iter().any(|it| it.passed == Passed::Value);
        output.is_unit() || it.returned == Returned::Future || given && !it.observer
    })
}

/// How an operation takes the object where a guard of a lock has it: what stands before the guard.
pub(super) fn place_in_guard(entry: &OperationEntry) -> Result<&'static str, &'static str> {
    let other = |it: &Passed| matches!(it, Passed::OtherObject | Passed::OtherObjectArc);
    if entry.arguments.iter().any(|it| other(&it.passed)) {
        return Err("takes another object");
    }
    match entry.taken {
        Taken::MutableReference => Ok("&mut *"),
        Taken::Reference => Ok("&*"),
        Taken::Value => Err("takes the object by value"),
        Taken::Arc | Taken::ArcReference | Taken::End(_) => {
            Err("takes the object in a way that is not supported")
        }
    }
}

/// The expression with the guard of a lock in place of the object.
pub(super) fn over_guard(expression: &Expression, guard: &Expression, place: &str) -> Expression {
    expression.fill(&|hole| match hole {
        Hole::Object { member: Some(_) } => Some(guard.clone()),
        Hole::Object { member: None } => Some(guard.clone().between(place, "")),
        Hole::Argument(_) => None,
    })
}

/// An operation of the object in this mutex.
fn in_mutex(
    mut entry: OperationEntry,
    object: &Expression,
) -> Result<OperationEntry, &'static str> {
    let place = place_in_guard(&entry)?;
    if entry.returned == Returned::Future && !entry.polled {
        return Err("its future keeps the object to itself");
    }
    let held = object.clone().method("lock", []).method("unwrap", []);
    entry.text = over_guard(&entry.text, &held, place);
    if entry.polled {
        let in_poll = Expression::LockedInPoll(Box::new(object.clone()));
        entry.expression = over_guard(&entry.expression, &in_poll, place);
        entry.taken = Taken::End(POLLER);
    } else {
        entry.expression = over_guard(&entry.expression, &held, place);
        entry.taken = Taken::End(SHARED);
    }
    Ok(entry)
}

fn constructor(made: ConstructorEntry, key: Option<&Branch>) -> ConstructorEntry {
    let Some(key) = key else {
        return ConstructorEntry {
            expression: Expression::call("std::sync::Mutex::new", [made.expression]),
            text: Expression::call("Mutex::new", [made.text]),
            ..made
        };
    };
    let of = |call: &Expression, object: &str| {
        call.fill(&|hole| match hole {
            Hole::Object { .. } => Some(object.into()),
            Hole::Argument(_) => None,
        })
    };
    ConstructorEntry {
        expression: Expression::Sequence(vec![
            "{ let mut object = ".into(),
            made.expression,
            "; let key = ".into(),
            of(&key.expression, "object"),
            "; (std::sync::Mutex::new(object), key) }".into(),
        ]),
        text: Expression::Sequence(vec![
            "{ let mut x = ".into(),
            made.text,
            "; let y = ".into(),
            of(&key.text, "x"),
            "; (Mutex::new(x), y) }".into(),
        ]),
        ..made
    }
}

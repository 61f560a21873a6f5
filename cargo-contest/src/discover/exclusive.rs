//! Objects that are waited for and changed through `&mut self`: timer queues, sets of tasks, streams.
//!
//! A method that is polled (`poll_expired(&mut self, cx)`) leaves its waker behind and gives the object back, so what
//! others do with the object meanwhile must wake it. The subject is the object in a `Mutex`: each call, and each poll,
//! has it for itself. One thread of a test polls.
//!
//! Some methods want what another method of the same object returned and nothing else makes: the key of an entry. Then
//! the object and one such key are the subject.

use super::constructors::borrows;
use super::expression::{Expression, Hole};
use super::families::{branch, methods, only_from_methods};
use super::holds::Holds;
use super::operations::{Operations, add, operations};
use super::pairs::Candidate;
use super::polls::Polled;
use super::recipes::Recipes;
use super::related::Branch;
use super::render::source;
use super::rust_type::{RustType, Substitution, TypeArgument, bind};
use super::signature::{Owner, Signature};
use super::subject_catalog::{
    ConstructorEntry, Made, OperationEntry, Passed, Returned, SubjectEntry, Taken,
};
use crate::skipped::Skipped;
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
    let key = key(recipes, ty);
    let keys = match &key {
        Some((key, _)) => with_key(recipes, ty, key, &mut own, &declared),
        None => Vec::new(),
    };
    let direct = own.found.len() - keys.len();
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
                if let Some(key) = number.checked_sub(direct).and_then(|it| keys.get(it)) {
                    key.pass(&mut entry);
                    left_out.retain(|it| it.item != name);
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
        .map(|it| constructor(it, key.as_ref().map(|(_, branch)| branch)))
        .collect();
    if constructors.is_empty() {
        return None;
    }
    let written = format!("std::sync::Mutex<{}>", source(library, ty).ok()?);
    let type_expression = match &key {
        Some((key, _)) => format!("({written}, {})", source(library, key).ok()?),
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

/// What a method of the type returns, other methods of it take, and nothing else makes.
fn key(recipes: &Recipes<'_>, ty: &RustType) -> Option<(RustType, Branch)> {
    let is = |it: &RustType, of: &str| recipes.solver.implements(it, of) == Holds::Yes;
    let mut found: Vec<(RustType, Branch)> = methods(recipes, ty)
        .iter()
        .filter_map(|method| branch(recipes, ty, 0, method))
        .collect();
    // What only looks finds nothing in a new object.
    found.sort_by_key(|(_, branch)| !branch.mutable);
    found.into_iter().find(|(key, _)| {
        key != ty
            && key.as_named().is_some()
            && is(key, "core::clone::Clone")
            && is(key, "core::marker::Send")
            && is(key, "core::marker::Sync")
            && only_from_methods(recipes, key)
            && takers(recipes, ty, key).next().is_some()
    })
}

/// The methods that take a key, with its place among their inputs.
fn takers<'a>(
    recipes: &'a Recipes<'_>,
    ty: &'a RustType,
    key: &'a RustType,
) -> impl Iterator<Item = (&'a Signature, Substitution, usize)> {
    recipes
        .functions
        .inherent(ty.path())
        .filter_map(move |method| {
            let Owner::Inherent(owner) = &method.owner else {
                return None;
            };
            let mut by = Substitution::new();
            if Polled::of(method).is_some()
                || !bind(owner, ty, &method.constraints.names(), &mut by)
            {
                return None;
            }
            by.insert("Self".to_owned(), TypeArgument::Type(ty.clone()));
            let mut inputs = method.inputs.iter().skip(1);
            let place = inputs.position(|(_, input)| {
                let input = recipes.solver.normalise(input.substitute(&by));
                input == *key || is_reference_to(&input, key)
            })?;
            Some((method, by, place))
        })
}

fn is_reference_to(ty: &RustType, to: &RustType) -> bool {
    matches!(ty, RustType::Reference { mutable: false, to: it } if **it == *to)
}

/// How a method takes the key, which is the second part of the subject.
struct KeyArgument {
    /// Among the arguments after the receiver.
    place: usize,
    is_reference: bool,
}

impl KeyArgument {
    fn pass(&self, entry: &mut OperationEntry) {
        let own = Expression::Field(Box::new(Expression::Object), 1);
        let passed = if self.is_reference {
            own.between("&", "")
        } else {
            own.method("clone", [])
        };
        entry.expression = entry.expression.with_argument(self.place, &passed);
        entry.text = entry.text.with_argument(self.place, &passed);
    }
}

/// Replaces operations that take a foreign key by versions without that argument, and returns where the subject's own
/// key goes in each.
fn with_key(
    recipes: &Recipes<'_>,
    ty: &RustType,
    key: &RustType,
    operations: &mut Operations,
    declared: &dyn Fn(&Signature) -> String,
) -> Vec<KeyArgument> {
    let mut arguments = Vec::new();
    for (method, by, place) in takers(recipes, ty, key) {
        let (_, input) = &method.inputs[place + 1];
        let is_reference = matches!(input, RustType::Reference { .. });
        let mut trimmed = method.clone();
        trimmed.inputs.remove(place + 1);
        if let Some(other) = operations
            .found
            .iter()
            .position(|it| it.name == method.name)
        {
            operations.found.remove(other);
            operations.outputs.remove(other);
        }
        let before = operations.found.len();
        add(recipes, operations, ty, &trimmed, by, None, declared);
        if operations.found.len() > before {
            arguments.push(KeyArgument {
                place,
                is_reference,
            });
        }
    }
    arguments
}

//! Objects beside a flag of their caller: what a wake-up is about is mostly outside of the object that wakes.
//!
//! `let listener = event.listen(); if !flag { listener.await }` beside `flag = true; event.notify(1)`: who registers
//! before it looks sleeps for ever only if a wake-up is lost. So the subject is the object and such a flag, and its
//! operations are protocols that the contract of the object allows: one that looks and waits, one that sets the flag
//! and wakes. None of them returns a value, and nothing observes the object: only what hangs is judged.

mod listening;
mod protocol;
mod registering;
mod spawning;

use super::holds::Holds;
use super::operations::operations;
use super::pairs::Candidate;
use super::recipes::Recipes;
use super::render::source;
use super::rust_type::RustType;
use super::signature::Signature;
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{ConstructorEntry, Made, SubjectEntry, SupportItem};
use protocol::{FLAG, Protocol, TASKS};

/// The subject of a type together with its caller's flag, if it has operations for such a protocol.
pub(super) fn with_callers_flag(
    recipes: &Recipes<'_>,
    candidate: &Candidate<'_>,
    roots: &[&std::path::Path],
) -> Option<SubjectEntry> {
    let ty = &candidate.ty;
    let library = recipes.solver.library;
    let is = |marker| recipes.solver.implements(ty, marker) == Holds::Yes;
    let is_shared = is("core::marker::Sync") && is("core::marker::Send");
    if !is_shared || !ty.is_closed() || !may_wake(recipes, ty) {
        return None;
    }
    let declared = |signature: &Signature| library.location(signature.at, roots);
    let own = operations(recipes, ty, &declared);
    let Protocol { beside, operations } = listening::protocol(recipes, &own)
        .or_else(|| registering::protocol(&own))
        .or_else(|| spawning::protocol(&own))?;
    let (made, left_out) = recipes.constructors(ty, 0);
    let constructors: Vec<ConstructorEntry> = made
        .into_iter()
        .filter(|it| it.made == Made::Plain)
        .map(|it| constructor(it, beside))
        .collect();
    (!constructors.is_empty()).then_some(SubjectEntry {
        path: format!("{}<{beside}>", candidate.name.path),
        type_expression: format!("({}, {beside})", source(library, ty).ok()?),
        declared: library.location(candidate.at, roots),
        constructors,
        operations,
        left_out,
    })
}

/// What expressions of these subjects name.
pub(super) fn support_items(subjects: &[SubjectEntry]) -> Vec<SupportItem> {
    let all = [
        (FLAG, include_str!("callers_flag/flag.rs.in")),
        (TASKS, include_str!("callers_flag/tasks.rs.in")),
    ];
    let named = all.into_iter().filter(|(name, _)| {
        let mut types = subjects.iter().map(|it| &it.type_expression);
        types.any(|it| it.ends_with(&format!(", {name})")))
    });
    let item = |(name, source): (&str, &str)| SupportItem {
        name: name.to_owned(),
        source: source.to_owned(),
        emitted: None,
    };
    named.map(item).collect()
}

/// False if no method has a name that a protocol needs: looking closer takes time.
fn may_wake(recipes: &Recipes<'_>, ty: &RustType) -> bool {
    let mut own = recipes.functions.inherent(ty.path());
    own.any(|it| listening::says_signal(&it.name) || spawning::says_spawn(&it.name))
}

fn constructor(made: ConstructorEntry, beside: &str) -> ConstructorEntry {
    let with_flag = |made: Expression| made.between("(", format!(", {beside}::default())"));
    ConstructorEntry {
        expression: with_flag(made.expression),
        text: with_flag(made.text),
        ..made
    }
}

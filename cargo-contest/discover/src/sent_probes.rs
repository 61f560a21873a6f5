//! Objects that other threads may own although their type argument must stay on its thread, or must not be shared.
//!
//! `unsafe impl<T> Send for Shared<T> {}` lets `Shared<Rc<u32>>` move to another thread, which then drops the `Rc`. The
//! subjects here are moved: ends of a pair, members of a family, or two objects of which each thread gets one. As in
//! `missing_bounds`, what happens to the argument in an execution is the proof.

use contest_data::subject::Probe;

use super::borrowed_values::borrowed_constructors;
use super::families::families;
use super::missing_bounds::sent_instances;
use super::pairs::{Candidate, End, Root, is_end, pairs, subject_of};
use super::recipes::Recipes;
use contest_catalog::expression::{Expression, Hole};
use contest_catalog::subject_catalog::{ConstructorEntry, Made, SubjectEntry};

/// Subjects of types that are `Send` by a handwritten impl, of the type or of a part of it, with a probe in place of
/// one type argument.
pub(super) fn sent_probes(
    recipes: &Recipes<'_>,
    candidates: &[Candidate<'_>],
    roots: &[&std::path::Path],
) -> Vec<SubjectEntry> {
    let mut found = Vec::new();
    for (probe, name) in [(Probe::Unsent, "Unsent"), (Probe::Unshared, "Unshared")] {
        let probed = |it: &Candidate<'_>| {
            let all = sent_instances(recipes, it.at, &it.ty).into_iter();
            all.filter(|(_, of)| *of == probe).map(|(ty, _)| ty)
        };
        let sent: Vec<Candidate<'_>> = candidates
            .iter()
            .flat_map(|it| probed(it).map(|ty| Candidate { ty, ..*it }))
            .collect();
        if sent.is_empty() {
            continue;
        }
        let argument = recipes.probe(probe);
        let mut both = pairs(recipes, &sent, roots);
        both.retain(|it| it.ends.iter().any(|end| end.ty.contains(&argument)));
        let mut entries = families(recipes, &sent, &both, roots);
        entries.extend(both.into_iter().map(|it| it.subject));
        // Nothing is shared by two objects.
        if probe == Probe::Unsent {
            for it in &sent {
                if !is_end(&entries, &it.name.path) {
                    entries.extend(two_of(recipes, it, roots));
                }
            }
        }
        found.extend(entries.into_iter().map(|mut entry| {
            entry.path = format!("{}<{name}>", entry.path);
            entry
        }));
    }
    found
}

/// Two objects of one type, one for each thread.
fn two_of(
    recipes: &Recipes<'_>,
    candidate: &Candidate<'_>,
    roots: &[&std::path::Path],
) -> Option<SubjectEntry> {
    let end = End::of(recipes, candidate, &candidate.ty)?;
    let (mut constructors, left_out) = recipes.constructors(&candidate.ty, 0);
    constructors.extend(borrowed_constructors(recipes, &candidate.ty));
    constructors.retain(|it| it.made == Made::Plain);
    let wrapper = end.wrapper();
    let root = Root {
        constructors: constructors.iter().map(|it| twice(it, wrapper)).collect(),
        left_out,
        chains: true,
        drops: true,
        hands_over: false,
    };
    subject_of(recipes, &[end.clone(), end], root, roots)
}

/// A constructor called twice, each time with arguments of its own.
fn twice(once: &ConstructorEntry, wrapper: &str) -> ConstructorEntry {
    let count = once.arguments.len();
    let again = |it: &Expression| {
        it.fill(&|hole| match hole {
            Hole::Argument(number) => Expression::arguments(count + number, 1).next(),
            Hole::Object { .. } => None,
        })
    };
    let both = |it: &Expression, open: &str, close: &str| {
        let one = |it: Expression| it.between(open, close);
        Expression::list("(", [one(it.clone()), one(again(it))], ")")
    };
    let mut arguments = once.arguments.clone();
    arguments.extend(once.arguments.iter().cloned());
    ConstructorEntry {
        text: both(&once.text, "", ""),
        expression: both(&once.expression, &format!("{wrapper}::new("), ")"),
        made: once.made,
        mode: once.mode,
        arguments,
    }
}

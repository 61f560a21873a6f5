//! Functions that share statics, as operations on one subject for each module; values that are known to a static as
//! long as they exist are made and dropped there.
//!
//! Documentation has no private items, so whether a module has state is read from its source: a static that can change,
//! or a thread-local. The object is `()`; the driver puts statics back after each execution.

use contest_data::subject::StandInMode;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::announced_panics::announced_panic;
use super::cancel_safety::not_cancel_safe;
use super::observation::{is_approximate, is_observer, is_weak, may_observe, returned};
use super::pairs::Candidate;
use super::recipes::Recipes;
use super::registered::registered;
use super::request::Request;
use super::rust_type::{RustType, Substitution};
use super::signature::{Owner, Signature};
use super::statics::has_state;
use super::std_paths::is_std;
use contest_catalog::expression::Expression;
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::{
    ConstructorEntry, Made, OperationEntry, Returned, SubjectEntry, Taken,
};

/// The modules whose functions share state. `roots` are directories that the documentation's file names are relative
/// to, the package's own first; `tested` are the types that are subjects, among `candidates`.
pub(super) fn modules(
    recipes: &Recipes<'_>,
    candidates: &[Candidate<'_>],
    roots: &[&Path],
    tested: &[RustType],
) -> Vec<SubjectEntry> {
    let library = recipes.solver.library;
    let mut stateful: BTreeMap<PathBuf, bool> = BTreeMap::new();
    let mut found: BTreeMap<String, SubjectEntry> = BTreeMap::new();
    for function in &recipes.functions.all {
        let Owner::Free(path) = &function.owner else {
            continue;
        };
        let own = function.at.document == 0;
        let file = library.item(function.at).and_then(|it| it.span.as_ref());
        let (Some(file), true) = (file.map(|it| it.filename.clone()), own) else {
            continue;
        };
        let has_state = *stateful
            .entry(file)
            .or_insert_with_key(|file| has_state(file, roots));
        if !has_state || is_of_a_type(recipes, function, tested) {
            continue;
        }
        let module = path.rsplit_once("::").map_or(path.as_str(), |(it, _)| it);
        let entry = found
            .entry(module.to_owned())
            .or_insert_with(|| entry(module, library.location(function.at, roots)));
        match operation(recipes, function, roots) {
            Ok(operation) => entry.operations.push(operation),
            Err(why) => {
                let why = Skipped::new(&function.name, why);
                entry.left_out.push(why);
            }
        }
    }
    for (module, operation) in registered(recipes, candidates, roots) {
        let entry = found
            .entry(module.clone())
            .or_insert_with(|| entry(&module, operation.declared.clone()));
        entry.operations.push(operation);
    }
    let mut found: Vec<SubjectEntry> = found.into_values().collect();
    found.retain(|it| !it.operations.is_empty());
    found
}

/// A module without operations.
fn entry(module: &str, declared: String) -> SubjectEntry {
    SubjectEntry {
        path: module.to_owned(),
        type_expression: "()".to_owned(),
        declared,
        constructors: vec![ConstructorEntry {
            text: "()".into(),
            expression: "()".into(),
            made: Made::Plain,
            mode: StandInMode::Usual,
            arguments: Vec::new(),
        }],
        operations: Vec::new(),
        left_out: Vec::new(),
    }
}

/// True if it makes or takes an object that is tested itself.
fn is_of_a_type(recipes: &Recipes<'_>, function: &Signature, tested: &[RustType]) -> bool {
    let mut is = false;
    let mut look = |ty: &RustType| {
        ty.visit(&mut |it| {
            let own = !it.path().is_empty() && !is_std(it.path());
            is |= own && tested.iter().any(|of| of.path() == it.path());
        });
    };
    look(&function.output);
    function.inputs.iter().for_each(|(_, ty)| look(ty));
    // Most functions that return something of the crate are constructors.
    let (makes, _, _) = super::makers::unwrapped(&function.output, "".into(), "".into());
    let changes =
        !is_std(makes.path()) && makes.as_named().is_some() && recipes.solver.can_change(makes);
    is || changes
}

fn operation(
    recipes: &Recipes<'_>,
    function: &Signature,
    roots: &[&Path],
) -> Result<OperationEntry, String> {
    if function.name.starts_with('_') {
        return Err("internal by its name".to_owned());
    }
    let call = recipes.call(function, Substitution::new(), 0, Request::PLAIN);
    let call = call.map_err(|why| why.to_string())?;
    let returned = returned(&recipes.solver, &call.output, function.is_async);
    let weak = is_weak(&function.name, &call.output, returned);
    let looks = call.arguments.iter().all(|it| !it.choices.is_empty());
    let expression = Expression::call(&call.path, call.holes());
    let text = Expression::call(&call.short_path, call.holes());
    Ok(OperationEntry {
        returned,
        weak,
        approximate: is_approximate(&function.docs, &call.output),
        not_cancel_safe: not_cancel_safe(&function.docs).filter(|_| returned == Returned::Future),
        announced_panic: announced_panic(&function.docs, None),
        observer: looks && is_observer(&function.name, &call.output, returned),
        may_observe: looks && may_observe(&recipes.solver, &function.name, &call.output),
        declared: recipes.solver.library.location(function.at, roots),
        arguments: call.arguments,
        ..OperationEntry::new(&function.name, Taken::Reference, expression, text)
    })
}

//! Operations by traits of `std` that reach the value behind a guard, a handle or an iterator. They matter where that
//! value is a probe; elsewhere they only read.

use super::holds::Holds;
use super::recipes::Recipes;
use super::rust_type::{RustType, TypeArgument};
use super::stand_in::{UNSENT, UNSHARED};
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{OperationEntry, Taken};

/// `Deref`, `DerefMut` and `Iterator::next` of a type with a probe for an argument, with what each returns.
pub(super) fn probe_operations(
    recipes: &Recipes<'_>,
    ty: &RustType,
) -> Vec<(OperationEntry, RustType)> {
    let mut found = Vec::new();
    let is_probed = ty.as_named().is_some_and(|(_, arguments)| {
        let mut types = arguments.iter().filter_map(TypeArgument::as_type);
        types.any(is_probe)
    });
    if !is_probed {
        return found;
    }
    let implements = |marker| recipes.solver.implements(ty, marker) == Holds::Yes;
    let target = recipes.solver.deref_target(ty);
    if let Some(target) = &target {
        let call = Expression::call("std::ops::Deref::deref", [Expression::Object]);
        let text = Expression::Object.method("deref", []);
        let entry = of_std("Deref::deref", call, text, Taken::Reference);
        found.push((entry, RustType::reference(target.clone())));
    }
    // Who has a value for itself may exchange it.
    if let Some(target) = target.filter(is_probe)
        && implements("core::ops::deref::DerefMut")
    {
        let call = Expression::call("std::ops::DerefMut::deref_mut", [Expression::Object]);
        let new = format!(", {}::new()))", target.path());
        let call = call.between("std::mem::drop(std::mem::replace(", new);
        let text = Expression::Object.between("*", format!(" = {}::new()", target.path()));
        let entry = of_std("DerefMut::deref_mut", call, text, Taken::MutableReference);
        found.push((entry, RustType::unit()));
    }
    if implements("core::iter::traits::iterator::Iterator") {
        let call = Expression::call("std::iter::Iterator::next", [Expression::Object]);
        let text = Expression::Object.method("next", []);
        let entry = of_std("Iterator::next", call, text, Taken::MutableReference);
        found.push((entry, RustType::Unknown));
    }
    found
}

fn is_probe(ty: &RustType) -> bool {
    [UNSENT, UNSHARED].contains(&ty.path())
}

fn of_std(name: &str, expression: Expression, text: Expression, taken: Taken) -> OperationEntry {
    OperationEntry {
        from_trait: Some(format!("std::{name}")),
        ..OperationEntry::new(name, taken, expression, text)
    }
}

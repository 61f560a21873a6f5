//! Results that may live on: guards, permits, transactions, entries, iterators.
//!
//! An operation drops its result at the end of the call. In programs such a value lives while its thread makes further
//! calls, so there is a second operation, which keeps it, and one that lets it go. Whether anything is held with it is
//! measured by the generator that makes tests of these.

use super::derived::borrows;
use super::holds::Holds;
use super::operations::Operations;
use super::recipes::Recipes;
use super::rust_type::{RustType, TypeArgument};
use super::solver::Solver;
use super::std_paths::is_std;
use contest_catalog::subject_catalog::{OperationEntry, Passed, Returned, Taken};
use contest_data::subject::Keeping;

/// Operations of one subject whose results are kept.
const MOST: usize = 6;
/// What the text of a test calls the result.
const KEPT: &str = "kept";

/// The operations that keep a result, and the one that lets it go.
pub(super) fn keeping(
    recipes: &Recipes<'_>,
    ty: &RustType,
    operations: &Operations,
) -> Vec<OperationEntry> {
    let all = operations.found.iter().zip(&operations.outputs);
    let kept = all.filter(|(entry, output)| can_be_kept(recipes, ty, entry, output));
    let mut found: Vec<OperationEntry> = kept.take(MOST).map(|(it, _)| keeps(it)).collect();
    if !found.is_empty() {
        found.push(OperationEntry {
            keeping: Keeping::LetsGo,
            ..OperationEntry::new(
                format!("drop({KEPT})"),
                Taken::Reference,
                "crate::let_go()".into(),
                format!("drop({KEPT})").into(),
            )
        });
    }
    found
}

fn keeps(plain: &OperationEntry) -> OperationEntry {
    let text = match plain.returned {
        Returned::Iterator => plain
            .text
            .clone()
            .between(format!("let mut {KEPT} = "), format!("; {KEPT}.next()")),
        Returned::Observe | Returned::Future => {
            plain.text.clone().between(format!("let {KEPT} = "), "")
        }
    };
    OperationEntry {
        text,
        keeping: Keeping::Keeps,
        observer: false,
        may_observe: false,
        ..plain.clone()
    }
}

/// The result may hold something until it is dropped, and borrows from nothing but the object.
fn can_be_kept(
    recipes: &Recipes<'_>,
    subject: &RustType,
    entry: &OperationEntry,
    output: &RustType,
) -> bool {
    let solver = &recipes.solver;
    let is = |of| solver.implements(output, of);
    let shared = matches!(
        entry.taken,
        Taken::Reference | Taken::ArcReference | Taken::Arc
    );
    // The output of a future that is not an `async fn` is not known.
    let unknown =
        entry.returned == Returned::Future && is("core::future::future::Future") != Holds::No;
    let lent = |it: &Passed| matches!(it, Passed::Reference | Passed::MutableReference);
    let borrows_more = borrows(output) && entry.arguments.iter().any(|it| lent(&it.passed));
    // A handle that can be cloned is seldom the only one.
    let is_handle = !borrows(output) && is("core::clone::Clone") != Holds::No;
    shared
        && !(entry.polled || unknown || borrows_more || is_handle)
        && !output.contains(subject)
        && holds_something(solver, output, &mut Vec::new())
}

/// Dropping the value may be more than forgetting it.
fn holds_something(solver: &Solver<'_>, ty: &RustType, seen: &mut Vec<RustType>) -> bool {
    if seen.contains(ty) || seen.len() > 64 {
        return false;
    }
    seen.push(ty.clone());
    let mut part = |it: &RustType| holds_something(solver, it, seen);
    match ty {
        RustType::Impl(_) => true,
        RustType::Tuple(items) => items.iter().any(part),
        RustType::Array(item, _) => part(item),
        RustType::Named { path, .. } if is_std(path) => {
            let shared = path.starts_with("alloc::sync::") || path.ends_with("::PhantomData");
            path.ends_with("Guard")
                || !shared && (0..3).any(|it| ty.argument(it).is_some_and(&mut part))
        }
        RustType::Named { arguments, .. } => {
            let lifetime = |it: &TypeArgument| matches!(it, TypeArgument::Lifetime);
            solver.implements(ty, "core::ops::drop::Drop") == Holds::Yes
                || match solver.fields(ty) {
                    Some(fields) => fields.iter().any(part),
                    None => arguments.iter().any(lifetime),
                }
        }
        _ => false,
    }
}

//! What the protocols have in common: calls of the object and of what its caller has beside it.

use contest_catalog::expression::{Expression, Hole};
use contest_catalog::subject_catalog::{OperationEntry, Taken};

/// What a caller has beside the object, as drivers and emitted tests declare it: a flag, or a flag and tasks.
pub(super) const FLAG: &str = "CallersFlag";
pub(super) const TASKS: &str = "CallersTasks";

/// Operations of an object and what its caller has beside it.
pub(super) struct Protocol {
    /// [`FLAG`] or [`TASKS`].
    pub(super) beside: &'static str,
    pub(super) operations: Vec<OperationEntry>,
}

/// A method of the type itself that threads call on a shared object.
pub(super) fn is_own_method(entry: &OperationEntry) -> bool {
    entry.taken == Taken::Reference && entry.from_trait.is_none() && !entry.declared.is_empty()
}

/// An operation of the subject that returns nothing, declared where `of` is.
pub(super) fn operation(
    of: &OperationEntry,
    name: String,
    expression: Expression,
    text: Expression,
) -> OperationEntry {
    OperationEntry {
        declared: of.declared.clone(),
        announced_panic: of.announced_panic.clone(),
        ..OperationEntry::new(name, Taken::Reference, expression, text)
    }
}

/// A call of the object, which is the first part of the subject.
pub(super) fn of_object(call: &Expression) -> Expression {
    let object = Expression::Field(Box::new(Expression::Object), 0);
    call.fill(&|hole| match hole {
        Hole::Object { member: Some(_) } => Some(object.clone()),
        Hole::Object { member: None } => Some(object.clone().between("&", "")),
        Hole::Argument(_) => None,
    })
}

/// A call of what the caller has beside the object.
pub(super) fn beside(method: &str) -> Expression {
    Expression::Field(Box::new(Expression::Object), 1).method(method, [])
}

/// These calls one after another, without their results.
pub(super) fn in_turn(calls: impl IntoIterator<Item = Expression>) -> Expression {
    let mut parts: Vec<Expression> = vec!["{ ".into()];
    for call in calls {
        parts.push(call.between("let _ = ", "; "));
    }
    parts.push("}".into());
    Expression::Sequence(parts)
}

/// As [`in_turn`], for reports.
pub(super) fn shown_in_turn(calls: impl IntoIterator<Item = Expression>) -> Expression {
    let calls: Vec<Expression> = calls.into_iter().collect();
    match <[Expression; 1]>::try_from(calls) {
        Ok([only]) => only,
        Err(calls) => {
            let mut parts: Vec<Expression> = vec!["{ ".into()];
            for call in calls {
                parts.push(call.between("", "; "));
            }
            parts.push("}".into());
            Expression::Sequence(parts)
        }
    }
}

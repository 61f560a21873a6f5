//! Two calls as one operation of an object behind a lock, which is released between them.

use super::library::Library;
use super::render::source;
use super::rust_type::RustType;
use contest_catalog::expression::{Expression, Hole};
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::{ArgumentRecipe, OperationEntry, Passed};

/// Of one subject.
const MOST: usize = 16;

/// An operation under the lock, with what it returns.
pub(super) struct Locked {
    pub(super) entry: OperationEntry,
    pub(super) output: RustType,
    /// It takes the object by `&mut self`.
    pub(super) changes: bool,
}

/// What the second call takes from the first one.
enum Basis {
    /// Whether to make the second call.
    Answer { expected: bool },
    /// An argument of the second call, by its place there; in an `Option` or a `Result`.
    Value {
        place: usize,
        pattern: Option<&'static str>,
    },
}

/// All pairs of calls that make sense, and those beyond the limit.
pub(super) fn two_calls(library: &Library, all: &[Locked]) -> (Vec<OperationEntry>, Vec<Skipped>) {
    let mut found = Vec::new();
    // A first call that changes the object (take, then put back) is two steps by intention: it is not paired.
    for first in all.iter().filter(|it| !it.changes) {
        for second in all.iter().filter(|it| it.changes) {
            for basis in bases(library, first, second) {
                found.push(both(&first.entry, &second.entry, &basis));
            }
        }
    }
    let more = found.split_off(found.len().min(MOST));
    let why = format!("more than {MOST} pairs of calls");
    let left_out = more.into_iter().map(|it| Skipped::new(it.name, &why));
    (found, left_out.collect())
}

fn bases(library: &Library, first: &Locked, second: &Locked) -> Vec<Basis> {
    if is(&first.output, "bool") {
        // Of an answer about one thing, the second call is about the same thing.
        let fits = (0..first.entry.arguments.len())
            .all(|it| same_argument(&first.entry, &second.entry, it).is_some());
        let both = [true, false].map(|expected| Basis::Answer { expected });
        return if fits { both.into() } else { Vec::new() };
    }
    let (value, pattern) = match first.output.path() {
        "core::option::Option" => (first.output.argument(0), Some("Some(it)")),
        "core::result::Result" => (first.output.argument(0), Some("Ok(it)")),
        _ => (Some(&first.output), None),
    };
    let Some(value) = value.filter(|it| !it.is_unit() && !is(it, "bool")) else {
        return Vec::new();
    };
    let Ok(written) = source(library, value) else {
        return Vec::new();
    };
    let takes = |it: &ArgumentRecipe| {
        it.type_expression.as_ref() == Some(&written)
            && matches!(it.passed, Passed::Value | Passed::Reference)
    };
    let place = second.entry.arguments.iter().position(takes);
    place
        .map(|place| Basis::Value { place, pattern })
        .into_iter()
        .collect()
}

fn is(ty: &RustType, primitive: &str) -> bool {
    matches!(ty, RustType::Primitive(name) if name == primitive)
}

/// The argument of the second call that is the same as one of the first, by place and type.
fn same_argument(first: &OperationEntry, second: &OperationEntry, place: usize) -> Option<usize> {
    let [own, other] = [first, second].map(|it| it.arguments.get(place));
    let (own, other) = (own?, other?);
    let by_value = |it: &ArgumentRecipe| matches!(it.passed, Passed::Value | Passed::Reference);
    let same = own.type_expression.is_some() && own.type_expression == other.type_expression;
    (same && by_value(own) && by_value(other)).then_some(place)
}

fn both(first: &OperationEntry, second: &OperationEntry, basis: &Basis) -> OperationEntry {
    let shares = matches!(basis, Basis::Answer { .. });
    let shared = |place: usize| same_argument(first, second, place).filter(|_| shares);
    let mut arguments = first.arguments.clone();
    let mut compiled = Vec::new();
    let mut shown = Vec::new();
    for (place, argument) in second.arguments.iter().enumerate() {
        let is_found = matches!(basis, Basis::Value { place: it, .. } if *it == place);
        if is_found {
            let it = if argument.passed == Passed::Reference {
                "&it"
            } else {
                "it"
            };
            compiled.push(it.into());
            shown.push(it.into());
        } else if let Some(same) = shared(place) {
            let own = Expression::Argument(same);
            shown.push(own.clone());
            compiled.push(passed_again(
                own,
                first.arguments[same].passed,
                argument.passed,
            ));
        } else {
            let own = Expression::Argument(arguments.len());
            arguments.push(argument.clone());
            shown.push(own.clone());
            compiled.push(own);
        }
    }
    // The first call leaves what it shares with the second one.
    let passed_first = |(place, it): (usize, &ArgumentRecipe)| match it.passed {
        Passed::Value if shared(place).is_some() => {
            cloned(Expression::Argument(place).between("&", ""))
        }
        _ => Expression::Argument(place),
    };
    let passed_first: Vec<Expression> = first
        .arguments
        .iter()
        .enumerate()
        .map(passed_first)
        .collect();
    let look = with(&first.expression, &passed_first);
    let act = with(&second.expression, &compiled);
    let no = if matches!(basis, Basis::Answer { expected: false }) {
        "!"
    } else {
        ""
    };
    OperationEntry {
        name: format!("{no}{} then {}", first.name, second.name),
        text: basis.shown(first.text.clone(), with(&second.text, &shown)),
        expression: basis.compiled(look, act),
        arguments,
        observer: false,
        may_observe: false,
        weak: false,
        approximate: false,
        // The lock is held for each call, so a call is made before or after another one.
        given_out: Vec::new(),
        ..second.clone()
    }
}

impl Basis {
    /// The lock is released where the first `let` ends.
    fn compiled(&self, look: Expression, act: Expression) -> Expression {
        let (bound, condition) = match self {
            Self::Answer { expected } => {
                let no = if *expected { "" } else { "!" };
                ("answer", format!("{no}answer"))
            }
            Self::Value { pattern: None, .. } => {
                let parts = ["{ let it = ".into(), look, "; ".into(), act, " }".into()];
                return Expression::Sequence(parts.into());
            }
            Self::Value {
                pattern: Some(pattern),
                ..
            } => ("found", format!("let {pattern} = found")),
        };
        Expression::Sequence(vec![
            format!("{{ let {bound} = ").into(),
            look,
            format!("; if {condition} {{ Some(").into(),
            act,
            ") } else { None } }".into(),
        ])
    }

    fn shown(&self, look: Expression, act: Expression) -> Expression {
        let (before, between) = match self {
            Self::Answer { expected: true } => ("if ".to_owned(), " { "),
            Self::Answer { expected: false } => ("if !".to_owned(), " { "),
            Self::Value { pattern: None, .. } => ("{ let it = ".to_owned(), "; "),
            Self::Value {
                pattern: Some(pattern),
                ..
            } => (format!("if let {pattern} = "), " { "),
        };
        Expression::Sequence(vec![before.into(), look, between.into(), act, " }".into()])
    }
}

/// The call with these arguments.
fn with(call: &Expression, values: &[Expression]) -> Expression {
    call.fill(&|hole| match hole {
        Hole::Argument(place) => values.get(place).cloned(),
        Hole::Object { .. } => None,
    })
}

/// A value that the first call got, for the second one.
fn passed_again(own: Expression, first: Passed, second: Passed) -> Expression {
    match (first, second) {
        (Passed::Reference, Passed::Value) => cloned(own),
        (Passed::Value, Passed::Reference) => own.between("&", ""),
        _ => own,
    }
}

fn cloned(reference: Expression) -> Expression {
    Expression::call("std::clone::Clone::clone", [reference])
}

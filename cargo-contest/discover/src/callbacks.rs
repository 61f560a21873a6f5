//! Operations whose closures do what code of a user may: call the object from inside of the call that runs them, or
//! panic.
//!
//! Each is an operation beside the plain one, called by one generator only. What the documentation forbids is not done
//! (`forbidden_callbacks`). A closure knows the object by a `Weak`, as a listener does, and calls it once: a call that
//! it makes does not make further ones. A panic is caught by the caller, which goes on.

use contest_data::subject::{Keeping, UserCode};

use super::closures::typed_closure;
use super::forbidden_callbacks::{announces_panics, forbids_coming_back};
use super::operations::Operations;
use super::recipes::Recipes;
use super::rust_type::RustType;
use contest_catalog::expression::{Expression, Hole};
use contest_catalog::subject_catalog::{
    ArgumentChoice, ArgumentRecipe, METHODS_OF_ARC, OperationEntry, Passed, Returned, SubjectEntry,
    SupportItem, Taken,
};

/// Operations of one subject whose closures panic, and as many whose closures call the object.
const MOST: usize = 8;
/// Calls that one closure may make, by choice.
const MOST_CALLS: usize = 6;

/// The function by which a closure panics; the item that declares it has what catches it too.
const PANICS: &str = "user_panic";
/// The function inside of which a closure calls the object.
const COMES_BACK: &str = "come_back";

/// The operations with closures that panic, and those that call the object.
pub(super) fn with_callbacks(
    recipes: &Recipes<'_>,
    ty: &RustType,
    operations: &Operations,
) -> Vec<OperationEntry> {
    let docs = |entry: &OperationEntry| {
        let mut own = recipes.functions.inherent(ty.path());
        own.find(|it| it.name == entry.name && entry.from_trait.is_none())
            .map_or("", |it| it.docs.as_str())
    };
    let library = recipes.solver.library;
    let of_type = library.find_item(ty.path());
    let of_type = of_type.and_then(|(_, item)| item.docs.as_deref());
    let with_closure: Vec<(&OperationEntry, usize)> = operations
        .found
        .iter()
        .filter(|it| is_plain(it))
        .filter_map(|it| Some((it, closure_argument(it)?)))
        .collect();
    let panicking = with_closure
        .iter()
        .filter(|(entry, _)| !announces_panics(docs(entry)))
        .map(|(entry, place)| panics(entry, *place));
    let mut found: Vec<OperationEntry> = panicking.take(MOST).collect();
    if of_type.is_some_and(forbids_coming_back) {
        return found;
    }
    let called: Vec<&OperationEntry> = operations
        .found
        .iter()
        .filter(|it| can_be_called_inside(it) && !forbids_coming_back(docs(it)))
        .take(MOST_CALLS)
        .collect();
    let coming_back = with_closure
        .iter()
        .filter(|(entry, _)| !called.is_empty() && !forbids_coming_back(docs(entry)))
        .filter_map(|(entry, place)| comes_back(entry, *place, &called));
    found.extend(coming_back.take(MOST));
    found
}

/// The items that these operations name.
pub(super) fn support_items(subjects: &[SubjectEntry]) -> Vec<SupportItem> {
    let has = |code: UserCode| {
        let mut operations = subjects.iter().flat_map(|it| &it.operations);
        operations.any(|it| it.user_code == code)
    };
    let item = |name: &str, source: &str| SupportItem {
        name: name.to_owned(),
        source: source.to_owned(),
        emitted: None,
    };
    let mut items = Vec::new();
    if has(UserCode::Panics) {
        items.push(item(PANICS, include_str!("callbacks/user_panic.rs.in")));
    }
    if has(UserCode::ComesBack) {
        items.push(item(COMES_BACK, include_str!("callbacks/come_back.rs.in")));
    }
    items
}

/// A call by shared reference whose result is there when it returns.
fn is_plain(entry: &OperationEntry) -> bool {
    entry.taken == Taken::Reference
        && entry.returned == Returned::Observe
        && !entry.polled
        && entry.keeping == Keeping::No
}

/// The first argument that is a closure, or has one in it.
fn closure_argument(entry: &OperationEntry) -> Option<usize> {
    entry.arguments.iter().position(|it| {
        let first = it.choices.first();
        it.passed == Passed::Value && first.is_some_and(|it| has_closure(&it.expression))
    })
}

fn has_closure(expression: &Expression) -> bool {
    let found = std::cell::Cell::new(false);
    let _ = with_closures(expression, &|closure| {
        found.set(true);
        closure.clone()
    });
    found.get()
}

/// The expression with its outermost closures replaced.
fn with_closures(expression: &Expression, by: &dyn Fn(&Expression) -> Expression) -> Expression {
    let all = |items: &[Expression]| items.iter().map(|it| with_closures(it, by)).collect();
    match expression {
        Expression::Closure { .. } => by(expression),
        Expression::Sequence(parts) => Expression::Sequence(all(parts)),
        Expression::Call {
            function,
            arguments,
        } => Expression::Call {
            function: function.clone(),
            arguments: all(arguments),
        },
        other => other.clone(),
    }
}

/// The operation with a closure that panics. Its caller catches that.
fn panics(entry: &OperationEntry, place: usize) -> OperationEntry {
    let mut arguments = entry.arguments.clone();
    let argument = &mut arguments[place];
    argument.choices.truncate(1);
    for choice in &mut argument.choices {
        choice.text = "|…| panic!()".to_owned();
        choice.expression = with_closures(&choice.expression, &|closure| match closure {
            Expression::Closure {
                parameters,
                pointer,
                ..
            } => Expression::Closure {
                parameters: vec!["_".into(); parameters.len()],
                body: Box::new(format!("{PANICS}()").into()),
                pointer: pointer.clone(),
                counted: false,
            },
            other => other.clone(),
        });
    }
    OperationEntry {
        expression: Expression::call("caught", [entry.expression.clone().between("|| ", "")]),
        arguments,
        observer: false,
        may_observe: false,
        user_code: UserCode::Panics,
        ..entry.clone()
    }
}

/// True if a closure may make this call: its result owns what it needs, and no further closure is in it.
fn can_be_called_inside(entry: &OperationEntry) -> bool {
    let simple = |it: &ArgumentRecipe| {
        let passed = matches!(
            it.passed,
            Passed::Value | Passed::Reference | Passed::MutableReference
        );
        let first = it.choices.first();
        passed && first.is_some_and(|it| !has_closure(&it.expression))
    };
    is_plain(entry) && entry.name != "Clone::clone" && entry.arguments.iter().all(simple)
}

/// The operation with a closure that calls the object first; `None` if the closure's type cannot be written so.
fn comes_back(
    entry: &OperationEntry,
    place: usize,
    called: &[&OperationEntry],
) -> Option<OperationEntry> {
    let first = entry.arguments[place].choices.first()?;
    let is_written = std::cell::Cell::new(true);
    let closure = with_closures(&first.expression, &|closure| {
        let made = capturing(closure, place, called);
        is_written.set(is_written.get() && made.is_some());
        made.unwrap_or_else(|| closure.clone())
    });
    if !is_written.get() {
        return None;
    }
    let on_object = entry.expression.fill(&|hole| match hole {
        Hole::Object { member: Some(name) } if !METHODS_OF_ARC.contains(&name) => None,
        Hole::Object { .. } => Some(Expression::Object.between("(&**", ")")),
        Hole::Argument(number) => (number == place).then(|| closure.clone()),
    });
    let shown = |it: &&OperationEntry| {
        let text = it.text.fill(&|hole| match hole {
            Hole::Object { .. } => Some("back".into()),
            Hole::Argument(number) => it.arguments[number]
                .choices
                .first()
                .map(|it| it.text.clone().into()),
        });
        text.to_string()
    };
    let choices = called
        .iter()
        .enumerate()
        .map(|(number, it)| ArgumentChoice {
            text: format!("|…| {{ {}; … }}", shown(it)),
            expression: format!("{number}").into(),
        });
    let mut arguments = entry.arguments.clone();
    arguments[place] = ArgumentRecipe {
        type_expression: Some("u8".to_owned()),
        passed: Passed::Value,
        choices: choices.collect(),
        of_texts: false,
    };
    Some(OperationEntry {
        expression: on_object,
        taken: Taken::ArcReference,
        arguments,
        observer: false,
        may_observe: false,
        user_code: UserCode::ComesBack,
        ..entry.clone()
    })
}

/// The closure with a call of the object before its body: the one that the argument at `place` says.
fn capturing(closure: &Expression, place: usize, called: &[&OperationEntry]) -> Option<Expression> {
    let before = Expression::Sequence(vec![
        "let back = std::sync::Arc::downgrade(".into(),
        Expression::Object,
        "); let which = ".into(),
        Expression::Argument(place),
        "; ".into(),
    ]);
    let mut parts: Vec<Expression> = vec![
        format!("{COMES_BACK}(|| {{ if let Some(object) = back.upgrade() {{ match which {{ ")
            .into(),
    ];
    for (number, it) in called.iter().enumerate() {
        let last = number + 1 == called.len();
        let pattern = if last {
            "_".to_owned()
        } else {
            number.to_string()
        };
        parts.push(format!("{pattern} => {{ ").into());
        parts.push(call_inside(it));
        parts.push(" } ".into());
    }
    parts.push("} } }); ".into());
    typed_closure(closure, before, Expression::Sequence(parts))
}

/// The statements of a call on `object`, whose result is dropped.
fn call_inside(entry: &OperationEntry) -> Expression {
    let mut parts = Vec::new();
    for (number, argument) in entry.arguments.iter().enumerate() {
        let ascription = match &argument.type_expression {
            Some(ty) => format!(": {ty}"),
            None => String::new(),
        };
        let first = argument.choices.first();
        let value = first.map_or_else(|| "()".into(), |it| it.expression.clone());
        parts.push(value.between(format!("let mut b{number}{ascription} = "), "; "));
    }
    let call = entry.expression.fill(&|hole| match hole {
        Hole::Object { member: Some(name) } if !METHODS_OF_ARC.contains(&name) => {
            Some("object".into())
        }
        Hole::Object { .. } => Some("(&*object)".into()),
        Hole::Argument(number) => {
            let sigil = match entry.arguments[number].passed {
                Passed::Reference => "&",
                Passed::MutableReference => "&mut ",
                _ => "",
            };
            Some(format!("{sigil}b{number}").into())
        }
    });
    parts.push(call.between("let _ = ", ";"));
    Expression::Sequence(parts)
}

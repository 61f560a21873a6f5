//! Who waits is registered before it waits: `let listener = event.listen();`, look at the flag, `listener.await`.
//!
//! The look ends a step of serial orders: calls of others come between it and the wait. An object that registers later
//! than it seems to, or a method that wakes no one, hangs in these too, so nothing is expected of them that they do not
//! do one call after another.

use super::super::constructors::fixed_arguments;
use super::super::operations::Operations;
use super::super::recipes::Recipes;
use super::protocol::{
    FLAG, Protocol, beside, in_turn, is_own_method, of_object, operation, shown_in_turn,
};
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{OperationEntry, Passed, Returned};

const FUTURE: &str = "core::future::future::Future";

/// Words that the names of methods which wake others begin with.
const SIGNALS: [&str; 5] = ["notify", "wake", "signal", "trigger", "broadcast"];

/// What a name says that promises no order with what came before.
const UNORDERED: &str = "relaxed";

pub(super) fn protocol(recipes: &Recipes<'_>, own: &Operations) -> Option<Protocol> {
    let signals: Vec<&OperationEntry> = own.found.iter().filter(|it| is_signal(it)).collect();
    let first = signals.first()?;
    let mut operations: Vec<OperationEntry> = registering(recipes, own)
        .filter_map(|it| looks_and_waits(it, first))
        .collect();
    if operations.is_empty() {
        return None;
    }
    for signal in signals {
        operations.extend(signalling(signal));
    }
    Some(Protocol {
        beside: FLAG,
        operations,
    })
}

/// True for the name of a method that wakes others, in order with what came before.
pub(super) fn says_signal(name: &str) -> bool {
    let mut words = name.split('_');
    words.next().is_some_and(|it| SIGNALS.contains(&it)) && words.all(|it| it != UNORDERED)
}

/// A method that wakes others and does not wait itself.
fn is_signal(entry: &OperationEntry) -> bool {
    let plain = |it: &Passed| matches!(it, Passed::Value | Passed::Reference);
    says_signal(&entry.name)
        && is_own_method(entry)
        && entry.returned == Returned::Observe
        && entry.arguments.iter().all(|it| plain(&it.passed))
}

/// The methods whose future has the output `()`: it says only that it was woken. An `async fn` does its work when it is
/// polled, so it has no such future.
fn registering<'a>(
    recipes: &'a Recipes<'_>,
    own: &'a Operations,
) -> impl Iterator<Item = &'a OperationEntry> {
    let all = own.found.iter().zip(&own.outputs);
    let registering = all.filter(|(entry, output)| {
        let is_made = matches!(entry.expression, Expression::Step(_));
        let awaited = recipes.solver.project(output, FUTURE, "Output");
        is_made
            && !entry.polled
            && entry.arguments.is_empty()
            && is_own_method(entry)
            && entry.returned == Returned::Future
            && awaited.is_some_and(|it| it.is_unit())
    });
    registering.map(|(entry, _)| entry)
}

/// Registers, looks at the flag, and waits once. A caller that sees the flag set in the end passes the signal on: of
/// all that wait, it may have been the only one that was chosen.
fn looks_and_waits(wait: &OperationEntry, signal: &OperationEntry) -> Option<OperationEntry> {
    let (passes_on, shown) = fixed_arguments(
        of_object(&signal.expression),
        of_object(&signal.text),
        &signal.arguments,
    )?;
    let registers = match &wait.expression {
        Expression::Step(made) => made,
        other => other,
    };
    let whole = |registers: Expression, looks: Expression, drops: &str, passes_on: Expression| {
        Expression::Sequence(vec![
            "{ let registered = ".into(),
            registers,
            "; if ".into(),
            looks,
            format!(" {{ {drops}(registered); }} else {{ registered.await; }} if ").into(),
            beside("is_set"),
            " { ".into(),
            passes_on,
            "; } }".into(),
        ])
    };
    let compiled = whole(
        of_object(registers),
        beside("is_set").step(),
        "std::mem::drop",
        passes_on.between("let _ = ", ""),
    );
    let text = whole(of_object(&wait.text), beside("is_set"), "drop", shown);
    let name = format!("{}, look, wait", wait.name);
    Some(OperationEntry {
        returned: Returned::Future,
        not_cancel_safe: wait.not_cancel_safe.clone(),
        ..operation(wait, name, compiled.between("async ", ""), text)
    })
}

/// The signal after the flag was set, and by itself. What it returns depends on the steps of those who wait.
fn signalling(signal: &OperationEntry) -> [OperationEntry; 2] {
    let (compiled, text) = (of_object(&signal.expression), of_object(&signal.text));
    let with_flag = [beside("set"), compiled.clone()];
    let shown = [beside("set"), text.clone()];
    let name = format!("set, {}", signal.name);
    [
        operation(signal, name, in_turn(with_flag), shown_in_turn(shown)),
        operation(
            signal,
            signal.name.clone(),
            in_turn([compiled]),
            shown_in_turn([text]),
        ),
    ]
    .map(|it| OperationEntry {
        arguments: signal.arguments.clone(),
        ..it
    })
}

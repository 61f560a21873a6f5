//! Modes of stand-ins. A user's implementation of a trait may wait, fail, or answer otherwise: in these modes each
//! future waits once, the first call of a method fails, or its first answer is the opposite of the usual one.
//!
//! A stand-in has a constant for each, beside the one of its own name, with which all is in order. Objects are made
//! with these too, after the first way to make one: a factory that fails once is seldom met, but each user has it some
//! day. Only the first call fails, so that what the type does about it has a chance to work.

use contest_data::subject::StandInMode;

use super::recipes::Recipes;
use super::rust_type::RustType;
use super::signature::Signature;
use super::stand_in::{LATER, StandIn};
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{ArgumentChoice, ArgumentRecipe, ConstructorEntry};

/// Modes of one stand-in.
const MOST: usize = 4;

/// The name of the mode in which futures wait.
const WAITS: &str = "WAITS";

/// An `await` at which others may go on.
const WAIT: &str = "{ let mut waited = false; std::future::poll_fn(move |context| { \
    if std::mem::replace(&mut waited, true) { return std::task::Poll::Ready(()); } \
    context.waker().wake_by_ref(); std::task::Poll::Pending }).await; }";

/// Before and after what the first call does in the mode with this number.
const FIRST_CALL: [&str; 2] = [
    "if self.mode == NUMBER { \
     static CALLED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false); \
     if !CALLED.swap(true, std::sync::atomic::Ordering::SeqCst) { ",
    " } }\n        ",
];

const POLL: &str = "core::task::poll::Poll";

fn first_call(number: usize) -> [String; 2] {
    FIRST_CALL.map(|it| it.replace("NUMBER", &number.to_string()))
}

/// True for `&mut Context`.
fn is_context(input: &RustType) -> bool {
    matches!(input, RustType::Reference { to, .. } if to.path() == "core::task::wake::Context")
}

impl StandIn {
    /// The number of the mode with this name; `None` if there are too many.
    fn mode(&mut self, name: &str) -> Option<usize> {
        let known = self.modes.iter().position(|it| it == name);
        known.map(|it| it + 1).or_else(|| {
            (self.modes.len() < MOST).then(|| {
                self.modes.push(name.to_owned());
                self.modes.len()
            })
        })
    }

    /// The declaration of a type without content, or with a number for its mode.
    pub(super) fn declaration(&self) -> String {
        let name = &self.name;
        let traits = "Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash";
        if self.modes.is_empty() {
            return format!("#[derive({traits})]\npub struct {name};\n");
        }
        let mut text = format!(
            "#[derive({traits})]\npub struct {name} {{\n    mode: u8,\n}}\n\
             #[allow(non_upper_case_globals)]\npub const {name}: {name} = {name} {{ mode: 0 }};\n\
             #[allow(dead_code, non_upper_case_globals)]\nimpl {name} {{\n"
        );
        for (mode, number) in self.modes.iter().zip(1..) {
            text.push_str(&format!(
                "    pub const {mode}: {name} = {name} {{ mode: {number} }};\n"
            ));
        }
        text.push_str("}\n");
        text
    }
}

impl Recipes<'_> {
    /// The body of a method of a stand-in, whose usual value is `value`.
    pub(super) fn body_with_modes(
        &self,
        stand_in: &mut StandIn,
        method: &Signature,
        output: &RustType,
        awaits: bool,
        value: Expression,
    ) -> Expression {
        if !method.is_method() {
            return value;
        }
        let mut parts: Vec<Expression> = Vec::new();
        if awaits && let Some(number) = stand_in.mode(WAITS) {
            parts.push(format!("if self.mode == {number} {WAIT}\n        ").into());
        }
        if output.path() == LATER
            && let Ok(values) = self.values(output, super::request::Request::PLAIN)
            && let Some(soon) = values.into_iter().nth(1)
            && let Some(number) = stand_in.mode(WAITS)
        {
            let before = format!("if self.mode == {number} {{ return ");
            parts.push(soon.expression.between(before, "; }\n        "));
        }
        if output.path() == POLL
            && let Some(context) = method.inputs.iter().position(|(_, it)| is_context(it))
            && let Some(number) = stand_in.mode(WAITS)
        {
            let [before, after] = first_call(number);
            let wait =
                format!("_{context}.waker().wake_by_ref(); return std::task::Poll::Pending;");
            parts.push((before + &wait + &after).into());
        }
        let fails = |result: &RustType| {
            let error = result.argument(1)?;
            let is_result = result.path() == "core::result::Result";
            let error = is_result.then(|| self.first_value(error).ok()).flatten()?;
            Some(error.between("std::result::Result::Err(", ")"))
        };
        let otherwise = match output {
            RustType::Primitive(name) if name == "bool" => {
                Some(("DIFFERS", value.clone().between("!", "")))
            }
            _ if output.path() == POLL => {
                let failure = output.argument(0).and_then(fails);
                failure.map(|it| ("FAILS", it.between("std::task::Poll::Ready(", ")")))
            }
            _ if output.path() == LATER => {
                let failure = output.argument(0).and_then(fails);
                failure.map(|it| ("FAILS", Expression::call(format!("{LATER}::now"), [it])))
            }
            _ => fails(output).map(|it| ("FAILS", it)),
        };
        if let Some((how, otherwise)) = otherwise
            && let Some(number) = stand_in.mode(&format!("{}_{how}", method.name))
        {
            let [before, after] = first_call(number);
            parts.push(otherwise.between(before + "return ", ";".to_owned() + &after));
        }
        if parts.is_empty() {
            return value;
        }
        parts.push(value);
        Expression::Sequence(parts)
    }

    /// The constructors, and the first one that has a stand-in once more for each of its modes.
    pub(super) fn constructors_with_modes(&self, constructors: &mut Vec<ConstructorEntry>) {
        let all = self.solver.stand_ins();
        let with_modes = all.iter().filter(|it| !it.modes.is_empty());
        let mut further = Vec::new();
        for stand_in in with_modes {
            let Some(first) = constructors.iter().find(|it| uses(it, &stand_in.name)) else {
                continue;
            };
            let mode = |mode: &String| with(first, &stand_in.name, mode);
            further.extend(stand_in.modes.iter().map(mode));
        }
        let place = constructors.len().min(1);
        constructors.splice(place..place, further);
    }
}

fn uses(constructor: &ConstructorEntry, name: &str) -> bool {
    let found = std::cell::Cell::new(false);
    let note = |_: &str| {
        found.set(true);
        None
    };
    let _ = replaced(&constructor.expression, name, &note);
    for choice in constructor.arguments.iter().flat_map(|it| &it.choices) {
        let _ = replaced(&choice.expression, name, &note);
    }
    found.get()
}

fn with(constructor: &ConstructorEntry, name: &str, mode: &str) -> ConstructorEntry {
    let by = |_: &str| Some(format!("{name}::{mode}"));
    let expression = |it: &Expression| replaced(it, name, &by);
    let choice = |it: &ArgumentChoice| {
        let new = expression(&it.expression);
        let changed = new != it.expression;
        ArgumentChoice {
            text: match changed {
                true => with_mode(&it.text, name, mode),
                false => it.text.clone(),
            },
            expression: new,
        }
    };
    let arguments = constructor.arguments.iter().map(|it| ArgumentRecipe {
        choices: it.choices.iter().map(choice).collect(),
        ..it.clone()
    });
    ConstructorEntry {
        text: shown(&constructor.text, name, mode),
        expression: expression(&constructor.expression),
        made: constructor.made,
        mode: match mode {
            WAITS => StandInMode::Waits,
            _ => StandInMode::Differs,
        },
        arguments: arguments.collect(),
    }
}

/// The text with the mode behind the name, where that is no part of another one.
fn with_mode(text: &str, name: &str, mode: &str) -> String {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let mut new = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, from) = rest.split_at(at);
        let (found, after) = from.split_at(name.len());
        let is_whole = !before.ends_with(is_word) && !after.starts_with(is_word);
        new.extend([before, found]);
        if is_whole {
            new.extend(["::", mode]);
        }
        rest = after;
    }
    new + rest
}

/// The text of a constructor, which has the name inside of other text.
fn shown(text: &Expression, name: &str, mode: &str) -> Expression {
    match text {
        Expression::Source(text) => with_mode(text, name, mode).into(),
        Expression::Sequence(parts) => {
            Expression::Sequence(parts.iter().map(|it| shown(it, name, mode)).collect())
        }
        Expression::Call {
            function,
            arguments,
        } => Expression::Call {
            function: function.clone(),
            arguments: arguments.iter().map(|it| shown(it, name, mode)).collect(),
        },
        Expression::Method {
            on,
            name: method,
            arguments,
        } => Expression::Method {
            on: Box::new(shown(on, name, mode)),
            name: method.clone(),
            arguments: arguments.iter().map(|it| shown(it, name, mode)).collect(),
        },
        Expression::Unwrapped { of, is_result } => Expression::Unwrapped {
            of: Box::new(shown(of, name, mode)),
            is_result: *is_result,
        },
        other => other.clone(),
    }
}

/// The expression with values of this name replaced.
fn replaced(
    expression: &Expression,
    name: &str,
    by: &dyn Fn(&str) -> Option<String>,
) -> Expression {
    let all = |items: &[Expression]| items.iter().map(|it| replaced(it, name, by)).collect();
    let boxed = |it: &Expression| Box::new(replaced(it, name, by));
    match expression {
        Expression::Source(text) if text == name => {
            by(text).map_or_else(|| expression.clone(), Expression::Source)
        }
        Expression::Sequence(parts) => Expression::Sequence(all(parts)),
        Expression::Call {
            function,
            arguments,
        } => Expression::Call {
            function: function.clone(),
            arguments: all(arguments),
        },
        Expression::Method {
            on,
            name,
            arguments,
        } => Expression::Method {
            on: boxed(on),
            name: name.clone(),
            arguments: all(arguments),
        },
        Expression::Unwrapped { of, is_result } => Expression::Unwrapped {
            of: boxed(of),
            is_result: *is_result,
        },
        Expression::Step(inner) => Expression::Step(boxed(inner)),
        Expression::TupleElement {
            tuple,
            index,
            length,
        } => Expression::TupleElement {
            tuple: boxed(tuple),
            index: *index,
            length: *length,
        },
        other => other.clone(),
    }
}

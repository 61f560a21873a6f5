//! Recipes as trees: Rust expressions with holes for the object and the arguments, and the only place that writes them
//! as text.
//!
//! A recipe is made here, filled by the harness (with local variables of the driver), by emitted tests (with the
//! variables of the test) and by reports. Code that depends on how a value is made inspects the tree, never its text.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A Rust expression with holes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expression {
    /// Source text without holes.
    Source(String),
    /// Hole for the object an operation is called on.
    Object,
    /// Hole for an argument, by its index.
    Argument(usize),
    /// Expressions and source, one after another.
    Sequence(Vec<Expression>),
    /// `function(arguments)`; type arguments are part of the function's path.
    Call {
        /// Path of the function.
        function: String,
        /// All of its arguments.
        arguments: Vec<Expression>,
    },
    /// `on.name(arguments)`.
    Method {
        /// The receiver.
        on: Box<Expression>,
        /// The method's name, with a turbofish if it needs one.
        name: String,
        /// Arguments after the receiver.
        arguments: Vec<Expression>,
    },
    /// `on.0`.
    Field(Box<Expression>, u8),
    /// A closure that captures nothing, as a function pointer.
    Closure {
        /// Names of its parameters.
        parameters: Vec<Cow<'static, str>>,
        /// Its body.
        body: Box<Expression>,
        /// Type of the function pointer.
        pointer: String,
        /// The engine counts its calls.
        counted: bool,
    },
    /// One element of a tuple. The others are forgotten, not dropped: a channel without its other end is closed.
    TupleElement {
        /// The tuple.
        tuple: Box<Expression>,
        /// Which element.
        index: usize,
        /// Number of elements.
        length: usize,
    },
    /// A call that is a step of its own: calls of other threads may come between it and the rest of the expression.
    Step(Box<Expression>),
    /// What the future of a call returns: the thread waits for it.
    Awaited(Box<Expression>),
    /// What a mutex holds, inside a poll with a `context`.
    LockedInPoll(Box<Expression>),
    /// What is in a `Result` or an `Option` that a constructor returns.
    Unwrapped {
        /// The call.
        of: Box<Expression>,
        /// It is a `Result`, whose error is shown.
        is_result: bool,
    },
    /// A new directory, as a `PathBuf`.
    NewDirectory,
    /// A statement where code that a caller hands in runs.
    CallersCode,
}

/// A hole of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hole<'a> {
    /// The object.
    Object {
        /// The method or field of the object that the expression uses; `None` if it uses the object itself.
        member: Option<&'a str>,
    },
    /// An argument, by its index.
    Argument(usize),
}

/// What an expression is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A driver: steps and calls of closures are reported to the engine.
    Driver,
    /// A program that does not link the engine.
    Standalone,
    /// Such a program, where a waker may poll.
    PolledByWaker,
}

impl Expression {
    /// `function(arguments)`.
    pub fn call(
        function: impl Into<String>,
        arguments: impl IntoIterator<Item = Expression>,
    ) -> Self {
        Self::Call {
            function: function.into(),
            arguments: arguments.into_iter().collect(),
        }
    }

    /// `self.name(arguments)`.
    #[must_use]
    pub fn method(
        self,
        name: impl Into<String>,
        arguments: impl IntoIterator<Item = Expression>,
    ) -> Self {
        Self::Method {
            on: Box::new(self),
            name: name.into(),
            arguments: arguments.into_iter().collect(),
        }
    }

    /// The expression between two pieces of source.
    #[must_use]
    pub fn between(self, before: impl Into<String>, after: impl Into<String>) -> Self {
        Self::Sequence(vec![before.into().into(), self, after.into().into()])
    }

    /// The call with one argument more, which comes after `place` others and the receiver.
    #[must_use]
    pub(super) fn with_argument(&self, place: usize, argument: &Expression) -> Self {
        let with = |arguments: &[Self], place: usize| {
            let mut arguments = arguments.to_vec();
            arguments.insert(place.min(arguments.len()), argument.clone());
            arguments
        };
        match self {
            Self::Method {
                on,
                name,
                arguments,
            } => Self::Method {
                on: on.clone(),
                name: name.clone(),
                arguments: with(arguments, place),
            },
            Self::Call {
                function,
                arguments,
            } => Self::Call {
                function: function.clone(),
                arguments: with(arguments, place + 1),
            },
            Self::Step(inner) => Self::Step(Box::new(inner.with_argument(place, argument))),
            other => other.clone(),
        }
    }

    /// Expressions separated by commas, between two pieces of source.
    pub fn list(before: &str, items: impl IntoIterator<Item = Expression>, after: &str) -> Self {
        let mut all: Vec<Self> = vec![before.into()];
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                all.push(", ".into());
            }
            all.push(item);
        }
        all.push(after.into());
        Self::Sequence(all)
    }

    /// A step of its own.
    #[must_use]
    pub fn step(self) -> Self {
        Self::Step(Box::new(self))
    }

    /// What the future that it is returns.
    #[must_use]
    pub fn awaited(self) -> Self {
        Self::Awaited(Box::new(self))
    }

    /// Holes for `count` arguments, the first of index `first`.
    pub fn arguments(first: usize, count: usize) -> impl Iterator<Item = Expression> {
        (first..first + count).map(Self::Argument)
    }

    /// Calls of `from`'s functions become calls of `to`'s: an alias is shown by its own name.
    pub(super) fn rename_owner(&mut self, from: &str, to: &str) {
        match self {
            Self::Method { on, .. } => on.rename_owner(from, to),
            Self::Source(path) | Self::Call { function: path, .. } => {
                if let Some(rest) = path.strip_prefix(from)
                    && rest.starts_with("::")
                {
                    *path = format!("{to}{rest}");
                }
            }
            Self::Sequence(parts) => {
                if let Some(first) = parts.first_mut() {
                    first.rename_owner(from, to);
                }
            }
            _ => {}
        }
    }

    /// True if the value is an element of a tuple whose other elements are forgotten.
    #[must_use]
    pub fn takes_tuple_apart(&self) -> bool {
        match self {
            Self::TupleElement { .. } => true,
            Self::Method { on, .. } => on.takes_tuple_apart(),
            Self::Unwrapped { of, .. } | Self::Awaited(of) => of.takes_tuple_apart(),
            Self::Sequence(parts) => parts.iter().any(Self::takes_tuple_apart),
            _ => false,
        }
    }

    /// The same expression with its holes replaced by what `value` gives for them; holes without a value stay.
    #[must_use]
    pub fn fill(&self, value: &dyn Fn(Hole<'_>) -> Option<Expression>) -> Self {
        let all = |items: &[Self]| items.iter().map(|it| it.fill(value)).collect();
        let boxed = |it: &Self| Box::new(it.fill(value));
        let member_of = |on: &Self, member: &str| match on {
            Self::Object => Box::new(
                value(Hole::Object {
                    member: Some(member),
                })
                .unwrap_or(Self::Object),
            ),
            other => boxed(other),
        };
        match self {
            Self::Source(_) | Self::NewDirectory | Self::CallersCode => self.clone(),
            Self::Object => value(Hole::Object { member: None }).unwrap_or(Self::Object),
            Self::Argument(index) => value(Hole::Argument(*index)).unwrap_or(self.clone()),
            Self::Sequence(parts) => Self::Sequence(all(parts)),
            Self::Call {
                function,
                arguments,
            } => Self::Call {
                function: function.clone(),
                arguments: all(arguments),
            },
            Self::Method {
                on,
                name,
                arguments,
            } => Self::Method {
                on: member_of(on, name.split("::").next().unwrap_or(name)),
                name: name.clone(),
                arguments: all(arguments),
            },
            Self::Field(on, index) => Self::Field(member_of(on, &index.to_string()), *index),
            Self::Closure {
                parameters,
                body,
                pointer,
                counted,
            } => Self::Closure {
                parameters: parameters.clone(),
                body: boxed(body),
                pointer: pointer.clone(),
                counted: *counted,
            },
            Self::TupleElement {
                tuple,
                index,
                length,
            } => Self::TupleElement {
                tuple: boxed(tuple),
                index: *index,
                length: *length,
            },
            Self::Step(inner) => Self::Step(boxed(inner)),
            Self::Awaited(future) => Self::Awaited(boxed(future)),
            Self::LockedInPoll(mutex) => Self::LockedInPoll(boxed(mutex)),
            Self::Unwrapped { of, is_result } => Self::Unwrapped {
                of: boxed(of),
                is_result: *is_result,
            },
        }
    }

    /// How often it uses the object.
    #[must_use]
    pub fn uses_of_object(&self) -> usize {
        let uses = std::cell::Cell::new(0);
        let _ = self.fill(&|hole| {
            if matches!(hole, Hole::Object { .. }) {
                uses.set(uses.get() + 1);
            }
            None
        });
        uses.get()
    }

    /// The expression as source. Holes that were not filled are written as `{s}` (the object) and `{0}`, `{1}`, …
    /// (arguments), as the driver's tables have them in the texts of calls.
    #[must_use]
    pub fn render(&self, style: Style) -> String {
        let mut text = String::new();
        // Writing to a `String` cannot fail.
        let _ = self.write(&mut text, style);
        text
    }

    fn write(&self, out: &mut dyn fmt::Write, style: Style) -> fmt::Result {
        match self {
            Self::Source(text) => out.write_str(text),
            Self::Object => out.write_str("{s}"),
            Self::Argument(index) => write!(out, "{{{index}}}"),
            Self::Sequence(parts) => parts.iter().try_for_each(|it| it.write(out, style)),
            Self::Call {
                function,
                arguments,
            } => {
                out.write_str(function)?;
                write_arguments(arguments, out, style)
            }
            Self::Method {
                on,
                name,
                arguments,
            } => {
                on.write(out, style)?;
                write!(out, ".{name}")?;
                write_arguments(arguments, out, style)
            }
            Self::Field(on, index) => {
                on.write(out, style)?;
                write!(out, ".{index}")
            }
            Self::Closure {
                parameters,
                body,
                pointer,
                counted,
            } => {
                write!(out, "((|{}| {{ ", parameters.join(", "))?;
                if style == Style::Driver {
                    out.write_str(match counted {
                        true => "::contest::macro_support::count_call(); ",
                        false => "::contest::macro_support::callers_code(); ",
                    })?;
                }
                body.write(out, style)?;
                write!(out, " }}) as {pointer})")
            }
            Self::TupleElement {
                tuple,
                index,
                length,
            } => {
                let names: Vec<String> = (0..*length).map(|it| format!("part_{it}")).collect();
                write!(out, "{{ let ({}) = ", names.join(", "))?;
                tuple.write(out, style)?;
                out.write_str(";")?;
                for (_, name) in names.iter().enumerate().filter(|(it, _)| it != index) {
                    write!(out, " std::mem::forget({name});")?;
                }
                write!(out, " {} }}", names[*index])
            }
            Self::Step(inner) => {
                out.write_str(match style {
                    Style::Driver => "::contest::macro_support::step(",
                    Style::Standalone | Style::PolledByWaker => "std::convert::identity(",
                })?;
                inner.write(out, style)?;
                out.write_str(")")
            }
            Self::Awaited(future) => {
                out.write_str(match style {
                    Style::Driver => "::contest::macro_support::wait_for(",
                    Style::Standalone | Style::PolledByWaker => "block_on(",
                })?;
                future.write(out, style)?;
                out.write_str(")")
            }
            Self::LockedInPoll(mutex) => write_locked(mutex, out, style),
            Self::Unwrapped { of, is_result } => of.write_unwrapped(*is_result, out, style),
            Self::CallersCode => out.write_str(match style {
                Style::Driver => "::contest::macro_support::callers_code();",
                Style::Standalone | Style::PolledByWaker => "",
            }),
            Self::NewDirectory => out.write_str(match style {
                Style::Driver => "crate::new_directory()",
                Style::Standalone | Style::PolledByWaker => NEW_DIRECTORY,
            }),
        }
    }
}

impl Expression {
    /// In a driver, a failure says what the call said.
    fn write_unwrapped(
        &self,
        is_result: bool,
        out: &mut dyn fmt::Write,
        style: Style,
    ) -> fmt::Result {
        if style == Style::Driver {
            let made = if is_result { "made" } else { "some" };
            write!(out, "crate::{made}!({:?}, ", self.called().unwrap_or("it"))?;
            self.write(out, style)?;
            return out.write_str(")");
        }
        self.write(out, style)?;
        // The error need not be `Debug`.
        out.write_str(if is_result {
            ".ok().unwrap()"
        } else {
            ".unwrap()"
        })
    }

    /// The name of the function that is called last.
    fn called(&self) -> Option<&str> {
        match self {
            Self::Call { function, .. } => function.rsplit("::").find(|it| !it.ends_with('>')),
            Self::Method { name, .. } => name.split("::").next(),
            Self::Unwrapped { of, .. } | Self::Awaited(of) => of.called(),
            Self::Sequence(parts) => parts.iter().find_map(Self::called),
            _ => None,
        }
    }
}

/// In a test by itself: a directory of the process, empty.
const NEW_DIRECTORY: &str = "{ let new = std::env::temp_dir().join(format!(\"contest-{}\", std::process::id())); \
     let _ = std::fs::remove_dir_all(&new); std::fs::create_dir_all(&new).unwrap(); new }";

/// A waker that polls must not wait: while others have the object, it leaves the poll to the task itself.
fn write_locked(mutex: &Expression, out: &mut dyn fmt::Write, style: Style) -> fmt::Result {
    let waits = mutex.clone().method("lock", []).method("unwrap", []);
    let tries = mutex.clone().method("try_lock", []).between(
        "(match ",
        " { Err(std::sync::TryLockError::WouldBlock) => { context.waker().wake_by_ref(); \
         return std::task::Poll::Pending; } free => free.unwrap() })",
    );
    match style {
        Style::Standalone => waits.write(out, style),
        Style::PolledByWaker => tries.write(out, style),
        Style::Driver => {
            out.write_str("(if ::contest::macro_support::is_polled_by_waker(context) { ")?;
            tries.write(out, style)?;
            out.write_str(" } else { ")?;
            waits.write(out, style)?;
            out.write_str(" })")
        }
    }
}

fn write_arguments(
    arguments: &[Expression],
    out: &mut dyn fmt::Write,
    style: Style,
) -> fmt::Result {
    out.write_str("(")?;
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            out.write_str(", ")?;
        }
        argument.write(out, style)?;
    }
    out.write_str(")")
}

impl fmt::Display for Expression {
    /// As in a driver.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, Style::Driver)
    }
}

impl From<&str> for Expression {
    fn from(source: &str) -> Self {
        Self::Source(source.to_owned())
    }
}

impl From<String> for Expression {
    fn from(source: String) -> Self {
        Self::Source(source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_filled_once_whatever_the_values_look_like() {
        let call = Expression::Object.method(
            "insert::<_>",
            [Expression::Argument(1), Expression::Argument(0)],
        );
        let filled = call.fill(&|hole| match hole {
            Hole::Object {
                member: Some("insert"),
            } => Some("map".into()),
            Hole::Argument(1) => Some("\"{0}\"".into()),
            _ => None,
        });
        assert_eq!(filled.to_string(), "map.insert::<_>(\"{0}\", {0})");
    }

    #[test]
    fn the_engine_is_named_in_drivers_only() {
        let closure = Expression::Closure {
            parameters: vec!["x".into()],
            body: Box::new("x".into()),
            pointer: "fn(u32) -> u32".to_owned(),
            counted: true,
        };
        let expression = Expression::Object.method("map", [closure]).step();
        assert_eq!(
            expression.render(Style::Driver),
            "::contest::macro_support::step({s}.map(((|x| { ::contest::macro_support::count_call(); x }) as fn(u32) -> u32)))"
        );
        assert_eq!(
            expression.render(Style::Standalone),
            "std::convert::identity({s}.map(((|x| { x }) as fn(u32) -> u32)))"
        );
    }

    #[test]
    fn an_element_is_known_as_one_also_when_it_is_unwrapped() {
        let element = Expression::TupleElement {
            tuple: Box::new("pair()".into()),
            index: 1,
            length: 2,
        };
        let unwrapped = element.method("unwrap", []);
        assert!(unwrapped.takes_tuple_apart());
        assert_eq!(
            unwrapped.to_string(),
            "{ let (part_0, part_1) = pair(); std::mem::forget(part_0); part_1 }.unwrap()"
        );
        assert!(!Expression::from("{ let (part_0, part_1) = pair(); part_0 }").takes_tuple_apart());
    }
}

//! Recipes as trees: Rust expressions with holes for the object and the arguments, and the only place that writes them
//! as text.
//!
//! A recipe is made here, filled by the harness (with local variables of the driver), by emitted tests (with the
//! variables of the test) and by reports. Code that depends on how a value is made inspects the tree, never its text.

mod text;

use std::borrow::Cow;

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
    pub fn with_argument(&self, place: usize, argument: &Expression) -> Self {
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
    pub fn rename_owner(&mut self, from: &str, to: &str) {
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

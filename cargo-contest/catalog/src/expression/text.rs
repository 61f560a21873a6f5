//! Recipes as source text.

use std::fmt;

use super::{Expression, Style};

impl Expression {
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

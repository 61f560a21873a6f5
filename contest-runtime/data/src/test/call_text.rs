//! Tests as text for reports.

use super::{ConcurrentTest, TestCall, TestObject};
use crate::subject::{Argument, Subject};

/// Name of an object of a test: `a`, `b`, ...
#[must_use]
pub fn object_name(index: u8) -> char {
    char::from(b'a' + index.min(25))
}

/// `let a = Counter::new();`, or the statements that make all objects of the test, where that is what the constructor's
/// text is.
#[must_use]
pub fn object(subject: &Subject, index: u8, object: &TestObject) -> String {
    let made = subject
        .constructors
        .get(usize::from(object.constructor))
        .map_or_else(
            || "?".to_owned(),
            |constructor| filled(constructor.text, constructor.arguments, &object.choices),
        );
    if made.starts_with("let ") || made.starts_with("use ") {
        return format!("{made};");
    }
    format!("let {} = {made};", object_name(index))
}

/// `Counter::new()`, with the first values of its arguments.
#[must_use]
pub fn constructor(subject: &Subject, constructor: u16) -> String {
    let of = subject.constructors.get(usize::from(constructor));
    of.map_or_else(|| "?".to_owned(), |it| filled(it.text, it.arguments, &[]))
}

/// `a.insert(1, 2)`
#[must_use]
pub fn call(subject: &Subject, call: &TestCall) -> String {
    let Some(operation) = subject.operations.get(usize::from(call.operation)) else {
        return "?".to_owned();
    };
    filled(operation.text, operation.arguments, &call.choices)
        .replace("{s}", &object_name(call.object).to_string())
}

/// Constructors, then the calls of the prefix.
#[must_use]
pub fn prefix(subject: &Subject, test: &ConcurrentTest) -> Vec<String> {
    let objects = (0..)
        .zip(&test.objects)
        .map(|(index, made)| object(subject, index, made));
    objects
        .chain(test.prefix.iter().map(|made| call(subject, made)))
        .collect()
}

/// The calls of each lane.
#[must_use]
pub fn threads(subject: &Subject, test: &ConcurrentTest) -> Vec<Vec<String>> {
    test.threads
        .iter()
        .map(|calls| calls.iter().map(|made| call(subject, made)).collect())
        .collect()
}

/// `text` with `{0}`, `{1}`, ... replaced by the alternatives chosen. One pass, so that a brace inside an argument
/// stays as it is.
fn filled(text: &str, arguments: &[Argument], choices: &[u8]) -> String {
    let argument = |index: usize| {
        let choice = usize::from(choices.get(index).copied().unwrap_or(0));
        arguments.get(index)?.choices.get(choice).copied()
    };
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        let filled = rest[1..].find('}').and_then(|end| {
            let index: usize = rest[1..=end].parse().ok()?;
            Some((argument(index)?, end + 2))
        });
        if let Some((alternative, length)) = filled {
            out.push_str(alternative);
            rest = &rest[length..];
        } else {
            out.push('{');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_stand_where_the_text_names_them_also_if_they_contain_braces() {
        const ARGUMENTS: &[Argument] = &[
            Argument {
                choices: &["1", "2"],
                object: false,
                of_future: false,
                of_texts: false,
            },
            Argument {
                choices: &["|| { 0 }"],
                object: false,
                of_future: false,
                of_texts: false,
            },
        ];
        assert_eq!(
            filled("m.with({1}, {0}, {7})", ARGUMENTS, &[1, 0]),
            "m.with(|| { 0 }, 2, {7})"
        );
        assert_eq!(filled("{ {", ARGUMENTS, &[]), "{ {");
    }
}

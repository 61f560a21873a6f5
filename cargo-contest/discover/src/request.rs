//! What a value is needed for, and the interface by which makers of composed values get their parts.

use super::obstacle::Obstacle;
use super::render::short_text;
use super::rust_type::{RustType, TraitBound};
use super::solver::Solver;
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::ArgumentChoice;

/// Nesting of constructors of the package's own types in one argument.
pub(crate) const MAX_NESTING: usize = 4;
/// The same, of objects whose methods make the argument.
pub(crate) const MAX_METHODS: usize = 2;
/// Alternatives for one argument.
pub(crate) const MAX_CHOICES: usize = 3;

/// What is known about an argument beside its type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    /// The type under test, whose other objects may be passed.
    pub(crate) subject: Option<&'a RustType>,
    /// Name of the parameter.
    pub(crate) name: &'a str,
    /// How deep in constructors of own types.
    pub(crate) depth: usize,
    /// It is a constructor's argument.
    pub(crate) constructs: Option<&'a RustType>,
    /// What no constructor makes may come from the object that the operation is called on, by shared reference.
    pub(crate) from_object: bool,
    /// A closure counts how often it is called.
    pub(crate) counts: bool,
    /// Texts that the package's own code passes, as source, where nothing else may do.
    pub(crate) texts: &'a [String],
}

impl<'a> Request<'a> {
    pub(crate) const PLAIN: Self = Self {
        subject: None,
        name: "",
        depth: 0,
        constructs: None,
        from_object: false,
        counts: false,
        texts: &[],
    };

    /// Texts, as source: those that are written somewhere, or any. Where one is written, the second is made up.
    pub(crate) fn texts(&self) -> Vec<String> {
        let mut texts = match self.texts {
            [] => vec!["\"a\"".to_owned(), "\"b\"".to_owned()],
            [only] => vec![only.clone(), similar(only)],
            [first, second, ..] => vec![first.clone(), second.clone()],
        };
        texts.dedup();
        texts
    }

    /// A new directory as one more alternative for an argument of a constructor: if it is a path by its type, or by its
    /// name.
    pub(crate) fn new_directory(
        &self,
        is_path: bool,
        directory: Expression,
    ) -> Option<ArgumentChoice> {
        let name = self.name.to_lowercase();
        let is_named = || {
            ["path", "dir", "file", "folder", "root"]
                .iter()
                .any(|it| name.contains(it))
        };
        (self.constructs.is_some() && (is_path || is_named()))
            .then(|| choice("a new directory", directory))
    }

    /// For an argument of a constructor of `ty`.
    pub(crate) fn to_construct(ty: &'a RustType, depth: usize) -> Self {
        Self {
            depth,
            constructs: Some(ty),
            ..Self::PLAIN
        }
    }
}

/// Makes the parts of composed values: a `Vec` is made of items, which may be `Vec`s. Makers of composed values get it
/// as an argument.
pub(super) trait PartValues {
    fn solver(&self) -> &Solver<'_>;

    /// Alternatives for a value, at least one, all of type `ty`. Each expression has its type without help from its
    /// context.
    ///
    /// # Errors
    /// Says which type cannot be made.
    fn values(&self, ty: &RustType, request: Request<'_>) -> Result<Vec<ArgumentChoice>, Obstacle>;

    /// Closures that need not be `Send` capture a probe.
    fn captures(&self) -> bool;

    /// A type that satisfies `bounds`.
    ///
    /// # Errors
    /// Says which bounds no known type satisfies.
    fn type_of(&self, bounds: &[TraitBound]) -> Result<RustType, Obstacle>;
}

/// An alternative as it is shown, and as it is compiled.
pub(crate) fn choice(text: impl Into<String>, expression: impl Into<Expression>) -> ArgumentChoice {
    ArgumentChoice {
        text: text.into(),
        expression: expression.into(),
    }
}

/// There is no value of this type.
pub(crate) fn cannot_make(ty: &RustType) -> Obstacle {
    Obstacle::CannotMake(short_text(ty))
}

/// A text of the same form: its last digit is another one, or its last letter, if it has no digit.
fn similar(text: &str) -> String {
    let next = |it: u8| match it {
        b'z' | b'Z' | b'9' => it - 1,
        _ => it + 1,
    };
    let mut bytes = text.as_bytes().to_owned();
    let digit = bytes.iter().rposition(u8::is_ascii_digit);
    // What is outside of the quotation marks is no part of the text: `r#"…"#`.
    let inside = bytes.iter().position(|it| *it == b'"').unwrap_or(0);
    let letter = || bytes.iter().rposition(u8::is_ascii_alphabetic);
    let last = digit.or_else(letter).filter(|at| *at > inside);
    // The letter of an escape is no letter.
    if let Some(at) = last.filter(|_| !text.contains('\\')) {
        bytes[at] = next(bytes[at]);
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::similar;

    #[test]
    fn a_similar_text_differs_in_one_letter_or_digit() {
        for (text, other) in [
            (r#""1:a""#, r#""2:a""#),
            (r#""127.0.0.1""#, r#""127.0.0.2""#),
            (r#""/var/é""#, r#""/vas/é""#),
            (r##"r#"90"#"##, r##"r#"91"#"##),
            // An escape is no letter.
            (r#""\n""#, r#""\n""#),
            (r#""""#, r#""""#),
        ] {
            assert_eq!(similar(text), other);
        }
    }
}

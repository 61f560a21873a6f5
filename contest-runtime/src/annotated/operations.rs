//! The tables that `#[contest::operations]` writes, and the subject made of them.

use contest_data::settings::Package;
use contest_data::subject::{Call, Constructor, Operation, Response, Subject, custom};

/// A type whose impl is annotated with `#[contest::operations]`, which implements this.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no operations that `contest` knows of",
    label = "cannot be checked",
    note = "write `#[contest::operations]` on an `impl` of it; it must be `Sync` and own what it holds (`'static`)",
    note = "two versions of `contest-runtime` in one graph look like this too: see `cargo tree -d`"
)]
pub trait Operations: Sized + Sync + 'static {
    /// The package it is in.
    const PACKAGE: Package;
    /// Its path, without type arguments.
    const PATH: &'static str;
    /// Ways to make one.
    const CONSTRUCTORS: &'static [Constructor];
    /// Methods to call, of the annotated `impl` and of those it names as its parts.
    const METHODS: &'static [&'static [Method]];
    /// Methods that cannot be operations, and why.
    const LEFT_OUT: &'static [&'static [(&'static str, &'static str)]];

    /// The state of the receiver as text, if it can be written.
    fn state(call: &Call<'_>) -> Response;
}

/// A further annotated `impl` of a type, by a number that stands for its name.
#[diagnostic::on_unimplemented(
    message = "there is no such part of `{Self}`",
    note = "`parts(Name, ..)` names traits with an `impl` for the type, or what another `impl` says with `part = Name`; both are annotated with \
            `#[contest::operations]`"
)]
pub trait Part<const NAME: u64>: HasPart<NAME> {
    /// Its methods.
    const METHODS: &'static [Method];
    /// Methods that cannot be operations, and why.
    const LEFT_OUT: &'static [(&'static str, &'static str)];
}

/// Implemented where the parts are named, so that none is forgotten.
#[diagnostic::on_unimplemented(
    message = "this `impl` is a part that no other `impl` names, so its methods would not be called",
    note = "name it where the other methods are: `#[contest::operations(parts(Name))]` on `impl {Self}`, with the name of the trait, or what \
            `part = Name` says here"
)]
pub trait HasPart<const NAME: u64> {}

/// A method as the macro sees it.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// The operation.
    pub operation: Operation,
    /// Nothing is said about whether it only looks, or is weak: by custom that is in its name.
    pub by_custom: bool,
}

impl Method {
    fn operation(self) -> Operation {
        let Self {
            operation,
            by_custom,
        } = self;
        Operation {
            weak: operation.weak || by_custom && custom::is_weak(operation.name),
            observer: operation.observer || by_custom && custom::is_observer(operation.name),
            ..operation
        }
    }
}

/// The type as a campaign takes it. What is made is never freed: a campaign's subject lives as long as the process.
#[must_use]
pub fn subject<T: Operations>() -> Subject {
    let methods = T::METHODS.iter().flat_map(|part| part.iter());
    let operations: Vec<Operation> = methods.map(|method| method.operation()).collect();
    Subject {
        name: Box::leak(short_name(std::any::type_name::<T>()).into_boxed_str()),
        path: T::PATH,
        constructors: T::CONSTRUCTORS,
        operations: Vec::leak(operations),
        state: Some(T::state),
    }
}

/// `Queue<String>` of `bounded::queue::Queue<alloc::string::String>`.
fn short_name(name: &str) -> String {
    let mut out = String::new();
    let mut start = 0;
    for (at, character) in name.char_indices() {
        if character.is_alphanumeric() || character == '_' {
            continue;
        }
        if name[at..].starts_with("::") {
            start = at + 2;
            continue;
        }
        if start <= at {
            out.push_str(&name[start..at]);
        }
        if !(character == ':' && name[..at].ends_with(':')) {
            out.push(character);
        }
        start = at + character.len_utf8();
    }
    out.push_str(&name[start..]);
    out
}

#[cfg(test)]
mod tests {
    use super::short_name;

    #[test]
    fn names_lose_their_modules_and_keep_their_arguments() {
        for (full, short) in [
            (
                "a::queue::Queue<alloc::string::String, u32>",
                "Queue<String, u32>",
            ),
            ("Queue", "Queue"),
            ("a::Q<(u8, &b::C)>", "Q<(u8, &C)>"),
            ("a::Q<[b::C; 3]>", "Q<[C; 3]>"),
        ] {
            assert_eq!(short_name(full), short);
        }
    }
}

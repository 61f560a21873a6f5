//! Types as MIR writes them.

use std::sync::Arc;

use super::text::{bracket, find, split, split_at_word};

/// A shared name: paths are cloned a lot.
pub(crate) type Name = Arc<str>;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    /// A declared type with its type arguments, a primitive type or a type parameter.
    Named(Name, Vec<Type>),
    /// True if it is `&mut`.
    Reference(bool, Box<Type>),
    /// True if it is `*mut`.
    Pointer(bool, Box<Type>),
    Tuple(Vec<Type>),
    /// Slice or array.
    Slice(Box<Type>),
    /// By the place in the source, which also names its body.
    Closure(Name),
    /// The type of one function, by its path as written.
    Function(Name),
    FunctionPointer,
    /// `dyn`: paths of its traits.
    Dynamic(Vec<Name>),
    /// `impl Trait`, an associated type, an async block: the text.
    Opaque(Name),
}

impl Type {
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("for<") {
            let rest = rest.split_once('>').map_or("", |(_, rest)| rest);
            return Self::parse(rest);
        }
        if let Some(rest) = text.strip_prefix('&') {
            let rest = without_lifetime(rest);
            return match rest.strip_prefix("mut ") {
                Some(rest) => Self::Reference(true, Box::new(Self::parse(rest))),
                None => Self::Reference(false, Box::new(Self::parse(rest))),
            };
        }
        if let Some(rest) = text.strip_prefix("*const ") {
            return Self::Pointer(false, Box::new(Self::parse(rest)));
        }
        if let Some(rest) = text.strip_prefix("*mut ") {
            return Self::Pointer(true, Box::new(Self::parse(rest)));
        }
        if let Some(rest) = text.strip_prefix("dyn ") {
            return Self::Dynamic(bounds(rest));
        }
        if text.starts_with('(') {
            let Some((inside, after)) = bracket(text) else {
                return Self::Opaque(text.into());
            };
            let parts = split(inside, b',');
            // `(dyn A + B)` is in brackets where it stands behind a reference.
            if after.is_empty() && parts.len() == 1 && !inside.trim_end().ends_with(',') {
                return Self::parse(parts[0]);
            }
            return Self::Tuple(parts.into_iter().map(Self::parse).collect());
        }
        if text.starts_with('[') {
            let inside = bracket(text).map_or("", |(inside, _)| inside);
            let of = split(inside, b';').first().copied().unwrap_or_default();
            return Self::Slice(Box::new(Self::parse(of)));
        }
        if let Some(rest) = text.strip_prefix("{closure@") {
            return Self::Closure(rest.trim_end_matches('}').into());
        }
        if ["fn(", "unsafe fn(", "extern "]
            .iter()
            .any(|it| text.starts_with(it))
            || text.starts_with("unsafe extern ")
        {
            return match find(text, "{") {
                Some(at) => Self::Function(text[at + 1..].trim_end_matches('}').into()),
                None => Self::FunctionPointer,
            };
        }
        if text.starts_with('<') || text.starts_with("impl ") || text.starts_with('{') {
            return Self::Opaque(text.into());
        }
        let (path, arguments) = path_and_arguments(text);
        // Compilers after 1.95 have one generic type for all atomics.
        if let ("std::sync::atomic::Atomic", [Self::Pointer(_, to)]) = (&*path, &arguments[..]) {
            return Self::Named("std::sync::atomic::AtomicPtr".into(), vec![(**to).clone()]);
        }
        Self::Named(path.into(), arguments)
    }

    /// Its last path segment, if it is named.
    pub(crate) fn last(&self) -> &str {
        match self {
            Self::Named(path, _) => last_segment(path),
            _ => "",
        }
    }

    /// The type behind references and pointers.
    pub(crate) fn referent(&self) -> &Self {
        match self {
            Self::Reference(_, to) | Self::Pointer(_, to) => to.referent(),
            _ => self,
        }
    }

    /// The future that an `async fn` returns.
    pub(crate) fn is_async(&self) -> bool {
        matches!(self, Self::Opaque(text) if text.starts_with("{async"))
    }

    /// Types it is made of, itself included; what is behind `dyn`, closures and functions is not known.
    pub(crate) fn each(&self, visit: &mut dyn FnMut(&Self)) {
        visit(self);
        match self {
            Self::Named(_, types) | Self::Tuple(types) => {
                types.iter().for_each(|it| it.each(visit));
            }
            Self::Reference(_, to) | Self::Pointer(_, to) | Self::Slice(to) => to.each(visit),
            _ => {}
        }
    }

    /// True if some part of it is like this.
    pub(crate) fn any(&self, is: &dyn Fn(&Self) -> bool) -> bool {
        let mut found = false;
        self.each(&mut |it| found |= is(it));
        found
    }

    /// A value of it refers to nothing: a number, a character, a text, nothing at all.
    pub(crate) fn is_plain(&self) -> bool {
        match self {
            Self::Named(path, arguments) => {
                (arguments.is_empty() && is_plain_name(path))
                    || (matches!(last_segment(path), "Option" | "Result")
                        && arguments.iter().all(Self::is_plain))
            }
            Self::Tuple(types) => types.iter().all(Self::is_plain),
            Self::Slice(of) => of.is_plain(),
            Self::Reference(_, to) => matches!(&**to, Self::Named(path, _) if **path == *"str"),
            _ => false,
        }
    }
}

/// A path of the standard library.
pub(crate) fn is_std(path: &str) -> bool {
    ["std::", "core::", "alloc::"]
        .iter()
        .any(|it| path.starts_with(it))
        || is_primitive(path)
}

fn is_primitive(path: &str) -> bool {
    matches!(
        path,
        "bool"
            | "char"
            | "str"
            | "u8"
            | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
            | "i8"
            | "i16"
            | "i32"
            | "i64"
            | "i128"
            | "isize"
            | "f32"
            | "f64"
            | "!"
    )
}

fn is_plain_name(path: &str) -> bool {
    is_primitive(path)
        || (is_std(path)
            && matches!(
                last_segment(path),
                "Ordering"
                    | "Duration"
                    | "Instant"
                    | "SystemTime"
                    | "ThreadId"
                    | "Layout"
                    | "LayoutError"
                    | "TypeId"
                    | "WaitTimeoutResult"
                    | "Infallible"
                    | "NonZero"
                    | "PhantomData"
                    | "Alignment"
                    | "AllocError"
                    | "Error"
            ))
}

pub(crate) fn last_segment(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

fn without_lifetime(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) => rest.split_once(' ').map_or("", |(_, rest)| rest),
        None => text,
    }
}

/// Paths of traits, lifetimes left out.
fn bounds(text: &str) -> Vec<Name> {
    split(text, b'+')
        .into_iter()
        .filter(|it| !it.starts_with('\'') && !it.starts_with('?'))
        .map(|it| {
            let it = it
                .strip_prefix("for<")
                .and_then(|it| it.split_once("> "))
                .map_or(it, |it| it.1);
            // `Fn(A) -> B`.
            let it = it.split_once('(').map_or(it, |(path, _)| path);
            path_and_arguments(it).0.into()
        })
        .collect()
}

/// A path without its type arguments, and these: `a::B::<C>::d` is `a::B::d` and `C`.
pub(crate) fn path_and_arguments(text: &str) -> (String, Vec<Type>) {
    let mut path = String::with_capacity(text.len());
    let mut arguments = Vec::new();
    let mut rest = text;
    while let Some(at) = find(rest, "<") {
        let before = rest[..at].strip_suffix("::").unwrap_or(&rest[..at]);
        path.push_str(before);
        let Some((inside, after)) = bracket(&rest[at..]) else {
            break;
        };
        if inside.starts_with("impl ") {
            // `core::slice::<impl [T]>::len`.
            path.push_str("::<");
            path.push_str(inside);
            path.push('>');
        } else {
            arguments.extend(
                split(inside, b',')
                    .into_iter()
                    .filter(|it| !it.starts_with('\'') && split_at_word(it, " = ").is_none())
                    .map(Type::parse),
            );
        }
        rest = after;
    }
    path.push_str(rest);
    (path, arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &str, arguments: &[Type]) -> Type {
        Type::Named(path.into(), arguments.to_vec())
    }

    #[test]
    fn types_are_read_as_they_are_written() {
        let mutex = named("std::sync::Mutex", &[named("T", &[])]);
        assert_eq!(
            Type::parse("&'a mut std::sync::Mutex<T>"),
            Type::Reference(true, Box::new(mutex))
        );
        assert_eq!(Type::parse("()"), Type::Tuple(Vec::new()));
        assert_eq!(
            Type::parse("&(dyn std::fmt::Debug + 'a)"),
            Type::Reference(
                false,
                Box::new(Type::Dynamic(vec!["std::fmt::Debug".into()]))
            )
        );
        assert_eq!(
            Type::parse("{closure@src/lib.rs:9:19: 9:22}"),
            Type::Closure("src/lib.rs:9:19: 9:22".into())
        );
        assert_eq!(
            Type::parse("std::sync::atomic::Atomic<*mut T>"),
            Type::parse("std::sync::atomic::AtomicPtr<T>")
        );
        assert_eq!(
            path_and_arguments("a::B::<C>::d::<E>"),
            (
                "a::B::d".to_string(),
                vec![named("C", &[]), named("E", &[])]
            )
        );
    }
}

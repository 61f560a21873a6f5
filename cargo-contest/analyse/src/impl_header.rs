//! MIR names methods by the place of their impl. What the impl is of is read there, in the source.

use std::sync::Arc;

use super::mir::function::Body;
use super::mir::ty::{Name, Type, last_segment};

/// What an impl is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImplHeader {
    /// Last path segment of the type; empty if it may be any.
    pub(crate) owner: Name,
    /// Path of the type as the compiler writes it, where a receiver shows it.
    pub(crate) path: Option<Name>,
    /// Last path segment of the trait.
    pub(crate) trait_: Option<Name>,
    /// The impl comes out of a macro, so that the trait is not known.
    pub(crate) unsure: bool,
}

/// The header of the impl that a function stands in, or of the trait whose default it is. `lines` gives those of a
/// file.
pub(crate) fn header(
    body: &Body,
    lines: &mut dyn FnMut(&str) -> Arc<[String]>,
) -> Option<ImplHeader> {
    let receiver = body
        .has_self
        .then(|| body.parameters.first())
        .flatten()
        .map(strip);
    let named = match receiver {
        Some(Type::Named(path, _)) => Some(path.clone()),
        _ => None,
    };
    let Some(at) = body.path.find("<impl at ") else {
        // A default body: `a::Trait::method`.
        let is_default = receiver.is_some_and(|it| it.last() == "Self");
        let (owner, _) = body.path.rsplit_once("::")?;
        return is_default.then(|| ImplHeader {
            owner: "".into(),
            path: None,
            trait_: Some(last_segment(owner).into()),
            unsure: false,
        });
    };
    let place = &body.path[at + "<impl at ".len()..];
    let place = place.split_once('>').map_or(place, |(place, _)| place);
    let mut header = text(place, lines)
        .and_then(|it| parse(&it))
        .unwrap_or(ImplHeader {
            owner: "".into(),
            path: None,
            trait_: None,
            unsure: true,
        });
    if let Some(path) = &named {
        if header.owner.is_empty() || header.unsure {
            header.owner = last_segment(path).into();
        }
        if *header.owner == *last_segment(path) {
            header.path = Some(path.clone());
        }
    }
    Some(header)
}

/// The type of the object behind the ways in which it may be taken.
fn strip(ty: &Type) -> &Type {
    match ty {
        Type::Reference(_, to) => strip(to),
        Type::Named(path, arguments)
            if matches!(last_segment(path), "Pin" | "Box" | "Rc" | "Arc") =>
        {
            match arguments.first() {
                Some(to) => strip(to),
                None => ty,
            }
        }
        _ => ty,
    }
}

/// The text at `src/lib.rs:4:1: 4:20`.
fn text(place: &str, lines: &mut dyn FnMut(&str) -> Arc<[String]>) -> Option<String> {
    let (start, end) = place.rsplit_once(": ")?;
    let (end_line, end_column) = end.split_once(':')?;
    let mut parts = start.rsplitn(3, ':');
    let column: usize = parts.next()?.parse().ok()?;
    let line: usize = parts.next()?.parse().ok()?;
    let (end_line, end_column): (usize, usize) = (end_line.parse().ok()?, end_column.parse().ok()?);
    let lines = lines(parts.next()?);
    let mut text = String::new();
    for number in line..=end_line {
        let of_line = lines.get(number.checked_sub(1)?)?;
        let from = if number == line { column - 1 } else { 0 };
        let characters = of_line.chars().skip(from);
        if number == end_line {
            text.extend(characters.take(end_column.saturating_sub(1 + from)));
        } else {
            text.extend(characters);
        }
        text.push(' ');
    }
    Some(text.trim().to_string())
}

/// `impl<T> a::Trait<T> for S<T>`, or the name of a derived trait.
fn parse(text: &str) -> Option<ImplHeader> {
    let unsure = text.contains('$') || text.is_empty();
    if !text.contains("impl") {
        // A derive, or a macro call.
        let derived = text
            .chars()
            .all(|it| it.is_alphanumeric() || it == ':' || it == '_');
        return Some(ImplHeader {
            owner: "".into(),
            path: None,
            trait_: (derived && !unsure).then(|| last_segment(text).into()),
            unsure: unsure || !derived,
        });
    }
    if unsure {
        return None;
    }
    let parsed: syn::ItemImpl = syn::parse_str(&format!("{text} {{}}")).ok()?;
    let parameters: Vec<String> = parsed
        .generics
        .type_params()
        .map(|it| it.ident.to_string())
        .collect();
    let owner = last_of(&parsed.self_ty)
        .filter(|it| !parameters.contains(it))
        .unwrap_or_default();
    let trait_ = parsed
        .trait_
        .as_ref()
        .and_then(|(path, _)| path.segments.last());
    Some(ImplHeader {
        owner: owner.into(),
        path: None,
        trait_: trait_.map(|it| it.ident.to_string().into()),
        unsure: false,
    })
}

fn last_of(ty: &syn::Type) -> Option<String> {
    match ty {
        syn::Type::Path(it) => it.path.segments.last().map(|it| it.ident.to_string()),
        syn::Type::Reference(it) => last_of(&it.elem),
        syn::Type::Paren(it) => last_of(&it.elem),
        syn::Type::TraitObject(it) => it.bounds.iter().find_map(|it| match it {
            syn::TypeParamBound::Trait(it) => {
                it.path.segments.last().map(|it| it.ident.to_string())
            }
            _ => None,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_say_type_and_trait() {
        let of = |text: &str| {
            let found = parse(text).unwrap();
            (
                found.owner.to_string(),
                found.trait_.map(|it| it.to_string()),
            )
        };
        assert_eq!(of("impl<T: Send> a::S<T>"), ("S".into(), None));
        assert_eq!(
            of("unsafe impl<T> Drop for S<T>"),
            ("S".into(), Some("Drop".into()))
        );
        assert_eq!(of("impl<T: X> Y for T"), (String::new(), Some("Y".into())));
        assert_eq!(of("Clone"), (String::new(), Some("Clone".into())));
        assert_eq!(parse("impl $name"), None);
    }
}

//! Types as Rust source for the driver, and as short text for people.

use super::library::Library;
use super::rust_type::{RustType, TraitBound, TypeArgument};
use super::std_paths::last_segment;

/// How lifetimes are written.
#[derive(Clone, Copy, PartialEq)]
enum Lifetimes {
    /// `'static`: values outlive everything.
    Static,
    /// Left out: inside `fn(&T) -> &U`.
    Elided,
}

/// The type as source that a dependent of the package can compile.
///
/// # Errors
/// Names the part that a dependent cannot write.
pub(crate) fn source(library: &Library, ty: &RustType) -> Result<String, String> {
    write(library, ty, Lifetimes::Static)
}

/// As [`source`], for the inputs of a function declaration.
pub(crate) fn source_with_elided_lifetimes(
    library: &Library,
    ty: &RustType,
) -> Result<String, String> {
    write(library, ty, Lifetimes::Elided)
}

/// A trait with its arguments, as source.
pub(crate) fn trait_source(library: &Library, bound: &TraitBound) -> Result<String, String> {
    write_bound(library, bound, Lifetimes::Static)
}

fn write(library: &Library, ty: &RustType, lifetimes: Lifetimes) -> Result<String, String> {
    let one = |it: &RustType| write(library, it, lifetimes);
    Ok(match ty {
        RustType::Primitive(name) if name == "never" => "!".to_owned(),
        RustType::Primitive(name) => name.clone(),
        RustType::Named { path, arguments } => {
            let by_alias = || -> Option<String> {
                let (alias, arguments) = library.alias_of(ty)?;
                let arguments = write_arguments(library, &arguments, lifetimes).ok()?;
                Some(format!("{alias}{arguments}"))
            };
            let by_name = || {
                let name = if path.contains("::") {
                    library
                        .type_name(path)
                        .ok_or_else(|| format!("`{}` has no public path", last_segment(path)))?
                } else {
                    path.clone()
                };
                let arguments = library.without_defaults(path, arguments);
                let arguments = write_arguments(library, arguments, lifetimes)?;
                Ok::<_, String>(format!("{name}{arguments}"))
            };
            if library.is_own(path) || !path.contains("::") {
                by_name().or_else(|why| by_alias().ok_or(why))?
            } else {
                by_alias().map_or_else(by_name, Ok)?
            }
        }
        RustType::Tuple(items) => {
            let items = items.iter().map(one).collect::<Result<Vec<_>, _>>()?;
            match items.as_slice() {
                [only] => format!("({only},)"),
                _ => format!("({})", items.join(", ")),
            }
        }
        RustType::Slice(item) => format!("[{}]", one(item)?),
        RustType::Array(item, length) => format!("[{}; {length}]", one(item)?),
        RustType::Reference { mutable, to, .. } => {
            let lifetime = match lifetimes {
                Lifetimes::Static => "'static ",
                Lifetimes::Elided => "",
            };
            let mutable = if *mutable { "mut " } else { "" };
            format!("&{lifetime}{mutable}{}", one(to)?)
        }
        RustType::Function { inputs, output } => {
            let inputs = inputs
                .iter()
                .map(|it| write(library, it, Lifetimes::Elided))
                .collect::<Result<Vec<_>, _>>()?
                .join(", ");
            if output.is_unit() {
                format!("fn({inputs})")
            } else {
                // An output can only borrow from an input.
                let borrowed = if inputs.contains('&') {
                    Lifetimes::Elided
                } else {
                    lifetimes
                };
                format!("fn({inputs}) -> {}", write(library, output, borrowed)?)
            }
        }
        RustType::Dyn(bounds) => {
            let bounds = bounds
                .iter()
                .map(|it| write_bound(library, it, lifetimes))
                .collect::<Result<Vec<_>, _>>()?;
            format!("dyn {}", bounds.join(" + "))
        }
        other => return Err(format!("`{}` cannot be written", for_people(other))),
    })
}

fn write_arguments(
    library: &Library,
    arguments: &[TypeArgument],
    lifetimes: Lifetimes,
) -> Result<String, String> {
    let written = arguments
        .iter()
        .map(|it| match it {
            TypeArgument::Lifetime => Ok(match lifetimes {
                Lifetimes::Static => "'static".to_owned(),
                Lifetimes::Elided => "'_".to_owned(),
            }),
            TypeArgument::Type(ty) => write(library, ty, lifetimes),
            TypeArgument::Const(value) => Ok(value.clone()),
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(if written.is_empty() {
        String::new()
    } else {
        format!("<{}>", written.join(", "))
    })
}

fn write_bound(
    library: &Library,
    bound: &TraitBound,
    lifetimes: Lifetimes,
) -> Result<String, String> {
    let name = library
        .type_name(&bound.path)
        .ok_or_else(|| format!("trait `{}` has no public path", last_segment(&bound.path)))?;
    if let Some((inputs, output)) = bound.as_callable() {
        let pointer = RustType::Function {
            inputs,
            output: Box::new(output),
        };
        let written = write(library, &pointer, lifetimes)?;
        return Ok(written.replacen("fn", &name, 1));
    }
    let mut parts = Vec::new();
    for argument in &bound.arguments {
        parts.push(match argument {
            TypeArgument::Lifetime => "'static".to_owned(),
            TypeArgument::Type(ty) => write(library, ty, lifetimes)?,
            TypeArgument::Const(value) => value.clone(),
        });
    }
    for (name, ty) in &bound.equalities {
        parts.push(format!("{name} = {}", write(library, ty, lifetimes)?));
    }
    Ok(if parts.is_empty() {
        name
    } else {
        format!("{name}<{}>", parts.join(", "))
    })
}

/// Short text: last segments only.
pub(crate) fn for_people(ty: &RustType) -> String {
    let list = |items: &[RustType]| items.iter().map(for_people).collect::<Vec<_>>().join(", ");
    let bounds = |bounds: &[TraitBound]| {
        let names: Vec<String> = bounds.iter().map(bound_for_people).collect();
        names.join(" + ")
    };
    match ty {
        RustType::Primitive(name) if name == "never" => "!".to_owned(),
        RustType::Primitive(name) | RustType::Parameter(name) => name.clone(),
        RustType::Named { path, arguments } => {
            let arguments: Vec<String> = arguments.iter().filter_map(argument_for_people).collect();
            if arguments.is_empty() {
                last_segment(path).to_owned()
            } else {
                format!("{}<{}>", last_segment(path), arguments.join(", "))
            }
        }
        RustType::Tuple(items) => format!("({})", list(items)),
        RustType::Slice(item) => format!("[{}]", for_people(item)),
        RustType::Array(item, length) => format!("[{}; {length}]", for_people(item)),
        RustType::Reference { mutable, to, .. } => {
            format!("&{}{}", if *mutable { "mut " } else { "" }, for_people(to))
        }
        RustType::RawPointer => "a raw pointer".to_owned(),
        RustType::Function { inputs, output } => {
            format!("fn({}) -> {}", list(inputs), for_people(output))
        }
        RustType::Dyn(items) => format!("dyn {}", bounds(items)),
        RustType::Impl(items) => format!("impl {}", bounds(items)),
        RustType::Projection { of, name, .. } => format!("{}::{name}", for_people(of)),
        RustType::Unknown => "_".to_owned(),
    }
}

fn argument_for_people(argument: &TypeArgument) -> Option<String> {
    match argument {
        TypeArgument::Lifetime => None,
        TypeArgument::Type(ty) => Some(for_people(ty)),
        TypeArgument::Const(value) => Some(value.clone()),
    }
}

/// A bound as short text.
pub(crate) fn bound_for_people(bound: &TraitBound) -> String {
    let name = last_segment(&bound.path);
    if let Some((inputs, output)) = bound.as_callable() {
        let inputs: Vec<String> = inputs.iter().map(for_people).collect();
        return format!("{name}({}) -> {}", inputs.join(", "), for_people(&output));
    }
    let arguments: Vec<String> = bound
        .arguments
        .iter()
        .filter_map(argument_for_people)
        .chain(
            bound
                .equalities
                .iter()
                .map(|(name, ty)| format!("{name} = {}", for_people(ty))),
        )
        .collect();
    if arguments.is_empty() {
        name.to_owned()
    } else {
        format!("{name}<{}>", arguments.join(", "))
    }
}

//! Types as Rust source for the driver, and as short text for reports.

use super::library::Library;
use super::obstacle::Obstacle;
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
pub(crate) fn source(library: &Library, ty: &RustType) -> Result<String, Obstacle> {
    write(library, ty, Lifetimes::Static)
}

/// As [`source`], for the inputs of a function declaration.
pub(crate) fn source_with_elided_lifetimes(
    library: &Library,
    ty: &RustType,
) -> Result<String, Obstacle> {
    write(library, ty, Lifetimes::Elided)
}

/// A trait with its arguments, as source.
pub(crate) fn trait_source(library: &Library, bound: &TraitBound) -> Result<String, Obstacle> {
    write_bound(library, bound, Lifetimes::Static)
}

fn write(library: &Library, ty: &RustType, lifetimes: Lifetimes) -> Result<String, Obstacle> {
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
                        .ok_or_else(|| Obstacle::PrivateType(last_segment(path).to_owned()))?
                } else {
                    path.clone()
                };
                let arguments = library.without_defaults(path, arguments);
                let arguments = write_arguments(library, arguments, lifetimes)?;
                Ok::<_, Obstacle>(format!("{name}{arguments}"))
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
        other => return Err(Obstacle::CannotWrite(short_text(other))),
    })
}

fn write_arguments(
    library: &Library,
    arguments: &[TypeArgument],
    lifetimes: Lifetimes,
) -> Result<String, Obstacle> {
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
) -> Result<String, Obstacle> {
    let name = library
        .type_name(&bound.path)
        .ok_or_else(|| Obstacle::PrivateTrait(last_segment(&bound.path).to_owned()))?;
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
pub(crate) fn short_text(ty: &RustType) -> String {
    let list = |items: &[RustType]| items.iter().map(short_text).collect::<Vec<_>>().join(", ");
    let bounds = |bounds: &[TraitBound]| {
        let names: Vec<String> = bounds.iter().map(short_bound).collect();
        names.join(" + ")
    };
    match ty {
        RustType::Primitive(name) if name == "never" => "!".to_owned(),
        RustType::Primitive(name) | RustType::Parameter(name) => name.clone(),
        RustType::Named { path, arguments } => {
            let arguments: Vec<String> = arguments.iter().filter_map(short_argument).collect();
            if arguments.is_empty() {
                last_segment(path).to_owned()
            } else {
                format!("{}<{}>", last_segment(path), arguments.join(", "))
            }
        }
        RustType::Tuple(items) => format!("({})", list(items)),
        RustType::Slice(item) => format!("[{}]", short_text(item)),
        RustType::Array(item, length) => format!("[{}; {length}]", short_text(item)),
        RustType::Reference { mutable, to, .. } => {
            format!("&{}{}", if *mutable { "mut " } else { "" }, short_text(to))
        }
        RustType::RawPointer => "a raw pointer".to_owned(),
        RustType::Function { inputs, output } => {
            format!("fn({}) -> {}", list(inputs), short_text(output))
        }
        RustType::Dyn(items) => format!("dyn {}", bounds(items)),
        RustType::Impl(items) => format!("impl {}", bounds(items)),
        RustType::Projection { of, name, .. } => format!("{}::{name}", short_text(of)),
        RustType::Unknown => "_".to_owned(),
    }
}

fn short_argument(argument: &TypeArgument) -> Option<String> {
    match argument {
        TypeArgument::Lifetime => None,
        TypeArgument::Type(ty) => Some(short_text(ty)),
        TypeArgument::Const(value) => Some(value.clone()),
    }
}

/// A bound as short text.
pub(crate) fn short_bound(bound: &TraitBound) -> String {
    let name = last_segment(&bound.path);
    if let Some((inputs, output)) = bound.as_callable() {
        let inputs: Vec<String> = inputs.iter().map(short_text).collect();
        return format!("{name}({}) -> {}", inputs.join(", "), short_text(&output));
    }
    let arguments: Vec<String> = bound
        .arguments
        .iter()
        .filter_map(short_argument)
        .chain(
            bound
                .equalities
                .iter()
                .map(|(name, ty)| format!("{name} = {}", short_text(ty))),
        )
        .collect();
    if arguments.is_empty() {
        name.to_owned()
    } else {
        format!("{name}<{}>", arguments.join(", "))
    }
}

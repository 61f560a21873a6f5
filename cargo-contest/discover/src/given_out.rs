//! Numbers that an object gives out, like the id of a job or of a ticket, and that its other operations take.
//!
//! A test guesses them, and may have one that a call returns which has not ended: no caller has it then, so what the
//! object does with it says nothing (`judge/given_out.rs` of the campaign). Of types that only methods return, keys are
//! made instead (`keys`).

use rustdoc_types::{ItemEnum, StructKind};

use super::operations::Operations;
use super::recipes::Recipes;
use super::render::source;
use super::rust_type::{RustType, TypeArgument};
use super::std_paths::is_std;
use super::std_traits::is_integer;

/// The field of what is given out that has its number.
const ID: &str = "id";

/// Notes which arguments of the operations are such numbers.
pub(super) fn note_given_out(recipes: &Recipes<'_>, operations: &mut Operations) {
    let mut givers: Vec<(String, Vec<String>)> = Vec::new();
    for (entry, output) in operations.found.iter().zip(&operations.outputs) {
        let mut types = Vec::new();
        numbers(recipes, output, &mut types);
        let takes = |ty: &String| {
            let mut arguments = entry.arguments.iter();
            arguments.any(|it| it.type_expression.as_ref() == Some(ty))
        };
        types.retain(|it| !takes(it));
        givers.push((entry.name.clone(), types));
    }
    for entry in &mut operations.found {
        for (place, argument) in entry.arguments.iter().enumerate() {
            let Some(ty) = &argument.type_expression else {
                continue;
            };
            let giving = givers.iter().filter(|(_, types)| types.contains(ty));
            let by: Vec<String> = giving.map(|(name, _)| name.clone()).collect();
            if !by.is_empty() {
                entry.given_out.push((place, by));
            }
        }
    }
}

/// Types of numbers in a result: as such, inside of types of `std`, and as the id of a value of the package.
fn numbers(recipes: &Recipes<'_>, output: &RustType, found: &mut Vec<String>) {
    let library = recipes.solver.library;
    match output {
        _ if is_integer(output) => found.extend(source(library, output)),
        RustType::Tuple(items) => {
            for item in items {
                numbers(recipes, item, found);
            }
        }
        RustType::Named { path, arguments } if is_std(path) => {
            // The second one of a `Result` is an error.
            let errors = usize::from(path == "core::result::Result");
            for argument in &arguments[..arguments.len().saturating_sub(errors)] {
                if let TypeArgument::Type(inner) = argument {
                    numbers(recipes, inner, found);
                }
            }
        }
        RustType::Named { path, .. } => {
            let Some((at, item)) = library.find_item(path) else {
                return;
            };
            let ItemEnum::Struct(it) = &item.inner else {
                return;
            };
            let StructKind::Plain { fields, .. } = &it.kind else {
                return;
            };
            for id in fields {
                let field = library.item(super::library::ItemRef { id: *id, ..at });
                if let Some(field) = field.filter(|it| it.name.as_deref() == Some(ID))
                    && let ItemEnum::StructField(ty) = &field.inner
                {
                    let ty = library.convert(at.document, ty);
                    if is_integer(&ty) {
                        found.extend(source(library, &ty));
                    }
                }
            }
        }
        _ => {}
    }
}

//! The entry of one type with its arguments: its constructors, its operations, and what is left out of them.

use std::path::Path;

use contest_data::subject::Probe;

use super::borrowed_values::borrowed_constructors;
use super::callbacks::with_callbacks;
use super::captured_probes::names_a_probe;
use super::derived::derive_operations;
use super::document::generics_of;
use super::exclusive::polled_by_one;
use super::given_out::note_given_out;
use super::holds::Holds;
use super::instantiation::Instance;
use super::kept::keeping;
use super::library::ItemRef;
use super::obstacle::Obstacle;
use super::operations::operations;
use super::public_names::PublicName;
use super::recipes::Recipes;
use super::render::{short_text, source};
use super::rust_type::RustType;
use super::signature::Signature;
use super::stand_in::UNSENT;
use super::std_paths::last_segment;
use super::text_forms;
use contest_catalog::reasons::stands;
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::{Made, SubjectEntry, Taken};

/// Which type arguments a type is tested with.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Instantiated {
    /// Those with which most of its methods can be called.
    Usual,
    /// Others of the same kind.
    Otherwise,
    /// One that should not be admitted.
    Probing(Probe),
    /// The usual ones, or such that carry a probe, and calls that bring a probe with them.
    Capturing,
}

/// The entry of a type in the catalog. `seen` are the types that have one, with their names.
///
/// # Errors
/// Why the type is not tested.
pub(super) fn subject_entry(
    recipes: &Recipes<'_>,
    at: ItemRef,
    name: &PublicName,
    instance: Instance,
    with: Instantiated,
    roots: &[&Path],
    seen: &[(RustType, String)],
) -> Result<SubjectEntry, Obstacle> {
    let library = recipes.solver.library;
    let ty = instance.ty;
    let probe = match with {
        Instantiated::Probing(probe) => Some(probe),
        Instantiated::Capturing => Some(Probe::Unsent),
        Instantiated::Usual | Instantiated::Otherwise => None,
    };
    let captures = with == Instantiated::Capturing;
    if let Some((_, other)) = seen.iter().find(|(it, _)| *it == ty && !captures) {
        return Err(Obstacle::SameType(other.clone()));
    }
    if instance.is_sync == Holds::No {
        return Err(Obstacle::NotSync);
    }
    let sent = recipes.solver.implements(&ty, "core::marker::Send");
    if sent == Holds::No && probe.is_none() {
        return Err(Obstacle::NotSend);
    }
    let stays = probe == Some(Probe::Unsent) || probe.is_some() && sent != Holds::Yes;
    let borrows = library
        .item(at)
        .and_then(generics_of)
        .is_some_and(|it| !library.constraints(at.document, it).lifetimes.is_empty());
    if borrows && probe.is_none() {
        return Err(Obstacle::Borrows);
    }
    if !recipes.solver.can_change(&ty) {
        return Err(Obstacle::Constant);
    }
    let declared = |signature: &Signature| library.location(signature.at, roots);
    let mut operations = operations(recipes, &ty, &declared);
    if probe.is_none() {
        operations.give_clones(recipes, &ty);
    }
    let endings = operations.take_endings(recipes, &ty);
    polled_by_one(&mut operations);
    note_given_out(recipes, &mut operations);
    text_forms::add(&mut operations);
    if stays {
        operations.keep_where_it_is();
    }
    let shared = operations
        .found
        .iter()
        .filter(|it| it.taken != Taken::MutableReference)
        // Cloning a handle tests nothing; cloning what must not be shared does.
        .filter(|it| probe.is_some() || it.name != "Clone::clone")
        .count();
    if shared == 0 {
        let mut lost = operations.left_out.into_iter();
        return Err(match lost.find(|it| !stands(&it.why)) {
            Some(first) => Obstacle::NoOperation(Some(first)),
            None => Obstacle::NoSharedMethod,
        });
    }
    let (mut constructors, without) = recipes.constructors(&ty, 0);
    if borrows {
        constructors.extend(borrowed_constructors(recipes, &ty));
    }
    if stays {
        constructors.retain(|it| it.made == Made::Plain);
    }
    for constructor in &mut constructors {
        let (target, alias) = (last_segment(ty.path()), last_segment(&name.path));
        constructor.text.rename_owner(target, alias);
    }
    if constructors.is_empty() {
        return Err(Obstacle::NoConstructor(without.first().cloned()));
    }
    if with == Instantiated::Usual {
        recipes.constructors_with_filled(&mut constructors);
        recipes.constructors_with_modes(&mut constructors);
    }
    let apart = match with {
        Instantiated::Usual => {
            let mut apart = keeping(recipes, &ty, &operations);
            apart.extend(with_callbacks(recipes, &ty, &operations));
            apart.extend(endings);
            apart
        }
        Instantiated::Otherwise | Instantiated::Probing(_) | Instantiated::Capturing => {
            let why = "takes the object by value";
            let declared = endings.into_iter().filter(|it| !it.declared.is_empty());
            let left_out = declared.map(|it| Skipped::new(it.name, why));
            operations.left_out.extend(left_out);
            Vec::new()
        }
    };
    derive_operations(recipes, &ty, &mut operations, &declared);
    recipes.note_returned(&operations);
    operations.found.extend(apart);
    let mut left_out = operations.left_out;
    left_out.extend(without);
    if captures {
        let of_operations = operations.found.iter().flat_map(|it| it.values());
        let mut values = of_operations.chain(constructors.iter().flat_map(|it| it.values()));
        if !values.any(names_a_probe) {
            return Err(Obstacle::NoTypes);
        }
    }
    let entry = SubjectEntry {
        path: if captures {
            format!("{}<{UNSENT}>", name.path)
        } else if with != Instantiated::Usual {
            let text = short_text(&ty);
            let arguments = text.find('<').map_or("", |at| &text[at..]);
            format!("{}{arguments}", name.path)
        } else {
            name.path.clone()
        },
        type_expression: source(library, &ty)?,
        declared: library.location(at, roots),
        constructors,
        operations: operations.found,
        left_out,
    };
    debug_assert!(ty.is_closed(), "{}", short_text(&ty));
    Ok(entry)
}

//! Documentation in, catalog out: no access to cargo or the disk.

use std::path::Path;

use contest_data::subject::Probe;
use rustdoc_types::{Crate, ItemEnum};

use super::document::generics_of;
use super::emitted_probes::emitted;
use super::instantiation::Instance;
use super::library::{ItemRef, Library};
use super::pairs::{self, Candidate};
use super::public_names::{Namespace, PublicName};
use super::recipes::Recipes;
use super::render::{for_people, source};
use super::rust_type::RustType;
use super::signature::{Functions, Signature};
use super::solver::{Holds, Solver};
use super::std_paths::{is_std, last_segment};
use super::subject_catalog::{Made, SubjectCatalog, SubjectEntry, SupportItem, Taken};
use crate::skipped::Skipped;

/// The catalog of a package.
///
/// `roots` are directories that source locations are shortened by; `load` reads the documentation of a dependency by crate name.
pub fn catalog_from_json(
    package: Crate,
    roots: &[&Path],
    load: &mut dyn FnMut(&str) -> Result<Crate, String>,
) -> SubjectCatalog {
    let library = Library::new(package, load);
    let functions = Functions::of(&library);
    let recipes = Recipes::new(Solver::new(&library), &functions);
    let mut catalog = SubjectCatalog::default();
    catalog.skipped.extend(library.skipped.iter().cloned());
    catalog
        .skipped
        .extend(library.names.skipped.iter().cloned());
    let mut seen: Vec<(RustType, String)> = Vec::new();
    let mut candidates = Vec::new();
    // Types first, so that an alias of one of them is seen to be no more than that.
    for aliases in [false, true] {
        for (definition, name) in library.names.all(Namespace::Type) {
            if name.foreign_module {
                continue;
            }
            let Some(at) = library.find(definition) else {
                if !is_std(definition) {
                    catalog.skipped.push(Skipped::new(
                        name.path.clone(),
                        "re-export from a crate whose documentation was not read",
                    ));
                }
                continue;
            };
            let Some(kind) = kind_of(&library, at) else {
                continue;
            };
            if (kind == Kind::Alias) != aliases {
                continue;
            }
            let usual = if name.hidden {
                Err("#[doc(hidden)]".to_owned())
            } else {
                recipes.instantiate(at)
            };
            let instances = match usual {
                Ok(usual) => {
                    let others = match kind {
                        Kind::Type => {
                            let ty = usual.ty.clone();
                            candidates.push(Candidate { at, name, ty });
                            recipes.probing_instances(at, &usual.ty)
                        }
                        Kind::Alias => Vec::new(),
                    };
                    let others = others.into_iter().map(|(it, probe)| (it, Some(probe)));
                    std::iter::once((usual, None)).chain(others).collect()
                }
                Err(why) => {
                    catalog.skipped.push(Skipped::new(name.path.clone(), why));
                    Vec::new()
                }
            };
            for (instance, probe) in instances {
                let ty = instance.ty.clone();
                match subject(&recipes, at, name, instance, probe, roots, &seen) {
                    Ok(entry) => {
                        seen.push((ty, name.path.clone()));
                        catalog.subjects.push(entry);
                    }
                    // What the usual instance lacks has been said of it.
                    Err(_) if probe.is_some() => {}
                    Err(why) => catalog.skipped.push(Skipped::new(name.path.clone(), why)),
                }
            }
        }
    }
    let pairs = recipes.pairs(&candidates, roots);
    catalog.subjects.retain(|it| !pairs::covers(&pairs, it));
    catalog
        .skipped
        .retain(|it| !pairs::is_end(&pairs, &it.item));
    if !pairs.is_empty() {
        catalog.support_items.extend(pairs::support_items());
    }
    catalog.subjects.extend(pairs);
    catalog
        .subjects
        .sort_by(|left, right| left.path.cmp(&right.path));
    let stand_ins = recipes.solver.stand_ins.borrow();
    for stand_in in stand_ins.iter() {
        catalog.support_items.push(SupportItem {
            name: stand_in.name.clone(),
            source: stand_in.source.clone(),
            emitted: emitted(&stand_in.name).map(str::to_owned),
        });
    }
    catalog
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Type,
    Alias,
}

fn kind_of(library: &Library, at: ItemRef) -> Option<Kind> {
    match library.item(at)?.inner {
        ItemEnum::Struct(_) | ItemEnum::Enum(_) | ItemEnum::Union(_) => Some(Kind::Type),
        ItemEnum::TypeAlias(_) => Some(Kind::Alias),
        _ => None,
    }
}

fn subject(
    recipes: &Recipes<'_>,
    at: ItemRef,
    name: &PublicName,
    instance: Instance,
    probe: Option<Probe>,
    roots: &[&Path],
    seen: &[(RustType, String)],
) -> Result<SubjectEntry, String> {
    let library = recipes.solver.library;
    let ty = instance.ty;
    if let Some((_, other)) = seen.iter().find(|(it, _)| *it == ty) {
        return Err(format!("the same type as {other}"));
    }
    if instance.is_sync == Holds::No {
        return Err("not Sync".to_owned());
    }
    let sent = recipes.solver.implements(&ty, "core::marker::Send");
    if sent == Holds::No && probe != Some(Probe::Unsent) {
        return Err("not Send".to_owned());
    }
    let borrows = library
        .item(at)
        .and_then(generics_of)
        .is_some_and(|it| !library.constraints(at.document, it).lifetimes.is_empty());
    if borrows {
        return Err("borrows from another object".to_owned());
    }
    if !recipes.can_change(&ty) {
        return Err("nothing in it can change while it is shared".to_owned());
    }
    let declared = |signature: &Signature| location(library, signature.at, roots);
    let mut operations = recipes.operations(&ty, &declared);
    operations.leave_out_values();
    if probe == Some(Probe::Unsent) {
        operations.keep_where_it_is();
    }
    let shared = operations
        .found
        .iter()
        .filter(|it| it.taken != Taken::MutableReference)
        // To clone a handle is nothing; to clone what must not be shared is.
        .filter(|it| probe.is_some() || it.name != "Clone::clone")
        .count();
    if shared == 0 {
        let why = match operations.left_out.first() {
            Some(first) => format!(
                "no operation that takes a shared reference ({}: {})",
                first.item, first.why
            ),
            None => "no operation that takes a shared reference".to_owned(),
        };
        return Err(why);
    }
    let (mut constructors, without) = recipes.constructors(&ty, 0);
    if probe == Some(Probe::Unsent) {
        constructors.retain(|it| it.made == Made::Plain);
    }
    // People know an alias by its own name.
    let target = format!("{}::", last_segment(ty.path()));
    for constructor in &mut constructors {
        if let Some(rest) = constructor.text.strip_prefix(&target) {
            constructor.text = format!("{}::{rest}", last_segment(&name.path));
        }
    }
    if constructors.is_empty() {
        return Err(match without.first() {
            Some(first) => format!("no way to make one ({}: {})", first.item, first.why),
            None => "no way to make one".to_owned(),
        });
    }
    recipes.derive_operations(&ty, &mut operations, &declared);
    let mut left_out = operations.left_out;
    left_out.extend(without);
    let entry = SubjectEntry {
        path: if probe.is_some() {
            let text = for_people(&ty);
            let arguments = text.find('<').map_or("", |at| &text[at..]);
            format!("{}{arguments}", name.path)
        } else {
            name.path.clone()
        },
        type_expression: source(library, &ty)?,
        declared: location(library, at, roots),
        constructors,
        operations: operations.found,
        left_out,
    };
    debug_assert!(ty.is_closed(), "{}", for_people(&ty));
    Ok(entry)
}

/// `src/lib.rs:12`, relative to the package where it is inside.
pub(super) fn location(library: &Library, at: ItemRef, roots: &[&Path]) -> String {
    let Some(span) = library.item(at).and_then(|it| it.span.as_ref()) else {
        return String::new();
    };
    let inside = roots
        .iter()
        .find_map(|root| span.filename.strip_prefix(root).ok());
    let file = inside.unwrap_or(&span.filename);
    format!("{}:{}", file.display(), span.begin.0)
}

//! Documentation in, catalog out: no access to cargo or the disk.

use std::path::Path;

use contest_data::subject::Probe;
use rustdoc_types::ItemEnum;

use super::behind_lock::behind_lock;
use super::callbacks;
use super::callers_flag;
use super::captured_probes::capturing_instance;
use super::documentation::Documentation;
use super::emitted_probes::emitted;
use super::exclusive::{Exclusive, exclusive};
use super::families::{families, only_from_objects};
use super::fitting_texts;
use super::hints::Hints;
use super::idioms::Idioms;
use super::instantiation::{Instance, instantiate};
use super::keys::{with_keys, without_foreign_keys};
use super::library::{ItemRef, Library};
use super::missing_bounds::{probing_instances, unsafe_impls};
use super::modules::modules;
use super::named_library::NamedLibrary;
use super::obstacle::Obstacle;
use super::other_arguments::{other_instances, other_pairs};
use super::pairs::{self, Candidate};
use super::public_names::Namespace;
use super::recipes::Recipes;
use super::rust_type::RustType;
use super::rustdoc_json::RustdocError;
use super::sent_probes::sent_probes;
use super::signature::Functions;
use super::solver::Solver;
use super::std_paths::is_std;
use super::subject_entry::{Instantiated, subject_entry};
use contest_catalog::expression::Style;
use contest_catalog::reasons::RETURNED;
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::{SubjectCatalog, SubjectEntry, SupportItem, UnsafeImpl};

/// The catalog of a package.
///
/// `roots` are directories that source locations are relative to; `load` reads the documentation of a dependency by
/// crate name.
pub fn catalog_from_json(
    package: Documentation,
    roots: &[&Path],
    load: &mut dyn FnMut(&str) -> Result<Documentation, RustdocError>,
) -> SubjectCatalog {
    let given = KnownBeside {
        named: &[],
        hints: &Hints::default(),
        idioms: &Idioms::default(),
        behind_lock: false,
    };
    catalog_with_hints(package, roots, load, &given).unwrap_or_default()
}

/// What is known of a package beside its documentation.
#[derive(Clone, Copy, Debug)]
pub struct KnownBeside<'a> {
    /// Crates that drivers and tests of the package can name beside it.
    pub named: &'a [NamedLibrary],
    /// What the manifest says.
    pub hints: &'a Hints,
    /// What the package's own code passes where nothing else is known.
    pub idioms: &'a Idioms,
    /// Types that are changed through `&mut self` are also subjects behind a lock.
    pub behind_lock: bool,
}

/// As [`catalog_from_json`], with more that is known.
///
/// # Errors
/// The settings that name nothing.
pub fn catalog_with_hints(
    package: Documentation,
    roots: &[&Path],
    load: &mut dyn FnMut(&str) -> Result<Documentation, RustdocError>,
    given: &KnownBeside<'_>,
) -> Result<SubjectCatalog, Vec<String>> {
    let KnownBeside {
        named,
        hints,
        idioms,
        behind_lock: with_locks,
    } = *given;
    let other_format = package.other_format();
    let library = Library::new(package, load, named);
    let functions = Functions::of(&library);
    let recipes = Recipes::new(Solver::new(&library), &functions, hints, idioms);
    let mut catalog = SubjectCatalog {
        given: hints.given(),
        other_format,
        ..SubjectCatalog::default()
    };
    catalog.skipped.extend(library.skipped.iter().cloned());
    catalog
        .skipped
        .extend(library.names.skipped.iter().cloned());
    let mut seen: Vec<(RustType, String)> = Vec::new();
    // Items of `skipped` that have no subject of their own, and what they are.
    let mut lost: Vec<(usize, &str)> = Vec::new();
    let mut candidates = Vec::new();
    // Types first, so that an alias of one of them is recognised as such.
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
            if kind == Kind::Type {
                let written = unsafe_impls(&library, definition);
                catalog
                    .unsafe_impls
                    .extend(written.map(|(marker, at)| UnsafeImpl {
                        path: name.path.clone(),
                        marker: marker.into(),
                        location: library.location(at, roots),
                    }));
            }
            let usual = if name.hidden {
                Err(Obstacle::Hidden)
            } else {
                instantiate(&recipes, at)
            };
            let instances = match usual {
                Ok(usual) => {
                    let others = match kind {
                        Kind::Type => {
                            let ty = usual.ty.clone();
                            candidates.push(Candidate { at, name, ty });
                            further_instances(&recipes, at, &usual)
                        }
                        // Of the type that it names, with the arguments that it fixes.
                        Kind::Alias => match library.find(usual.ty.path()) {
                            Some(target) => probing(&recipes, target, &usual),
                            None => Vec::new(),
                        },
                    };
                    let usual = (usual, Instantiated::Usual);
                    std::iter::once(usual).chain(others).collect()
                }
                Err(why) => {
                    let why = why.to_string();
                    catalog.skipped.push(Skipped::new(name.path.clone(), why));
                    Vec::new()
                }
            };
            for (instance, with) in instances {
                let ty = instance.ty.clone();
                let make = || subject_entry(&recipes, at, name, instance, with, roots, &seen);
                let made = match with {
                    Instantiated::Capturing => recipes.while_capturing(make),
                    _ => make(),
                };
                match made {
                    Ok(entry) => {
                        seen.push((ty, name.path.clone()));
                        catalog.subjects.push(entry);
                    }
                    // Problems of the usual instance have been reported already.
                    Err(_) if with != Instantiated::Usual => {}
                    Err(why) => {
                        if why.wants_a_subject() {
                            lost.push((catalog.skipped.len(), definition));
                        }
                        let why = why.to_string();
                        catalog.skipped.push(Skipped::new(name.path.clone(), why));
                    }
                }
            }
        }
    }
    let mut behind_mutex = Vec::new();
    let found = pairs::pairs(&recipes, &candidates, roots);
    let mut families = families(&recipes, &candidates, &found, roots);
    let in_mutex: Vec<Option<Exclusive>> = (candidates.iter())
        .map(|it| exclusive(&recipes, it, roots))
        .collect();
    // What a thread must have for itself is in a mutex, with its key; keys of others are members like children.
    let others = candidates.iter().zip(&in_mutex);
    let others = others.filter(|(_, it)| it.as_ref().is_none_or(|it| it.also_shared));
    let with_keys = with_keys(&recipes, others.map(|(it, _)| it), &candidates, roots);
    families.extend(with_keys);
    let pairs: Vec<SubjectEntry> = found.into_iter().map(|it| it.subject).collect();
    catalog.subjects.retain(|it| !pairs::covers(&pairs, it));
    let from_objects = |path: &str| {
        let mut own = candidates.iter().filter(|it| it.name.path == path);
        own.any(|it| only_from_objects(&recipes, &it.ty))
    };
    catalog
        .subjects
        .retain(|it| !pairs::is_end(&families, &it.path) || !from_objects(&it.path));
    for subject in &mut catalog.subjects {
        let mut of = candidates.iter();
        if let Some(candidate) = of.find(|it| it.name.path == subject.path) {
            without_foreign_keys(&recipes, &candidate.ty, subject, &families);
        }
    }
    let pairs = [pairs, families].concat();
    for (candidate, in_mutex) in candidates.iter().zip(in_mutex) {
        if pairs::is_end(&pairs, &candidate.name.path) {
            continue;
        }
        if let Some(Exclusive {
            mut subject,
            also_shared,
        }) = in_mutex
        {
            let path = &candidate.name.path;
            if also_shared {
                subject.path = format!("{path}<Mutex>");
            } else {
                let further = format!("{path}<");
                catalog.subjects.retain(|it| {
                    let same = it.path == *path || it.path.starts_with(&further);
                    !same || Probe::of_path(&it.path).is_some()
                });
            }
            lost.retain(|(index, _)| catalog.skipped[*index].item != *path);
            behind_mutex.push(path.clone());
            catalog.subjects.push(subject);
        }
    }
    for candidate in candidates.iter().filter(|_| with_locks) {
        let path = &candidate.name.path;
        let locked = behind_lock(&recipes, candidate, roots);
        if locked.is_empty() || behind_mutex.contains(path) {
            continue;
        }
        lost.retain(|(index, _)| catalog.skipped[*index].item != *path);
        behind_mutex.push(path.clone());
        catalog.subjects.extend(locked);
    }
    let returned = recipes.returned.borrow();
    for (index, definition) in lost {
        if returned.contains(definition) {
            catalog.skipped[index].why = RETURNED.to_owned();
        }
    }
    drop(returned);
    catalog
        .skipped
        .retain(|it| !pairs::is_end(&pairs, &it.item) && !behind_mutex.contains(&it.item));
    let mut sent = sent_probes(&recipes, &candidates, roots);
    sent.extend(other_pairs(&recipes, &candidates, roots));
    if !pairs.is_empty() || !sent.is_empty() {
        catalog.support_items.extend(pairs::support_items());
    }
    let beside_flags = candidates
        .iter()
        .filter_map(|it| callers_flag::with_callers_flag(&recipes, it, roots));
    let beside_flags: Vec<SubjectEntry> = beside_flags.collect();
    let items = callers_flag::support_items(&beside_flags);
    catalog.support_items.extend(items);
    catalog.subjects.extend(beside_flags);
    catalog.subjects.extend(pairs);
    catalog.subjects.extend(sent);
    let tested: Vec<RustType> = candidates.iter().map(|it| it.ty.clone()).collect();
    let tested: Vec<RustType> = tested
        .into_iter()
        .filter(|it| seen.iter().any(|(of, _)| of.path() == it.path()))
        .collect();
    catalog
        .subjects
        .extend(modules(&recipes, &candidates, roots, &tested));
    catalog
        .subjects
        .sort_by(|left, right| left.path.cmp(&right.path));
    let items = callbacks::support_items(&catalog.subjects);
    catalog.support_items.extend(items);
    for stand_in in recipes.solver.stand_ins().iter() {
        let source = stand_in.source.render(Style::Driver);
        let standalone = stand_in.source.render(Style::Standalone);
        let emitted = emitted(&stand_in.name).map(str::to_owned);
        catalog.support_items.push(SupportItem {
            name: stand_in.name.clone(),
            emitted: emitted.or_else(|| (standalone != source).then_some(standalone)),
            source,
        });
    }
    let items = fitting_texts::support_items(&catalog);
    catalog.support_items.extend(items);
    let names = library.names.all(Namespace::Type);
    let paths: Vec<&str> = names.iter().map(|(_, it)| it.path.as_str()).collect();
    let mut unknown = hints.unknown_types(&paths);
    let functions = &recipes.functions.all;
    unknown.extend(hints.unknown_values(&recipes.used_values.borrow(), functions));
    unknown.extend(hints.leave_out(&mut catalog));
    unknown.extend(hints.mark(&mut catalog));
    catalog.idioms = recipes.idioms_in(&catalog);
    if unknown.is_empty() {
        Ok(catalog)
    } else {
        Err(unknown)
    }
}

/// The further instances of a type.
fn further_instances(
    recipes: &Recipes<'_>,
    at: ItemRef,
    usual: &Instance,
) -> Vec<(Instance, Instantiated)> {
    let is_sync = usual.is_sync;
    let others = other_instances(recipes, at, &usual.ty).into_iter();
    let others = others.map(|ty| (Instance { ty, is_sync }, Instantiated::Otherwise));
    others.chain(probing(recipes, at, usual)).collect()
}

/// Those with what should not be admitted.
fn probing(recipes: &Recipes<'_>, at: ItemRef, usual: &Instance) -> Vec<(Instance, Instantiated)> {
    let is_sync = usual.is_sync;
    let probing = probing_instances(recipes, at, &usual.ty).into_iter();
    let capturing = capturing_instance(recipes, at, &usual.ty);
    let capturing = capturing.map(|ty| (Instance { ty, is_sync }, Instantiated::Capturing));
    probing
        .map(|(it, probe)| (it, Instantiated::Probing(probe)))
        .chain(capturing)
        .collect()
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

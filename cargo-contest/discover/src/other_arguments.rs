//! Further type arguments of a generic type, beside the usual `u32`: one that owns memory, one without a size, one with
//! a large alignment. Double drops, leaks and wrong layouts do not show with a number.
//!
//! Only types that keep their argument in memory that they manage themselves are tested again: what a `Mutex<Vec<T>>`
//! does with its `T` is up to `std`. In `Sender<Array<u32>>` the number is inside another type of the package, which is
//! tested with all of them; the sender gets the one that owns memory.

use super::library::{ItemRef, Library};
use super::pairs::{Candidate, pairs};
use super::public_names::Namespace;
use super::recipes::Recipes;
use super::render::source;
use super::rust_type::{RustType, Substitution, TypeArgument};
use super::stand_in::{ALIGNED, ZST};
use super::std_paths::is_std;
use contest_catalog::subject_catalog::SubjectEntry;

/// Types of `std` that leave it to the code around them when their content is made and dropped.
const RAW: [&str; 5] = [
    "core::cell::UnsafeCell",
    "core::mem::maybe_uninit::MaybeUninit",
    "core::mem::manually_drop::ManuallyDrop",
    "core::ptr::non_null::NonNull",
    "core::sync::atomic::AtomicPtr",
];

/// As `usual`, the type at `at` with each other argument in place of every `u32`, where its bounds admit that.
pub(super) fn other_instances(
    recipes: &Recipes<'_>,
    at: ItemRef,
    usual: &RustType,
) -> Vec<RustType> {
    let library = recipes.solver.library;
    let Some((path, arguments)) = usual.as_named() else {
        return Vec::new();
    };
    let number = TypeArgument::Type(RustType::primitive("u32"));
    let generics = library.item(at).and_then(super::document::generics_of);
    let is_inside = !arguments.contains(&number);
    let has_number = arguments.iter().any(|it| {
        let changed = in_place_of_number(library, it, &RustType::string());
        changed != *it
    });
    let (Some(generics), true) = (generics, has_number) else {
        return Vec::new();
    };
    // An expression of the manifest is of one type.
    let name = library.names.get(path, Namespace::Type);
    let given = name.is_some_and(|name| recipes.hints.make_of(&name.path).is_some());
    if given || !manages_memory(recipes, usual, &mut Vec::new()) {
        return Vec::new();
    }
    let constraints = library.constraints(at.document, generics);
    let mut others = vec![RustType::string()];
    if !is_inside {
        others.extend([recipes.declared(ZST), recipes.declared(ALIGNED)]);
    }
    let mut found = Vec::new();
    for other in others {
        let arguments: Vec<TypeArgument> = arguments
            .iter()
            .map(|it| in_place_of_number(library, it, &other))
            .collect();
        let names = generics.params.iter().map(|it| it.name.clone());
        let by: Substitution = names.zip(arguments.iter().cloned()).collect();
        let ty = RustType::Named {
            path: path.to_owned(),
            arguments,
        };
        let as_before = |marker| {
            recipes.solver.implements(&ty, marker) == recipes.solver.implements(usual, marker)
        };
        if recipes.solver.failing(&constraints, &by).is_none()
            && ["core::marker::Sync", "core::marker::Send"]
                .into_iter()
                .all(as_before)
            && source(library, &ty).is_ok()
        {
            found.push(ty);
        }
    }
    found
}

/// The argument with `other` in place of `u32`, also inside a type of the package.
fn in_place_of_number(
    library: &Library,
    argument: &TypeArgument,
    other: &RustType,
) -> TypeArgument {
    match argument {
        TypeArgument::Type(RustType::Primitive(name)) if name == "u32" => {
            TypeArgument::Type(other.clone())
        }
        TypeArgument::Type(RustType::Named { path, arguments }) if library.is_own(path) => {
            let arguments = arguments.iter();
            TypeArgument::Type(RustType::Named {
                path: path.clone(),
                arguments: arguments
                    .map(|it| in_place_of_number(library, it, other))
                    .collect(),
            })
        }
        it => it.clone(),
    }
}

/// Pairs as with the usual arguments, with the others.
pub(super) fn other_pairs(
    recipes: &Recipes<'_>,
    candidates: &[Candidate<'_>],
    roots: &[&std::path::Path],
) -> Vec<SubjectEntry> {
    let all: Vec<Candidate<'_>> = candidates
        .iter()
        .flat_map(|it| {
            let others = other_instances(recipes, it.at, &it.ty).into_iter();
            others.map(|ty| Candidate { ty, ..*it })
        })
        .collect();
    let mut found = Vec::new();
    for (name, argument) in [
        ("String", RustType::string()),
        (ZST, RustType::named(ZST, [])),
        (ALIGNED, RustType::named(ALIGNED, [])),
    ] {
        let same = all.iter().filter(|it| it.ty.contains(&argument));
        let same: Vec<Candidate<'_>> = same
            .map(|it| Candidate {
                ty: it.ty.clone(),
                ..*it
            })
            .collect();
        let made = pairs(recipes, &same, roots).into_iter();
        let made = made.filter(|it| it.ends.iter().any(|end| end.ty.contains(&argument)));
        found.extend(made.map(|mut it| {
            it.subject.path = format!("{}<{name}>", it.subject.path);
            it.subject
        }));
    }
    found
}

/// True if a part of the type is a pointer, or a type of `std` that neither makes nor drops its content by itself.
fn manages_memory(recipes: &Recipes<'_>, ty: &RustType, seen: &mut Vec<RustType>) -> bool {
    if seen.contains(ty) || seen.len() > 64 {
        return false;
    }
    seen.push(ty.clone());
    let mut part = |it: &RustType| manages_memory(recipes, it, seen);
    match ty {
        RustType::RawPointer => true,
        RustType::Tuple(items) => items.iter().any(part),
        RustType::Array(item, _) | RustType::Slice(item) => part(item),
        RustType::Named { path, .. } if is_std(path) => {
            RAW.contains(&path.as_str())
                || !path.ends_with("::PhantomData")
                    && (0..3).any(|it| ty.argument(it).is_some_and(&mut part))
        }
        RustType::Named { .. } => {
            let fields = recipes.solver.fields(ty);
            fields.is_some_and(|fields| fields.iter().any(part))
        }
        _ => false,
    }
}

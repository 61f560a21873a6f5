//! Types for the generic parameters of a subject: such that it is `Sync` and as many of its methods as possible can be
//! called.

use rustdoc_types::ItemEnum;

use super::conversion::{Constraints, FreeParameter};
use super::document::generics_of;
use super::holds::Holds;
use super::library::ItemRef;
use super::obstacle::Obstacle;
use super::recipes::Recipes;
use super::render::source;
use super::rust_type::{RustType, Substitution, TraitBound, TypeArgument, bind};
use super::std_paths::is_std;
use super::types_for_bounds::common_types;

/// Candidates per parameter that are tried together with those of the others.
const MAX_PER_PARAMETER: usize = 5;

const FUTURE: &str = "core::future::future::Future";

/// An instantiated type.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) ty: RustType,
    pub(crate) is_sync: Holds,
}

/// The best instantiation of a type or alias of the library.
///
/// # Errors
/// If no types satisfy the bounds.
pub(super) fn instantiate(recipes: &Recipes<'_>, at: ItemRef) -> Result<Instance, Obstacle> {
    let library = recipes.solver.library;
    let item = library.item(at).ok_or(Obstacle::Undocumented)?;
    let generics = generics_of(item).ok_or(Obstacle::NoType)?;
    let mut constraints = library.constraints(at.document, generics);
    let pattern = match &item.inner {
        ItemEnum::TypeAlias(alias) => {
            let target = library.convert(at.document, &alias.type_);
            if is_std(target.path()) {
                return Err(Obstacle::AliasOfStd);
            }
            if target.as_named().is_none() || library.find(target.path()).is_none() {
                return Err(Obstacle::AliasOfUnread);
            }
            if let Some((of, item)) = library.find_item(target.path())
                && let Some(generics) = generics_of(item)
            {
                let outer = library.constraints(of.document, generics);
                carry_over(outer, item, &target, &mut constraints);
            }
            target
        }
        _ => {
            let path = library.documents[at.document]
                .definition_path(at.id)
                .ok_or(Obstacle::NoPath)?;
            let arguments = generics
                .params
                .iter()
                .map(|it| match &it.kind {
                    rustdoc_types::GenericParamDefKind::Lifetime { .. } => TypeArgument::Lifetime,
                    rustdoc_types::GenericParamDefKind::Type { .. } => {
                        TypeArgument::Type(RustType::Parameter(it.name.clone()))
                    }
                    rustdoc_types::GenericParamDefKind::Const { .. } => {
                        TypeArgument::Const(it.name.clone())
                    }
                })
                .collect();
            RustType::Named { path, arguments }
        }
    };
    best(recipes, &pattern, &constraints)
}

/// Bounds of an alias's target, in terms of the alias's parameters.
fn carry_over(
    outer: Constraints,
    item: &rustdoc_types::Item,
    target: &RustType,
    constraints: &mut Constraints,
) {
    let Some((_, arguments)) = target.as_named() else {
        return;
    };
    let Some(generics) = generics_of(item) else {
        return;
    };
    let names = generics.params.iter().map(|it| it.name.clone());
    let by: Substitution = names.zip(arguments.iter().cloned()).collect();
    for (subject, bound) in outer.bounds {
        constraints
            .bounds
            .push((subject.substitute(&by), bound.substitute(&by)));
    }
}

fn best(
    recipes: &Recipes<'_>,
    pattern: &RustType,
    constraints: &Constraints,
) -> Result<Instance, Obstacle> {
    let mut lists = Vec::new();
    for parameter in &constraints.parameters {
        lists.push(candidates(recipes, parameter, pattern, constraints)?);
    }
    let mut best: Option<(usize, Instance)> = None;
    let mut why = Obstacle::NoTypes;
    let mut counter = vec![0; lists.len()];
    loop {
        let mut by = Substitution::new();
        for ((parameter, list), at) in constraints.parameters.iter().zip(&lists).zip(&counter) {
            by.insert(parameter.name.clone(), list[*at].clone());
        }
        // A default may be made of earlier parameters: `F = fn() -> T`.
        let earlier = by.clone();
        for value in by.values_mut() {
            if let TypeArgument::Type(ty) = value {
                *ty = ty.substitute(&earlier);
            }
        }
        let ty = recipes.solver.normalise(pattern.substitute(&by));
        match recipes.solver.failing(constraints, &by) {
            Some(failing) => why = failing,
            None => {
                if let Some((score, instance)) = score(recipes, ty)
                    && best.as_ref().is_none_or(|(best, _)| score > *best)
                {
                    best = Some((score, instance));
                }
            }
        }
        if !advance(&mut counter, &lists) {
            break;
        }
    }
    best.map(|(_, it)| it).ok_or(why)
}

fn score(recipes: &Recipes<'_>, ty: RustType) -> Option<(usize, Instance)> {
    if !ty.is_closed() || source(recipes.solver.library, &ty).is_err() {
        return None;
    }
    let is_sync = recipes.solver.implements(&ty, "core::marker::Sync");
    let is_send = recipes.solver.implements(&ty, "core::marker::Send");
    let mut score = match is_sync.and(is_send) {
        Holds::Yes => 2000,
        Holds::Maybe => 1000,
        Holds::No => 0,
    };
    for method in recipes.functions.inherent(ty.path()) {
        let super::signature::Owner::Inherent(owner) = &method.owner else {
            continue;
        };
        let mut by = Substitution::new();
        if !bind(owner, &ty, &method.constraints.names(), &mut by) {
            continue;
        }
        score += match recipes.solver.all_hold(&method.constraints, &by) {
            Holds::Yes | Holds::Maybe => 2,
            Holds::No => 0,
        };
    }
    Some((score, Instance { ty, is_sync }))
}

/// Values for one parameter, best first.
fn candidates(
    recipes: &Recipes<'_>,
    parameter: &FreeParameter,
    pattern: &RustType,
    constraints: &Constraints,
) -> Result<Vec<TypeArgument>, Obstacle> {
    if parameter.constant.is_some() {
        let value = match (&parameter.default, &parameter.constant) {
            (Some(default), _) => default.clone(),
            (None, Some(RustType::Primitive(name))) if name == "bool" => {
                TypeArgument::Const("true".to_owned())
            }
            (None, Some(RustType::Primitive(name))) if name == "char" => {
                TypeArgument::Const("'a'".to_owned())
            }
            _ => TypeArgument::Const("2".to_owned()),
        };
        return Ok(vec![value]);
    }
    let own = RustType::Parameter(parameter.name.clone());
    let required: Vec<TraitBound> = constraints
        .bounds
        .iter()
        .filter(|(subject, _)| *subject == own)
        .map(|(_, it)| it.clone())
        .collect();
    // A stand-in for `Absorb<O>` is one for `Absorb<u32>`.
    // A bound of `S::Item` needs a type that `S` can be.
    let others: Substitution = constraints
        .parameters
        .iter()
        .filter(|it| it.constant.is_none() && it.name != parameter.name)
        .map(|it| {
            let usual = TypeArgument::Type(RustType::primitive("u32"));
            let has_part = required
                .iter()
                .any(|bound| names_part(bound, Some(&it.name)));
            let of_other = |bound: &(RustType, TraitBound)| {
                bound.0 == RustType::Parameter(it.name.clone()) && names_part(&bound.1, None)
            };
            let found = if has_part && !constraints.bounds.iter().any(of_other) {
                let list = candidates(recipes, it, pattern, constraints).ok();
                list.and_then(|list| list.into_iter().next())
            } else {
                None
            };
            (it.name.clone(), found.unwrap_or(usual))
        })
        .collect();
    let (wished, fixed) = wishes(recipes, &parameter.name, pattern);
    let mut candidates: Vec<RustType> = Vec::new();
    // A unit carries no information.
    let default = match &parameter.default {
        Some(TypeArgument::Type(default)) if !default.is_unit() => Some(default),
        _ => None,
    };
    candidates.extend(default.cloned());
    for bound in required.iter().chain(&wished) {
        if let Some((inputs, output)) = bound.as_callable() {
            candidates.push(RustType::Function {
                inputs,
                output: Box::new(output),
            });
        }
    }
    // A collection of futures has methods that poll them, beside those that take anything.
    if required.iter().chain(&wished).any(|it| it.path == FUTURE) {
        candidates.push(recipes.future_of(RustType::primitive("u32")));
    }
    candidates.extend(common_types());
    candidates.extend(fixed.iter().cloned());
    let closed: Vec<TraitBound> = required
        .iter()
        .map(|it| recipes.solver.normalise_bound(it.substitute(&others)))
        .collect();
    candidates.extend(closed.iter().flat_map(|it| recipes.implied(it)));
    for bound in required.iter().chain(&wished) {
        candidates.extend(recipes.implementors(bound));
    }
    candidates.extend(stand_ins_for(recipes, &closed, &wished, &candidates));
    let mut ranked: Vec<(usize, usize, RustType)> = Vec::new();
    for (place, candidate) in candidates.into_iter().enumerate() {
        if ranked.iter().any(|(_, _, it)| *it == candidate) {
            continue;
        }
        let is_open = !candidate.is_closed();
        if !is_open && source(recipes.solver.library, &candidate).is_err() {
            continue;
        }
        let holds = |bound: &&TraitBound| recipes.solver.holds(&candidate, bound) != Holds::No;
        let mut bounds = required.iter().zip(&closed);
        if !is_open && !bounds.all(|(it, closed)| holds(&it) || holds(&closed)) {
            continue;
        }
        let satisfied = wished.iter().filter(holds).count();
        let bonus = usize::from(default == Some(&candidate));
        ranked.push((satisfied + bonus, place, candidate));
    }
    ranked.sort_by_key(|(satisfied, place, _)| (usize::MAX - satisfied, *place));
    let is_fixed = |it: &(usize, usize, RustType)| fixed.contains(&it.2);
    let also: Vec<_> = ranked
        .iter()
        .skip(MAX_PER_PARAMETER)
        .filter(|it| is_fixed(it))
        .cloned()
        .collect();
    ranked.truncate(MAX_PER_PARAMETER);
    ranked.extend(also.into_iter().take(MAX_PER_PARAMETER));
    if ranked.is_empty() {
        let wanted: Vec<String> = required.iter().map(super::render::short_bound).collect();
        return Err(Obstacle::NoTypeFor {
            bounds: format!("{}: {}", parameter.name, wanted.join(" + ")),
            reason: why_no_stand_in(recipes, &closed).map(Box::new),
        });
    }
    Ok(ranked
        .into_iter()
        .map(|(_, _, it)| TypeArgument::Type(it))
        .collect())
}

/// True if an argument of the bound is an associated type of the parameter with this name, or of any.
fn names_part(bound: &TraitBound, name: Option<&str>) -> bool {
    let mut names = false;
    for ty in bound.types() {
        ty.visit(&mut |it| {
            if let RustType::Projection { of, .. } = it
                && let RustType::Parameter(own) = &**of
            {
                names |= name.is_none_or(|name| name == own);
            }
        });
    }
    names
}

/// What about the traits of the crates keeps them from being implemented by a stand-in.
fn why_no_stand_in(recipes: &Recipes<'_>, bounds: &[TraitBound]) -> Option<Obstacle> {
    let mut own = bounds
        .iter()
        .filter(|it| super::stand_in::may_stand_in(&it.path));
    own.find_map(|it| recipes.stand_in(it).err())
}

/// Stand-ins for bounds that nothing else satisfies.
fn stand_ins_for(
    recipes: &Recipes<'_>,
    required: &[TraitBound],
    wished: &[TraitBound],
    candidates: &[RustType],
) -> Vec<RustType> {
    let mut found = Vec::new();
    for bound in required.iter().chain(wished) {
        if !super::stand_in::may_stand_in(&bound.path) {
            continue;
        }
        let satisfied = candidates.iter().any(|it| {
            recipes.solver.holds(it, bound) == Holds::Yes
                && source(recipes.solver.library, it).is_ok()
        });
        if satisfied {
            continue;
        }
        if let Ok(ty) = recipes.stand_in(bound) {
            found.push(ty);
        }
    }
    found
}

/// What impl blocks require of a parameter of the type, and types they fix it to.
fn wishes(
    recipes: &Recipes<'_>,
    name: &str,
    pattern: &RustType,
) -> (Vec<TraitBound>, Vec<RustType>) {
    let mut bounds = Vec::new();
    let mut fixed = Vec::new();
    let Some((path, arguments)) = pattern.as_named() else {
        return (bounds, fixed);
    };
    let own = RustType::Parameter(name.to_owned());
    let place = arguments
        .iter()
        .filter(|it| !matches!(it, TypeArgument::Lifetime))
        .position(|it| it.as_type() == Some(&own));
    let Some(place) = place else {
        return (bounds, fixed);
    };
    let library = recipes.solver.library;
    for at in library.impls_of_type(path) {
        let Some(ItemEnum::Impl(block)) = library.item(at).map(|it| &it.inner) else {
            continue;
        };
        let of_interest = block.trait_.as_ref().is_none_or(|it| {
            let path = library.trait_bound(at.document, it).path;
            !is_std(&path) || path == "core::marker::Sync" || path == "core::marker::Send"
        });
        if !of_interest || block.blanket_impl.is_some() || block.is_negative {
            continue;
        }
        let for_ = library.convert(at.document, &block.for_);
        let Some((_, arguments)) = for_.as_named() else {
            continue;
        };
        let argument = arguments
            .iter()
            .filter(|it| !matches!(it, TypeArgument::Lifetime))
            .nth(place)
            .and_then(TypeArgument::as_type);
        match argument {
            Some(RustType::Parameter(theirs)) => {
                let theirs = RustType::Parameter(theirs.clone());
                let constraints = library.constraints(at.document, &block.generics);
                for (subject, bound) in constraints.bounds {
                    if subject == theirs && !bounds.contains(&bound) {
                        bounds.push(bound);
                    }
                }
            }
            Some(ty) if ty.is_closed() => fixed.push(ty.clone()),
            _ => {}
        }
    }
    (bounds, fixed)
}

/// Next combination; false after the last.
fn advance(counter: &mut [usize], lists: &[Vec<TypeArgument>]) -> bool {
    for (at, list) in counter.iter_mut().zip(lists).rev() {
        *at += 1;
        if *at < list.len() {
            return true;
        }
        *at = 0;
    }
    false
}

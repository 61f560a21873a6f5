//! Types that satisfy bounds.

use super::conversion::Constraints;
use super::holds::Holds;
use super::obstacle::Obstacle;
use super::recipes::Recipes;
use super::render::{short_text, source};
use super::rust_type::{RustType, Substitution, TraitBound, TypeArgument};
use super::std_traits::bytes_to_read;

/// How deep implementors of bounds are made of other implementors.
const MOST_INSIDE: usize = 2;

impl Recipes<'_> {
    /// A type that satisfies `bounds`: implied by the bounds themselves, one of `preferred`, a common one, one of the
    /// crate, a stand-in.
    ///
    /// # Errors
    /// Says which bounds could not be satisfied.
    pub(crate) fn type_for(
        &self,
        bounds: &[TraitBound],
        by: &super::rust_type::Substitution,
        preferred: &[RustType],
    ) -> Result<RustType, Obstacle> {
        let bounds: Vec<TraitBound> = bounds
            .iter()
            .map(|it| self.solver.normalise_bound(it.substitute(by)))
            .collect();
        let fits = |ty: &RustType| {
            bounds.iter().fold(Holds::Yes, |all, bound| {
                all.and(self.solver.holds(ty, bound))
            })
        };
        let mut fallback = None;
        let implied = bounds.iter().flat_map(|it| self.implied(it));
        let candidates = implied
            .chain(preferred.iter().cloned())
            .chain(common_types())
            .chain(bounds.iter().flat_map(|it| self.implementors(it)));
        for candidate in candidates {
            if !candidate.is_closed() || source(self.solver.library, &candidate).is_err() {
                continue;
            }
            match fits(&candidate) {
                Holds::Yes => return Ok(candidate),
                Holds::Maybe if fallback.is_none() => fallback = Some(candidate),
                _ => {}
            }
        }
        let own = bounds
            .iter()
            .filter(|it| super::stand_in::may_stand_in(&it.path));
        let mut reason = None;
        for bound in own {
            match self.stand_in(bound) {
                Ok(ty) if fits(&ty) != Holds::No => return Ok(ty),
                Ok(_) => {}
                Err(why) => reason = Some(why),
            }
        }
        let wanted: Vec<String> = bounds.iter().map(super::render::short_bound).collect();
        fallback.ok_or_else(|| Obstacle::NoTypeFor {
            bounds: wanted.join(" + "),
            reason: reason.map(Box::new),
        })
    }

    /// Types that a bound itself implies.
    pub(super) fn implied(&self, bound: &TraitBound) -> Vec<RustType> {
        let argument = bound.types().next().cloned();
        let equal = |name: &str| {
            let found = bound.equalities.iter().find(|(own, _)| own == name);
            found.map(|(_, ty)| self.solver.normalise(ty.clone()))
        };
        let pointer_to = |ty: RustType| match &ty {
            RustType::Primitive(name) if name == "str" => {
                vec![RustType::reference(ty.clone()), RustType::string()]
            }
            RustType::Slice(item) => vec![RustType::named("alloc::vec::Vec", [(**item).clone()])],
            RustType::Named { path, .. } if path == "std::path::Path" => {
                vec![RustType::reference(RustType::primitive("str"))]
            }
            _ => vec![
                RustType::named("alloc::boxed::Box", [ty.clone()]),
                RustType::reference(ty.clone()),
                ty,
            ],
        };
        if let Some((inputs, output)) = bound.as_callable() {
            return vec![RustType::Function {
                inputs: inputs
                    .into_iter()
                    .map(|it| self.solver.normalise(it))
                    .collect(),
                output: Box::new(self.solver.normalise(output)),
            }];
        }
        match bound.path.as_str() {
            "core::convert::Into" | "core::convert::TryInto" => match argument {
                Some(ty) if ty.path() == "alloc::string::String" => {
                    vec![RustType::reference(RustType::primitive("str")), ty]
                }
                Some(ty) => {
                    let mut found = vec![ty.clone()];
                    found.extend(self.sources_of(&ty));
                    found
                }
                None => Vec::new(),
            },
            "core::convert::AsRef" | "core::borrow::Borrow" => {
                argument.map(pointer_to).unwrap_or_default()
            }
            "core::ops::deref::Deref" => equal("Target").map(pointer_to).unwrap_or_default(),
            "core::fmt::Display" | "alloc::string::ToString" => vec![RustType::string()],
            "core::error::Error" => vec![RustType::named("core::fmt::Error", [])],
            "core::hash::BuildHasher" => {
                vec![RustType::named(super::std_paths::RANDOM_STATE, [])]
            }
            "core::iter::traits::collect::IntoIterator" => {
                let item = equal("Item").unwrap_or(RustType::primitive("u32"));
                vec![RustType::named("alloc::vec::Vec", [item])]
            }
            "core::iter::traits::iterator::Iterator"
            | "core::iter::traits::exact_size::ExactSizeIterator"
            | "core::iter::traits::double_ended::DoubleEndedIterator" => {
                let item = equal("Item").unwrap_or(RustType::primitive("u32"));
                vec![RustType::named("alloc::vec::into_iter::IntoIter", [item])]
            }
            "core::iter::traits::collect::FromIterator" | "core::iter::traits::collect::Extend" => {
                let item = argument.unwrap_or(RustType::primitive("u32"));
                vec![RustType::named("alloc::vec::Vec", [item])]
            }
            "std::io::Read" | "std::io::BufRead" | "std::io::Seek" => vec![bytes_to_read()],
            "core::future::future::Future" | "core::future::into_future::IntoFuture" => {
                let output = equal("Output").unwrap_or(RustType::primitive("u32"));
                vec![self.future_of(output)]
            }
            // Every value of whatever order: others may leave out what a test is about, or lie outside.
            "core::ops::range::RangeBounds" => {
                vec![RustType::named("core::ops::range::RangeFull", [])]
            }
            _ => Vec::new(),
        }
    }

    /// Types that convert into `ty` by an impl of the crate, simple ones first.
    fn sources_of(&self, ty: &RustType) -> Vec<RustType> {
        let from = TraitBound {
            arguments: Vec::new(),
            ..TraitBound::plain("core::convert::From")
        };
        let mut found = Vec::new();
        for candidate in common_types() {
            let bound = TraitBound {
                arguments: vec![TypeArgument::Type(candidate.clone())],
                ..from.clone()
            };
            if !super::std_paths::is_std(ty.path()) && self.solver.holds(ty, &bound) == Holds::Yes {
                found.push(candidate);
            }
        }
        found
    }

    /// Values for the parameters of an impl block for `for_`: the defaults of the type, else common types that satisfy
    /// the bounds.
    fn usual_arguments(&self, for_: &RustType, constraints: &Constraints) -> Substitution {
        let library = self.solver.library;
        let mut by = Substitution::new();
        if let (Some((_, item)), Some((_, arguments))) =
            (library.find_item(for_.path()), for_.as_named())
        {
            let generics = super::document::generics_of(item);
            let at = library.find(for_.path());
            if let (Some(generics), Some(at)) = (generics, at) {
                let own = library.constraints(at.document, generics);
                let types = arguments
                    .iter()
                    .filter(|it| !matches!(it, TypeArgument::Lifetime));
                for (parameter, argument) in own.parameters.iter().zip(types) {
                    if let (Some(default), TypeArgument::Type(RustType::Parameter(name))) =
                        (&parameter.default, argument)
                    {
                        by.insert(name.clone(), default.clone());
                    }
                }
            }
        }
        for parameter in &constraints.parameters {
            if by.contains_key(&parameter.name) {
                continue;
            }
            let value = match (&parameter.default, &parameter.constant) {
                (_, Some(_)) => TypeArgument::Const("2".to_owned()),
                (Some(default), None) => default.clone(),
                (None, None) => {
                    let own = RustType::Parameter(parameter.name.clone());
                    let bounds = constraints.bounds.iter().filter(|(it, _)| *it == own);
                    let bounds: Vec<&TraitBound> = bounds.map(|(_, it)| it).collect();
                    let fits = |ty: &RustType| {
                        bounds
                            .iter()
                            .all(|it| self.solver.holds(ty, it) == Holds::Yes)
                    };
                    let common = common_types().into_iter().find(fits);
                    let own = || self.implementor_of_all(&bounds);
                    let chosen = common.or_else(own);
                    TypeArgument::Type(chosen.unwrap_or(RustType::primitive("u32")))
                }
            };
            by.insert(parameter.name.clone(), value);
        }
        by
    }

    /// A type of the crates that were read for these bounds: one that threads can share, if there is one.
    fn implementor_of_all(&self, bounds: &[&TraitBound]) -> Option<RustType> {
        // An implementor may need another one for its own parameters.
        let depth = self.implementors_inside.get();
        if depth == MOST_INSIDE {
            return None;
        }
        self.implementors_inside.set(depth + 1);
        let fits = |ty: &RustType| {
            let mut bounds = bounds.iter();
            bounds.all(|it| self.solver.holds(ty, it) == Holds::Yes)
        };
        let found = bounds.iter().flat_map(|it| self.implementors(it));
        let mut found: Vec<RustType> = found.filter(|it| it.is_closed() && fits(it)).collect();
        self.implementors_inside.set(depth);
        let shared = |it: &RustType| {
            let yes = |marker| self.solver.implements(it, marker) == Holds::Yes;
            yes("core::marker::Sync") && yes("core::marker::Send")
        };
        let best = found.iter().position(shared).unwrap_or(0);
        (best < found.len()).then(|| found.swap_remove(best))
    }

    /// Types with an impl of a crate's trait that was read, parameters filled with `u32`.
    pub(crate) fn implementors(&self, bound: &TraitBound) -> Vec<RustType> {
        if super::std_paths::is_std(&bound.path) {
            return Vec::new();
        }
        let key = (self.implementors_inside.get(), bound.path.clone());
        if let Some(known) = self.implementors_known.borrow().get(&key) {
            return known.clone();
        }
        let found = self.find_implementors(&bound.path);
        let mut known = self.implementors_known.borrow_mut();
        known.insert(key, found.clone());
        found
    }

    fn find_implementors(&self, trait_: &str) -> Vec<RustType> {
        use rustdoc_types::ItemEnum;
        let library = self.solver.library;
        let mut found = Vec::new();
        for at in library.impls_of_trait(trait_) {
            let Some(ItemEnum::Impl(block)) = library.item(*at).map(|it| &it.inner) else {
                continue;
            };
            if block.is_negative {
                continue;
            }
            let for_ = library.convert(at.document, &block.for_);
            let constraints = library.constraints(at.document, &block.generics);
            let by = self.usual_arguments(&for_, &constraints);
            let ty = self.solver.normalise(for_.substitute(&by));
            if matches!(for_, RustType::Parameter(_)) || found.contains(&ty) {
                continue;
            }
            found.push(ty);
        }
        // Own types first, those that are easy to make and observe before others.
        found.sort_by_key(|it| {
            let text = short_text(it);
            let is_own = library.is_own(it.path());
            let has_default = self.solver.implements(it, "core::default::Default") == Holds::Yes;
            let shows = self.functions.inherent(it.path()).any(|method| {
                method.inputs.len() == 1 && matches!(method.name.as_str(), "get" | "load" | "value")
            });
            (!is_own, !has_default, !shows, text.len(), text)
        });
        found
    }
}

/// Types tried for any bound, in order.
pub(crate) fn common_types() -> Vec<RustType> {
    let u32 = || RustType::primitive("u32");
    vec![
        u32(),
        RustType::string(),
        RustType::named("alloc::boxed::Box", [RustType::primitive("u64")]),
        RustType::primitive("usize"),
        RustType::unit(),
        RustType::reference(RustType::primitive("str")),
        RustType::named("alloc::vec::Vec", [RustType::primitive("u8")]),
        RustType::named("alloc::sync::Arc", [u32()]),
        RustType::named("core::option::Option", [u32()]),
        RustType::named(super::std_paths::RANDOM_STATE, []),
        RustType::named("core::fmt::Error", []),
        RustType::named(
            "core::num::nonzero::NonZero",
            [RustType::primitive("usize")],
        ),
        RustType::primitive("u64"),
        RustType::primitive("u8"),
        RustType::primitive("i64"),
        RustType::primitive("f64"),
        RustType::primitive("bool"),
        RustType::primitive("char"),
        RustType::named(
            "alloc::vec::Vec",
            [RustType::Tuple(vec![
                RustType::string(),
                RustType::string(),
            ])],
        ),
    ]
}

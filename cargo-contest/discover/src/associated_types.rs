//! What associated types stand for.

use rustdoc_types::ItemEnum;

use super::holds::Holds;
use super::library::ItemRef;
use super::rust_type::{RustType, TraitBound, TypeArgument};
use super::solver::{MAX_DEPTH, Solver};
use super::std_paths::is_std;
use super::std_traits::points_to;

impl Solver<'_> {
    pub(crate) fn normalise_bound(&self, mut bound: TraitBound) -> TraitBound {
        for argument in &mut bound.arguments {
            if let TypeArgument::Type(ty) = argument {
                *ty = self.normalise(ty.clone());
            }
        }
        for (_, ty) in &mut bound.equalities {
            *ty = self.normalise(ty.clone());
        }
        bound
    }

    /// Replaces associated types by the types they stand for, as far as known.
    pub(crate) fn normalise(&self, ty: RustType) -> RustType {
        let each = |items: Vec<RustType>| items.into_iter().map(|it| self.normalise(it)).collect();
        match ty {
            RustType::Projection { of, trait_, name } => {
                let of = self.normalise(*of);
                match self.project_at(&of, trait_.as_deref(), &name, 0) {
                    Some(found) => found,
                    None => RustType::Projection {
                        of: Box::new(of),
                        trait_,
                        name,
                    },
                }
            }
            RustType::Named { path, arguments } => {
                let arguments = arguments
                    .into_iter()
                    .map(|it| match it {
                        TypeArgument::Type(ty) => TypeArgument::Type(self.normalise(ty)),
                        other => other,
                    })
                    .collect();
                if is_std(&path) {
                    super::std_paths::normalise(&path, arguments)
                } else {
                    RustType::Named { path, arguments }
                }
            }
            RustType::Tuple(items) => RustType::Tuple(each(items)),
            RustType::Slice(item) => RustType::Slice(Box::new(self.normalise(*item))),
            RustType::Array(item, length) => {
                RustType::Array(Box::new(self.normalise(*item)), length)
            }
            RustType::Reference { mutable, to } => RustType::Reference {
                mutable,
                to: Box::new(self.normalise(*to)),
            },
            RustType::Function { inputs, output } => RustType::Function {
                inputs: each(inputs),
                output: Box::new(self.normalise(*output)),
            },
            RustType::Impl(bounds) => RustType::Impl(
                bounds
                    .into_iter()
                    .map(|it| self.normalise_bound(it))
                    .collect(),
            ),
            RustType::Dyn(bounds) => RustType::Dyn(
                bounds
                    .into_iter()
                    .map(|it| self.normalise_bound(it))
                    .collect(),
            ),
            other => other,
        }
    }

    /// `<of as trait_>::name`.
    pub(crate) fn project(&self, of: &RustType, trait_: &str, name: &str) -> Option<RustType> {
        self.project_at(of, Some(&TraitBound::plain(trait_)), name, 0)
    }

    pub(super) fn project_at(
        &self,
        of: &RustType,
        trait_: Option<&TraitBound>,
        name: &str,
        depth: usize,
    ) -> Option<RustType> {
        if depth > MAX_DEPTH || !of.is_closed() {
            return None;
        }
        let trait_ = trait_?;
        let _goal = self.open_goal(of, trait_, name)?;
        if let Some(stand_in) = self.stand_in(of) {
            let of_future = || of.argument(0).filter(|_| name == "Output").cloned();
            let known = stand_in.associated(name).or_else(of_future);
            if known.is_some() || is_std(&trait_.path) {
                return known;
            }
        }
        if let RustType::Impl(bounds) | RustType::Dyn(bounds) = of {
            let known = bounds.iter().find(|it| it.path == trait_.path)?;
            let (_, ty) = known.equalities.iter().find(|(own, _)| own == name)?;
            return Some(ty.clone());
        }
        for at in self.library.impls_of_trait_for(&trait_.path, of) {
            let Some((header, substitution)) = self.impl_headers.matching(*at, of, trait_) else {
                continue;
            };
            if self.all_hold_at(&header.constraints, &substitution, depth + 1) == Holds::No {
                continue;
            }
            let ItemEnum::Impl(block) = &self.library.item(*at)?.inner else {
                continue;
            };
            for id in &block.items {
                let item = self.library.item(ItemRef { id: *id, ..*at })?;
                if let (
                    ItemEnum::AssocType {
                        type_: Some(ty), ..
                    },
                    true,
                ) = (&item.inner, item.name.as_deref() == Some(name))
                {
                    let ty = self.library.convert(at.document, ty);
                    return Some(self.normalise(ty.substitute(&substitution)));
                }
            }
        }
        self.project_std(of, trait_, name)
    }

    fn project_std(&self, of: &RustType, trait_: &TraitBound, name: &str) -> Option<RustType> {
        match (trait_.path.as_str(), name) {
            ("core::ops::deref::Deref", "Target") => self.deref_target(of),
            ("core::iter::traits::collect::IntoIterator", "Item")
            | ("core::iter::traits::iterator::Iterator", "Item") => self.item_of_iterable(of),
            ("alloc::borrow::ToOwned", "Owned") => Some(match of {
                RustType::Primitive(name) if name == "str" => RustType::string(),
                RustType::Slice(item) => RustType::named("alloc::vec::Vec", [(**item).clone()]),
                _ => of.clone(),
            }),
            ("core::hash::BuildHasher", "Hasher") => {
                Some(RustType::named("std::hash::random::DefaultHasher", []))
            }
            ("core::ops::function::FnOnce", "Output") => match of {
                RustType::Function { output, .. } => Some((**output).clone()),
                _ => None,
            },
            ("core::future::future::Future", "Output") => match points_to(of) {
                Some(target) => self.project(target, &trait_.path, name),
                None => of.argument(0).cloned(),
            },
            _ => None,
        }
    }

    /// The type of `*value`.
    pub(crate) fn deref_target(&self, of: &RustType) -> Option<RustType> {
        match of {
            RustType::Reference { to, .. } => Some((**to).clone()),
            RustType::Named { path, .. } => match path.as_str() {
                "alloc::string::String" => Some(RustType::primitive("str")),
                "alloc::vec::Vec" => Some(RustType::Slice(Box::new(of.argument(0)?.clone()))),
                "alloc::boxed::Box"
                | "alloc::sync::Arc"
                | "alloc::rc::Rc"
                | "std::sync::poison::mutex::MutexGuard"
                | "std::sync::poison::rwlock::RwLockReadGuard"
                | "std::sync::poison::rwlock::RwLockWriteGuard" => of.argument(0).cloned(),
                path if !is_std(path) => self.project(of, "core::ops::deref::Deref", "Target"),
                _ => None,
            },
            _ => None,
        }
    }

    /// The item type of a `for` loop over a value of `std`.
    pub(crate) fn item_of_iterable(&self, of: &RustType) -> Option<RustType> {
        match of {
            RustType::Array(item, _) => Some((**item).clone()),
            RustType::Reference { to, .. } => match &**to {
                RustType::Slice(item) | RustType::Array(item, _) => {
                    Some(RustType::reference((**item).clone()))
                }
                other if other.path() == "alloc::vec::Vec" => {
                    Some(RustType::reference(other.argument(0)?.clone()))
                }
                _ => None,
            },
            RustType::Named { path, .. } => match path.as_str() {
                "alloc::vec::Vec"
                | "alloc::vec::into_iter::IntoIter"
                | "core::option::Option"
                | "core::ops::range::Range" => of.argument(0).cloned(),
                "alloc::boxed::Box" => {
                    let iterator = "core::iter::traits::iterator::Iterator";
                    self.project(of.argument(0)?, iterator, "Item")
                }
                _ => None,
            },
            _ => None,
        }
    }
}

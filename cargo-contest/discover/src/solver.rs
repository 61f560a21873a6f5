//! Whether a type satisfies a bound, and what associated types stand for, as far as documentation shows.
//! The compiler decides in the end: what is accepted wrongly fails to compile and is left out with its message.

use std::cell::{Ref, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::conversion::Constraints;
use super::holds::{Holds, PartBounds};
use super::impl_headers::ImplHeaders;
use super::library::Library;
use super::obstacle::Obstacle;
use super::rust_type::{RustType, Substitution, TraitBound, TypeArgument, bind};
use super::stand_in::StandIn;
use super::std_paths::is_std;
use super::std_traits::std_holds;

/// Looks things up in a library.
#[derive(Debug)]
pub(crate) struct Solver<'a> {
    pub(crate) library: &'a Library,
    /// Types that the driver will declare; they are added while arguments are made.
    stand_ins: RefCell<Vec<Rc<StandIn>>>,
    pub(super) impl_headers: ImplHeaders<'a>,
    /// Answers to goals that were solved by themselves. Those inside of others may have been cut off.
    answers: RefCell<HashMap<(RustType, TraitBound), Holds>>,
    /// Goals being solved: a bound may depend on itself through an associated type.
    open_goals: RefCell<Vec<(RustType, String)>>,
}

/// A goal on the stack; popped when dropped.
pub(super) struct OpenGoal<'a>(&'a RefCell<Vec<(RustType, String)>>);

impl Drop for OpenGoal<'_> {
    fn drop(&mut self) {
        self.0.borrow_mut().pop();
    }
}

/// Most nested goals.
const MAX_OPEN: usize = 24;
/// How deep bounds of bounds are followed.
pub(super) const MAX_DEPTH: usize = 8;

impl<'a> Solver<'a> {
    pub(crate) fn new(library: &'a Library) -> Self {
        Self {
            library,
            stand_ins: RefCell::default(),
            impl_headers: ImplHeaders::new(library),
            answers: RefCell::default(),
            open_goals: RefCell::default(),
        }
    }

    /// Whether `ty` satisfies `bound`.
    pub(crate) fn holds(&self, ty: &RustType, bound: &TraitBound) -> Holds {
        if !self.open_goals.borrow().is_empty() {
            return self.holds_at(ty, bound, 0);
        }
        let goal = (ty.clone(), bound.clone());
        if let Some(known) = self.answers.borrow().get(&goal) {
            return *known;
        }
        let answer = self.holds_at(ty, bound, 0);
        self.answers.borrow_mut().insert(goal, answer);
        answer
    }

    /// Whether `ty` satisfies the trait without arguments at `path`.
    pub(crate) fn implements(&self, ty: &RustType, path: &str) -> Holds {
        self.holds(ty, &TraitBound::plain(path))
    }

    pub(crate) fn holds_at(&self, ty: &RustType, bound: &TraitBound, depth: usize) -> Holds {
        if depth > MAX_DEPTH || !ty.is_closed() {
            return Holds::Maybe;
        }
        let Some(_goal) = self.open_goal(ty, bound, "") else {
            return Holds::Maybe;
        };
        let found = self.without_equalities(ty, bound, depth);
        if found == Holds::No {
            return Holds::No;
        }
        let mut all = found;
        for (name, wanted) in &bound.equalities {
            if bound.as_callable().is_some() {
                break;
            }
            let wanted = self.normalise(wanted.clone());
            if let Some(actual) = self.project_at(ty, Some(bound), name, depth + 1)
                && wanted.is_closed()
            {
                all = all.and(Holds::from(same(&wanted, &actual)));
            }
        }
        for (name, bounds) in &bound.constraints {
            if let Some(actual) = self.project_at(ty, Some(bound), name, depth + 1) {
                for bound in bounds {
                    all = all.and(self.holds_at(&actual, bound, depth + 1));
                }
            }
        }
        all
    }

    fn without_equalities(&self, ty: &RustType, bound: &TraitBound, depth: usize) -> Holds {
        if bound.is_trivial() {
            return Holds::Yes;
        }
        if let Some(stand_in) = self.stand_in(ty) {
            let own = stand_in.holds(&bound.path);
            // A trait of a crate may have an impl for any type.
            if own == Holds::Yes || is_std(&bound.path) {
                return own;
            }
            return self.by_impls(ty, bound, depth);
        }
        if let RustType::Impl(bounds) | RustType::Dyn(bounds) = ty
            && bounds.iter().any(|it| it.path == bound.path)
        {
            return Holds::Yes;
        }
        let is_foreign = |path: &str| is_std(path) || self.library.find(path).is_none();
        let std_type = ty.as_named().is_none_or(|(path, _)| is_std(path));
        if std_type
            && is_std(&bound.path)
            && let Some(answer) = std_holds(self, ty, bound, depth)
        {
            // The crate may add `impl From<Own> for String` and the like.
            if answer != Holds::No || bound.arguments.is_empty() {
                return answer;
            }
        }
        let by_impl = self.by_impls(ty, bound, depth);
        if by_impl == Holds::Yes {
            return Holds::Yes;
        }
        if is_std(&bound.path) && !std_type {
            if let Some(answer) = self.by_blanket_rules(ty, bound, depth) {
                return answer.max(by_impl);
            }
            let (path, _) = ty.as_named().unwrap_or_default();
            return if is_foreign(path) {
                Holds::Maybe
            } else {
                by_impl
            };
        }
        if by_impl == Holds::No && is_foreign(&bound.path) && !is_std(&bound.path) {
            return Holds::Maybe;
        }
        by_impl
    }

    /// Impl blocks that were read.
    fn by_impls(&self, ty: &RustType, bound: &TraitBound, depth: usize) -> Holds {
        let mut best = Holds::No;
        for at in self.library.impls_of_trait_for(&bound.path, ty) {
            let Some((header, substitution)) = self.impl_headers.matching(*at, ty, bound) else {
                continue;
            };
            if header.is_negative {
                return Holds::No;
            }
            let found = self.all_hold_at(&header.constraints, &substitution, depth + 1);
            best = best.max(found);
            if best == Holds::Yes {
                break;
            }
        }
        best
    }

    /// Blanket impls of `std` for a crate's own types.
    fn by_blanket_rules(&self, ty: &RustType, bound: &TraitBound, depth: usize) -> Option<Holds> {
        let argument = bound.types().next();
        let reflexive = || Holds::from(argument == Some(ty));
        Some(match bound.path.as_str() {
            "core::any::Any" => Holds::Yes,
            "core::convert::From" | "core::borrow::Borrow" | "core::convert::TryFrom" => {
                reflexive()
            }
            "core::convert::Into" | "core::convert::TryInto" => {
                let from = TraitBound {
                    arguments: vec![TypeArgument::Type(ty.clone())],
                    ..TraitBound::plain("core::convert::From")
                };
                reflexive().max(self.holds_at(argument?, &from, depth + 1))
            }
            "alloc::string::ToString" => {
                self.holds_at(ty, &TraitBound::plain("core::fmt::Display"), depth + 1)
            }
            "alloc::borrow::ToOwned" => {
                self.holds_at(ty, &TraitBound::plain("core::clone::Clone"), depth + 1)
            }
            "core::iter::traits::collect::IntoIterator" => self.holds_at(
                ty,
                &TraitBound::plain("core::iter::traits::iterator::Iterator"),
                depth + 1,
            ),
            _ => return None,
        })
    }

    /// Whether all bounds hold once parameters have these values.
    pub(crate) fn all_hold(&self, constraints: &Constraints, by: &Substitution) -> Holds {
        self.all_hold_at(constraints, by, 0)
    }

    pub(super) fn all_hold_at(
        &self,
        constraints: &Constraints,
        by: &Substitution,
        depth: usize,
    ) -> Holds {
        let mut all = Holds::Yes;
        for (subject, bound) in &constraints.bounds {
            let subject = self.normalise(subject.substitute(by));
            let bound = self.normalise_bound(bound.substitute(by));
            all = all.and(self.holds_at(&subject, &bound, depth));
            if all == Holds::No {
                break;
            }
        }
        all
    }

    /// The first bound that does not hold.
    pub(crate) fn failing(&self, constraints: &Constraints, by: &Substitution) -> Option<Obstacle> {
        constraints.bounds.iter().find_map(|(subject, bound)| {
            let closed = self.normalise(subject.substitute(by));
            let bound = self.normalise_bound(bound.substitute(by));
            if self.holds(&closed, &bound) != Holds::No {
                return None;
            }
            Some(Obstacle::BoundFails {
                ty: super::render::short_text(&closed),
                bound: super::std_paths::last_segment(&bound.path).to_owned(),
            })
        })
    }

    /// `None` if the goal is already being solved, or goals are nested too deeply.
    pub(super) fn open_goal(
        &self,
        ty: &RustType,
        bound: &TraitBound,
        name: &str,
    ) -> Option<OpenGoal<'_>> {
        let mut open = self.open_goals.borrow_mut();
        let goal = (
            ty.clone(),
            format!("{}::{name} {:?}", bound.path, bound.arguments),
        );
        if open.len() >= MAX_OPEN || open.contains(&goal) {
            return None;
        }
        open.push(goal);
        Some(OpenGoal(&self.open_goals))
    }

    /// Types that the driver will declare.
    pub(crate) fn stand_ins(&self) -> Ref<'_, [Rc<StandIn>]> {
        Ref::map(self.stand_ins.borrow(), Vec::as_slice)
    }

    pub(super) fn stand_in(&self, ty: &RustType) -> Option<Rc<StandIn>> {
        let (path, _) = ty.as_named()?;
        self.stand_in_named(path)
    }

    pub(super) fn stand_in_named(&self, name: &str) -> Option<Rc<StandIn>> {
        let all = self.stand_ins.borrow();
        all.iter().find(|it| it.name == name).cloned()
    }

    /// Adds a type that the driver will declare, in place of a half-written one of this name.
    pub(super) fn declare(&self, stand_in: StandIn) {
        let mut all = self.stand_ins.borrow_mut();
        all.retain(|it| it.name != stand_in.name);
        all.push(Rc::new(stand_in));
        // A type that was unknown may satisfy bounds now.
        self.answers.borrow_mut().clear();
    }

    /// Forgets a type that cannot be written.
    pub(super) fn withdraw(&self, name: &str) {
        self.stand_ins.borrow_mut().retain(|it| it.name != name);
        self.answers.borrow_mut().clear();
    }
}

impl PartBounds for Solver<'_> {
    fn holds_at(&self, ty: &RustType, bound: &TraitBound, depth: usize) -> Holds {
        self.holds_at(ty, bound, depth)
    }

    fn item_of_iterable(&self, ty: &RustType) -> Option<RustType> {
        self.item_of_iterable(ty)
    }
}

fn same(left: &RustType, right: &RustType) -> bool {
    bind(left, right, &[], &mut Substitution::new())
}

//! Probes that a type gets without a type parameter of its own for them: inside of closures, inside of what implements
//! a trait of the crate, and as values whose type it forgets.
//!
//! `unsafe impl Send for Tasks {}` around a `Box<dyn FnOnce()>` promises of all closures what few keep, and
//! `unsafe impl<R: Source> Sync for Decoder<R> {}` of all sources. So the type is tested once more: while its calls are
//! chosen, each closure whose bounds admit it captures an [`UNSENT`], each open type parameter of a method is one, and
//! an implementation of a trait of the crate carries one. As in `missing_bounds`, what happens to it is the proof.

use contest_data::subject::Probe;

use super::document::generics_of;
use super::holds::Holds;
use super::library::ItemRef;
use super::missing_bounds::{SYNC, is_by_hand};
use super::recipes::Recipes;
use super::rust_type::{RustType, Substitution, TraitBound, TypeArgument};
use super::stand_in::{CARRIES, UNSENT, may_stand_in};
use contest_catalog::expression::Expression;

const SEND: &str = "core::marker::Send";
const COPY: &str = "core::marker::Copy";
const FN: &str = "core::ops::function::Fn";

/// `Box<dyn Fn(inputs) -> output>`, which need be neither `Send` nor `Sync`.
fn boxed_closure(inputs: Vec<RustType>, output: RustType) -> RustType {
    let bound = TraitBound {
        arguments: vec![TypeArgument::Type(RustType::Tuple(inputs))],
        equalities: vec![("Output".to_owned(), output)],
        ..TraitBound::plain(FN)
    };
    RustType::named("alloc::boxed::Box", [RustType::Dyn(vec![bound])])
}

/// The type with closures, and implementations of traits of the crate, that carry a probe; itself if it has none.
/// `None` if it is not `Sync` by a handwritten impl then.
pub(super) fn capturing_instance(
    recipes: &Recipes<'_>,
    at: ItemRef,
    usual: &RustType,
) -> Option<RustType> {
    if !is_by_hand(recipes, usual, &[SYNC], &mut Vec::new()) {
        return None;
    }
    let library = recipes.solver.library;
    let (path, arguments) = usual.as_named()?;
    let generics = library.item(at).and_then(generics_of)?;
    let constraints = library.constraints(at.document, generics);
    let names = generics.params.iter().map(|it| it.name.clone());
    let mut by: Substitution = names.clone().zip(arguments.iter().cloned()).collect();
    for name in names {
        let Some(TypeArgument::Type(before)) = by.get(&name).cloned() else {
            continue;
        };
        let own = RustType::Parameter(name.clone());
        let bounds = constraints.bounds.iter().filter(|(it, _)| *it == own);
        let bounds: Vec<TraitBound> = bounds.map(|(_, it)| it.clone()).collect();
        let other = match before {
            RustType::Function { inputs, output } => boxed_closure(inputs, *output),
            _ => match recipes.carrier(&bounds) {
                Some(carrier) => carrier,
                None => continue,
            },
        };
        let known = by.insert(name.clone(), TypeArgument::Type(other));
        if recipes.solver.failing(&constraints, &by).is_some() {
            by.extend(known.map(|it| (name, it)));
        }
    }
    let arguments = generics.params.iter().zip(arguments);
    let arguments = arguments.map(|(it, before)| by.get(&it.name).unwrap_or(before).clone());
    let ty = RustType::Named {
        path: path.to_owned(),
        arguments: arguments.collect(),
    };
    (recipes.solver.implements(&ty, SYNC) == Holds::Yes).then_some(ty)
}

impl Recipes<'_> {
    /// Chooses arguments with probes while `choose` runs.
    pub(super) fn while_capturing<R>(&self, choose: impl FnOnce() -> R) -> R {
        self.probe(Probe::Unsent);
        let before = self.captures.replace(true);
        let known = self.constructors.take();
        let chosen = choose();
        self.constructors.replace(known);
        self.captures.set(before);
        chosen
    }

    /// While capturing: the type that carries a probe where these bounds admit that.
    pub(super) fn capturing_type(&self, bounds: &[TraitBound]) -> Option<RustType> {
        if !self.captures.get() {
            return None;
        }
        let callable = bounds.iter().find_map(TraitBound::as_callable);
        let found = match callable {
            Some((inputs, output)) => {
                let inputs = inputs.into_iter().map(|it| self.solver.normalise(it));
                boxed_closure(inputs.collect(), self.solver.normalise(output))
            }
            None => self
                .carrier(bounds)
                .unwrap_or_else(|| self.probe(Probe::Unsent)),
        };
        let fits = |bound: &TraitBound| self.solver.holds(&found, bound) == Holds::Yes;
        (found.is_closed() && bounds.iter().all(fits)).then_some(found)
    }

    /// An implementation of a trait of the crate that carries a probe.
    fn carrier(&self, bounds: &[TraitBound]) -> Option<RustType> {
        let lacks = |it: &TraitBound| [SEND, COPY].contains(&it.path.as_str());
        let own = bounds.iter().find(|it| may_stand_in(&it.path))?;
        if bounds.iter().any(lacks) {
            return None;
        }
        self.stand_in_that_carries(own).ok()
    }
}

/// True if what the driver calls has a probe in it.
pub(super) fn names_a_probe(expression: &Expression) -> bool {
    let text = expression.render(contest_catalog::expression::Style::Driver);
    text.contains(UNSENT) || text.contains(CARRIES)
}

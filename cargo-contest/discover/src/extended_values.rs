//! Values whose methods make others, where a trait provides the method.

use rustdoc_types::ItemEnum;

use super::conversion::Constraints;
use super::holds::Holds;
use super::obstacle::Obstacle;
use super::recipes::Recipes;
use super::request::{Request, cannot_make};
use super::rust_type::{RustType, Substitution, TraitBound, TypeArgument};
use super::signature::Signature;
use contest_catalog::expression::Expression;

const SELF: &str = "Self";

impl Recipes<'_> {
    /// A value whose method `maker` is, as expression and as text; its type is chosen if the output leaves it open.
    ///
    /// # Errors
    /// If no type satisfies the trait, or it cannot be made.
    pub(super) fn extended(
        &self,
        maker: &Signature,
        trait_: &TraitBound,
        by: &mut Substitution,
        request: Request<'_>,
    ) -> Result<(Expression, Expression), Obstacle> {
        let own = match by.get(SELF) {
            Some(TypeArgument::Type(own)) => own.clone(),
            _ => {
                let chosen = self.type_for(&self.bounds_of_self(maker, trait_), by, &[])?;
                by.insert(SELF.to_owned(), TypeArgument::Type(chosen.clone()));
                chosen
            }
        };
        if self.solver.holds(&own, &trait_.substitute(by)) == Holds::No {
            return Err(cannot_make(&own));
        }
        let value = self.values(&own, request)?.swap_remove(0);
        Ok((value.expression, value.text.into()))
    }

    /// What a type needs to have the method: the trait, or what an impl of it for any type requires; and what the
    /// method requires.
    fn bounds_of_self(&self, maker: &Signature, trait_: &TraitBound) -> Vec<TraitBound> {
        let of = |bounds: &[(RustType, TraitBound)], name: &str| -> Vec<TraitBound> {
            let own = RustType::Parameter(name.to_owned());
            let own = bounds.iter().filter(|(subject, _)| *subject == own);
            own.map(|(_, bound)| bound.clone()).collect()
        };
        let mut found = of(&maker.constraints.bounds, SELF);
        match self.for_any_type(&trait_.path) {
            Some((constraints, name)) => found.extend(of(&constraints.bounds, &name)),
            None => found.push(trait_.clone()),
        }
        found
    }

    /// The bounds of an impl of the trait for a parameter, and the name of that.
    fn for_any_type(&self, trait_: &str) -> Option<(Constraints, String)> {
        let library = self.solver.library;
        library.impls_of_trait(trait_).iter().find_map(|at| {
            let ItemEnum::Impl(block) = &library.item(*at)?.inner else {
                return None;
            };
            match library.convert(at.document, &block.for_) {
                RustType::Parameter(name) => {
                    Some((library.constraints(at.document, &block.generics), name))
                }
                _ => None,
            }
        })
    }
}

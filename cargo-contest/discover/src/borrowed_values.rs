//! Guards and iterators: values that borrow from the object whose method returns them.

use super::calls::identifier;
use super::constructors::fixed_arguments;
use super::makers::{finish, receiver_of, unwrapping};
use super::recipes::{Recipes, leaked};
use super::request::Request;
use super::rust_type::{RustType, Substitution, bind};
use super::signature::{Owner, Signature};
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::ConstructorEntry;

/// Ways to make a value that borrows from an object: by the object's methods. The object is never dropped.
pub(super) fn borrowed_constructors(recipes: &Recipes<'_>, ty: &RustType) -> Vec<ConstructorEntry> {
    let makers = recipes.functions.makers(ty.path());
    makers
        .filter_map(|maker| borrowed(recipes, ty, maker))
        .collect()
}

impl Recipes<'_> {
    /// An argument that a method of the object itself makes: `map.insert(1, 2, &map.guard())`.
    pub(super) fn made_by_object(&self, ty: &RustType, request: Request<'_>) -> Option<Expression> {
        let subject = request.subject.filter(|_| request.from_object)?;
        let (sigil, owned) = match ty {
            RustType::Reference {
                mutable: false, to, ..
            } => ("&", &**to),
            other => ("", other),
        };
        let owned = match owned {
            RustType::Impl(bounds) | RustType::Dyn(bounds) => {
                self.type_for(bounds, &Substitution::new(), &[]).ok()?
            }
            other => other.clone(),
        };
        let makes = |maker: &&Signature| {
            let Owner::Inherent(owner) = &maker.owner else {
                return false;
            };
            let names = maker.constraints.names();
            let mut by = Substitution::new();
            maker.inputs.len() == 1
                && matches!(receiver_of(maker), Some((_, "&")))
                && !(maker.is_unsafe || maker.is_hidden || maker.is_async)
                && bind(owner, subject, &names, &mut by)
                && bind(&maker.output, &owned, &names, &mut by)
        };
        let maker = self.functions.makers(owned.path()).find(makes)?;
        let made = Expression::Object.method(identifier(&maker.name), []);
        Some(made.between(sigil, ""))
    }
}

fn borrowed(recipes: &Recipes<'_>, ty: &RustType, maker: &Signature) -> Option<ConstructorEntry> {
    let mut by = Substitution::new();
    let wrapping = unwrapping(&maker.output, ty, &maker.constraints.names(), &mut by)?;
    let Owner::Inherent(owner) = &maker.owner else {
        return None;
    };
    if !maker.is_method() || maker.is_async || owner.path() == ty.path() {
        return None;
    }
    let (_, reference) = receiver_of(maker)?;
    let leak = match reference {
        "&" => |it: Expression| leaked(it).between("&*", ""),
        "&mut " => leaked,
        _ => return None,
    };
    let owner = recipes.close(owner, maker, &mut by)?;
    let call = recipes
        .call(maker, by, 1, Request::to_construct(ty, 0))
        .ok()?;
    let object = recipes.own_values(&owner, 1).ok()?.into_iter().next()?;
    let receiver = (leak(object.expression), object.text.into());
    let entry = finish(&call, &wrapping, Some(receiver));
    let (expression, text) = fixed_arguments(entry.expression, entry.text, &entry.arguments)?;
    Some(ConstructorEntry {
        expression,
        text,
        arguments: Vec::new(),
        ..entry
    })
}

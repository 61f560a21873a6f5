//! Objects that know each other: a child and its parent, a bar and its board, two accounts of a bank.
//!
//! One is made of the other, and methods of one take the other by reference. A family of such objects is one subject,
//! in which members are handed to each other: `board.after(&bar)` beside `bar.tick()`.

use super::constructors::fixed_arguments;
use super::derived::borrows;
use super::holds::Holds;
use super::makers::unwrapped;
use super::operations::{Operations, add};
use super::polls::Polled;
use super::recipes::Recipes;
use super::request::Request;
use super::rust_type::{RustType, Substitution, TypeArgument, bind};
use super::signature::{Owner, Signature};
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::OperationEntry;

/// How an object makes another one.
pub(super) struct Branch {
    /// Which member of a family it is.
    pub(super) from: usize,
    /// The call on it, with a hole for the object; as it is compiled and as it is shown.
    pub(super) expression: Expression,
    pub(super) text: Expression,
    /// It needs the object for itself.
    pub(super) mutable: bool,
}

/// A method of an object that takes another one, or a key: without that input, and with its place after the receiver.
struct Taker {
    without: Signature,
    by: Substitution,
    place: usize,
    passed: Given,
}

/// How a method takes another object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    Reference,
    /// By value. Only a key is taken so, and gets a clone.
    Clone,
}

/// True if a clone of a value does what the value does: an id, a token.
pub(super) fn is_key(recipes: &Recipes<'_>, ty: &RustType) -> bool {
    let is = |path: &str| recipes.solver.implements(ty, path) == Holds::Yes;
    let hashed = || is("core::cmp::Eq") && is("core::hash::Hash");
    is("core::marker::Copy")
        || is("core::clone::Clone") && (hashed() || !recipes.solver.can_change(ty))
}

/// The names of the methods of a type that take such a value.
pub(super) fn methods_that_take(
    recipes: &Recipes<'_>,
    ty: &RustType,
    key: &RustType,
) -> Vec<String> {
    let taking = takers(recipes, ty, key).into_iter();
    taking.map(|it| it.without.name).collect()
}

/// True if a method of one of the types takes a reference to the other.
pub(super) fn know_each_other(recipes: &Recipes<'_>, one: &RustType, other: &RustType) -> bool {
    !takers(recipes, one, other).is_empty() || !takers(recipes, other, one).is_empty()
}

/// True if a method of the type takes a reference to another object of it.
pub(super) fn knows_its_like(recipes: &Recipes<'_>, ty: &RustType) -> bool {
    !takers(recipes, ty, ty).is_empty()
}

fn takers(recipes: &Recipes<'_>, ty: &RustType, other: &RustType) -> Vec<Taker> {
    let by_value = ty != other && is_key(recipes, other);
    let methods = recipes.functions.inherent(ty.path());
    let taken = methods.filter_map(|method| {
        let Owner::Inherent(owner) = &method.owner else {
            return None;
        };
        let mut by = Substitution::new();
        let bound = bind(owner, ty, &method.constraints.names(), &mut by);
        if !bound || !method.is_method() || Polled::of(method).is_some() {
            return None;
        }
        by.insert("Self".to_owned(), TypeArgument::Type(ty.clone()));
        let mut inputs = method.inputs.iter().skip(1).enumerate();
        let (place, passed) = inputs.find_map(|(place, (_, input))| {
            let input = recipes.solver.normalise(input.substitute(&by));
            if is_reference_to(&input, other) {
                Some((place, Given::Reference))
            } else {
                (input == *other && by_value).then_some((place, Given::Clone))
            }
        })?;
        let mut without = method.clone();
        without.inputs.remove(place + 1);
        Some(Taker {
            without,
            by,
            place,
            passed,
        })
    });
    taken.collect()
}

fn is_reference_to(ty: &RustType, to: &RustType) -> bool {
    matches!(ty, RustType::Reference { mutable: false, to: it } if **it == *to)
}

/// A member as an argument of an operation.
pub(super) struct Handed {
    /// Index of the operation among those of its end.
    pub(super) operation: usize,
    place: usize,
    passed: Given,
    /// Which member it is.
    pub(super) member: u8,
}

impl Handed {
    /// Adds the argument to the operation: the place of the member as it is compiled, and as it is shown.
    pub(super) fn pass(&self, entry: &mut OperationEntry, place: Expression, shown: Expression) {
        let lent = place.between("&", "");
        let (compiled, shown) = match self.passed {
            Given::Reference => (lent, shown.between("&", "")),
            Given::Clone => (
                Expression::call("std::clone::Clone::clone", [lent]),
                shown.method("clone", []),
            ),
        };
        entry.expression = entry.expression.with_argument(self.place, &compiled);
        entry.text = entry.text.with_argument(self.place, &shown);
    }
}

/// Replaces operations of a member that take a stranger by versions that get the other members. Of each member: its
/// type, and whether all threads can use it at once.
pub(super) fn hand_over(
    recipes: &Recipes<'_>,
    members: &[(&RustType, bool)],
    number: u8,
    declared: &dyn Fn(&Signature) -> String,
    own: &mut Operations,
) -> Vec<Handed> {
    let (ty, _) = members[usize::from(number)];
    let mut added: Vec<(Taker, u8)> = Vec::new();
    for (member, &(other, is_for_all)) in (0_u8..).zip(members) {
        if member != number && is_for_all {
            let takers = takers(recipes, ty, other).into_iter();
            added.extend(takers.map(|it| (it, member)));
        }
    }
    for (taker, _) in &added {
        let name = &taker.without.name;
        own.left_out.retain(|it| it.item != *name);
        if let Some(stranger) = own.found.iter().position(|it| it.name == *name) {
            own.found.remove(stranger);
            own.outputs.remove(stranger);
        }
    }
    let mut handed = Vec::new();
    for (taker, member) in added {
        let Taker {
            without,
            by,
            place,
            passed,
        } = taker;
        let operation = own.found.len();
        add(recipes, own, ty, &without, by, None, declared);
        if own.found.len() > operation {
            handed.push(Handed {
                operation,
                place,
                passed,
                member,
            });
        }
    }
    handed
}

/// The functions, not methods, that make an object of a reference to one of type `own`, or of a clone of it.
pub(super) fn made_of(
    recipes: &Recipes<'_>,
    own: &RustType,
    from: usize,
    candidates: &[&RustType],
) -> Vec<(RustType, Branch)> {
    let mut found = Vec::new();
    for ty in candidates {
        for maker in recipes.functions.inherent(ty.path()) {
            found.extend(branch(recipes, own, from, ty, maker));
        }
    }
    found
}

fn branch(
    recipes: &Recipes<'_>,
    own: &RustType,
    from: usize,
    made: &RustType,
    maker: &Signature,
) -> Option<(RustType, Branch)> {
    let Owner::Inherent(owner) = &maker.owner else {
        return None;
    };
    let (_, first) = maker.inputs.first()?;
    let mut by = Substitution::new();
    if maker.is_method()
        || maker.is_async
        || !bind(owner, made, &maker.constraints.names(), &mut by)
    {
        return None;
    }
    by.insert("Self".to_owned(), TypeArgument::Type(made.clone()));
    let first = recipes.solver.normalise(first.substitute(&by));
    let (given, shown) = if is_reference_to(&first, own) {
        let reference = Expression::Object.between("&", "");
        (reference.clone(), reference)
    } else if first == *own {
        let reference = Expression::Object.between("&", "");
        (
            Expression::call("std::clone::Clone::clone", [reference]),
            Expression::Object.method("clone", []),
        )
    } else {
        return None;
    };
    let call = recipes.call(maker, by, 1, Request::PLAIN).ok()?;
    let with = |first: Expression| std::iter::once(first).chain(call.holes());
    let (ty, value, text) = unwrapped(
        &call.output,
        Expression::call(&call.path, with(given)),
        Expression::call(&call.short_path, with(shown)),
    );
    if ty != made || borrows(ty) {
        return None;
    }
    let (expression, text) = fixed_arguments(value, text, &call.arguments)?;
    let branch = Branch {
        from,
        expression,
        text,
        mutable: false,
    };
    Some((ty.clone(), branch))
}

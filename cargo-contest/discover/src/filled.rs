//! Objects whose dependencies have something in them. `Bank::new(Arc::new(Accounts::new()))` has no account, and no
//! call of the bank opens one: every transfer fails at once. So an object that is made of another type, plain, behind a
//! pointer or a lock, is made again with one on which a method was called, `accounts.open(1, 1)`, with two different
//! values.
//!
//! A method that stores what it is given takes it by value, and mostly it returns nothing, or only whether it worked.
//! Which of them stores is not known. Two are tried: the first one that returns least, and the one that takes most
//! arguments.

mod access;

use std::cmp::Reverse;

use contest_data::subject::StandInMode;

use self::access::{Access, MADE};
use super::constructors::borrows;
use super::observation::{is_observer, returned};
use super::operations::taken;
use super::recipes::Recipes;
use super::request::{Request, choice};
use super::rust_type::{RustType, Substitution, TypeArgument, bind};
use super::signature::{Owner, Signature};
use super::stand_ins::future_output;
use super::std_paths::is_std;
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{
    ArgumentChoice, ArgumentRecipe, ConstructorEntry, Passed, Returned, Taken,
};

/// Calls of a method that fills, with one alternative of each argument after the other.
const CALLS: usize = 2;

/// A method that may store what it is given.
struct Filling {
    name: String,
    path: String,
    /// How it takes what it fills.
    by: Taken,
    arguments: Vec<ArgumentRecipe>,
    /// It gives a future.
    waits: bool,
    /// How much it gives back: nothing, whether it worked, anything else.
    returned: u8,
}

impl Recipes<'_> {
    /// The constructors, and the first one that takes a type that can be filled once more for each way to do so.
    pub(super) fn constructors_with_filled(&self, constructors: &mut Vec<ConstructorEntry>) {
        let usual = constructors
            .iter()
            .filter(|it| it.mode == StandInMode::Usual);
        let further = usual.map(|it| self.with_filled(it));
        let further = further.into_iter().find(|it| !it.is_empty());
        let place = constructors.len().min(1);
        constructors.splice(place..place, further.into_iter().flatten());
    }

    /// The constructor with the first of its arguments that can be filled, in each way.
    fn with_filled(&self, constructor: &ConstructorEntry) -> Vec<ConstructorEntry> {
        let arguments = constructor.arguments.iter().enumerate();
        let mut filled = arguments.map(|(place, argument)| (place, self.filled(argument)));
        let Some((place, ways)) = filled.find(|(_, ways)| !ways.is_empty()) else {
            return Vec::new();
        };
        let with = |way: ArgumentChoice| {
            let mut entry = constructor.clone();
            entry.mode = StandInMode::Filled;
            entry.arguments[place].choices = vec![way];
            entry
        };
        ways.into_iter().map(with).collect()
    }

    /// The first alternative of an argument, filled; nothing if no method of its type fills it.
    fn filled(&self, argument: &ArgumentRecipe) -> Vec<ArgumentChoice> {
        let (Passed::Value, Some(plain)) = (argument.passed, argument.choices.first()) else {
            return Vec::new();
        };
        let written = argument.type_expression.as_deref().unwrap_or_default();
        let Some(given) = self.given_types.borrow().get(written).cloned() else {
            return Vec::new();
        };
        let (access, ty) = Access::of(&given);
        let ways = self.fillings(ty, access);
        let ways = ways.iter().filter_map(|it| it.fill(plain, access));
        ways.collect()
    }

    /// The method that returns least and is declared first, and the one that takes most.
    fn fillings(&self, ty: &RustType, access: Access) -> Vec<Filling> {
        let mut all = self.all_fillings(ty);
        all.retain(|it| access.receiver(it.by).is_some());
        let numbers = || 0..all.len();
        let returned = |it: &usize| all[*it].returned;
        let first = numbers().min_by_key(returned);
        let most = numbers().min_by_key(|it| (Reverse(all[*it].taken()), returned(it)));
        let chosen: Vec<usize> = first.into_iter().chain(most).collect();
        let numbered = all.into_iter().enumerate();
        let chosen = numbered.filter(|(at, _)| chosen.contains(at));
        chosen.map(|(_, it)| it).collect()
    }

    fn all_fillings(&self, ty: &RustType) -> Vec<Filling> {
        if let RustType::Dyn(bounds) = ty {
            let Ok(chosen) = self.type_for(bounds, &Substitution::new(), &[]) else {
                return Vec::new();
            };
            let is_bound = |trait_: &str| bounds.iter().any(|it| it.path == trait_);
            return self.trait_fillings(&chosen, ty, &is_bound);
        }
        if is_std(ty.path()) {
            return Vec::new();
        }
        let inherent = self.functions.inherent(ty.path());
        let inherent = inherent.filter_map(|it| {
            let mut by = Substitution::new();
            let Owner::Inherent(owner) = &it.owner else {
                return None;
            };
            let names = it.constraints.names();
            bind(owner, ty, &names, &mut by).then_some(())?;
            self.filling(it, ty, by)
        });
        let mut all: Vec<Filling> = inherent.collect();
        all.extend(self.trait_fillings(ty, ty, &|_| true));
        all
    }

    /// Methods that the type has by traits of these paths, called on it or on the trait object that it becomes.
    fn trait_fillings(
        &self,
        ty: &RustType,
        called_on: &RustType,
        of: &dyn Fn(&str) -> bool,
    ) -> Vec<Filling> {
        let functions = self.solver.trait_functions(ty).into_iter();
        let functions = functions.filter(|(it, _)| {
            let Owner::Trait(bound) = &it.owner else {
                return false;
            };
            of(&bound.path)
        });
        functions
            .filter_map(|(it, by)| self.filling(&it, called_on, by))
            .collect()
    }

    fn filling(&self, method: &Signature, ty: &RustType, mut by: Substitution) -> Option<Filling> {
        by.insert("Self".to_owned(), TypeArgument::Type(ty.clone()));
        let (_, first) = method.inputs.first()?;
        let first = self.solver.normalise(first.substitute(&by));
        let is_internal = method.name.starts_with('_') || self.hints.leaves_out(&method.path());
        let by_reference = taken(&first, ty).filter(|_| method.is_method() && !is_internal)?;
        let call = self.call(method, by, 1, Request::PLAIN).ok()?;
        let returns = returned(&self.solver, &call.output, method.is_async);
        let output = future_output(&call.output).filter(|_| returns == Returned::Future);
        let output = output.unwrap_or(&call.output);
        if keeps_object(output) || is_observer(&method.name, output, Returned::Observe) {
            return None;
        }
        let filling = Filling {
            name: method.name.clone(),
            path: call.path,
            by: by_reference,
            waits: returns == Returned::Future,
            returned: amount(output),
            arguments: call.arguments,
        };
        let is_made = |it: &ArgumentRecipe| !it.choices.is_empty();
        let fits = call.from_object.is_empty() && filling.arguments.iter().all(is_made);
        (fits && filling.taken() > 0).then_some(filling)
    }
}

/// See [`Filling::returned`].
fn amount(output: &RustType) -> u8 {
    match output {
        RustType::Tuple(items) if items.is_empty() => 0,
        RustType::Primitive(name) if name == "bool" => 1,
        _ if output.path() == "core::result::Result" => output.argument(0).map_or(2, amount),
        _ => 2,
    }
}

/// True for a guard or a reference, which may hold the object, and for what never comes.
fn keeps_object(output: &RustType) -> bool {
    let mut keeps = matches!(output, RustType::Primitive(name) if name == "never");
    output.visit(&mut |it| {
        keeps |= borrows(it) || matches!(it, RustType::Reference { .. } | RustType::RawPointer);
    });
    keeps
}

impl Filling {
    /// Arguments that are given away.
    fn taken(&self) -> usize {
        let is_borrowed = |it: &ArgumentRecipe| {
            let written = it.type_expression.as_deref().unwrap_or_default();
            it.passed != Passed::Value || written.starts_with('&')
        };
        self.arguments.iter().filter(|it| !is_borrowed(it)).count()
    }

    /// What is made plainly, after calls of the method.
    fn fill(&self, plain: &ArgumentChoice, access: Access) -> Option<ArgumentChoice> {
        let (receiver, reached) = access.receiver(self.by)?;
        let binding = access.binding(self.by);
        let mut text = format!("{{ {binding}{MADE} = {};", plain.text);
        let mut parts: Vec<Expression> = vec![format!("{{ {binding}{MADE} = ").into()];
        parts.push(plain.expression.clone());
        for nth in 0..CALLS {
            let chosen = self.arguments.iter();
            let chosen = chosen.map(|it| (it.passed, &it.choices[nth % it.choices.len()]));
            let values = chosen.clone().map(|(passed, it)| match passed {
                Passed::Reference => it.expression.clone().between("&", ""),
                Passed::MutableReference => it.expression.clone().between("&mut ", ""),
                _ => it.expression.clone(),
            });
            let receiver = std::iter::once(receiver.clone());
            let mut called = Expression::call(&self.path, receiver.chain(values));
            let shown: Vec<&str> = chosen.map(|(_, it)| it.text.as_str()).collect();
            let mut end = "";
            if self.waits {
                called = called.awaited();
                end = ".await";
            }
            let (name, shown) = (&self.name, shown.join(", "));
            text.push_str(&format!(" {reached}.{name}({shown}){end};"));
            parts.extend(["; let _ = ".into(), called]);
        }
        text.push_str(&format!(" {MADE} }}"));
        parts.push(format!("; {MADE} }}").into());
        Some(choice(text, Expression::Sequence(parts)))
    }
}

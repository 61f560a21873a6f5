//! Ways to make a value of a type of the crate: associated functions, `Default`, `From`, builders, free functions, variants, literals.

use rustdoc_types::ItemEnum;

use super::recipes::{MAX_CHOICES, Recipes, Request, cannot_make, choice};
use super::render::source;
use super::rust_type::{RustType, Substitution, TypeArgument, bind};
use super::solver::Holds;
use super::std_paths::last_segment;
use super::subject_catalog::{ArgumentChoice, ArgumentRecipe, ConstructorEntry, Made, Passed};
use crate::skipped::Skipped;

/// A constructor with what decides its place in the list.
pub(super) struct Ranked {
    pub(super) rank: (usize, usize, usize),
    pub(super) entry: ConstructorEntry,
}

impl Recipes<'_> {
    /// Ways to make a `ty`, preferred first, and what was left out.
    pub(crate) fn constructors(
        &self,
        ty: &RustType,
        depth: usize,
    ) -> (Vec<ConstructorEntry>, Vec<Skipped>) {
        if self.in_progress.borrow().contains(ty) {
            return (Vec::new(), Vec::new());
        }
        self.in_progress.borrow_mut().push(ty.clone());
        let mut found = Vec::new();
        let mut left_out = Vec::new();
        self.literals(ty, depth, &mut found);
        self.trait_constructors(ty, depth, &mut found);
        self.own_trait_constructors(ty, depth, &mut found);
        for (place, maker) in self.functions.makers(ty.path()).enumerate() {
            match self.maker(ty, maker, place, depth) {
                Ok(entries) => found.extend(entries),
                Err(None) => {}
                Err(Some(why)) => left_out.push(Skipped::new(maker.name.clone(), why)),
            }
        }
        self.in_progress.borrow_mut().pop();
        // Fewest arguments first, a well-known name counts for about one.
        found.sort_by_key(|it| (it.rank.0 + it.rank.1, it.rank.1, it.rank));
        let mut entries: Vec<ConstructorEntry> = Vec::new();
        for ranked in found {
            let same = |it: &ConstructorEntry| it.expression == ranked.entry.expression;
            if !entries.iter().any(same) {
                entries.push(ranked.entry);
            }
        }
        (entries, left_out)
    }

    /// Alternatives for a value of a type of the crate.
    ///
    /// # Errors
    /// Says that it cannot be made.
    pub(crate) fn own_values(
        &self,
        ty: &RustType,
        depth: usize,
    ) -> Result<Vec<ArgumentChoice>, String> {
        let key = (ty.clone(), depth);
        let known = self.constructors.borrow().get(&key).cloned();
        let entries = match known {
            Some(entries) => entries,
            None => {
                let (entries, _) = self.constructors(ty, depth);
                // What is found inside a circle depends on where the circle was entered.
                if self.in_progress.borrow().is_empty() {
                    self.constructors.borrow_mut().insert(key, entries.clone());
                }
                entries
            }
        };
        let mut choices: Vec<ArgumentChoice> = Vec::new();
        for entry in entries.iter().filter(|it| it.made == Made::Plain) {
            let most = entry
                .arguments
                .iter()
                .map(|it| it.choices.len())
                .max()
                .unwrap_or(1);
            let wanted = if choices.is_empty() { most.min(2) } else { 1 };
            choices.extend((0..wanted).filter_map(|it| flatten(entry, it, borrows(ty))));
            if choices.len() >= MAX_CHOICES {
                break;
            }
        }
        choices.truncate(MAX_CHOICES);
        if choices.is_empty() {
            return Err(cannot_make(ty));
        }
        Ok(choices)
    }

    pub(super) fn request<'r>(&self, ty: &'r RustType, depth: usize) -> Request<'r> {
        Request {
            depth,
            constructs: Some(ty),
            ..Request::PLAIN
        }
    }

    /// `Default` and `From`.
    fn trait_constructors(&self, ty: &RustType, depth: usize, found: &mut Vec<Ranked>) {
        let library = self.solver.library;
        let Ok(written) = source(library, ty) else {
            return;
        };
        let short = last_segment(ty.path());
        if self.solver.implements(ty, "core::default::Default") == Holds::Yes {
            found.push(Ranked {
                rank: (2, 0, 0),
                entry: ConstructorEntry {
                    text: format!("{short}::default()"),
                    expression: format!("<{written} as std::default::Default>::default()"),
                    made: Made::Plain,
                    arguments: Vec::new(),
                },
            });
        }
        for from in self.conversions(ty) {
            let Ok(argument) = self.argument(&from, self.request(ty, depth)) else {
                continue;
            };
            found.push(Ranked {
                rank: (5, 1, found.len()),
                entry: ConstructorEntry {
                    text: format!("{short}::from({{0}})"),
                    expression: format!("<{written} as std::convert::From<_>>::from({{0}})"),
                    made: Made::Plain,
                    arguments: vec![argument],
                },
            });
        }
    }

    /// Functions of the crate's own traits that give `Self`.
    fn own_trait_constructors(&self, ty: &RustType, depth: usize, found: &mut Vec<Ranked>) {
        for (method, mut by) in self.trait_functions(ty) {
            let is_self = RustType::Parameter("Self".to_owned());
            if method.is_method() || method.output != is_self || method.is_async {
                continue;
            }
            by.insert("Self".to_owned(), TypeArgument::Type(ty.clone()));
            let Ok(call) = self.call(&method, by, 0, self.request(ty, depth)) else {
                continue;
            };
            let short = last_segment(ty.path());
            found.push(Ranked {
                rank: (3, call.arguments.len(), found.len()),
                entry: ConstructorEntry {
                    text: format!("{short}::{}({})", method.name, call.placeholders()),
                    expression: format!("{}({})", call.path, call.placeholders()),
                    made: Made::Plain,
                    arguments: call.arguments,
                },
            });
        }
    }

    /// Types `X` with `impl From<X> for ty` in the crate, others than parameters.
    fn conversions(&self, ty: &RustType) -> Vec<RustType> {
        let library = self.solver.library;
        let mut found = Vec::new();
        for at in library.impls_of_type(ty.path()) {
            let Some(ItemEnum::Impl(block)) = library.item(at).map(|it| &it.inner) else {
                continue;
            };
            let Some(trait_) = &block.trait_ else {
                continue;
            };
            if block.blanket_impl.is_some() || block.is_synthetic {
                continue;
            }
            let bound = library.trait_bound(at.document, trait_);
            if bound.path != "core::convert::From" {
                continue;
            }
            let constraints = library.constraints(at.document, &block.generics);
            let for_ = library.convert(at.document, &block.for_);
            let mut by = Substitution::new();
            if !bind(&for_, ty, &constraints.names(), &mut by) {
                continue;
            }
            if let Some(from) = bound.substitute(&by).types().next()
                && from.is_closed()
                && self.solver.all_hold(&constraints, &by) != Holds::No
            {
                found.push(from.clone());
            }
        }
        found.truncate(2);
        found
    }

    /// The parameters of a type's definition, as its arguments have them.
    pub(crate) fn bind_parameters(&self, ty: &RustType) -> Option<Substitution> {
        let (path, arguments) = ty.as_named()?;
        let (_, item) = self.solver.library.find_item(path)?;
        let generics = super::document::generics_of(item)?;
        let names = generics.params.iter().map(|it| it.name.clone());
        Some(names.zip(arguments.iter().cloned()).collect())
    }
}

/// An entry as one expression, each argument by its alternative number `index` or its last.
fn flatten(entry: &ConstructorEntry, index: usize, leak: bool) -> Option<ArgumentChoice> {
    let mut expression = entry.expression.clone();
    let mut text = entry.text.clone();
    for (number, argument) in entry.arguments.iter().enumerate() {
        let chosen = &argument.choices.get(index).or(argument.choices.last())?;
        let passed = passed_expression(argument, chosen, leak)?;
        expression = expression.replace(&format!("{{{number}}}"), &passed);
        text = text.replace(&format!("{{{number}}}"), &chosen.text);
    }
    Some(choice(text, expression))
}

/// The value may hold on to what it is given.
pub(super) fn borrows(ty: &RustType) -> bool {
    let (_, arguments) = ty.as_named().unwrap_or_default();
    arguments
        .iter()
        .any(|it| matches!(it, super::rust_type::TypeArgument::Lifetime))
}

fn passed_expression(
    argument: &ArgumentRecipe,
    chosen: &ArgumentChoice,
    leak: bool,
) -> Option<String> {
    let leaked = || {
        format!(
            "std::boxed::Box::leak(std::boxed::Box::new({}))",
            chosen.expression
        )
    };
    match argument.passed {
        Passed::Reference if leak => Some(format!("&*{}", leaked())),
        Passed::MutableReference if leak => Some(leaked()),
        Passed::Value => Some(chosen.expression.clone()),
        Passed::Reference => Some(format!("&({})", chosen.expression)),
        Passed::MutableReference => Some(format!("&mut ({})", chosen.expression)),
        Passed::OtherObject | Passed::OtherObjectArc => None,
    }
}

//! Ways to make a value of a type of the crate: associated functions, `Default`, `From`, builders, free functions,
//! variants, literals.

use contest_data::subject::StandInMode;
use rustdoc_types::ItemEnum;

use super::hints::written;
use super::holds::Holds;
use super::obstacle::Obstacle;
use super::public_names::Namespace;
use super::recipes::{Recipes, leaked};
use super::render::source;
use super::request::{MAX_CHOICES, Request, cannot_make, choice};
use super::rust_type::{RustType, Substitution, TypeArgument, bind};
use super::std_paths::last_segment;
use super::std_values::LONG;
use contest_catalog::expression::{Expression, Hole};
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::{
    ArgumentChoice, ArgumentRecipe, ConstructorEntry, Made, Passed,
};

/// How much lower the rank is of a method that returns an `Option`: where there is another way, it is not taken.
pub(super) const ABSENT: usize = 64;

/// The rank of `Default`.
const DEFAULT: (usize, usize, usize) = (2, 0, 0);

/// A constructor with its sort key.
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
        self.given(ty, &mut found);
        self.literals(ty, depth, &mut found);
        self.trait_constructors(ty, depth, &mut found);
        self.own_trait_constructors(ty, depth, &mut found);
        let before = found.len();
        for (place, maker) in self.functions.makers(ty.path()).enumerate() {
            match self.maker(ty, maker, place, depth) {
                Ok(entries) => found.extend(entries),
                Err(None) => {}
                Err(Some(why)) => left_out.push(Skipped::new(maker.name.clone(), why.to_string())),
            }
        }
        if found.is_empty() {
            found = self.cloned(ty, depth);
        }
        self.in_progress.borrow_mut().pop();
        if found.iter().any(|it| it.rank.0 < ABSENT) {
            found.retain(|it| it.rank.0 < ABSENT);
        }
        // As an argument, a default is better than what other functions without arguments may give: extremes.
        if depth > 0 {
            let functions = found[before..].iter().map(|it| it.rank);
            let first = functions.filter(|it| (it.0, it.1) == (1, 0)).min();
            let default = found[..before].iter().position(|it| it.rank == DEFAULT);
            if let (Some(first), Some(default)) = (first, default) {
                found[default].rank = first;
            }
        }
        // By number of arguments; the rank of a constructor's kind weighs as much as one argument.
        found.sort_by_key(|it| (it.rank.0 + it.rank.1, it.rank.1, it.rank));
        let mut entries: Vec<ConstructorEntry> = Vec::new();
        for ranked in found {
            let same = |it: &ConstructorEntry| it.expression == ranked.entry.expression;
            if !entries.iter().any(same) {
                entries.push(ranked.entry);
            }
        }
        if depth == 0 {
            self.add_small_limits(ty, &mut entries);
        }
        (entries, left_out)
    }

    /// `Pool::new().max_size(1)` after `Pool::new()`.
    fn add_small_limits(&self, ty: &RustType, entries: &mut Vec<ConstructorEntry>) {
        let plain = entries.iter().position(|it| it.made == Made::Plain);
        let limited = plain.and_then(|at| {
            let value = flatten(&entries[at], 0, borrows(ty))?;
            let limited = self.with_small_limits(ty, &value, 0).into_iter().next()?;
            Some((at, limited))
        });
        if let Some((at, limited)) = limited {
            entries.insert(at + 1, ConstructorEntry::of_value(limited));
        }
    }

    /// Handles that nothing makes, and that objects lend: clones of these.
    fn cloned(&self, ty: &RustType, depth: usize) -> Vec<Ranked> {
        if self.solver.implements(ty, "core::clone::Clone") != Holds::Yes {
            return Vec::new();
        }
        let lenders = self.functions.lenders(ty.path()).enumerate();
        let made = lenders.filter_map(|(place, lender)| {
            let mut maker = lender.clone();
            if let RustType::Reference { to, .. } = &lender.output {
                maker.output = (**to).clone();
            }
            self.maker(ty, &maker, place, depth).ok()
        });
        let clone = |ranked: Ranked| {
            let entry = ranked.entry;
            Ranked {
                entry: ConstructorEntry {
                    expression: Expression::call("std::clone::Clone::clone", [entry.expression]),
                    text: entry.text.method("clone", []),
                    ..entry
                },
                ..ranked
            }
        };
        made.flatten().map(clone).collect()
    }

    /// Alternatives for a value of a type of the crate: first with small limits, which are soon reached.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn own_values(
        &self,
        ty: &RustType,
        depth: usize,
    ) -> Result<Vec<ArgumentChoice>, Obstacle> {
        let mut choices = self.plain_values(ty, depth)?;
        let limited = self.with_small_limits(ty, &choices[0], depth);
        choices.splice(0..0, limited.into_iter().take(1));
        choices.truncate(MAX_CHOICES);
        Ok(choices)
    }

    /// The same as its constructors make it.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn plain_values(
        &self,
        ty: &RustType,
        depth: usize,
    ) -> Result<Vec<ArgumentChoice>, Obstacle> {
        let key = (ty.clone(), depth);
        let known = self.constructors.borrow().get(&key).cloned();
        let entries = match known {
            Some(entries) => entries,
            None => {
                let (entries, _) = self.constructors(ty, depth);
                // What is found inside a cycle depends on where the cycle was entered.
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

    /// What the manifest says; it comes first.
    fn given(&self, ty: &RustType, found: &mut Vec<Ranked>) {
        let library = self.solver.library;
        let name = library.names.get(ty.path(), Namespace::Type);
        if let (Some(name), Ok(of_type)) = (name, source(library, ty))
            && let Some(expression) = self.hints.make_of(&name.path)
        {
            let value = written(&library.documents[0].name, expression);
            found.push(Ranked {
                rank: (0, 0, 0),
                entry: ConstructorEntry {
                    text: expression.into(),
                    // Type arguments may be open.
                    expression: value.between(format!("{{ let made: {of_type} = "), "; made }"),
                    made: Made::Plain,
                    mode: StandInMode::Usual,
                    arguments: Vec::new(),
                },
            });
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
                rank: DEFAULT,
                entry: ConstructorEntry {
                    text: Expression::call(format!("{short}::default"), []),
                    expression: default_of(&written),
                    made: Made::Plain,
                    mode: StandInMode::Usual,
                    arguments: Vec::new(),
                },
            });
        }
        self.parsed(ty, &written, depth, found);
        for from in self.conversions(ty) {
            let Ok(argument) = self.argument(&from, Request::to_construct(ty, depth)) else {
                continue;
            };
            found.push(Ranked {
                rank: (5, 1, found.len()),
                entry: ConstructorEntry {
                    text: Expression::call(format!("{short}::from"), Expression::arguments(0, 1)),
                    expression: Expression::call(
                        format!("<{written} as std::convert::From<_>>::from"),
                        Expression::arguments(0, 1),
                    ),
                    made: Made::Plain,
                    mode: StandInMode::Usual,
                    arguments: vec![argument],
                },
            });
        }
    }

    /// `FromStr` and `TryFrom`, of texts that fit.
    fn parsed(&self, ty: &RustType, written: &str, depth: usize, found: &mut Vec<Ranked>) {
        if depth == 0 {
            return;
        }
        let text = RustType::reference(RustType::Primitive("str".to_owned()));
        if self.solver.implements(ty, "core::str::traits::FromStr") == Holds::Yes {
            let path = format!("<{written} as std::str::FromStr>::from_str");
            found.extend(self.of_text(ty, "from_str", &path, &text));
        }
        for from in self.converted_from(ty, "core::convert::TryFrom") {
            if from == text || from == RustType::string() {
                let path = format!("<{written} as std::convert::TryFrom<_>>::try_from");
                found.extend(self.of_text(ty, "try_from", &path, &from));
            }
        }
    }

    /// Values that a fallible function makes of texts that fit.
    fn of_text(&self, ty: &RustType, name: &str, path: &str, text: &RustType) -> Vec<Ranked> {
        let Ok(argument) = self.argument(text, Request::PLAIN) else {
            return Vec::new();
        };
        let of = Expression::call(path, Expression::arguments(0, 1));
        let text = Expression::call(
            format!("{}::{name}", last_segment(ty.path())),
            Expression::arguments(0, 1),
        );
        let entry = ConstructorEntry {
            text: text.method("unwrap", []),
            expression: Expression::Unwrapped {
                of: Box::new(of),
                is_result: true,
            },
            made: Made::Plain,
            mode: StandInMode::Usual,
            arguments: vec![argument],
        };
        let all = self.of_fitting_texts(&entry, path, true).into_iter();
        let ranked = (0..).zip(all).map(|(nth, entry)| Ranked {
            rank: (5, 1, nth),
            entry,
        });
        ranked.collect()
    }

    /// Functions of the crate's own traits that give `Self`.
    fn own_trait_constructors(&self, ty: &RustType, depth: usize, found: &mut Vec<Ranked>) {
        for (method, mut by) in self.solver.trait_functions(ty) {
            let is_self = RustType::Parameter("Self".to_owned());
            if method.is_method() || method.output != is_self || method.is_async {
                continue;
            }
            by.insert("Self".to_owned(), TypeArgument::Type(ty.clone()));
            let Ok(call) = self.call(&method, by, 0, Request::to_construct(ty, depth)) else {
                continue;
            };
            let short = last_segment(ty.path());
            found.push(Ranked {
                rank: (3, call.arguments.len(), found.len()),
                entry: ConstructorEntry {
                    text: Expression::call(format!("{short}::{}", method.name), call.holes()),
                    expression: Expression::call(&call.path, call.holes()),
                    made: Made::Plain,
                    mode: StandInMode::Usual,
                    arguments: call.arguments,
                },
            });
        }
    }

    /// Types `X` with `impl From<X> for ty` in the crate, others than parameters.
    pub(super) fn conversions(&self, ty: &RustType) -> Vec<RustType> {
        let mut found = self.converted_from(ty, "core::convert::From");
        found.truncate(2);
        found
    }

    /// The same of this trait.
    fn converted_from(&self, ty: &RustType, path: &str) -> Vec<RustType> {
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
            if bound.path != path {
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
        found
    }
}

/// An entry as one expression, each argument by its alternative `index` or else its last.
pub(super) fn flatten(
    entry: &ConstructorEntry,
    index: usize,
    leak: bool,
) -> Option<ArgumentChoice> {
    let chosen: Vec<&ArgumentChoice> = entry
        .arguments
        .iter()
        .map(|it| it.choices.get(index).or(it.choices.last()))
        .collect::<Option<_>>()?;
    let passed: Vec<Expression> = entry
        .arguments
        .iter()
        .zip(&chosen)
        .map(|(argument, chosen)| passed_expression(argument.passed, chosen, leak))
        .collect::<Option<_>>()?;
    let text = entry.text.fill(&|hole| match hole {
        Hole::Argument(number) => Some(chosen.get(number)?.text.clone().into()),
        Hole::Object { .. } => None,
    });
    let expression = entry.expression.fill(&|hole| match hole {
        Hole::Argument(number) => passed.get(number).cloned(),
        Hole::Object { .. } => None,
    });
    Some(choice(text.to_string(), expression))
}

/// The default of a type that is written so.
pub(super) fn default_of(written: &str) -> Expression {
    Expression::call(format!("<{written} as std::default::Default>::default"), [])
}

/// A call, as it is compiled and as it is shown, with the first alternative of each argument in place of its hole.
pub(super) fn fixed_arguments(
    expression: Expression,
    text: Expression,
    arguments: &[ArgumentRecipe],
) -> Option<(Expression, Expression)> {
    let first = |argument: &ArgumentRecipe| argument.choices.first().cloned();
    chosen_arguments(expression, text, arguments, first)
}

/// As [`fixed_arguments`], for what is made before the threads start: where a time is wanted, it is one that does not
/// pass at once.
pub(super) fn lasting_arguments(
    expression: Expression,
    text: Expression,
    arguments: &[ArgumentRecipe],
) -> Option<(Expression, Expression)> {
    let lasting = |argument: &ArgumentRecipe| {
        let mut choices = argument.choices.iter();
        let long = choices.find(|it| it.text == LONG);
        long.or_else(|| argument.choices.first()).cloned()
    };
    chosen_arguments(expression, text, arguments, lasting)
}

fn chosen_arguments(
    expression: Expression,
    text: Expression,
    arguments: &[ArgumentRecipe],
    choose: impl Fn(&ArgumentRecipe) -> Option<ArgumentChoice>,
) -> Option<(Expression, Expression)> {
    let mut passed = Vec::new();
    let mut shown: Vec<Expression> = Vec::new();
    for argument in arguments {
        let chosen = choose(argument)?;
        passed.push(passed_expression(argument.passed, &chosen, true)?);
        shown.push(chosen.text.into());
    }
    let fill = |call: Expression, by: &[Expression]| {
        call.fill(&|hole| match hole {
            Hole::Argument(number) => by.get(number).cloned(),
            Hole::Object { .. } => None,
        })
    };
    Some((fill(expression, &passed), fill(text, &shown)))
}

/// True if the value may keep references to its arguments.
pub(super) fn borrows(ty: &RustType) -> bool {
    let (_, arguments) = ty.as_named().unwrap_or_default();
    arguments
        .iter()
        .any(|it| matches!(it, super::rust_type::TypeArgument::Lifetime))
}

fn passed_expression(passed: Passed, chosen: &ArgumentChoice, leak: bool) -> Option<Expression> {
    let value = chosen.expression.clone();
    match passed {
        Passed::Reference if leak => Some(leaked(value).between("&*", "")),
        Passed::MutableReference if leak => Some(leaked(value)),
        Passed::Value => Some(value),
        Passed::Reference => Some(value.between("&(", ")")),
        Passed::MutableReference => Some(value.between("&mut (", ")")),
        Passed::OtherObject | Passed::OtherObjectArc => None,
    }
}

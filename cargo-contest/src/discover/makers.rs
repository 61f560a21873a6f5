//! Values made by functions: associated functions, builders, free functions, and what is unwrapped from their results.

use super::calls::Call;
use super::constructors::{Ranked, borrows};
use super::recipes::{MAX_CHOICES, MAX_NESTING, Recipes, Request};
use super::render::source;
use super::rust_type::{RustType, Substitution, bind};
use super::signature::{Owner, Signature};
use super::std_paths::last_segment;
use super::std_traits::is_integer;
use super::subject_catalog::{ConstructorEntry, Made};

impl Recipes<'_> {
    /// Constructors that call `maker`. `Err(None)` if it does not make this type after all.
    pub(super) fn maker(
        &self,
        ty: &RustType,
        maker: &Signature,
        place: usize,
        depth: usize,
    ) -> Result<Vec<Ranked>, Option<String>> {
        let mut by = Substitution::new();
        let wrapping =
            unwrapping(&maker.output, ty, &maker.constraints.names(), &mut by).ok_or(None)?;
        let is_own = matches!(&maker.owner, Owner::Inherent(owner) if owner.path() == ty.path());
        let mut chains = vec![(String::new(), String::new(), 0)];
        let n_given = usize::from(maker.is_method());
        if maker.is_method() {
            let Owner::Inherent(owner) = &maker.owner else {
                return Err(None);
            };
            // A method of the type itself makes nothing from nothing; others are worth a try as long as it is cheap.
            // What is borrowed from an object made on the way (the guard of a lock nobody else knows) is of no use.
            if is_own || depth >= MAX_NESTING || borrows(ty) {
                return Err(None);
            }
            let Some((receiver, reference)) = receiver_of(maker) else {
                return Err(None);
            };
            let owner = self.close(owner, maker, &mut by).ok_or(None)?;
            debug_assert!(matches!(receiver, RustType::Named { .. }) || owner.is_closed());
            chains = self.receivers(&owner, reference, depth).ok_or(None)?;
        }
        let call = self
            .call(maker, by, n_given, self.request(ty, depth))
            .map_err(Some)?;
        let ranked = chains
            .into_iter()
            .map(|(receiver, receiver_text, penalty)| {
                let entry = finish(&call, &wrapping, &receiver, &receiver_text);
                let closures = call
                    .arguments
                    .iter()
                    .filter(|it| it.choices.iter().any(|it| it.text.starts_with('|')))
                    .count();
                let class = match (&maker.owner, maker.is_method()) {
                    // As an argument, a builder's small value is the most telling one.
                    _ if depth > 0 && maker.is_method() && penalty == 0 => 0,
                    _ if is_own && maker.name == "new" => 0,
                    _ if is_own => 1,
                    (_, true) => 6,
                    _ => 4,
                };
                Ranked {
                    rank: (
                        class + wrapping.cost,
                        call.arguments.len() + closures,
                        place * 8 + penalty,
                    ),
                    entry,
                }
            });
        Ok(ranked.collect())
    }

    /// Values of a builder: plain, and with one setter called with a small value.
    fn receivers(
        &self,
        owner: &RustType,
        reference: &str,
        depth: usize,
    ) -> Option<Vec<(String, String, usize)>> {
        let library = self.solver.library;
        let values = self.own_values(owner, depth + 1).ok()?;
        let base = &values[0];
        let passed = |expression: &str| format!("{reference}{expression}");
        let mut chains = vec![(passed(&base.expression), base.text.clone(), 1)];
        let sizes = ["size", "cap", "max", "limit", "count", "num", "threads"];
        for setter in self.functions.inherent(owner.path()) {
            let simple = setter.inputs.len() == 2
                && is_integer(&setter.inputs[1].1)
                && sizes.iter().any(|it| setter.name.contains(it));
            if !simple || setter.is_unsafe || setter.is_hidden || setter.is_async {
                continue;
            }
            let mut by = Substitution::new();
            let names = setter.constraints.names();
            let by_value = matches!(receiver_of(setter), Some((_, "")));
            if !by_value || !bind(&setter.output, owner, &names, &mut by) {
                continue;
            }
            let Owner::Inherent(own) = &setter.owner else {
                continue;
            };
            let own = self.solver.normalise(own.substitute(&by));
            let (true, Ok(written)) = (own.is_closed(), source(library, &own)) else {
                continue;
            };
            let request = Request {
                name: &setter.name,
                ..self.request(owner, depth)
            };
            let Ok(values) = self.values(&setter.inputs[1].1, request) else {
                continue;
            };
            let value = &values[0];
            let called = format!(
                "<{written}>::{}({}, {})",
                setter.name, base.expression, value.expression
            );
            let text = format!("{}.{}({})", base.text, setter.name, value.text);
            // A small pool shows more than a big one.
            chains.insert(chains.len() - 1, (passed(&called), text, 0));
            if chains.len() >= MAX_CHOICES {
                break;
            }
        }
        Some(chains)
    }

    /// Fills the parameters of a maker's owner that its output leaves open.
    fn close(
        &self,
        owner: &RustType,
        maker: &Signature,
        by: &mut Substitution,
    ) -> Option<RustType> {
        let closed = self.solver.normalise(owner.substitute(by));
        if closed.is_closed() {
            return Some(closed);
        }
        let mut open = Vec::new();
        closed.visit(&mut |it| {
            if let RustType::Parameter(name) = it {
                open.push(name.clone());
            }
        });
        for name in open {
            let bounds: Vec<_> = maker
                .constraints
                .bounds
                .iter()
                .filter(|(subject, _)| *subject == RustType::Parameter(name.clone()))
                .map(|(_, it)| it.clone())
                .collect();
            let chosen = self.type_for(&bounds, by, &[]).ok()?;
            by.insert(name, super::rust_type::TypeArgument::Type(chosen));
        }
        let closed = self.solver.normalise(owner.substitute(by));
        closed.is_closed().then_some(closed)
    }
}

/// Type of `self` and how a value is turned into it.
fn receiver_of(method: &Signature) -> Option<(&RustType, &'static str)> {
    match &method.inputs.first()?.1 {
        RustType::Reference { to, .. } if to.path() == "alloc::sync::Arc" => None,
        RustType::Reference { mutable, to, .. } => Some((to, if *mutable { "&mut " } else { "&" })),
        ty @ RustType::Named { .. } if ty.path() != "alloc::sync::Arc" => Some((ty, "")),
        _ => None,
    }
}

/// How a maker's output becomes the value: text with `{}` for the call.
struct Unwrapping {
    around: String,
    text_after: String,
    made: Made,
    /// Detours make a constructor less welcome.
    cost: usize,
}

/// Peels `Result`, `Option`, `Arc`, `Box` and pairs off `output` until it is `ty`.
fn unwrapping(
    output: &RustType,
    ty: &RustType,
    free: &[String],
    by: &mut Substitution,
) -> Option<Unwrapping> {
    let mut trial = by.clone();
    if !matches!(output, RustType::Parameter(_) | RustType::Projection { .. })
        && bind(output, ty, free, &mut trial)
    {
        *by = trial;
        return Some(Unwrapping {
            around: "{}".to_owned(),
            text_after: String::new(),
            made: Made::Plain,
            cost: 0,
        });
    }
    let inner = |index: usize| output.argument(index);
    match output {
        RustType::Named { path, .. } => {
            let (around, after) = match path.as_str() {
                "core::result::Result" => ("{}.ok().unwrap()", ".unwrap()"),
                "core::option::Option" => ("{}.unwrap()", ".unwrap()"),
                "alloc::boxed::Box" => ("*{}", ""),
                "alloc::sync::Arc" => ("{}", ""),
                _ => return None,
            };
            let rest = unwrapping(inner(0)?, ty, free, by)?;
            let is_arc = path == "alloc::sync::Arc";
            if is_arc && rest.around != "{}" {
                return None;
            }
            Some(Unwrapping {
                around: rest.around.replace("{}", around),
                text_after: format!("{after}{}", rest.text_after),
                made: if is_arc { Made::Arc } else { rest.made },
                cost: rest.cost + usize::from(is_arc),
            })
        }
        RustType::Tuple(items) if items.len() > 1 => {
            let (index, rest) = items
                .iter()
                .enumerate()
                .find_map(|(index, it)| Some((index, unwrapping(it, ty, free, by)?)))?;
            let names: Vec<String> = (0..items.len()).map(|it| format!("part_{it}")).collect();
            let forgotten: Vec<String> = names
                .iter()
                .enumerate()
                .filter(|(it, _)| *it != index)
                .map(|(_, it)| format!("std::mem::forget({it});"))
                .collect();
            // The other half lives on: a channel without its other end is closed.
            let around = format!(
                "{{ let ({}) = {{}}; {} {} }}",
                names.join(", "),
                forgotten.join(" "),
                rest.around.replace("{}", &names[index]),
            );
            Some(Unwrapping {
                around,
                text_after: format!(".{index}{}", rest.text_after),
                made: rest.made,
                cost: rest.cost + 1,
            })
        }
        _ => None,
    }
}

/// How the expression of a constructor begins that keeps one part of a tuple.
const ONE_PART: &str = "{ let (part_0, ";

/// True if the constructor makes a tuple of which it keeps one part.
pub(super) fn takes_apart(constructor: &ConstructorEntry) -> bool {
    constructor.expression.starts_with(ONE_PART)
}

fn finish(
    call: &Call,
    wrapping: &Unwrapping,
    receiver: &str,
    receiver_text: &str,
) -> ConstructorEntry {
    let placeholders = call.placeholders();
    let (written, text) = if receiver.is_empty() {
        (
            format!("{}({placeholders})", call.path),
            format!("{}({placeholders})", call.short_path),
        )
    } else {
        let comma = if placeholders.is_empty() { "" } else { ", " };
        let name = last_segment(&call.short_path);
        (
            format!("{}({receiver}{comma}{placeholders})", call.path),
            format!("{receiver_text}.{name}({placeholders})"),
        )
    };
    ConstructorEntry {
        text: format!("{text}{}", wrapping.text_after),
        expression: wrapping.around.replace("{}", &written),
        made: wrapping.made,
        arguments: call.arguments.clone(),
    }
}

//! Values made by functions: associated functions, builders, free functions, and what is unwrapped from their results.

use super::calls::Call;
use super::constructors::{ABSENT, Ranked, borrows};
use super::numbers::is_limit;
use super::obstacle::Obstacle;
use super::recipes::Recipes;
use super::render::source;
use super::request::{MAX_CHOICES, MAX_METHODS, Request, choice};
use super::rust_type::{RustType, Substitution, bind};
use super::signature::{Owner, Signature};
use super::std_paths::last_segment;
use super::std_traits::is_integer;
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{ArgumentChoice, ArgumentRecipe, ConstructorEntry, Made};
use contest_data::subject::StandInMode;

impl Recipes<'_> {
    /// Constructors that call `maker`. `Err(None)` if it does not make this type after all.
    pub(super) fn maker(
        &self,
        ty: &RustType,
        maker: &Signature,
        place: usize,
        depth: usize,
    ) -> Result<Vec<Ranked>, Option<Obstacle>> {
        let mut by = Substitution::new();
        let mut names = maker.constraints.names();
        names.push("Self".to_owned());
        let mut wrapping = unwrapping(&maker.output, ty, &names, &mut by).ok_or(None)?;
        if maker.is_async {
            // What a method gives only after a wait is used further where it is given.
            if maker.is_method() {
                return Err(None);
            }
            wrapping = wrapping.inside(Layer::Future, 1);
        }
        let is_own = matches!(&maker.owner, Owner::Inherent(owner) if owner.path() == ty.path());
        let mut chains = vec![Chain::default()];
        let n_given = usize::from(maker.is_method());
        if let (Owner::Trait(trait_), true) = (&maker.owner, maker.is_method()) {
            if depth >= MAX_METHODS {
                return Err(None);
            }
            let request = Request::to_construct(ty, depth + 1);
            let receiver = self.extended(maker, trait_, &mut by, request);
            chains = vec![Chain {
                receiver: Some(receiver.map_err(Some)?),
                penalty: 1,
            }];
        } else if maker.is_method() {
            let Owner::Inherent(owner) = &maker.owner else {
                return Err(None);
            };
            // A method of the type itself needs a value of the type; methods of other types are tried while that is
            // cheap. A value that borrows from an intermediate object (the guard of a lock that no other thread can
            // reach) is useless.
            if is_own || depth >= MAX_METHODS {
                return Err(None);
            }
            let Some((receiver, reference)) = receiver_of(maker) else {
                return Err(None);
            };
            // A builder may hand on what it has borrowed itself.
            if borrows(ty) && !reference.is_empty() && !borrows(owner) {
                return Err(None);
            }
            let owner = self.close(owner, maker, &mut by).ok_or(None)?;
            debug_assert!(matches!(receiver, RustType::Named { .. }) || owner.is_closed());
            chains = self.receivers(&owner, reference, depth).ok_or(None)?;
        }
        let call = self
            .call(maker, by, n_given, Request::to_construct(ty, depth))
            .map_err(Some)?;
        let ranked = chains.into_iter().flat_map(|chain| {
            let penalty = chain.penalty;
            let is_free = chain.receiver.is_none();
            let entry = finish(&call, &wrapping, chain.receiver);
            let closures = call.arguments.iter().filter(|it| is_closure(it)).count();
            let class = match (&maker.owner, maker.is_method()) {
                // As an argument, a small value of a builder is the most useful one.
                _ if depth > 0 && maker.is_method() && penalty == 0 => 0,
                _ if is_own && maker.name == "new" => 0,
                _ if is_own => 1,
                (_, true) => 6,
                _ => 4,
            };
            // On a fresh object, methods that return `Option` usually return `None`: `peek`, `get`, `pop`.
            let absent = usize::from(maker.is_method() && wrapping.is_optional()) * ABSENT;
            let rank = (
                class + wrapping.cost + absent,
                call.arguments.len() + closures,
                place * 8 + penalty,
            );
            let refusing = wrapping.refusing().filter(|_| is_free && depth > 0);
            let fitting =
                refusing.map(|is_result| self.of_fitting_texts(&entry, &call.path, is_result));
            let entries = match fitting {
                Some(fitting) if !fitting.is_empty() => fitting,
                _ => vec![entry],
            };
            entries.into_iter().map(move |entry| Ranked { rank, entry })
        });
        Ok(ranked.collect())
    }

    /// Values of a builder: plain, and with small limits, which show more than big ones.
    fn receivers(&self, owner: &RustType, reference: &str, depth: usize) -> Option<Vec<Chain>> {
        let values = self.plain_values(owner, depth + 1).ok()?;
        let chain = |it: &ArgumentChoice, penalty| Chain {
            receiver: Some((
                it.expression.clone().between(reference, ""),
                it.text.clone().into(),
            )),
            penalty,
        };
        let limited = self.with_small_limits(owner, &values[0], depth);
        let mut chains: Vec<Chain> = limited.iter().map(|it| chain(it, 0)).collect();
        chains.push(chain(&values[0], 1));
        Some(chains)
    }

    /// What this value becomes by its methods that set a limit (`with_capacity(self, n) -> Self`), each with a small
    /// number: by all of them, then by one.
    pub(super) fn with_small_limits(
        &self,
        owner: &RustType,
        base: &ArgumentChoice,
        depth: usize,
    ) -> Vec<ArgumentChoice> {
        let setters: Vec<Setter<'_>> = self
            .functions
            .inherent(owner.path())
            .filter_map(|it| self.setter_of_limit(owner, it, depth))
            .collect();
        let by_one = setters.iter().map(|it| it.called_on(base.clone()));
        let by_one = by_one.take(MAX_CHOICES - 1);
        if setters.len() < 2 {
            return by_one.collect();
        }
        let by_all = setters
            .iter()
            .fold(base.clone(), |value, it| it.called_on(value));
        std::iter::once(by_all)
            .chain(by_one.take(MAX_CHOICES - 2))
            .collect()
    }

    fn setter_of_limit<'a>(
        &'a self,
        owner: &RustType,
        setter: &'a Signature,
        depth: usize,
    ) -> Option<Setter<'a>> {
        let [_, (_, number)] = &setter.inputs[..] else {
            return None;
        };
        if !is_integer(number) || !is_limit(&setter.name) {
            return None;
        }
        if setter.is_unsafe || setter.is_hidden || setter.is_async {
            return None;
        }
        let mut by = Substitution::new();
        let names = setter.constraints.names();
        let by_value = matches!(receiver_of(setter), Some((_, "")));
        if !by_value || !bind(&setter.output, owner, &names, &mut by) {
            return None;
        }
        let Owner::Inherent(own) = &setter.owner else {
            return None;
        };
        let own = self.solver.normalise(own.substitute(&by));
        let path = source(self.solver.library, &own).ok()?;
        if !own.is_closed() {
            return None;
        }
        let request = Request {
            name: &setter.name,
            ..Request::to_construct(owner, depth)
        };
        let value = self.values(number, request).ok()?.into_iter().next()?;
        Some(Setter {
            path,
            name: &setter.name,
            value,
        })
    }

    /// Fills the parameters of a maker's owner that its output leaves open.
    pub(super) fn close(
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
pub(super) fn receiver_of(method: &Signature) -> Option<(&RustType, &'static str)> {
    match &method.inputs.first()?.1 {
        RustType::Reference { to, .. } if to.path() == "alloc::sync::Arc" => None,
        RustType::Reference { mutable, to, .. } => Some((to, if *mutable { "&mut " } else { "&" })),
        ty @ RustType::Named { .. } if ty.path() != "alloc::sync::Arc" => Some((ty, "")),
        _ => None,
    }
}

/// A method that sets a limit and gives the value back.
struct Setter<'a> {
    /// The type, as it is compiled.
    path: String,
    name: &'a str,
    value: ArgumentChoice,
}

impl Setter<'_> {
    fn called_on(&self, value: ArgumentChoice) -> ArgumentChoice {
        let arguments = [value.expression, self.value.expression.clone()];
        let called = Expression::call(format!("<{}>::{}", self.path, self.name), arguments);
        let text = Expression::from(value.text);
        let text = text.method(self.name, [self.value.text.clone().into()]);
        choice(text.to_string(), called)
    }
}

/// A value whose method is the maker, as expression and as text; none for functions.
#[derive(Default)]
struct Chain {
    receiver: Option<(Expression, Expression)>,
    penalty: usize,
}

/// How a maker's output becomes the value: layers from the outside in.
#[derive(Default)]
pub(super) struct Unwrapping {
    layers: Vec<Layer>,
    /// Detours lower the rank of a constructor.
    cost: usize,
}

/// What is around a value.
#[derive(Clone, Copy, PartialEq)]
enum Layer {
    Future,
    Result,
    Option,
    Box,
    Arc,
    Tuple { index: usize, length: usize },
}

impl Layer {
    /// What is inside, as it is compiled.
    fn taken_off(self, value: Expression) -> Expression {
        match self {
            Self::Result | Self::Option => Expression::Unwrapped {
                of: Box::new(value),
                is_result: self == Self::Result,
            },
            Self::Future => value.awaited(),
            Self::Box => value.between("*", ""),
            Self::Arc => value,
            Self::Tuple { index, length } => Expression::TupleElement {
                tuple: Box::new(value),
                index,
                length,
            },
        }
    }

    /// As it is shown.
    fn shown_off(self, text: Expression) -> Expression {
        match self {
            Self::Result | Self::Option => text.method("unwrap", []),
            Self::Future => text.between("", ".await"),
            Self::Box | Self::Arc => text,
            // What runs is shown: the other elements are not dropped.
            Self::Tuple { index, length } => {
                let names = || (0..length).map(|it| format!("part_{it}"));
                let all: Vec<String> = names().collect();
                let others = names().enumerate().filter(|(it, _)| *it != index);
                let forgotten: Vec<String> = others
                    .map(|(_, name)| format!(" mem::forget({name});"))
                    .collect();
                text.between(
                    format!("{{ let ({}) = ", all.join(", ")),
                    format!(";{} part_{index} }}", forgotten.concat()),
                )
            }
        }
    }
}

/// What is inside an output, without `Result`, `Option` and `Box`: its type, the value and its text.
pub(super) fn unwrapped(
    output: &RustType,
    value: Expression,
    text: Expression,
) -> (&RustType, Expression, Expression) {
    let layer = match output.path() {
        "core::result::Result" => Layer::Result,
        "core::option::Option" => Layer::Option,
        "alloc::boxed::Box" => Layer::Box,
        _ => return (output, value, text),
    };
    match output.argument(0) {
        Some(inner) => unwrapped(inner, layer.taken_off(value), layer.shown_off(text)),
        None => (output, value, text),
    }
}

/// Peels `Result`, `Option`, `Arc`, `Box` and pairs off `output` until it is `ty`.
pub(super) fn unwrapping(
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
        return Some(Unwrapping::default());
    }
    let inner = |index: usize| output.argument(index);
    match output {
        RustType::Named { path, .. } => {
            let layer = match path.as_str() {
                "core::result::Result" => Layer::Result,
                "core::option::Option" => Layer::Option,
                "alloc::boxed::Box" => Layer::Box,
                "alloc::sync::Arc" => Layer::Arc,
                _ => return None,
            };
            let rest = unwrapping(inner(0)?, ty, free, by)?;
            // An `Arc` is kept, so nothing can be taken out of it.
            if layer == Layer::Arc && !rest.layers.is_empty() {
                return None;
            }
            Some(rest.inside(layer, usize::from(layer == Layer::Arc)))
        }
        RustType::Tuple(items) if items.len() > 1 => {
            let (index, rest) = items
                .iter()
                .enumerate()
                .find_map(|(index, it)| Some((index, unwrapping(it, ty, free, by)?)))?;
            let length = items.len();
            Some(rest.inside(Layer::Tuple { index, length }, 1))
        }
        _ => None,
    }
}

impl Unwrapping {
    /// True if the output may be `None`.
    fn is_optional(&self) -> bool {
        self.layers.contains(&Layer::Option)
    }

    /// Where nothing else is around the value than a `Result` or an `Option`: true for the first.
    fn refusing(&self) -> Option<bool> {
        match self.layers[..] {
            [Layer::Result] => Some(true),
            [Layer::Option] => Some(false),
            _ => None,
        }
    }

    /// The same with one more layer around it.
    fn inside(mut self, layer: Layer, cost: usize) -> Self {
        self.layers.insert(0, layer);
        self.cost += cost;
        self
    }
}

fn is_closure(argument: &ArgumentRecipe) -> bool {
    let mut choices = argument.choices.iter();
    choices.any(|it| matches!(it.expression, Expression::Closure { .. }))
}

pub(super) fn finish(
    call: &Call,
    wrapping: &Unwrapping,
    receiver: Option<(Expression, Expression)>,
) -> ConstructorEntry {
    let (called, text) = match receiver {
        None => (
            Expression::call(&call.path, call.holes()),
            Expression::call(&call.short_path, call.holes()),
        ),
        Some((value, text)) => (
            Expression::call(&call.path, std::iter::once(value).chain(call.holes())),
            text.method(last_segment(&call.short_path), call.holes()),
        ),
    };
    let layers = || wrapping.layers.iter();
    ConstructorEntry {
        text: layers().fold(text, |text, layer| layer.shown_off(text)),
        expression: layers().fold(called, |value, layer| layer.taken_off(value)),
        made: match wrapping.layers.last() {
            Some(Layer::Arc) => Made::Arc,
            _ => Made::Plain,
        },
        mode: StandInMode::Usual,
        arguments: call.arguments.clone(),
    }
}

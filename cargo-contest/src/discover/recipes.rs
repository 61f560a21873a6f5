//! How to make a value of a type: alternatives as Rust expressions.

use std::cell::RefCell;
use std::collections::HashMap;

use super::closures::closure_choices;
use super::library::Constraints;
use super::render::{for_people, source};
use super::rust_type::{RustType, Substitution, TraitBound, TypeArgument};
use super::signature::Functions;
use super::solver::{Holds, Solver};
use super::std_paths::last_segment;
use super::subject_catalog::{ArgumentChoice, ArgumentRecipe, ConstructorEntry, Passed};

/// What is needed to make values.
#[derive(Debug)]
pub(crate) struct Recipes<'a> {
    pub(crate) solver: Solver<'a>,
    pub(crate) functions: &'a Functions,
    /// Constructors found so far, by type and depth.
    pub(crate) constructors: RefCell<HashMap<(RustType, usize), Vec<ConstructorEntry>>>,
    /// Types whose constructors are being looked for: makers go round in circles.
    pub(crate) in_progress: RefCell<Vec<RustType>>,
}

/// Nesting of constructors of the package's own types in one argument.
pub(crate) const MAX_NESTING: usize = 2;
/// Alternatives for one argument.
pub(crate) const MAX_CHOICES: usize = 3;

/// What is known about an argument beside its type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    /// The type under test, whose other objects may be passed.
    pub(crate) subject: Option<&'a RustType>,
    /// Name of the parameter.
    pub(crate) name: &'a str,
    /// How deep in constructors of own types.
    pub(crate) depth: usize,
    /// It is a constructor's argument.
    pub(crate) constructs: Option<&'a RustType>,
    /// A closure counts how often it is called.
    pub(crate) counts: bool,
}

impl Request<'_> {
    pub(crate) const PLAIN: Self = Self {
        subject: None,
        name: "",
        depth: 0,
        constructs: None,
        counts: false,
    };
}

impl<'a> Recipes<'a> {
    pub(crate) fn new(solver: Solver<'a>, functions: &'a Functions) -> Self {
        Self {
            solver,
            functions,
            constructors: RefCell::default(),
            in_progress: RefCell::default(),
        }
    }

    /// How to pass an argument of type `ty`.
    ///
    /// # Errors
    /// Says which type cannot be made.
    pub(crate) fn argument(
        &self,
        ty: &RustType,
        request: Request<'_>,
    ) -> Result<ArgumentRecipe, String> {
        let object = |passed| {
            Ok(ArgumentRecipe {
                type_expression: None,
                passed,
                choices: Vec::new(),
            })
        };
        let (owned, passed) = match ty {
            RustType::Reference { mutable, to, .. } => {
                if Some(&**to) == request.subject && !mutable {
                    return object(Passed::OtherObject);
                }
                let passed = if *mutable {
                    Passed::MutableReference
                } else {
                    Passed::Reference
                };
                match &**to {
                    RustType::Primitive(name) if name == "str" && !mutable => {
                        (ty.clone(), Passed::Value)
                    }
                    RustType::Primitive(name) if name == "str" => (RustType::string(), passed),
                    RustType::Slice(item) => (
                        RustType::named("alloc::vec::Vec", [(**item).clone()]),
                        passed,
                    ),
                    RustType::Named { path, .. }
                        if !mutable
                            && matches!(
                                path.as_str(),
                                "std::path::Path" | "std::ffi::os_str::OsStr"
                            ) =>
                    {
                        (ty.clone(), Passed::Value)
                    }
                    RustType::Dyn(bounds) | RustType::Impl(bounds) => {
                        (self.type_for(bounds, &HashMap::new(), &[])?, passed)
                    }
                    other => (other.clone(), passed),
                }
            }
            RustType::Impl(bounds) => (self.type_for(bounds, &HashMap::new(), &[])?, Passed::Value),
            _ if ty.path() == "alloc::sync::Arc"
                && request.subject.is_some()
                && ty.argument(0) == request.subject =>
            {
                return object(Passed::OtherObjectArc);
            }
            _ => (ty.clone(), Passed::Value),
        };
        let choices = self.values(&owned, request)?;
        let prefix = match passed {
            Passed::Reference => "&",
            Passed::MutableReference => "&mut ",
            _ => "",
        };
        let choices = choices.into_iter().map(|it| ArgumentChoice {
            text: format!("{prefix}{}", it.text),
            expression: it.expression,
        });
        Ok(ArgumentRecipe {
            type_expression: Some(source(self.solver.library, &owned)?),
            passed,
            choices: choices.collect(),
        })
    }

    /// The first alternative for a value.
    ///
    /// # Errors
    /// As [`values`](Self::values).
    pub(crate) fn first_value(&self, ty: &RustType) -> Result<String, String> {
        let values = self.values(ty, Request::PLAIN)?;
        Ok(values
            .into_iter()
            .next()
            .map(|it| it.expression)
            .unwrap_or_default())
    }

    /// Alternatives for a value, at least one, all of type `ty`. Each expression has its type without help from its context.
    ///
    /// # Errors
    /// Says which type cannot be made.
    pub(crate) fn values(
        &self,
        ty: &RustType,
        request: Request<'_>,
    ) -> Result<Vec<ArgumentChoice>, String> {
        let choices = match ty {
            RustType::Primitive(name) => primitive_values(name, request),
            RustType::Tuple(items) => self.tuple_values(items, request)?,
            RustType::Array(item, length) => {
                let length: usize = length
                    .parse()
                    .map_err(|_| format!("an array of unknown length `{length}`"))?;
                let items = self.values(item, request)?;
                let first = &items[0];
                vec![choice(
                    format!("[{}]", vec![first.text.clone(); length].join(", ")),
                    format!("[{}]", vec![first.expression.clone(); length].join(", ")),
                )]
            }
            RustType::Reference { mutable, to, .. } => self.leaked(to, *mutable, request)?,
            RustType::Function { inputs, output } => {
                closure_choices(self, inputs, output, request)?
            }
            RustType::Named { path, .. } => self.named_values(ty, path, request)?,
            RustType::Impl(bounds) => {
                let chosen = self.type_for(bounds, &HashMap::new(), &[])?;
                self.values(&chosen, request)?
            }
            _ => Vec::new(),
        };
        if choices.is_empty() {
            return Err(cannot_make(ty));
        }
        Ok(choices)
    }

    fn tuple_values(
        &self,
        items: &[RustType],
        request: Request<'_>,
    ) -> Result<Vec<ArgumentChoice>, String> {
        let parts = items
            .iter()
            .map(|it| self.values(it, request))
            .collect::<Result<Vec<_>, _>>()?;
        let most = parts.iter().map(Vec::len).max().unwrap_or(1).min(2);
        let close = if items.len() == 1 { ",)" } else { ")" };
        let nth = |index: usize| {
            let at = |it: &Vec<ArgumentChoice>| it[index.min(it.len() - 1)].clone();
            let chosen: Vec<ArgumentChoice> = parts.iter().map(at).collect();
            let join = |of: &dyn Fn(&ArgumentChoice) -> String| {
                chosen.iter().map(of).collect::<Vec<_>>().join(", ")
            };
            choice(
                format!("({}{close}", join(&|it| it.text.clone())),
                format!("({}{close}", join(&|it| it.expression.clone())),
            )
        };
        Ok((0..most).map(nth).collect())
    }

    /// A reference that lives as long as anything asks for.
    fn leaked(
        &self,
        to: &RustType,
        mutable: bool,
        request: Request<'_>,
    ) -> Result<Vec<ArgumentChoice>, String> {
        let literal = |values: &[&str], make: &dyn Fn(&str) -> String| {
            let all = values.iter().map(|it| choice(make(it), make(it)));
            all.collect::<Vec<_>>()
        };
        match to {
            RustType::Primitive(name) if name == "str" && !mutable => {
                return Ok(literal(&["a", "b"], &|it| format!("{it:?}")));
            }
            RustType::Named { path, .. } if path == "std::path::Path" => {
                return Ok(literal(&["a", "b"], &|it| {
                    format!("std::path::Path::new({it:?})")
                }));
            }
            RustType::Named { path, .. } if path == "std::ffi::os_str::OsStr" => {
                return Ok(literal(&["a", "b"], &|it| {
                    format!("std::ffi::OsStr::new({it:?})")
                }));
            }
            _ => {}
        }
        let (owned, sigil) = match to {
            RustType::Slice(item) => (
                RustType::named("alloc::vec::Vec", [(**item).clone()]),
                if mutable { "&mut " } else { "&" },
            ),
            RustType::Dyn(_) => return Err(cannot_make(to)),
            _ => (to.clone(), if mutable { "&mut " } else { "&" }),
        };
        let values = self.values(&owned, request)?;
        let leak = |it: ArgumentChoice| {
            let leaked = format!(
                "std::boxed::Box::leak(std::boxed::Box::new({}))",
                it.expression
            );
            let expression = match (mutable, to) {
                (false, RustType::Slice(_)) => format!("&{leaked}[..]"),
                (true, RustType::Slice(_)) => format!("&mut {leaked}[..]"),
                (false, _) => format!("&*{leaked}"),
                (true, _) => leaked,
            };
            choice(format!("{sigil}{}", it.text), expression)
        };
        Ok(values.into_iter().map(leak).collect())
    }

    fn named_values(
        &self,
        ty: &RustType,
        path: &str,
        request: Request<'_>,
    ) -> Result<Vec<ArgumentChoice>, String> {
        if let Some(choices) = self.std_values(ty, path, request)? {
            return Ok(choices);
        }
        let stand_in = !path.contains("::");
        if stand_in {
            return Ok(vec![choice(path.to_owned(), path.to_owned())]);
        }
        if request.depth >= MAX_NESTING {
            return Err(format!(
                "`{}` would have to be made inside other values",
                last_segment(path)
            ));
        }
        self.own_values(ty, request.depth + 1)
    }

    /// A type that satisfies `bounds`: implied by the bounds themselves, one of `preferred`, a common one, one of the crate, a stand-in.
    ///
    /// # Errors
    /// Says which bounds could not be satisfied.
    pub(crate) fn type_for(
        &self,
        bounds: &[TraitBound],
        by: &super::rust_type::Substitution,
        preferred: &[RustType],
    ) -> Result<RustType, String> {
        let bounds: Vec<TraitBound> = bounds
            .iter()
            .map(|it| self.solver.normalise_bound(it.substitute(by)))
            .collect();
        let fits = |ty: &RustType| {
            bounds.iter().fold(Holds::Yes, |all, bound| {
                all.and(self.solver.holds(ty, bound))
            })
        };
        let mut fallback = None;
        let implied = bounds.iter().flat_map(|it| self.implied(it));
        let candidates = implied
            .chain(preferred.iter().cloned())
            .chain(common_types())
            .chain(bounds.iter().flat_map(|it| self.implementors(it)));
        for candidate in candidates {
            if !candidate.is_closed() || source(self.solver.library, &candidate).is_err() {
                continue;
            }
            match fits(&candidate) {
                Holds::Yes => return Ok(candidate),
                Holds::Maybe if fallback.is_none() => fallback = Some(candidate),
                _ => {}
            }
        }
        let own = bounds
            .iter()
            .filter(|it| super::stand_ins::may_stand_in(&it.path));
        let mut reason = None;
        for bound in own {
            match self.stand_in(bound) {
                Ok(ty) if fits(&ty) != Holds::No => return Ok(ty),
                Ok(_) => {}
                Err(why) => reason = Some(why),
            }
        }
        let wanted: Vec<String> = bounds.iter().map(super::render::bound_for_people).collect();
        fallback.ok_or_else(|| {
            let why = reason.map_or(String::new(), |it| format!(": {it}"));
            format!("no type known for `{}`{why}", wanted.join(" + "))
        })
    }

    /// Types that a bound itself suggests.
    fn implied(&self, bound: &TraitBound) -> Vec<RustType> {
        let argument = bound.types().next().cloned();
        let equal = |name: &str| {
            let found = bound.equalities.iter().find(|(own, _)| own == name);
            found.map(|(_, ty)| self.solver.normalise(ty.clone()))
        };
        let pointer_to = |ty: RustType| match &ty {
            RustType::Primitive(name) if name == "str" => {
                vec![RustType::reference(ty.clone()), RustType::string()]
            }
            RustType::Slice(item) => vec![RustType::named("alloc::vec::Vec", [(**item).clone()])],
            RustType::Named { path, .. } if path == "std::path::Path" => {
                vec![RustType::reference(RustType::primitive("str"))]
            }
            _ => vec![
                RustType::named("alloc::boxed::Box", [ty.clone()]),
                RustType::reference(ty.clone()),
                ty,
            ],
        };
        if let Some((inputs, output)) = bound.as_callable() {
            return vec![RustType::Function {
                inputs: inputs
                    .into_iter()
                    .map(|it| self.solver.normalise(it))
                    .collect(),
                output: Box::new(self.solver.normalise(output)),
            }];
        }
        match bound.path.as_str() {
            "core::convert::Into" | "core::convert::TryInto" => match argument {
                Some(ty) if ty.path() == "alloc::string::String" => {
                    vec![RustType::reference(RustType::primitive("str")), ty]
                }
                Some(ty) => {
                    let mut found = vec![ty.clone()];
                    found.extend(self.sources_of(&ty));
                    found
                }
                None => Vec::new(),
            },
            "core::convert::AsRef" | "core::borrow::Borrow" => {
                argument.map(pointer_to).unwrap_or_default()
            }
            "core::ops::deref::Deref" => equal("Target").map(pointer_to).unwrap_or_default(),
            "core::fmt::Display" | "alloc::string::ToString" => vec![RustType::string()],
            "core::error::Error" => vec![RustType::named("core::fmt::Error", [])],
            "core::hash::BuildHasher" => {
                vec![RustType::named(super::std_paths::RANDOM_STATE, [])]
            }
            "core::iter::traits::collect::IntoIterator" => {
                let item = equal("Item").unwrap_or(RustType::primitive("u32"));
                vec![RustType::named("alloc::vec::Vec", [item])]
            }
            "core::iter::traits::iterator::Iterator"
            | "core::iter::traits::exact_size::ExactSizeIterator"
            | "core::iter::traits::double_ended::DoubleEndedIterator" => {
                let item = equal("Item").unwrap_or(RustType::primitive("u32"));
                vec![RustType::named("alloc::vec::into_iter::IntoIter", [item])]
            }
            "core::iter::traits::collect::FromIterator" | "core::iter::traits::collect::Extend" => {
                let item = argument.unwrap_or(RustType::primitive("u32"));
                vec![RustType::named("alloc::vec::Vec", [item])]
            }
            "core::future::future::Future" => {
                let output = equal("Output").unwrap_or(RustType::unit());
                vec![RustType::named("core::future::ready::Ready", [output])]
            }
            _ => Vec::new(),
        }
    }

    /// Types that convert into `ty` by an impl of the crate, simple ones first.
    fn sources_of(&self, ty: &RustType) -> Vec<RustType> {
        let from = TraitBound {
            arguments: Vec::new(),
            ..TraitBound::plain("core::convert::From")
        };
        let mut found = Vec::new();
        for candidate in common_types() {
            let bound = TraitBound {
                arguments: vec![TypeArgument::Type(candidate.clone())],
                ..from.clone()
            };
            if !super::std_paths::is_std(ty.path()) && self.solver.holds(ty, &bound) == Holds::Yes {
                found.push(candidate);
            }
        }
        found
    }

    /// Values for the parameters of an impl block for `for_`: the defaults of the type, else common types that satisfy the bounds.
    fn usual_arguments(&self, for_: &RustType, constraints: &Constraints) -> Substitution {
        let library = self.solver.library;
        let mut by = Substitution::new();
        if let (Some((_, item)), Some((_, arguments))) =
            (library.find_item(for_.path()), for_.as_named())
        {
            let generics = super::document::generics_of(item);
            let at = library.find(for_.path());
            if let (Some(generics), Some(at)) = (generics, at) {
                let own = library.constraints(at.document, generics);
                let types = arguments
                    .iter()
                    .filter(|it| !matches!(it, TypeArgument::Lifetime(_)));
                for (parameter, argument) in own.parameters.iter().zip(types) {
                    if let (Some(default), TypeArgument::Type(RustType::Parameter(name))) =
                        (&parameter.default, argument)
                    {
                        by.insert(name.clone(), default.clone());
                    }
                }
            }
        }
        for parameter in &constraints.parameters {
            if by.contains_key(&parameter.name) {
                continue;
            }
            let value = match (&parameter.default, &parameter.constant) {
                (_, Some(_)) => TypeArgument::Const("2".to_owned()),
                (Some(default), None) => default.clone(),
                (None, None) => {
                    let own = RustType::Parameter(parameter.name.clone());
                    let bounds = constraints.bounds.iter().filter(|(it, _)| *it == own);
                    let bounds: Vec<&TraitBound> = bounds.map(|(_, it)| it).collect();
                    let fits = |ty: &RustType| {
                        bounds
                            .iter()
                            .all(|it| self.solver.holds(ty, it) == Holds::Yes)
                    };
                    let common = common_types().into_iter().find(fits);
                    TypeArgument::Type(common.unwrap_or(RustType::primitive("u32")))
                }
            };
            by.insert(parameter.name.clone(), value);
        }
        by
    }

    /// Types with an impl of a crate's trait that was read, parameters filled with `u32`.
    pub(crate) fn implementors(&self, bound: &TraitBound) -> Vec<RustType> {
        use rustdoc_types::ItemEnum;
        if super::std_paths::is_std(&bound.path) {
            return Vec::new();
        }
        let library = self.solver.library;
        let mut found = Vec::new();
        for at in library.impls_of_trait(&bound.path) {
            let Some(ItemEnum::Impl(block)) = library.item(*at).map(|it| &it.inner) else {
                continue;
            };
            if block.is_negative {
                continue;
            }
            let for_ = library.convert(at.document, &block.for_);
            let constraints = library.constraints(at.document, &block.generics);
            let by = self.usual_arguments(&for_, &constraints);
            let ty = self.solver.normalise(for_.substitute(&by));
            if matches!(for_, RustType::Parameter(_)) || found.contains(&ty) {
                continue;
            }
            found.push(ty);
        }
        // Own types first, then by how simple they are.
        // Own types first, those that are easily made and looked at before others.
        found.sort_by_key(|it| {
            let text = for_people(it);
            let is_own = library.is_own(it.path());
            let has_default = self.solver.implements(it, "core::default::Default") == Holds::Yes;
            let shows = self.functions.inherent(it.path()).any(|method| {
                method.inputs.len() == 1 && matches!(method.name.as_str(), "get" | "load" | "value")
            });
            (!is_own, !has_default, !shows, text.len(), text)
        });
        found
    }
}

/// Types tried for any bound, in order.
pub(crate) fn common_types() -> Vec<RustType> {
    let u32 = || RustType::primitive("u32");
    vec![
        u32(),
        RustType::string(),
        RustType::named("alloc::boxed::Box", [RustType::primitive("u64")]),
        RustType::primitive("usize"),
        RustType::unit(),
        RustType::reference(RustType::primitive("str")),
        RustType::named("alloc::vec::Vec", [RustType::primitive("u8")]),
        RustType::named("alloc::sync::Arc", [u32()]),
        RustType::named("core::option::Option", [u32()]),
        RustType::named(super::std_paths::RANDOM_STATE, []),
        RustType::named("core::fmt::Error", []),
        RustType::named(
            "core::num::nonzero::NonZero",
            [RustType::primitive("usize")],
        ),
        RustType::primitive("u64"),
        RustType::primitive("u8"),
        RustType::primitive("i64"),
        RustType::primitive("f64"),
        RustType::primitive("bool"),
        RustType::primitive("char"),
        RustType::named(
            "alloc::vec::Vec",
            [RustType::Tuple(vec![
                RustType::string(),
                RustType::string(),
            ])],
        ),
    ]
}

pub(crate) fn choice(text: impl Into<String>, expression: impl Into<String>) -> ArgumentChoice {
    ArgumentChoice {
        text: text.into(),
        expression: expression.into(),
    }
}

pub(crate) fn cannot_make(ty: &RustType) -> String {
    format!("takes a type that cannot be made: {}", for_people(ty))
}

fn primitive_values(name: &str, request: Request<'_>) -> Vec<ArgumentChoice> {
    let plain = |values: &[&str]| values.iter().map(|it| choice(*it, *it)).collect();
    match name {
        "bool" => plain(&["true", "false"]),
        "char" => plain(&["'a'", "'b'"]),
        "f32" | "f64" => ["1.0", "0.5", "2.5"]
            .iter()
            .map(|it| choice(*it, format!("{it}_{name}")))
            .collect(),
        "str" | "never" => Vec::new(),
        integer => {
            let numbers: Vec<String> = integer_values(integer, request);
            let typed = |it: String| {
                let expression = if it == "MAX" {
                    format!("{integer}::MAX")
                } else {
                    format!("{it}_{integer}")
                };
                let text = if it == "MAX" {
                    format!("{integer}::MAX")
                } else {
                    it
                };
                choice(text, expression)
            };
            numbers.into_iter().map(typed).collect()
        }
    }
}

/// Numbers that are likely to matter: sizes are small but not zero, except for caches, whose evictions nobody can foresee.
fn integer_values(integer: &str, request: Request<'_>) -> Vec<String> {
    let strings = |values: &[&str]| values.iter().map(|it| (*it).to_owned()).collect();
    if let Some(made) = request.constructs {
        let name = request.name.to_lowercase();
        let place = made.path().to_lowercase();
        if place.contains("cache") || place.contains("lru") {
            return strings(&[if integer.ends_with('8') {
                "100"
            } else {
                "1000"
            }]);
        }
        if name.contains("shard") {
            return strings(&["2", "4"]);
        }
        let size = [
            "cap", "size", "len", "limit", "max", "bound", "count", "num",
        ];
        if integer == "usize" || size.iter().any(|it| name.contains(it)) {
            return strings(&["1", "2", "4"]);
        }
        return strings(&["1", "0", "2"]);
    }
    let value = [
        "value", "val", "v", "x", "delta", "amount", "by", "new", "current",
    ];
    if integer != "usize" && integer != "isize" && value.contains(&request.name) {
        return strings(&["1", "0", "2", "MAX"]);
    }
    strings(&["1", "0", "2"])
}

//! How to make a value of a type: alternatives, as expressions.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

use super::closures::closure_choices;
use super::foreign_values::foreign_values;
use super::hints::Hints;
use super::idioms::Idioms;
use super::numbers::primitive_values;
use super::obstacle::Obstacle;
use super::render::source;
use super::request::{MAX_NESTING, PartValues, Request, cannot_make, choice};
use super::rust_type::{RustType, TraitBound};
use super::signature::Functions;
use super::solver::Solver;
use super::stand_in::{ALIGNED, CARRIES, LATER, UNSENT, UNSHARED};
use super::std_paths::last_segment;
use super::std_values::std_values;
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{
    ArgumentChoice, ArgumentRecipe, ConstructorEntry, Passed, TakenIdiom,
};

/// Makes values; caches constructors.
#[derive(Debug)]
pub(crate) struct Recipes<'a> {
    pub(crate) solver: Solver<'a>,
    pub(crate) functions: &'a Functions,
    pub(crate) hints: &'a Hints,
    /// What the package's own code passes.
    pub(super) idioms: &'a Idioms,
    /// Those that were taken, whether or not a subject has them in the end.
    pub(super) taken_idioms: RefCell<Vec<TakenIdiom>>,
    /// Settings of the manifest for values that stand for an argument somewhere.
    pub(super) used_values: RefCell<HashSet<String>>,
    /// Constructors found so far, by type and depth.
    pub(crate) constructors: RefCell<HashMap<(RustType, usize), Vec<ConstructorEntry>>>,
    /// Types whose constructors are being searched: constructors may be mutually recursive.
    pub(crate) in_progress: RefCell<Vec<RustType>>,
    /// Definition paths of types that operations of subjects return.
    pub(crate) returned: RefCell<HashSet<String>>,
    /// Constants of modules, with their types.
    pub(super) free_constants: OnceCell<Vec<(RustType, String)>>,
    /// Closures, and values of a type that is open, carry probes (`captured_probes`).
    pub(super) captures: Cell<bool>,
    /// Types of arguments of constructors, by what is written for them.
    pub(super) given_types: RefCell<HashMap<String, RustType>>,
    /// How many searches for implementors are under way, one inside the other.
    pub(crate) implementors_inside: Cell<usize>,
    /// Implementors found so far, by how many searches were under way and the trait: adapters of a trait take one
    /// another.
    pub(crate) implementors_known: RefCell<HashMap<(usize, String), Vec<RustType>>>,
}

impl<'a> Recipes<'a> {
    pub(crate) fn new(
        solver: Solver<'a>,
        functions: &'a Functions,
        hints: &'a Hints,
        idioms: &'a Idioms,
    ) -> Self {
        Self {
            solver,
            functions,
            hints,
            idioms,
            taken_idioms: RefCell::default(),
            used_values: RefCell::default(),
            constructors: RefCell::default(),
            in_progress: RefCell::default(),
            returned: RefCell::default(),
            free_constants: OnceCell::default(),
            captures: Cell::default(),
            given_types: RefCell::default(),
            implementors_inside: Cell::default(),
            implementors_known: RefCell::default(),
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
    ) -> Result<ArgumentRecipe, Obstacle> {
        let object = |passed| {
            Ok(ArgumentRecipe {
                type_expression: None,
                passed,
                choices: Vec::new(),
                of_texts: false,
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
            RustType::Impl(bounds) => {
                let chosen = self.capturing_type(bounds);
                let chosen = chosen.map_or_else(|| self.type_for(bounds, &HashMap::new(), &[]), Ok);
                (chosen?, Passed::Value)
            }
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
        let type_expression = match source(self.solver.library, &owned) {
            Ok(written) => Some(written),
            // Such a value has its type from the call: the package need not re-export it.
            Err(_) if foreign_values(owned.path()).is_some() => None,
            Err(why) => return Err(why),
        };
        if let (Some(_), Some(written)) = (request.constructs, &type_expression) {
            let mut given = self.given_types.borrow_mut();
            given.insert(written.clone(), owned.clone());
        }
        Ok(ArgumentRecipe {
            type_expression,
            passed,
            choices: choices.collect(),
            of_texts: false,
        })
    }

    /// The first alternative for a value.
    ///
    /// # Errors
    /// As [`values`](Self::values).
    pub(crate) fn first_value(&self, ty: &RustType) -> Result<Expression, Obstacle> {
        let values = self.values(ty, Request::PLAIN)?;
        let first = values.into_iter().next();
        first.map(|it| it.expression).ok_or_else(|| cannot_make(ty))
    }

    /// Alternatives for a value, at least one, all of type `ty`. Each expression has its type without help from its
    /// context.
    ///
    /// # Errors
    /// Says which type cannot be made.
    pub(crate) fn values(
        &self,
        ty: &RustType,
        request: Request<'_>,
    ) -> Result<Vec<ArgumentChoice>, Obstacle> {
        let choices = match ty {
            RustType::Primitive(name) => primitive_values(name, request),
            RustType::Tuple(items) => self.tuple_values(items, request)?,
            RustType::Array(item, length) => {
                let length: usize = length
                    .parse()
                    .map_err(|_| Obstacle::ArrayLength(length.clone()))?;
                let items = self.values(item, request)?;
                let first = &items[0];
                let items = vec![first.expression.clone(); length];
                vec![choice(
                    format!("[{}]", vec![first.text.clone(); length].join(", ")),
                    Expression::list("[", items, "]"),
                )]
            }
            RustType::Reference { mutable, to, .. } => self.references(to, *mutable, request)?,
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
    ) -> Result<Vec<ArgumentChoice>, Obstacle> {
        let parts = items
            .iter()
            .map(|it| self.values(it, request))
            .collect::<Result<Vec<_>, _>>()?;
        let most = parts.iter().map(Vec::len).max().unwrap_or(1).min(2);
        let close = if items.len() == 1 { ",)" } else { ")" };
        let nth = |index: usize| {
            let at = |it: &Vec<ArgumentChoice>| it[index.min(it.len() - 1)].clone();
            let chosen: Vec<ArgumentChoice> = parts.iter().map(at).collect();
            let texts: Vec<&str> = chosen.iter().map(|it| it.text.as_str()).collect();
            let text = format!("({}{close}", texts.join(", "));
            let parts = chosen.into_iter().map(|it| it.expression);
            choice(text, Expression::list("(", parts, close))
        };
        Ok((0..most).map(nth).collect())
    }

    /// References that live as long as any bound requires.
    fn references(
        &self,
        to: &RustType,
        mutable: bool,
        request: Request<'_>,
    ) -> Result<Vec<ArgumentChoice>, Obstacle> {
        let literal = |make: &dyn Fn(&str) -> String| {
            let all = request.texts().into_iter();
            all.map(|it| choice(make(&it), make(&it)))
                .collect::<Vec<_>>()
        };
        match to {
            RustType::Primitive(name) if name == "str" && !mutable => {
                let directory = Expression::NewDirectory
                    .method("to_string_lossy", [])
                    .method("into_owned", []);
                let directory = leaked(directory).between("&**", "");
                let mut choices = literal(&str::to_owned);
                choices.extend(request.new_directory(false, directory));
                return Ok(choices);
            }
            RustType::Named { path, .. } if path == "std::path::Path" => {
                let directory = leaked(Expression::NewDirectory).between("&**", "");
                let mut choices = literal(&|it| format!("std::path::Path::new({it})"));
                choices.extend(request.new_directory(true, directory));
                return Ok(choices);
            }
            RustType::Named { path, .. } if path == "std::ffi::os_str::OsStr" => {
                return Ok(literal(&|it| format!("std::ffi::OsStr::new({it})")));
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
            let leaked = leaked(it.expression);
            let expression = match (mutable, to) {
                (false, RustType::Slice(_)) => leaked.between("&", "[..]"),
                (true, RustType::Slice(_)) => leaked.between("&mut ", "[..]"),
                (false, _) => leaked.between("&*", ""),
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
    ) -> Result<Vec<ArgumentChoice>, Obstacle> {
        if let Some(choices) = std_values(self, ty, path, request)? {
            return Ok(choices);
        }
        let stand_in = !path.contains("::");
        if [UNSENT, UNSHARED].contains(&path) {
            let new = format!("{path}::new()");
            return Ok(vec![choice(new.clone(), new)]);
        }
        if path == ALIGNED {
            let values = ["Aligned(1)", "Aligned(2)"];
            return Ok(values.map(|it| choice(it, it)).into());
        }
        if path == LATER {
            let output = ty.argument(0).cloned().unwrap_or(RustType::unit());
            let outputs = self.values(&output, request)?;
            let first = outputs.into_iter().next().ok_or_else(|| cannot_make(ty))?;
            let made = |how: &str| {
                let name = format!("{path}::{how}");
                let text = format!("{name}({})", first.text);
                choice(text, Expression::call(name, [first.expression.clone()]))
            };
            return Ok(vec![made("now"), made("soon")]);
        }
        if stand_in && path.starts_with(CARRIES) {
            let made = format!("<{path} as std::default::Default>::default()");
            return Ok(vec![choice(path.to_owned(), made)]);
        }
        if stand_in {
            return Ok(vec![choice(path.to_owned(), path.to_owned())]);
        }
        if request.depth >= MAX_NESTING {
            return Err(Obstacle::TooDeep(last_segment(path).to_owned()));
        }
        let own = self.own_values(ty, request.depth + 1);
        own.or_else(|obstacle| foreign_values(path).ok_or(obstacle))
    }
}

impl PartValues for Recipes<'_> {
    fn solver(&self) -> &Solver<'_> {
        &self.solver
    }

    fn values(&self, ty: &RustType, request: Request<'_>) -> Result<Vec<ArgumentChoice>, Obstacle> {
        self.values(ty, request)
    }

    fn captures(&self) -> bool {
        self.captures.get()
    }

    fn type_of(&self, bounds: &[TraitBound]) -> Result<RustType, Obstacle> {
        self.type_for(bounds, &HashMap::new(), &[])
    }
}

/// A mutable reference to a value that is never dropped.
pub(super) fn leaked(value: Expression) -> Expression {
    value.between("std::boxed::Box::leak(std::boxed::Box::new(", "))")
}

//! A function whose parameters are all chosen: how to call it and what comes back.

use std::collections::VecDeque;

use super::hints::written;
use super::holds::Holds;
use super::obstacle::Obstacle;
use super::recipes::Recipes;
use super::render::source;
use super::request::{Request, choice};
use super::rust_type::{RustType, Substitution, TraitBound, TypeArgument};
use super::signature::{Owner, Signature};
use super::std_paths::last_segment;
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{ArgumentRecipe, Passed};

const FN_ONCE: &str = "core::ops::function::FnOnce";

/// A callable function.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Path with type arguments: `<dashmap::DashMap<u32, u32>>::insert`, `prometheus::core::Collector::collect`.
    pub(crate) path: String,
    /// For reports: `DashMap::insert`.
    pub(crate) short_path: String,
    /// `::<u32>` for method syntax; empty if the compiler infers it.
    pub(crate) turbofish: String,
    /// Arguments after the receiver.
    pub(crate) arguments: Vec<ArgumentRecipe>,
    /// Arguments that the object makes, each at its place among all of them.
    pub(crate) from_object: Vec<(usize, Expression)>,
    pub(crate) output: RustType,
}

impl Call {
    /// What stands for its arguments: holes, and what the object makes.
    pub(crate) fn holes(&self) -> impl Iterator<Item = Expression> + use<> {
        let mut all: Vec<Expression> = Expression::arguments(0, self.arguments.len()).collect();
        for (place, made) in &self.from_object {
            all.insert(*place, made.clone());
        }
        all.into_iter()
    }
}

impl Recipes<'_> {
    /// Chooses the open parameters of `signature`, given some in `bound`, and finds arguments for all inputs but the
    /// first `n_given`.
    ///
    /// # Errors
    /// The bound or argument that prevents the call.
    pub(crate) fn call(
        &self,
        signature: &Signature,
        mut bound: Substitution,
        n_given: usize,
        request: Request<'_>,
    ) -> Result<Call, Obstacle> {
        if signature.is_unsafe {
            return Err(Obstacle::Unsafe);
        }
        if signature.is_hidden {
            return Err(Obstacle::Hidden);
        }
        self.choose_parameters(signature, &mut bound)?;
        if let Some(why) = self.solver.failing(&signature.constraints, &bound) {
            return Err(why);
        }
        let mut arguments = Vec::new();
        let mut from_object = Vec::new();
        for (place, (name, ty)) in signature.inputs.iter().skip(n_given).enumerate() {
            let counts = self.counts_calls(signature, ty);
            let ty = self.solver.normalise(ty.substitute(&bound));
            let receiver = usize::from(signature.is_method());
            let index = (place + n_given).saturating_sub(receiver);
            // Arguments of operations on one object should meet each other: `insert("a")`, `get("a")`.
            let texts = match request.constructs {
                Some(_) => self.idioms.texts(signature, index),
                None => Vec::new(),
            };
            let request = Request {
                name,
                counts,
                texts: &texts,
                ..request
            };
            let found = self.argument(&ty, request);
            arguments.push(match self.given_values(signature, name, &ty, &found) {
                Some(given) => given,
                None => match found {
                    Ok(found) => found,
                    Err(why) => {
                        if let Some(made) = self.made_by_object(&ty, request) {
                            from_object.push((place, made));
                            continue;
                        }
                        self.idiomatic(signature, index, &ty, why)?
                    }
                },
            });
        }
        let (path, short_path) = self.path(signature, &bound)?;
        Ok(Call {
            path,
            short_path,
            turbofish: self.turbofish(signature, &bound)?,
            arguments,
            from_object,
            output: self.solver.normalise(signature.output.substitute(&bound)),
        })
    }

    /// The argument by what the manifest says of it.
    fn given_values(
        &self,
        signature: &Signature,
        name: &str,
        ty: &RustType,
        found: &Result<ArgumentRecipe, Obstacle>,
    ) -> Option<ArgumentRecipe> {
        let (key, values) = self.hints.values_of(&signature.path(), name)?;
        self.used_values.borrow_mut().insert(key.to_owned());
        let krate = &self.solver.library.documents[0].name;
        let choices = values.iter().map(|it| choice(it, written(krate, it)));
        let recipe = match found {
            Ok(found) => found.clone(),
            Err(_) => ArgumentRecipe {
                type_expression: source(self.solver.library, ty).ok(),
                passed: Passed::Value,
                choices: Vec::new(),
                of_texts: false,
            },
        };
        Some(ArgumentRecipe {
            choices: choices.collect(),
            ..recipe
        })
    }

    /// Gives each parameter that is still free a type that satisfies its bounds.
    fn choose_parameters(
        &self,
        signature: &Signature,
        bound: &mut Substitution,
    ) -> Result<(), Obstacle> {
        let constraints = &signature.constraints;
        let is_closure = |name: &str| {
            constraints.bounds.iter().any(|(subject, bound)| {
                *subject == RustType::Parameter(name.to_owned()) && bound.as_callable().is_some()
            })
        };
        let open: Vec<_> = constraints
            .parameters
            .iter()
            .filter(|it| !bound.contains_key(&it.name))
            .cloned()
            .collect();
        // Closures last: their types mention the other parameters.
        let (closures, plain): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|it| is_closure(&it.name));
        let mut left: VecDeque<_> = plain.into_iter().chain(closures).collect();
        // How many in a row wait for parameters that their bounds mention.
        let mut waiting = 0;
        while let Some(parameter) = left.pop_front() {
            if parameter.constant.is_some() {
                let value = match &parameter.default {
                    Some(TypeArgument::Const(value)) => value.clone(),
                    _ => "2".to_owned(),
                };
                bound.insert(parameter.name.clone(), TypeArgument::Const(value));
                continue;
            }
            let bounds: Vec<TraitBound> = constraints
                .bounds
                .iter()
                .filter(|(subject, _)| *subject == RustType::Parameter(parameter.name.clone()))
                .map(|(_, it)| it.clone())
                .collect();
            let preferred = self.preferred(signature, &parameter.name, bound);
            let name = &parameter.name;
            let waits = left.iter().any(|other| {
                let mut equal = bounds.iter().flat_map(|it| &it.equalities);
                equal.any(|(_, it)| it.mentions(&other.name))
            });
            // A parameter waits for those that its bounds mention: `I: IntoIterator<Item = S>` is a list of what
            // `S` is. Of parameters that wait for each other, one has to begin.
            if waits && waiting < left.len() {
                waiting += 1;
                left.push_back(parameter);
                continue;
            }
            waiting = 0;
            let chosen = self.type_for_parameter(signature, name, &bounds, bound, &preferred)?;
            bound.insert(name.clone(), TypeArgument::Type(chosen));
        }
        Ok(())
    }

    /// As [`type_for`](Self::type_for), but a type must also satisfy the bounds on other types that mention the
    /// parameter: `K: Borrow<Q>`.
    fn type_for_parameter(
        &self,
        signature: &Signature,
        name: &str,
        bounds: &[TraitBound],
        known: &Substitution,
        preferred: &[RustType],
    ) -> Result<RustType, Obstacle> {
        let suits = |ty: &RustType| {
            let mut known = known.clone();
            known.insert(name.to_owned(), TypeArgument::Type(ty.clone()));
            self.solver.all_hold(&signature.constraints, &known) != Holds::No
        };
        let closed = bounds.iter().map(|it| it.substitute(known));
        let closed: Vec<TraitBound> = closed.map(|it| self.solver.normalise_bound(it)).collect();
        if let Some(found) = self.capturing_type(&closed).filter(|it| suits(it)) {
            return Ok(found);
        }
        if let Some(found) = preferred.iter().find(|it| suits(it)) {
            return Ok(found.clone());
        }
        let chosen = self.type_for(bounds, known, &[])?;
        if suits(&chosen) {
            return Ok(chosen);
        }
        let others = super::types_for_bounds::common_types();
        Ok(others.into_iter().find(|it| suits(it)).unwrap_or(chosen))
    }

    /// Types that make a call meaningful: the right-hand side of `K: Borrow<Q>` is `K`; what a closure returns is made
    /// of what it gets.
    fn preferred(&self, signature: &Signature, name: &str, known: &Substitution) -> Vec<RustType> {
        let mut found = Vec::new();
        for (subject, bound) in &signature.constraints.bounds {
            let mentioned = bound.types().any(|it| it.mentions(name));
            if mentioned && bound.as_callable().is_none() {
                let subject = self.solver.normalise(subject.substitute(known));
                if subject.is_closed() {
                    found.push(subject);
                }
            }
            let own = *subject == RustType::Parameter(name.to_owned());
            if own && bound.as_callable().is_none() {
                for argument in bound.types() {
                    let ty = self.solver.normalise(argument.substitute(known));
                    if ty.is_closed() {
                        found.push(ty);
                    }
                }
            }
            if let Some((inputs, output)) = bound.as_callable()
                && output == RustType::Parameter(name.to_owned())
            {
                for input in inputs {
                    let input = self.solver.normalise(input.substitute(known));
                    match &input {
                        RustType::Reference { to, .. } => match &**to {
                            RustType::Slice(item) => {
                                found.push(RustType::named("alloc::vec::Vec", [(**item).clone()]))
                            }
                            RustType::Primitive(name) if name == "str" => {
                                found.push(RustType::string());
                            }
                            other => found.push(other.clone()),
                        },
                        _ => found.push(input),
                    }
                }
            }
        }
        let clonable =
            |it: &RustType| self.solver.implements(it, "core::clone::Clone") == Holds::Yes;
        let is_sized = |it: &RustType| {
            !matches!(it, RustType::Slice(_) | RustType::Dyn(_))
                && *it != RustType::primitive("str")
        };
        found.retain(|it| it.is_closed() && is_sized(it) && clonable(it));
        found
    }

    /// A closure counts its calls only where the documentation promises that it runs at most once among all callers:
    /// elsewhere retries and lost races are within the contract.
    fn counts_calls(&self, signature: &Signature, ty: &RustType) -> bool {
        let is_fn_once = match ty {
            RustType::Parameter(_) => signature
                .constraints
                .bounds
                .iter()
                .any(|(subject, bound)| subject == ty && bound.path == FN_ONCE),
            RustType::Impl(bounds) => bounds.iter().any(|it| it.path == FN_ONCE),
            _ => false,
        };
        is_fn_once && promises_one_call(&signature.docs)
    }

    fn path(&self, signature: &Signature, by: &Substitution) -> Result<(String, String), Obstacle> {
        let library = self.solver.library;
        let name = &identifier(&signature.name);
        match &signature.owner {
            Owner::Free(path) => {
                let turbofish = self.turbofish(signature, by)?;
                Ok((format!("{path}{turbofish}"), name.clone()))
            }
            Owner::Inherent(owner) => {
                let owner = self.solver.normalise(owner.substitute(by));
                let short = last_segment(owner.path());
                let turbofish = self.turbofish(signature, by)?;
                Ok((
                    format!("<{}>::{name}{turbofish}", source(library, &owner)?),
                    format!("{short}::{name}"),
                ))
            }
            Owner::Trait(bound) => {
                let Some(TypeArgument::Type(own)) = by.get("Self") else {
                    return Err(Obstacle::NoSelf);
                };
                let bound = self.solver.normalise_bound(bound.substitute(by));
                let trait_ = super::render::trait_source(library, &bound)?;
                let turbofish = self.turbofish(signature, by)?;
                Ok((
                    format!("<{} as {trait_}>::{name}{turbofish}", source(library, own)?),
                    format!("{}::{name}", last_segment(&bound.path)),
                ))
            }
        }
    }

    /// Needed where no input mentions a parameter.
    fn turbofish(&self, signature: &Signature, by: &Substitution) -> Result<String, Obstacle> {
        let inferred = |name: &String| {
            signature.inputs.iter().any(|(_, ty)| ty.mentions(name))
                || signature.constraints.bounds.iter().any(|(_, bound)| {
                    bound
                        .as_callable()
                        .is_some_and(|(_, output)| output.mentions(name))
                })
        };
        if signature.own_parameters.iter().all(inferred) {
            return Ok(String::new());
        }
        let written = signature
            .own_parameters
            .iter()
            .map(|name| match by.get(name) {
                Some(TypeArgument::Type(ty)) if !inferred(name) => source(self.solver.library, ty),
                Some(TypeArgument::Const(value)) => Ok(value.clone()),
                _ => Ok("_".to_owned()),
            });
        let written = written.collect::<Result<Vec<_>, _>>()?;
        Ok(format!("::<{}>", written.join(", ")))
    }
}

/// A name as source: keywords of later editions are raw.
pub(crate) fn identifier(name: &str) -> String {
    if matches!(
        name,
        "try" | "async" | "await" | "dyn" | "gen" | "abstract" | "final" | "macro"
    ) {
        format!("r#{name}")
    } else {
        name.to_owned()
    }
}

/// Whether documentation promises that only one of several callers' closures runs.
fn promises_one_call(docs: &str) -> bool {
    // Line breaks fall anywhere.
    let docs = docs
        .to_lowercase()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    if docs.contains("prevent") && docs.contains("multiple times") {
        return true;
    }
    let more = [
        "more than one",
        "multiple times",
        "several times",
        "may be called",
        "can be called",
        "called again",
    ];
    let once = [
        "only once",
        "exactly once",
        "at most once",
        "only one ",
        "one evaluation",
        "once and only once",
        "only be called once",
        "only be executed once",
    ];
    let guarantees_not_twice = docs.contains("guarantee") && docs.contains("more than once");
    !more.iter().any(|it| docs.contains(it))
        && (once.iter().any(|it| docs.contains(it)) || guarantees_not_twice)
}

#[cfg(test)]
mod tests {
    use super::promises_one_call;

    #[test]
    fn closures_count_only_where_the_documentation_promises_one_call() {
        assert!(promises_one_call(
            "This method guarantees that concurrent calls are coalesced into one evaluation of the `init` closure."
        ));
        assert!(promises_one_call(
            "it is guaranteed that only one function will be executed"
        ));
        assert!(promises_one_call(
            "This method prevents to evaluate the `init` closure multiple\ntimes on the same key; only one of the calls evaluates it."
        ));
        assert!(!promises_one_call(
            "If several threads race, more than one `f` can be called."
        ));
        assert!(!promises_one_call("Returns the element, or creates it."));
    }
}

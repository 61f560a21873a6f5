//! From rustdoc's types and generics to discovery's own.

use rustdoc_types::{
    AssocItemConstraintKind, GenericArg, GenericArgs, GenericBound, GenericParamDefKind, Generics,
    ItemEnum, Path, Term, TraitBoundModifier, Type, WherePredicate,
};

use super::document::generics_of;
use super::library::Library;
use super::rust_type::{RustType, Substitution, TraitBound, TypeArgument};
use super::std_paths::{self, is_std};

/// A generic parameter that has to be chosen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FreeParameter {
    pub(crate) name: String,
    /// A constant of this type; `None` for a type parameter.
    pub(crate) constant: Option<RustType>,
    pub(crate) default: Option<TypeArgument>,
    /// Stands for an `impl Trait` argument.
    pub(crate) is_synthetic: bool,
}

/// Parameters with their bounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Constraints {
    pub(crate) parameters: Vec<FreeParameter>,
    pub(crate) lifetimes: Vec<String>,
    pub(crate) bounds: Vec<(RustType, TraitBound)>,
}

impl Constraints {
    pub(crate) fn names(&self) -> Vec<String> {
        self.parameters.iter().map(|it| it.name.clone()).collect()
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.parameters.extend(other.parameters);
        self.lifetimes.extend(other.lifetimes);
        self.bounds.extend(other.bounds);
    }
}

impl Library {
    /// Generic parameters and bounds of an item.
    pub(crate) fn constraints(&self, document: usize, generics: &Generics) -> Constraints {
        let mut found = Constraints::default();
        for parameter in &generics.params {
            let (constant, default, is_synthetic) = match &parameter.kind {
                GenericParamDefKind::Lifetime { .. } => {
                    found.lifetimes.push(parameter.name.clone());
                    continue;
                }
                GenericParamDefKind::Type {
                    bounds,
                    default,
                    is_synthetic,
                } => {
                    let subject = RustType::Parameter(parameter.name.clone());
                    for bound in self.bounds(document, bounds) {
                        found.bounds.push((subject.clone(), bound));
                    }
                    let default = default
                        .as_ref()
                        .map(|it| TypeArgument::Type(self.convert(document, it)));
                    (None, default, *is_synthetic)
                }
                GenericParamDefKind::Const { type_, default } => {
                    let default = default.clone().map(TypeArgument::Const);
                    (Some(self.convert(document, type_)), default, false)
                }
            };
            found.parameters.push(FreeParameter {
                name: parameter.name.clone(),
                constant,
                default,
                is_synthetic,
            });
        }
        for predicate in &generics.where_predicates {
            match predicate {
                WherePredicate::BoundPredicate { type_, bounds, .. } => {
                    let subject = self.convert(document, type_);
                    for bound in self.bounds(document, bounds) {
                        found.bounds.push((subject.clone(), bound));
                    }
                }
                WherePredicate::EqPredicate { lhs, rhs } => {
                    if let (RustType::Projection { of, trait_, name }, Term::Type(ty)) =
                        (self.convert(document, lhs), rhs)
                        && let Some(mut bound) = trait_
                    {
                        bound.equalities.push((name, self.convert(document, ty)));
                        found.bounds.push((*of, *bound));
                    }
                }
                WherePredicate::LifetimePredicate { .. } => {}
            }
        }
        found
    }

    /// Trait bounds; `?Sized` and lifetimes are left out.
    pub(crate) fn bounds(&self, document: usize, bounds: &[GenericBound]) -> Vec<TraitBound> {
        bounds
            .iter()
            .filter_map(|bound| match bound {
                GenericBound::TraitBound {
                    trait_,
                    modifier: TraitBoundModifier::None,
                    ..
                } => Some(self.trait_bound(document, trait_)),
                _ => None,
            })
            .filter(|it| !it.is_trivial())
            .collect()
    }

    /// A trait path as a bound.
    pub(crate) fn trait_bound(&self, document: usize, path: &Path) -> TraitBound {
        let mut bound = TraitBound::plain(&self.definition_path(document, path));
        match path.args.as_deref() {
            Some(GenericArgs::AngleBracketed { args, constraints }) => {
                bound.arguments = self.arguments(document, args);
                for constraint in constraints {
                    let name = constraint.name.clone();
                    match &constraint.binding {
                        AssocItemConstraintKind::Equality(Term::Type(ty)) => {
                            bound.equalities.push((name, self.convert(document, ty)));
                        }
                        AssocItemConstraintKind::Equality(Term::Constant(_)) => {}
                        AssocItemConstraintKind::Constraint(bounds) => bound
                            .constraints
                            .push((name, self.bounds(document, bounds))),
                    }
                }
            }
            Some(GenericArgs::Parenthesized { inputs, output }) => {
                let inputs = inputs.iter().map(|it| self.convert(document, it)).collect();
                bound.arguments = vec![TypeArgument::Type(RustType::Tuple(inputs))];
                let output = output
                    .as_ref()
                    .map_or(RustType::unit(), |it| self.convert(document, it));
                bound.equalities.push(("Output".to_owned(), output));
            }
            _ => {}
        }
        bound
    }

    /// A type in discovery's form: aliases expanded, defaults filled in.
    pub(crate) fn convert(&self, document: usize, ty: &Type) -> RustType {
        let boxed = |it: &Type| Box::new(self.convert(document, it));
        match ty {
            Type::ResolvedPath(path) => self.named(document, path),
            Type::Primitive(name) => RustType::primitive(name),
            Type::Generic(name) => RustType::Parameter(name.clone()),
            Type::Tuple(items) => {
                RustType::Tuple(items.iter().map(|it| self.convert(document, it)).collect())
            }
            Type::Slice(item) => RustType::Slice(boxed(item)),
            Type::Array { type_, len } => RustType::Array(boxed(type_), len.clone()),
            Type::BorrowedRef {
                is_mutable, type_, ..
            } => RustType::Reference {
                mutable: *is_mutable,
                to: boxed(type_),
            },
            Type::RawPointer { .. } => RustType::RawPointer,
            Type::FunctionPointer(pointer) => {
                if pointer.header.is_unsafe {
                    return RustType::Unknown;
                }
                let inputs = pointer.sig.inputs.iter();
                RustType::Function {
                    inputs: inputs.map(|(_, it)| self.convert(document, it)).collect(),
                    output: Box::new(
                        pointer
                            .sig
                            .output
                            .as_ref()
                            .map_or(RustType::unit(), |it| self.convert(document, it)),
                    ),
                }
            }
            Type::ImplTrait(bounds) => RustType::Impl(self.bounds(document, bounds)),
            Type::DynTrait(object) => RustType::Dyn(
                object
                    .traits
                    .iter()
                    .map(|it| self.trait_bound(document, &it.trait_))
                    .collect(),
            ),
            Type::QualifiedPath {
                name,
                self_type,
                trait_,
                ..
            } => RustType::Projection {
                of: boxed(self_type),
                trait_: trait_
                    .as_ref()
                    .map(|it| Box::new(self.trait_bound(document, it))),
                name: name.clone(),
            },
            Type::Infer | Type::Pat { .. } => RustType::Unknown,
        }
    }

    fn named(&self, document: usize, path: &Path) -> RustType {
        let definition = self.definition_path(document, path);
        let arguments = match path.args.as_deref() {
            Some(GenericArgs::AngleBracketed { args, .. }) => self.arguments(document, args),
            _ => Vec::new(),
        };
        if is_std(&definition) {
            return std_paths::normalise(&definition, arguments);
        }
        let Some((at, item)) = self.find_item(&definition) else {
            return RustType::Named {
                path: definition,
                arguments,
            };
        };
        let Some(generics) = generics_of(item) else {
            return RustType::Named {
                path: definition,
                arguments,
            };
        };
        let (substitution, arguments) = self.fill_defaults(at.document, generics, arguments);
        match &item.inner {
            ItemEnum::TypeAlias(alias) => self
                .convert(at.document, &alias.type_)
                .substitute(&substitution),
            _ => RustType::Named {
                path: definition,
                arguments,
            },
        }
    }

    /// Arguments without those at the end that are defaults.
    pub(crate) fn without_defaults<'a>(
        &self,
        path: &str,
        arguments: &'a [TypeArgument],
    ) -> &'a [TypeArgument] {
        let Some((at, item)) = self.find_item(path) else {
            return arguments;
        };
        let Some(generics) = generics_of(item) else {
            return arguments;
        };
        let mut kept = arguments;
        while let Some((_, shorter)) = kept.split_last() {
            let has_default = generics.params.get(shorter.len()).is_some_and(|it| {
                matches!(
                    it.kind,
                    GenericParamDefKind::Type {
                        default: Some(_),
                        ..
                    } | GenericParamDefKind::Const {
                        default: Some(_),
                        ..
                    }
                )
            });
            let filled = self
                .fill_defaults(at.document, generics, shorter.to_vec())
                .1;
            if !has_default || filled != arguments {
                break;
            }
            kept = shorter;
        }
        kept
    }

    /// Completes arguments by the defaults of their parameters.
    fn fill_defaults(
        &self,
        document: usize,
        generics: &Generics,
        arguments: Vec<TypeArgument>,
    ) -> (Substitution, Vec<TypeArgument>) {
        let mut substitution = Substitution::new();
        let mut complete: Vec<TypeArgument> = Vec::new();
        let mut given = arguments.into_iter().peekable();
        for parameter in &generics.params {
            let is_lifetime = matches!(parameter.kind, GenericParamDefKind::Lifetime { .. });
            let fits = given
                .peek()
                .is_some_and(|it| matches!(it, TypeArgument::Lifetime) == is_lifetime);
            let argument = if fits {
                given.next()
            } else {
                match &parameter.kind {
                    GenericParamDefKind::Lifetime { .. } => Some(TypeArgument::Lifetime),
                    GenericParamDefKind::Type {
                        default: Some(ty), ..
                    } => Some(TypeArgument::Type(
                        self.convert(document, ty).substitute(&substitution),
                    )),
                    GenericParamDefKind::Const {
                        default: Some(value),
                        ..
                    } => Some(TypeArgument::Const(value.clone())),
                    _ => None,
                }
            };
            let Some(argument) = argument else { break };
            substitution.insert(parameter.name.clone(), argument.clone());
            complete.push(argument);
        }
        (substitution, complete)
    }

    fn arguments(&self, document: usize, arguments: &[GenericArg]) -> Vec<TypeArgument> {
        arguments
            .iter()
            .map(|argument| match argument {
                GenericArg::Lifetime(_) => TypeArgument::Lifetime,
                GenericArg::Type(ty) => TypeArgument::Type(self.convert(document, ty)),
                GenericArg::Const(value) => {
                    TypeArgument::Const(value.value.clone().unwrap_or(value.expr.clone()))
                }
                GenericArg::Infer => TypeArgument::Type(RustType::Unknown),
            })
            .collect()
    }

    fn definition_path(&self, document: usize, path: &Path) -> String {
        self.documents[document]
            .definition_path(path.id)
            .unwrap_or_else(|| path.path.clone())
    }
}

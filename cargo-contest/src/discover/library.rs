//! The crates whose documentation was read, as one body of knowledge: items by definition path, types in discovery's own form.

use std::collections::{BTreeMap, HashMap};

use rustdoc_types::{
    AssocItemConstraintKind, Crate, GenericArg, GenericArgs, GenericBound, GenericParamDefKind,
    Generics, Id, Item, ItemEnum, Path, Term, TraitBoundModifier, Type, Visibility, WherePredicate,
};

use super::document::{Document, generics_of, impls_of};
use super::public_names::{Namespace, PublicNames, public_names};
use super::rust_type::{RustType, Substitution, TraitBound, TypeArgument};
use super::std_paths::{self, crate_of, is_std};
use crate::skipped::Skipped;

/// A place in the documentation: document number and item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ItemRef {
    pub(crate) document: usize,
    pub(crate) id: Id,
}

/// Everything that was read.
#[derive(Debug)]
pub(crate) struct Library {
    /// The package under test first.
    pub(crate) documents: Vec<Document>,
    pub(crate) names: PublicNames,
    /// Impl blocks by definition path of their trait, blanket instantiations that rustdoc repeats left out.
    impls_by_trait: BTreeMap<String, Vec<ItemRef>>,
    /// Crates that could not be read.
    pub(crate) skipped: Vec<Skipped>,
    aliases: Vec<Alias>,
}

/// A public alias of a type of another crate, by which that type can be named.
#[derive(Debug)]
struct Alias {
    path: String,
    target: RustType,
    parameters: Vec<String>,
}

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

/// Parameters with what they must satisfy.
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

/// How many crates beside the package are read at most; each costs about a second.
const MAX_FOREIGN_CRATES: usize = 10;

impl Library {
    /// Reads the package's documentation and, through `load`, that of crates it re-exports from, aliases or bounds its API by.
    pub(crate) fn new(package: Crate, load: &mut dyn FnMut(&str) -> Result<Crate, String>) -> Self {
        let mut documents = vec![Document::new(package)];
        let mut skipped = Vec::new();
        let mut tried: Vec<String> = vec![documents[0].name.clone()];
        let mut next = 0;
        while next < documents.len() {
            let wanted = foreign_crates(&documents[next], next == 0);
            next += 1;
            for name in wanted {
                if tried.contains(&name) {
                    continue;
                }
                tried.push(name.clone());
                if documents.len() > MAX_FOREIGN_CRATES {
                    skipped.push(Skipped::new(
                        format!("crate {name}"),
                        format!("only {MAX_FOREIGN_CRATES} dependencies are read"),
                    ));
                    continue;
                }
                match load(&name) {
                    Ok(content) => documents.push(Document::new(content)),
                    Err(why) => skipped.push(Skipped::new(format!("crate {name}"), why)),
                }
            }
        }
        let names = public_names(&documents);
        let impls_by_trait = impls_by_trait(&documents);
        let mut library = Self {
            documents,
            names,
            impls_by_trait,
            skipped,
            aliases: Vec::new(),
        };
        library.aliases = library.find_aliases();
        library
    }

    fn find_aliases(&self) -> Vec<Alias> {
        let mut found = Vec::new();
        for (definition, name) in self.names.all(Namespace::Type) {
            let Some((at, item)) = self.find_item(definition) else {
                continue;
            };
            let ItemEnum::TypeAlias(alias) = &item.inner else {
                continue;
            };
            let target = self.convert(at.document, &alias.type_);
            if name.hidden || name.foreign_module || is_std(target.path()) {
                continue;
            }
            let has_name = self.names.get(target.path(), Namespace::Type).is_some();
            if self.is_own(target.path()) && has_name {
                continue;
            }
            let parameters = alias.generics.params.iter();
            found.push(Alias {
                path: name.path.clone(),
                target,
                parameters: parameters.map(|it| it.name.clone()).collect(),
            });
        }
        found
    }

    /// A public alias that stands for `ty`, with its arguments.
    pub(crate) fn alias_of(&self, ty: &RustType) -> Option<(&str, Vec<TypeArgument>)> {
        self.aliases.iter().find_map(|alias| {
            let mut by = Substitution::new();
            if !super::rust_type::bind(&alias.target, ty, &alias.parameters, &mut by) {
                return None;
            }
            let arguments = alias.parameters.iter().map(|name| {
                let lifetime = || TypeArgument::Lifetime("'_".to_owned());
                by.get(name)
                    .cloned()
                    .or_else(|| name.starts_with('\'').then(lifetime))
            });
            Some((alias.path.as_str(), arguments.collect::<Option<Vec<_>>>()?))
        })
    }

    /// A local item of a crate that was read, by definition path, in the type namespace.
    pub(crate) fn find(&self, path: &str) -> Option<ItemRef> {
        let name = crate_of(path);
        self.documents
            .iter()
            .enumerate()
            .filter(|(_, it)| it.name == name)
            .find_map(|(document, it)| {
                let id = it.by_path(path)?;
                it.item(id)?;
                Some(ItemRef { document, id })
            })
    }

    pub(crate) fn item(&self, at: ItemRef) -> Option<&Item> {
        self.documents[at.document].item(at.id)
    }

    /// [`find`](Self::find) and [`item`](Self::item).
    pub(crate) fn find_item(&self, path: &str) -> Option<(ItemRef, &Item)> {
        let at = self.find(path)?;
        Some((at, self.item(at)?))
    }

    /// Impl blocks of a trait in all crates that were read.
    pub(crate) fn impls_of_trait(&self, path: &str) -> &[ItemRef] {
        self.impls_by_trait.get(path).map_or(&[], Vec::as_slice)
    }

    /// Impl blocks of a type, inherent and of traits, in the order of rustdoc.
    pub(crate) fn impls_of_type(&self, path: &str) -> Vec<ItemRef> {
        let Some((at, item)) = self.find_item(path) else {
            return Vec::new();
        };
        impls_of(item)
            .iter()
            .map(|id| ItemRef { id: *id, ..at })
            .collect()
    }

    /// The name by which a dependent writes a type or trait; `None` if it has none.
    pub(crate) fn type_name(&self, path: &str) -> Option<String> {
        if is_std(path) {
            return Some(std_paths::public_path(path));
        }
        Some(self.names.get(path, Namespace::Type)?.path.clone())
    }

    /// True if the path is defined by the package under test.
    pub(crate) fn is_own(&self, path: &str) -> bool {
        crate_of(path) == self.documents[0].name
    }

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
            Type::Primitive(name) if name == "never" => RustType::primitive("never"),
            Type::Primitive(name) => RustType::primitive(name),
            Type::Generic(name) => RustType::Parameter(name.clone()),
            Type::Tuple(items) => {
                RustType::Tuple(items.iter().map(|it| self.convert(document, it)).collect())
            }
            Type::Slice(item) => RustType::Slice(boxed(item)),
            Type::Array { type_, len } => RustType::Array(boxed(type_), len.clone()),
            Type::BorrowedRef {
                lifetime,
                is_mutable,
                type_,
            } => RustType::Reference {
                mutable: *is_mutable,
                lifetime: lifetime.clone(),
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
        let mut substitution = HashMap::new();
        let mut complete: Vec<TypeArgument> = Vec::new();
        let mut given = arguments.into_iter().peekable();
        for parameter in &generics.params {
            let is_lifetime = matches!(parameter.kind, GenericParamDefKind::Lifetime { .. });
            let fits = given
                .peek()
                .is_some_and(|it| matches!(it, TypeArgument::Lifetime(_)) == is_lifetime);
            let argument = if fits {
                given.next()
            } else {
                match &parameter.kind {
                    GenericParamDefKind::Lifetime { .. } => {
                        Some(TypeArgument::Lifetime("'_".to_owned()))
                    }
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
                GenericArg::Lifetime(name) => TypeArgument::Lifetime(name.clone()),
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

fn impls_by_trait(documents: &[Document]) -> BTreeMap<String, Vec<ItemRef>> {
    let mut found: BTreeMap<String, Vec<ItemRef>> = BTreeMap::new();
    for (document, it) in documents.iter().enumerate() {
        for item in it.items_in_order() {
            let ItemEnum::Impl(block) = &item.inner else {
                continue;
            };
            let Some(trait_) = &block.trait_ else {
                continue;
            };
            let Some(path) = it.definition_path(trait_.id) else {
                continue;
            };
            // rustdoc repeats `impl<T> Into<U> for T` and the like for each type.
            if block.blanket_impl.is_some() && is_std(&path) {
                continue;
            }
            found.entry(path).or_default().push(ItemRef {
                document,
                id: item.id,
            });
        }
    }
    found
}

/// Names of crates that a document's re-exports lead to and, for the package itself, those of its aliases and bounds.
fn foreign_crates(document: &Document, is_package: bool) -> Vec<String> {
    let mut wanted = Vec::new();
    let mut want = |id: Id| {
        if document.item(id).is_some() {
            return;
        }
        if let Some(summary) = document.summary(id) {
            let name = &summary.path[0];
            if !matches!(name.as_str(), "std" | "core" | "alloc") && !wanted.contains(name) {
                wanted.push(name.clone());
            }
        }
    };
    let items = document.items_in_order();
    for item in &items {
        match &item.inner {
            ItemEnum::Use(used) if item.visibility == Visibility::Public => {
                if let Some(id) = used.id {
                    want(id);
                }
            }
            ItemEnum::TypeAlias(alias) if is_package => {
                if let Type::ResolvedPath(path) = &alias.type_ {
                    want(path.id);
                }
            }
            _ => {}
        }
    }
    if is_package {
        for item in items {
            if !matches!(item.visibility, Visibility::Public | Visibility::Default) {
                continue;
            }
            let generics = match &item.inner {
                ItemEnum::Impl(it) if it.blanket_impl.is_none() && !it.is_synthetic => &it.generics,
                ItemEnum::Function(it) => &it.generics,
                _ => match generics_of(item) {
                    Some(generics) => generics,
                    None => continue,
                },
            };
            bounded_traits(generics, &mut want);
        }
    }
    wanted
}

fn bounded_traits(generics: &Generics, want: &mut dyn FnMut(Id)) {
    let mut all = |bounds: &[GenericBound]| {
        for bound in bounds {
            if let GenericBound::TraitBound { trait_, .. } = bound {
                want(trait_.id);
            }
        }
    };
    for parameter in &generics.params {
        if let GenericParamDefKind::Type { bounds, .. } = &parameter.kind {
            all(bounds);
        }
    }
    for predicate in &generics.where_predicates {
        if let WherePredicate::BoundPredicate { bounds, .. } = predicate {
            all(bounds);
        }
    }
}

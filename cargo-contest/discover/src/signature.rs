//! Functions and methods of the crates that were read, in discovery's own form.

use std::collections::BTreeMap;

use rustdoc_types::{Function, Id, Item, ItemEnum, Visibility};

use super::conversion::Constraints;
use super::document::is_hidden;
use super::library::{ItemRef, Library};
use super::public_names::Namespace;
use super::rust_type::{RustType, Substitution, TraitBound, TypeArgument};
use super::std_paths::last_segment;

/// Where a function is defined.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Owner {
    /// A free function, by the path a dependent writes.
    Free(String),
    /// An inherent impl for this type, with the impl's parameters.
    Inherent(RustType),
    /// A trait; `Self` is a parameter of the signature.
    Trait(TraitBound),
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Signature {
    pub(crate) at: ItemRef,
    pub(crate) name: String,
    pub(crate) owner: Owner,
    /// Parameters and bounds of the impl or trait, then of the function.
    pub(crate) constraints: Constraints,
    /// Parameters that may stand in a turbofish, in order.
    pub(crate) own_parameters: Vec<String>,
    /// Names and types, the receiver included.
    pub(crate) inputs: Vec<(String, RustType)>,
    pub(crate) output: RustType,
    pub(crate) is_async: bool,
    pub(crate) is_unsafe: bool,
    pub(crate) is_hidden: bool,
    pub(crate) docs: String,
}

impl Signature {
    /// `Pool::get`, `connect`
    pub(crate) fn shown(&self) -> String {
        match &self.owner {
            Owner::Free(path) => last_segment(path).to_owned(),
            Owner::Inherent(owner) => format!("{}::{}", last_segment(owner.path()), self.name),
            Owner::Trait(bound) => format!("{}::{}", last_segment(&bound.path), self.name),
        }
    }

    /// Its path: that of its type or trait, and its name.
    pub(super) fn path(&self) -> String {
        match &self.owner {
            Owner::Free(path) => path.clone(),
            Owner::Inherent(owner) => format!("{}::{}", owner.path(), self.name),
            Owner::Trait(bound) => format!("{}::{}", bound.path, self.name),
        }
    }

    /// True if the first input is `self`.
    pub(crate) fn is_method(&self) -> bool {
        self.inputs.first().is_some_and(|(name, _)| name == "self")
    }
}

/// All functions that are not methods of trait impls, and methods that traits provide for every type.
#[derive(Debug, Default)]
pub(crate) struct Functions {
    pub(crate) all: Vec<Signature>,
    /// By definition path of the type of the inherent impl.
    inherent: BTreeMap<String, Vec<usize>>,
    /// By definition path of a type that occurs at the top of the output.
    makers: BTreeMap<String, Vec<usize>>,
    lenders: BTreeMap<String, Vec<usize>>,
    /// Free functions by definition path of the type that their first input refers to.
    takers: BTreeMap<String, Vec<usize>>,
}

impl Functions {
    /// Those that are no methods of traits.
    pub(super) fn by_themselves(library: &Library) -> Self {
        let mut functions = Self::default();
        for (document, it) in library.documents.iter().enumerate() {
            for item in it.items_in_order() {
                let at = ItemRef {
                    document,
                    id: item.id,
                };
                match &item.inner {
                    ItemEnum::Impl(block) if block.trait_.is_none() => {
                        functions.inherent_impl(library, at, block);
                    }
                    ItemEnum::Function(function) => {
                        functions.free(library, at, item, function);
                    }
                    _ => {}
                }
            }
        }
        functions
    }

    /// Functions of the inherent impls of a type, in the order of their place in the source.
    pub(crate) fn inherent(&self, path: &str) -> impl Iterator<Item = &Signature> {
        self.by(&self.inherent, path)
    }

    /// Functions whose output has the type at `path` at its top: `T`, `Result<T, _>`, `Option<Arc<T>>`, `(T, U)`.
    pub(crate) fn makers(&self, path: &str) -> impl Iterator<Item = &Signature> {
        self.by(&self.makers, path)
    }

    /// Functions that return a shared reference to the type at `path`.
    pub(crate) fn lenders(&self, path: &str) -> impl Iterator<Item = &Signature> {
        self.by(&self.lenders, path)
    }

    /// Free functions whose first input is a reference to the type at `path`.
    pub(crate) fn takers(&self, path: &str) -> impl Iterator<Item = &Signature> {
        self.by(&self.takers, path)
    }

    fn by<'a>(
        &'a self,
        index: &'a BTreeMap<String, Vec<usize>>,
        path: &str,
    ) -> impl Iterator<Item = &'a Signature> {
        let numbers = index.get(path).map_or(&[][..], Vec::as_slice);
        numbers.iter().map(|it| &self.all[*it])
    }

    fn inherent_impl(&mut self, library: &Library, at: ItemRef, block: &rustdoc_types::Impl) {
        if block.is_synthetic || block.blanket_impl.is_some() {
            return;
        }
        let for_ = library.convert(at.document, &block.for_);
        let outer = library.constraints(at.document, &block.generics);
        let own = for_.path().to_owned();
        for id in &block.items {
            let at = ItemRef { id: *id, ..at };
            let Some(item) = library.item(at) else {
                continue;
            };
            let ItemEnum::Function(function) = &item.inner else {
                continue;
            };
            if item.visibility != Visibility::Public {
                continue;
            }
            let mut by = Substitution::new();
            by.insert("Self".to_owned(), TypeArgument::Type(for_.clone()));
            let owner = Owner::Inherent(for_.clone());
            let signature = signature(library, at, item, function, owner, outer.clone(), &by);
            let number = self.add(signature);
            self.inherent.entry(own.clone()).or_default().push(number);
        }
        if let Some(numbers) = self.inherent.get_mut(&own) {
            let all = &self.all;
            numbers.sort_by_key(|it| source_order(library, all[*it].at));
        }
    }

    fn free(&mut self, library: &Library, at: ItemRef, item: &Item, function: &Function) {
        let Some(path) = library.documents[at.document].definition_path(item.id) else {
            return;
        };
        let Some(name) = library.names.get(&path, Namespace::Value) else {
            return;
        };
        if name.hidden || name.foreign_module {
            return;
        }
        let owner = Owner::Free(name.path.clone());
        let none = Substitution::new();
        let signature = signature(
            library,
            at,
            item,
            function,
            owner,
            Constraints::default(),
            &none,
        );
        self.add(signature);
    }

    pub(super) fn add(&mut self, signature: Signature) -> usize {
        let number = self.all.len();
        if let (Owner::Free(_), Some((_, RustType::Reference { to, .. }))) =
            (&signature.owner, signature.inputs.first())
        {
            let path = to.path().to_owned();
            self.takers.entry(path).or_default().push(number);
        }
        if !signature.is_unsafe && !signature.is_hidden {
            let mut heads = Vec::new();
            heads_of(&signature.output, &mut heads, 0);
            heads.sort_unstable();
            heads.dedup();
            for head in heads {
                self.makers.entry(head).or_default().push(number);
            }
            if let RustType::Reference { mutable: false, to } = &signature.output
                && !signature.is_async
            {
                let path = to.path().to_owned();
                self.lenders.entry(path).or_default().push(number);
            }
        }
        self.all.push(signature);
        number
    }
}

/// The methods of a trait that an impl gives a type, provided ones included.
pub(crate) fn trait_methods(library: &Library, at: ItemRef) -> Vec<Signature> {
    let Some(item) = library.item(at) else {
        return Vec::new();
    };
    let ItemEnum::Trait(trait_) = &item.inner else {
        return Vec::new();
    };
    let Some(path) = library.documents[at.document].definition_path(at.id) else {
        return Vec::new();
    };
    let outer = library.constraints(at.document, &trait_.generics);
    let arguments = outer
        .parameters
        .iter()
        .map(|it| match it.constant {
            Some(_) => TypeArgument::Const(it.name.clone()),
            None => TypeArgument::Type(RustType::Parameter(it.name.clone())),
        })
        .collect();
    let bound = TraitBound {
        arguments,
        ..TraitBound::plain(&path)
    };
    let method = |id: &Id| {
        let at = ItemRef { id: *id, ..at };
        let item = library.item(at)?;
        let ItemEnum::Function(function) = &item.inner else {
            return None;
        };
        Some(signature(
            library,
            at,
            item,
            function,
            Owner::Trait(bound.clone()),
            outer.clone(),
            &Substitution::new(),
        ))
    };
    trait_.items.iter().filter_map(method).collect()
}

fn signature(
    library: &Library,
    at: ItemRef,
    item: &Item,
    function: &Function,
    owner: Owner,
    outer: Constraints,
    by: &Substitution,
) -> Signature {
    let own = library.constraints(at.document, &function.generics);
    let own_parameters = own
        .parameters
        .iter()
        .filter(|it| !it.is_synthetic)
        .map(|it| it.name.clone())
        .collect();
    let mut constraints = outer;
    constraints.extend(own);
    constraints.parameters.retain(|it| !it.is_synthetic);
    let names: Vec<String> = constraints.names();
    constraints.bounds.retain(|(subject, _)| match subject {
        RustType::Parameter(name) => name == "Self" || names.contains(name),
        _ => true,
    });
    for (subject, bound) in &mut constraints.bounds {
        *subject = subject.substitute(by);
        *bound = bound.substitute(by);
    }
    let inputs = function.sig.inputs.iter().map(|(name, ty)| {
        let ty = library.convert(at.document, ty).substitute(by);
        (name.clone(), ty)
    });
    let output = function
        .sig
        .output
        .as_ref()
        .map_or(RustType::unit(), |it| library.convert(at.document, it));
    Signature {
        at,
        name: item.name.clone().unwrap_or_default(),
        owner,
        constraints,
        own_parameters,
        inputs: inputs.collect(),
        output: output.substitute(by),
        is_async: function.header.is_async,
        is_unsafe: function.header.is_unsafe,
        is_hidden: is_hidden(item),
        docs: item.docs.clone().unwrap_or_default(),
    }
}

/// File and line.
pub(crate) fn source_order(library: &Library, at: ItemRef) -> (std::path::PathBuf, usize) {
    match library.item(at).and_then(|it| it.span.as_ref()) {
        Some(span) => (span.filename.clone(), span.begin.0),
        None => (std::path::PathBuf::new(), usize::MAX),
    }
}

fn heads_of(ty: &RustType, heads: &mut Vec<String>, depth: usize) {
    match ty {
        RustType::Named { path, .. } => {
            heads.push(path.clone());
            let wrapper = matches!(
                path.as_str(),
                "core::result::Result"
                    | "core::option::Option"
                    | "alloc::sync::Arc"
                    | "alloc::boxed::Box"
            );
            if let (true, Some(inner)) = (wrapper && depth < 3, ty.argument(0)) {
                heads_of(inner, heads, depth + 1);
            }
        }
        RustType::Tuple(items) if depth < 2 => {
            for item in items {
                heads_of(item, heads, depth + 1);
            }
        }
        _ => {}
    }
}

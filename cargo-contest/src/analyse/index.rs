//! Tables of everything the package declares: plain data, shared by the threads that walk bodies.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use super::place::Names;
use super::resolve::Resolved;
use super::types::{Generics, Name, Type};

/// How a function takes its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Receiver {
    /// No `self`.
    None,
    /// `&self`, `self: &Arc<Self>`, `Pin<&Self>`.
    Shared,
    /// `&mut self`.
    Exclusive,
    /// `self`, `Arc<Self>`.
    Value,
}

/// A function of the package.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: Name,
    /// Module it is written in.
    pub(crate) module: Name,
    /// The type of the impl it stands in.
    pub(crate) self_type: Option<Type>,
    /// The trait it belongs to, as default method or by an impl.
    pub(crate) trait_: Option<Type>,
    pub(crate) receiver: Receiver,
    /// Types of its parameters, the object first.
    pub(crate) parameters: Vec<Type>,
    /// What it returns.
    pub(crate) output: Type,
    /// Generic parameters in scope.
    pub(crate) generics: Generics,
    pub(crate) is_async: bool,
    /// `src/lib.rs`.
    pub(crate) file: Name,
    /// Line of the declaration as rustdoc counts it, and of its name.
    pub(crate) lines: (usize, usize),
    /// It stands under a `cfg` that cannot be decided.
    pub(crate) unsure: bool,
    /// An attribute macro may have changed it.
    pub(crate) attribute: Option<Name>,
    /// It has a body.
    pub(crate) has_body: bool,
}

/// Fields of a struct or of a variant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields {
    pub(crate) generics: Vec<Name>,
    pub(crate) fields: Vec<(Name, Type)>,
    pub(crate) module: String,
}

impl Fields {
    /// What the parameters stand for where the type has these arguments.
    pub(crate) fn bind(&self, arguments: &[Type]) -> Vec<(Name, Type)> {
        let names = self.generics.iter().cloned();
        names.zip(arguments.iter().cloned()).collect()
    }
}

/// A static.
#[derive(Clone, Debug)]
pub(crate) struct Static {
    pub(crate) ty: Type,
    pub(crate) mutable: bool,
    pub(crate) thread_local: bool,
}

/// What a module declares and brings into scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// Types, traits, functions, statics.
    pub(crate) items: HashMap<Name, ()>,
    /// Modules.
    pub(crate) modules: HashMap<Name, ()>,
    /// `use a::b as c`: c → a::b.
    pub(crate) uses: HashMap<Name, Vec<Name>>,
    /// `use a::*`.
    pub(crate) globs: Vec<Vec<Name>>,
}

/// Answers of [`Index::resolve`] in modules with many globs.
pub(crate) type GlobCache = Mutex<HashMap<(Name, Name), Option<Resolved>>>;

/// Tables of the package.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// Numbers of types and fields, for places.
    pub(crate) names: Arc<Names>,
    /// What globs brought in, by module and name.
    pub(crate) by_globs: Arc<GlobCache>,
    pub(crate) edition_2024: bool,
    pub(crate) scopes: HashMap<Name, Scope>,
    pub(crate) structs: HashMap<Name, Fields>,
    /// By `Enum::Variant`.
    pub(crate) variants: HashMap<Name, Fields>,
    pub(crate) enums: HashMap<Name, Vec<Name>>,
    pub(crate) aliases: HashMap<Name, (Vec<Name>, Name, Type)>,
    pub(crate) statics: HashMap<Name, (Name, Static)>,
    pub(crate) constants: HashMap<Name, (Name, Type)>,
    pub(crate) functions: Vec<Function>,
    /// Functions outside impls, by path.
    pub(crate) free: HashMap<Name, Vec<u32>>,
    /// Functions that `extern` blocks declare, by path: of other languages, as far as is known here.
    pub(crate) of_other_languages: HashSet<Name>,
    /// By type and name.
    pub(crate) methods: HashMap<(Name, Name), Vec<u32>>,
    /// By trait and name: default bodies and those of impls.
    pub(crate) trait_methods: HashMap<(Name, Name), Vec<u32>>,
    /// All methods of a name.
    pub(crate) by_name: HashMap<Name, Vec<u32>>,
    /// Traits: true if they are public.
    pub(crate) traits: HashMap<Name, bool>,
    /// Types of an impl, with the associated types it sets: (type, trait) → name → type.
    pub(crate) associated: HashMap<(Name, Name), (Name, Type)>,
    /// Impls for type parameters, references and the like: methods that any type may have.
    pub(crate) blanket: HashMap<Name, Vec<u32>>,
    /// Traits a type implements, as far as written.
    pub(crate) implemented: HashMap<Name, Vec<Name>>,
}

impl Index {
    /// Puts in what another thread collected; its function numbers follow those that are there.
    pub(crate) fn merge(&mut self, part: Self) -> u32 {
        let base = u32::try_from(self.functions.len()).unwrap_or(u32::MAX);
        self.functions.extend(part.functions);
        for (path, scope) in part.scopes {
            let mine = self.scopes.entry(path).or_default();
            mine.items.extend(scope.items);
            mine.modules.extend(scope.modules);
            mine.uses.extend(scope.uses);
            mine.globs.extend(scope.globs);
        }
        self.structs.extend(part.structs);
        self.variants.extend(part.variants);
        self.enums.extend(part.enums);
        self.aliases.extend(part.aliases);
        self.statics.extend(part.statics);
        self.constants.extend(part.constants);
        for (path, found) in part.free {
            self.free
                .entry(path)
                .or_default()
                .extend(found.iter().map(|it| it + base));
        }
        self.of_other_languages.extend(part.of_other_languages);
        self.traits.extend(part.traits);
        self.associated.extend(part.associated);
        base
    }

    /// Resolves all written types, then fills the tables that need resolved ones.
    pub(crate) fn link(&mut self) {
        let mut linked = self.clone_tables();
        for (_, fields) in linked.structs.iter_mut().chain(linked.variants.iter_mut()) {
            for (_, ty) in &mut fields.fields {
                *ty = self.resolve_type(&fields.module, ty);
            }
        }
        for (module, it) in linked.statics.values_mut() {
            it.ty = self.resolve_type(module, &it.ty);
        }
        for (module, ty) in linked.constants.values_mut() {
            *ty = self.resolve_type(module, ty);
        }
        for (module, ty) in linked.associated.values_mut() {
            *ty = self.resolve_type(module, ty);
        }
        let mut functions = std::mem::take(&mut self.functions);
        for function in &mut functions {
            let resolve = |ty: &Type| self.resolve_type(&function.module, ty);
            function.self_type = function.self_type.as_ref().map(resolve);
            let of_self = function.self_type.clone();
            let resolve = |ty: &Type| resolve(&ty.substitute(of_self.as_ref(), &[]));
            function.trait_ = function.trait_.as_ref().map(resolve);
            function.parameters = function.parameters.iter().map(resolve).collect();
            function.output = resolve(&function.output);
            for (_, bound) in &mut function.generics.bounds {
                *bound = resolve(bound);
            }
            for (_, output) in &mut function.generics.calls {
                *output = resolve(output);
            }
        }
        self.functions = functions;
        self.structs = linked.structs;
        self.variants = linked.variants;
        self.statics = linked.statics;
        self.constants = linked.constants;
        let associated = std::mem::take(&mut self.associated);
        for ((written, name), value) in linked.associated {
            // Keyed by the type as written: `module\0Type`.
            let (module, segments) = written.split_once('\0').unwrap_or(("", &written));
            let segments: Vec<Name> = segments.split("::").map(Name::from).collect();
            if let Type::Own(path, _) =
                self.resolve_type(module, &Type::Written(segments, Vec::new()))
            {
                self.associated.insert((path, name), value);
            }
        }
        drop(associated);
        self.methods_of_impls();
        self.number_fields();
    }

    /// Numbers fields before threads meet them, so that the same sources give the same numbers.
    fn number_fields(&self) {
        let mut fields: Vec<(&Name, &Name)> = self
            .structs
            .iter()
            .chain(&self.variants)
            .flat_map(|(owner, it)| it.fields.iter().map(move |(field, _)| (owner, field)))
            .collect();
        fields.sort();
        for (owner, field) in fields {
            self.names.field(owner, field);
        }
    }

    fn clone_tables(&self) -> Self {
        Self {
            structs: self.structs.clone(),
            variants: self.variants.clone(),
            statics: self.statics.clone(),
            constants: self.constants.clone(),
            associated: self.associated.clone(),
            ..Self::default()
        }
    }

    fn methods_of_impls(&mut self) {
        for (number, function) in (0_u32..).zip(&self.functions) {
            let name = function.name.clone();
            let of_trait = match &function.trait_ {
                Some(Type::Own(path, _) | Type::Foreign(path, _)) => Some(path.clone()),
                _ => None,
            };
            if let Some(path) = &of_trait {
                self.trait_methods
                    .entry((path.clone(), name.clone()))
                    .or_default()
                    .push(number);
            }
            match function.self_type.as_ref().map(Type::referent) {
                Some(Type::Own(path, _)) => {
                    self.methods
                        .entry((path.clone(), name.clone()))
                        .or_default()
                        .push(number);
                    if let Some(of_trait) = of_trait {
                        let implemented = self.implemented.entry(path.clone()).or_default();
                        if !implemented.contains(&of_trait) {
                            implemented.push(of_trait);
                        }
                    }
                }
                Some(_) => self.blanket.entry(name.clone()).or_default().push(number),
                None if function.trait_.is_none() => continue,
                None => {}
            }
            self.by_name.entry(name).or_default().push(number);
        }
    }

    /// The type of a field, and the type that declares it.
    pub(crate) fn field(&self, ty: &Type, name: &str) -> Option<(Name, Type)> {
        match ty {
            Type::Own(path, arguments) => {
                let fields = self.structs.get(path).or_else(|| self.variants.get(path))?;
                let (_, field) = fields.fields.iter().find(|(it, _)| &**it == name)?;
                let by = fields.bind(arguments);
                Some((path.clone(), field.substitute(Some(ty), &by)))
            }
            Type::Tuple(types) => {
                Some(("".into(), types.get(name.parse::<usize>().ok()?)?.clone()))
            }
            _ => None,
        }
    }

    /// What a type of the package dereferences to.
    pub(crate) fn deref_target(&self, ty: &Type) -> Option<Type> {
        let Type::Own(path, arguments) = ty else {
            return None;
        };
        let (_, target) = self.associated.get(&(path.clone(), "Target".into()))?;
        let fields = self.structs.get(path);
        let by = fields.map_or_else(Vec::new, |it| it.bind(arguments));
        Some(target.substitute(Some(ty), &by))
    }

    /// Methods of a type by name: those of the type, then those of traits it implements with a default body.
    pub(crate) fn methods_of(&self, path: &Name, name: &str) -> Vec<u32> {
        let key: Name = name.into();
        if let Some(found) = self.methods.get(&(path.clone(), key.clone())) {
            let inherent: Vec<u32> = found
                .iter()
                .copied()
                .filter(|it| self.functions[*it as usize].trait_.is_none())
                .collect();
            return if inherent.is_empty() {
                found.clone()
            } else {
                inherent
            };
        }
        for of_trait in self.implemented.get(path).into_iter().flatten() {
            if let Some(found) = self.trait_methods.get(&(of_trait.clone(), key.clone())) {
                let default: Vec<u32> = found
                    .iter()
                    .copied()
                    .filter(|it| {
                        self.functions[*it as usize].self_type.is_none()
                            && self.functions[*it as usize].has_body
                    })
                    .collect();
                if !default.is_empty() {
                    return default;
                }
            }
        }
        Vec::new()
    }

    /// Bodies of a trait's method: all impls and the default.
    pub(crate) fn methods_of_trait(&self, path: &Name, name: &str) -> Vec<u32> {
        self.trait_methods
            .get(&(path.clone(), name.into()))
            .map(|found| {
                found
                    .iter()
                    .copied()
                    .filter(|it| self.functions[*it as usize].has_body)
                    .collect()
            })
            .unwrap_or_default()
    }
}

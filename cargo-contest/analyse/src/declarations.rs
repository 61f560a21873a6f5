//! What MIR does not say of types: names and types of fields, which traits are public, which functions are of another
//! language.
//!
//! Read from the source as the compiler expands it (`-Zunpretty=expanded`): no macros, no `cfg`. Types are as
//! written, so types are looked up by their last path segment.

use std::collections::{HashMap, HashSet};

use syn::{Fields, GenericParam, Item};

use super::mir::ty::{Name, Type};

/// The fields of a struct, union or variant.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldList {
    pub(crate) fields: Vec<(Name, Type)>,
}

/// Everything that one crate declares, by path inside it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declarations {
    /// Structs and unions.
    pub(crate) structs: HashMap<Name, FieldList>,
    /// Enums: their variants by name.
    pub(crate) enums: HashMap<Name, Vec<(Name, FieldList)>>,
    /// Traits: true if other crates can name them.
    pub(crate) traits: HashMap<Name, bool>,
    /// Names of functions in `extern` blocks.
    pub(crate) of_other_languages: HashSet<Name>,
    /// Type parameters that are functions: name of the function or empty, name of the parameter.
    pub(crate) callable: HashSet<(Name, Name)>,
    /// Types by last path segment.
    pub(crate) by_last: HashMap<Name, Vec<Name>>,
    /// What `pub use` names, and modules of which it names everything: last path segments.
    reexported: HashSet<Name>,
    /// Modules that other crates cannot name.
    private: HashSet<Name>,
    /// Other names of types, by `use a::B as C` and `type C = B`: last path segments.
    pub(crate) renamed: HashMap<Name, Name>,
}

/// Reads the expanded source of a crate.
///
/// # Errors
/// If it cannot be parsed: the printed form of some syntax is not valid Rust.
pub(crate) fn read(text: &str) -> Result<Declarations, syn::Error> {
    let file = syn::parse_file(text)?;
    let mut found = Declarations::default();
    found.items("", &file.items);
    found.qualify();
    found.hide();
    Ok(found)
}

/// The type `path` as a name of its module, if it is one.
fn qualified(ty: &mut Type, module: &str, known: &HashSet<Name>) {
    match ty {
        Type::Named(path, arguments) => {
            let inside: Name = match module {
                "" => path.clone(),
                _ => format!("{module}::{path}").into(),
            };
            if known.contains(&inside) {
                *path = inside;
            }
            arguments
                .iter_mut()
                .for_each(|it| qualified(it, module, known));
        }
        Type::Tuple(types) => types.iter_mut().for_each(|it| qualified(it, module, known)),
        Type::Reference(_, to) | Type::Pointer(_, to) | Type::Slice(to) => {
            qualified(to, module, known);
        }
        _ => {}
    }
}

impl Declarations {
    /// Distinguishes types of one last name, where they are named in the module that declares them.
    fn qualify(&mut self) {
        let known: HashSet<Name> = self
            .structs
            .keys()
            .chain(self.enums.keys())
            .cloned()
            .collect();
        let module = |path: &Name| {
            path.rsplit_once("::")
                .map_or(String::new(), |it| it.0.to_string())
        };
        for (path, of) in &mut self.structs {
            let module = module(path);
            of.fields
                .iter_mut()
                .for_each(|(_, ty)| qualified(ty, &module, &known));
        }
        for (path, variants) in &mut self.enums {
            let module = module(path);
            for (_, of) in variants {
                of.fields
                    .iter_mut()
                    .for_each(|(_, ty)| qualified(ty, &module, &known));
            }
        }
    }

    /// A public trait in a private module is one of the crate's own, unless it is named elsewhere.
    fn hide(&mut self) {
        for (path, public) in &mut self.traits {
            let mut module = &**path;
            let mut named = self.reexported.contains(super::mir::ty::last_segment(path));
            let mut hidden = false;
            while let Some((outer, _)) = module.rsplit_once("::") {
                hidden |= self.private.contains(outer);
                named |= self
                    .reexported
                    .contains(super::mir::ty::last_segment(outer));
                module = outer;
            }
            *public &= !hidden || named;
        }
    }

    /// Names that a `pub use` makes public; of `a::*` that of the module.
    fn reexports(&mut self, tree: &syn::UseTree, module: &str) {
        match tree {
            syn::UseTree::Path(it) => self.reexports(&it.tree, &it.ident.to_string()),
            syn::UseTree::Group(it) => it.items.iter().for_each(|it| self.reexports(it, module)),
            syn::UseTree::Name(it) => {
                self.reexported.insert(it.ident.to_string().into());
            }
            syn::UseTree::Rename(it) => {
                self.reexported.insert(it.ident.to_string().into());
            }
            syn::UseTree::Glob(_) => {
                self.reexported.insert(module.into());
            }
        }
    }

    /// `use a::{B as C}`.
    fn renames(&mut self, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(it) => self.renames(&it.tree),
            syn::UseTree::Group(it) => it.items.iter().for_each(|it| self.renames(it)),
            syn::UseTree::Rename(it) => {
                let (to, from) = (it.rename.to_string(), it.ident.to_string());
                self.renamed.insert(to.into(), from.into());
            }
            _ => {}
        }
    }

    fn items(&mut self, module: &str, items: &[Item]) {
        let path = |name: &syn::Ident| -> Name {
            match module {
                "" => name.to_string().into(),
                _ => format!("{module}::{name}").into(),
            }
        };
        for item in items {
            match item {
                Item::Mod(it) => {
                    if !matches!(it.vis, syn::Visibility::Public(_)) {
                        self.private.insert(path(&it.ident));
                    }
                    if let Some((_, items)) = &it.content {
                        self.items(&path(&it.ident), items);
                    }
                }
                Item::Struct(it) => {
                    self.structure(path(&it.ident), &it.ident, fields(&it.fields));
                }
                Item::Union(it) => {
                    let fields = it.fields.named.iter().map(field).collect();
                    self.structure(path(&it.ident), &it.ident, FieldList { fields });
                }
                Item::Enum(it) => {
                    let variants = it.variants.iter();
                    let variants = variants
                        .map(|it| (it.ident.to_string().into(), fields(&it.fields)))
                        .collect();
                    self.enums.insert(path(&it.ident), variants);
                    self.last(&it.ident, path(&it.ident));
                }
                Item::Trait(it) => {
                    let public = matches!(it.vis, syn::Visibility::Public(_));
                    self.traits.insert(path(&it.ident), public);
                    for item in &it.items {
                        if let syn::TraitItem::Fn(it) = item {
                            self.signature(&it.sig);
                            self.block(module, it.default.as_ref());
                        }
                    }
                }
                Item::Impl(it) => {
                    self.generics("", &it.generics);
                    for item in &it.items {
                        if let syn::ImplItem::Fn(it) = item {
                            self.signature(&it.sig);
                            self.block(module, Some(&it.block));
                        }
                    }
                }
                Item::Fn(it) => {
                    self.signature(&it.sig);
                    self.block(module, Some(&it.block));
                }
                Item::ForeignMod(it) => {
                    for item in &it.items {
                        if let syn::ForeignItem::Fn(it) = item {
                            self.of_other_languages
                                .insert(it.sig.ident.to_string().into());
                        }
                    }
                }
                Item::Use(it) => {
                    self.renames(&it.tree);
                    if !matches!(it.vis, syn::Visibility::Inherited) {
                        self.reexports(&it.tree, "");
                    }
                }
                Item::Type(it) => {
                    let (from, to) = (convert(&it.ty), it.ident.to_string());
                    if *to != *from.last() && !from.last().is_empty() {
                        self.renamed.insert(to.into(), from.last().into());
                    }
                }
                Item::Const(it) => {
                    // Derives hide their impls in constants.
                    if let syn::Expr::Block(block) = &*it.expr {
                        self.block(module, Some(&block.block));
                    }
                }
                _ => {}
            }
        }
    }

    /// Items that are declared inside a function.
    fn block(&mut self, module: &str, block: Option<&syn::Block>) {
        for statement in block.iter().flat_map(|it| &it.stmts) {
            if let syn::Stmt::Item(item) = statement {
                self.items(module, std::slice::from_ref(item));
            }
        }
    }

    fn structure(&mut self, path: Name, last: &syn::Ident, fields: FieldList) {
        self.structs.insert(path.clone(), fields);
        self.last(last, path);
    }

    fn last(&mut self, last: &syn::Ident, path: Name) {
        self.by_last
            .entry(last.to_string().into())
            .or_default()
            .push(path);
    }

    fn signature(&mut self, signature: &syn::Signature) {
        self.generics(&signature.ident.to_string(), &signature.generics);
    }

    fn generics(&mut self, function: &str, generics: &syn::Generics) {
        for parameter in &generics.params {
            if let GenericParam::Type(it) = parameter
                && is_callable(&it.bounds)
            {
                self.callable
                    .insert((function.into(), it.ident.to_string().into()));
            }
        }
        for predicate in generics.where_clause.iter().flat_map(|it| &it.predicates) {
            if let syn::WherePredicate::Type(it) = predicate
                && is_callable(&it.bounds)
                && let Type::Named(name, _) = convert(&it.bounded_ty)
            {
                self.callable.insert((function.into(), name));
            }
        }
    }
}

fn is_callable(bounds: &syn::punctuated::Punctuated<syn::TypeParamBound, syn::Token![+]>) -> bool {
    bounds.iter().any(|it| match it {
        syn::TypeParamBound::Trait(it) => {
            let last = it.path.segments.last().map(|it| it.ident.to_string());
            last.is_some_and(|it| {
                it.ends_with("Fn") || it.ends_with("FnMut") || it.ends_with("FnOnce")
            })
        }
        _ => false,
    })
}

fn fields(fields: &Fields) -> FieldList {
    let fields = match fields {
        Fields::Named(it) => it.named.iter().map(field).collect(),
        Fields::Unnamed(it) => (0..)
            .zip(&it.unnamed)
            .map(|(n, it): (usize, _)| (n.to_string().into(), convert(&it.ty)))
            .collect(),
        Fields::Unit => Vec::new(),
    };
    FieldList { fields }
}

fn field(field: &syn::Field) -> (Name, Type) {
    let name = field
        .ident
        .as_ref()
        .map(|it| it.to_string().trim_start_matches("r#").to_string());
    (name.unwrap_or_default().into(), convert(&field.ty))
}

/// A type as written.
fn convert(ty: &syn::Type) -> Type {
    match ty {
        syn::Type::Path(it) => {
            let mut arguments = Vec::new();
            let mut path = String::new();
            for segment in &it.path.segments {
                if !path.is_empty() {
                    path.push_str("::");
                }
                path.push_str(&segment.ident.to_string());
                if let syn::PathArguments::AngleBracketed(list) = &segment.arguments {
                    arguments.extend(list.args.iter().filter_map(|it| match it {
                        syn::GenericArgument::Type(ty) => Some(convert(ty)),
                        _ => None,
                    }));
                }
            }
            if it.qself.is_some() {
                return Type::Opaque(path.into());
            }
            Type::Named(path.into(), arguments)
        }
        syn::Type::Reference(it) => {
            Type::Reference(it.mutability.is_some(), Box::new(convert(&it.elem)))
        }
        syn::Type::Ptr(it) => {
            let is_mut = matches!(it.mutability, syn::PointerMutability::Mut(_));
            Type::Pointer(is_mut, Box::new(convert(&it.elem)))
        }
        syn::Type::Tuple(it) => Type::Tuple(it.elems.iter().map(convert).collect()),
        syn::Type::Slice(it) => Type::Slice(Box::new(convert(&it.elem))),
        syn::Type::Array(it) => Type::Slice(Box::new(convert(&it.elem))),
        syn::Type::Paren(it) => convert(&it.elem),
        syn::Type::Group(it) => convert(&it.elem),
        syn::Type::FnPtr(_) => Type::FunctionPointer,
        syn::Type::TraitObject(it) => Type::Dynamic(
            it.bounds
                .iter()
                .filter_map(|it| match it {
                    syn::TypeParamBound::Trait(it) => it
                        .path
                        .segments
                        .last()
                        .map(|it| it.ident.to_string().into()),
                    _ => None,
                })
                .collect(),
        ),
        _ => Type::Opaque("".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_traits_foreign_functions_and_callables_are_found() {
        let found = read(
            "mod m { pub struct S<T> { a: std::sync::Mutex<T>, b: [u8; 3] } pub enum E { A(u8) } }
             pub trait T {} mod hidden { pub trait H {} pub trait P {} } pub use hidden::P; extern \"C\" { fn abs(x: i32) -> i32; }
             mod n { pub struct S; pub struct U(S); use S as V; } type W = n::U;
             fn f<F>(f: F) where F: FnOnce() {} const _: () = { impl<G: Fn()> T for m::S<G> {} };",
        )
        .unwrap();
        let fields = &found.structs["m::S"].fields;
        assert_eq!((&*fields[0].0, fields[0].1.last()), ("a", "Mutex"));
        assert_eq!(&*found.enums["m::E"][0].0, "A");
        assert!(!found.traits["hidden::H"] && found.traits["hidden::P"]);
        assert!(found.traits["T"] && found.of_other_languages.contains("abs"));
        assert!(found.callable.contains(&("f".into(), "F".into())));
        assert!(found.callable.contains(&("".into(), "G".into())));
        assert_eq!(
            found.structs["n::U"].fields[0].1,
            Type::Named("n::S".into(), Vec::new())
        );
        assert_eq!((&*found.renamed["V"], &*found.renamed["W"]), ("S", "U"));
    }
}

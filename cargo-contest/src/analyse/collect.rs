//! Items in, tables and bodies out. Bodies stay with the thread that read them.

use std::rc::Rc;

use syn::spanned::Spanned;

use super::cfg_attributes::CfgSet;
use super::index::{Fields, Function, Index, Receiver, Static};
use super::source_tree::Module;
use super::types::{Generics, Name, Type, convert, convert_path, output, plain};

/// A function's body, at the place of its number.
pub(crate) struct Body {
    /// Patterns of the parameters, the object left out.
    pub(crate) patterns: Vec<syn::Pat>,
    pub(crate) block: Option<syn::Block>,
}

/// Tables of one thread's files, and the bodies.
#[derive(Default)]
pub(crate) struct Collected {
    pub(crate) index: Index,
    pub(crate) bodies: Vec<Body>,
}

impl Collected {
    /// Takes a module's items apart.
    pub(crate) fn add(&mut self, module: Module, cfg: &CfgSet) {
        let path: Name = module.path.as_str().into();
        self.index.scopes.entry(path.clone()).or_default();
        if let Some((parent, name)) = module
            .path
            .rsplit_once("::")
            .or((!module.path.is_empty()).then_some(("", &module.path)))
        {
            self.index
                .scopes
                .entry(parent.into())
                .or_default()
                .modules
                .insert(name.into(), ());
        }
        for item in module.items {
            self.item(item, &path, &module.file, cfg);
        }
    }

    fn item(&mut self, item: syn::Item, module: &Name, file: &Rc<str>, cfg: &CfgSet) {
        let none = Generics::default();
        let inside = |name: &str| -> Name { join(module, name) };
        match item {
            syn::Item::Use(item) => {
                let absolute = item.leading_colon.is_some();
                let scope = self.index.scopes.entry(module.clone()).or_default();
                let mut prefix: Vec<Name> = if absolute {
                    vec!["".into()]
                } else {
                    Vec::new()
                };
                uses(&item.tree, &mut prefix, &mut |path, name| match name {
                    Some(name) => {
                        scope.uses.insert(name, path);
                    }
                    None => scope.globs.push(path),
                });
            }
            syn::Item::Struct(item) => {
                let name = plain(&item.ident);
                self.declare(module, &name);
                let fields = fields(&item.fields, &item.generics, module, cfg);
                self.index.structs.insert(inside(&name), fields);
            }
            syn::Item::Union(item) => {
                let name = plain(&item.ident);
                self.declare(module, &name);
                let named = syn::Fields::Named(item.fields.clone());
                let fields = fields(&named, &item.generics, module, cfg);
                self.index.structs.insert(inside(&name), fields);
            }
            syn::Item::Enum(item) => {
                let name = plain(&item.ident);
                self.declare(module, &name);
                let path = inside(&name);
                let mut variants = Vec::new();
                for variant in &item.variants {
                    let of: Name = format!("{path}::{}", plain(&variant.ident)).into();
                    self.index.variants.insert(
                        of.clone(),
                        fields(&variant.fields, &item.generics, module, cfg),
                    );
                    variants.push(of);
                }
                self.index.enums.insert(path, variants);
            }
            syn::Item::Type(item) => {
                let name = plain(&item.ident);
                self.declare(module, &name);
                let generics = none.with(&item.generics);
                let to = convert(&item.ty, &generics);
                self.index
                    .aliases
                    .insert(inside(&name), (generics.names, module.clone(), to));
            }
            syn::Item::Static(item) => {
                let name = plain(&item.ident);
                self.declare(module, &name);
                let it = Static {
                    ty: convert(&item.ty, &none),
                    mutable: matches!(item.mutability, syn::StaticMutability::Mut(_)),
                    thread_local: item
                        .attrs
                        .iter()
                        .any(|it| it.path().is_ident("thread_local")),
                };
                self.index
                    .statics
                    .insert(inside(&name), (module.clone(), it));
            }
            syn::Item::Const(item) => {
                let name = plain(&item.ident);
                self.declare(module, &name);
                self.index
                    .constants
                    .insert(inside(&name), (module.clone(), convert(&item.ty, &none)));
            }
            syn::Item::Trait(item) => self.trait_(item, module, file, cfg),
            syn::Item::Fn(item) => {
                let name = plain(&item.sig.ident);
                self.declare(module, &name);
                let number = self.function(
                    &item.sig,
                    &item.attrs,
                    Some(*item.block),
                    module,
                    file,
                    None,
                    None,
                    &none,
                    cfg,
                    item.vis.span(),
                );
                self.index
                    .free
                    .entry(inside(&name))
                    .or_default()
                    .push(number);
            }
            syn::Item::Impl(item) => self.impl_(item, module, file, cfg),
            syn::Item::ForeignMod(item) => self.foreign(item, module, cfg),
            _ => {}
        }
    }

    fn declare(&mut self, module: &Name, name: &str) {
        self.index
            .scopes
            .entry(module.clone())
            .or_default()
            .items
            .insert(name.into(), ());
    }

    /// What an `extern` block declares.
    fn foreign(&mut self, item: syn::ItemForeignMod, module: &Name, cfg: &CfgSet) {
        for declared in item.items {
            match declared {
                syn::ForeignItem::Fn(it) if cfg.keeps(&it.attrs) => {
                    let name = plain(&it.sig.ident);
                    self.declare(module, &name);
                    self.index.of_other_languages.insert(join(module, &name));
                }
                syn::ForeignItem::Static(it) if cfg.keeps(&it.attrs) => {
                    let name = plain(&it.ident);
                    self.declare(module, &name);
                    let it = Static {
                        ty: convert(&it.ty, &Generics::default()),
                        mutable: matches!(it.mutability, syn::StaticMutability::Mut(_)),
                        thread_local: false,
                    };
                    self.index
                        .statics
                        .insert(join(module, &name), (module.clone(), it));
                }
                _ => {}
            }
        }
    }

    fn trait_(&mut self, item: syn::ItemTrait, module: &Name, file: &Rc<str>, cfg: &CfgSet) {
        let name = plain(&item.ident);
        self.declare(module, &name);
        let path = join(module, &name);
        let public = matches!(item.vis, syn::Visibility::Public(_));
        self.index.traits.insert(path.clone(), public);
        let generics = Generics::default().with(&item.generics);
        for member in item.items {
            if let syn::TraitItem::Fn(it) = member
                && cfg.keeps(&it.attrs)
            {
                let of = Some(Type::Own(path.clone(), Vec::new()));
                let span = it.sig.span();
                self.function(
                    &it.sig, &it.attrs, it.default, module, file, None, of, &generics, cfg, span,
                );
            }
        }
    }

    fn impl_(&mut self, item: syn::ItemImpl, module: &Name, file: &Rc<str>, cfg: &CfgSet) {
        let generics = Generics::default().with(&item.generics);
        let of = convert(&item.self_ty, &generics);
        let of_trait = item
            .trait_
            .as_ref()
            .map(|(_, path, _)| convert_path(path, &generics));
        let attribute = attribute_macro(&item.attrs);
        for member in item.items {
            match member {
                syn::ImplItem::Fn(it) if cfg.keeps(&it.attrs) => {
                    let span = match &it.vis {
                        syn::Visibility::Inherited => it.sig.span(),
                        vis => vis.span(),
                    };
                    let number = self.function(
                        &it.sig,
                        &it.attrs,
                        Some(it.block),
                        module,
                        file,
                        Some(of.clone()),
                        of_trait.clone(),
                        &generics,
                        cfg,
                        span,
                    );
                    if let Some(attribute) = &attribute {
                        self.index.functions[number as usize].attribute = Some(attribute.clone());
                    }
                }
                syn::ImplItem::Type(it) => {
                    if let Type::Written(segments, _) = &of {
                        let written: Vec<&str> = segments.iter().map(|it| &**it).collect();
                        let key: Name = format!("{module}\0{}", written.join("::")).into();
                        let value = convert(&it.ty, &generics);
                        self.index
                            .associated
                            .insert((key, plain(&it.ident).into()), (module.clone(), value));
                    }
                }
                _ => {}
            }
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "a function has that many properties, and three callers"
    )]
    fn function(
        &mut self,
        signature: &syn::Signature,
        attributes: &[syn::Attribute],
        block: Option<syn::Block>,
        module: &Name,
        file: &Rc<str>,
        self_type: Option<Type>,
        trait_: Option<Type>,
        generics: &Generics,
        cfg: &CfgSet,
        start: proc_macro2::Span,
    ) -> u32 {
        let mut generics = generics.with(&signature.generics);
        let mut receiver = Receiver::None;
        let mut parameters = Vec::new();
        let mut patterns = Vec::new();
        for input in &signature.inputs {
            match input {
                syn::FnArg::Receiver(it) => {
                    let ty = convert(&it.ty, &generics);
                    receiver = match &ty {
                        Type::Reference(true, _) => Receiver::Exclusive,
                        Type::Reference(false, _) => Receiver::Shared,
                        Type::Written(segments, arguments)
                            if segments.last().is_some_and(|it| &**it == "Pin") =>
                        {
                            match arguments.first() {
                                Some(Type::Reference(true, _)) => Receiver::Exclusive,
                                _ => Receiver::Shared,
                            }
                        }
                        _ => Receiver::Value,
                    };
                    parameters.push(ty);
                }
                syn::FnArg::Typed(it) => {
                    parameters.push(convert(&it.ty, &generics));
                    patterns.push((*it.pat).clone());
                }
            }
        }
        // `impl Trait` of a parameter is a type parameter without a name.
        generics.names.dedup();
        let number = u32::try_from(self.bodies.len()).unwrap_or(u32::MAX);
        let start = if matches!(start.start().line, 0) {
            signature.span()
        } else {
            start
        };
        self.index.functions.push(Function {
            name: plain(&signature.ident).into(),
            module: module.clone(),
            self_type,
            trait_,
            receiver,
            parameters,
            output: output(&signature.output, &generics),
            generics,
            is_async: signature.asyncness.is_some(),
            file: (**file).into(),
            lines: (start.start().line, signature.ident.span().start().line),
            unsure: cfg.unsure(attributes),
            attribute: attribute_macro(attributes),
            has_body: block.is_some(),
        });
        // Items inside a body are as good as items beside it.
        let mut block = block;
        if let Some(block) = &mut block {
            let mut nested = Vec::new();
            hoist(block, &mut nested);
            for item in nested {
                if cfg.keeps(super::source_tree::attributes(&item)) {
                    self.bodies_placeholder();
                    self.item(item, module, file, cfg);
                }
            }
        }
        self.place_body(number, Body { patterns, block });
        number
    }

    /// Nested items are numbered after the function they stand in, so its own place is kept.
    fn bodies_placeholder(&mut self) {
        while self.bodies.len() < self.index.functions.len() {
            self.bodies.push(Body {
                patterns: Vec::new(),
                block: None,
            });
        }
    }

    fn place_body(&mut self, number: u32, body: Body) {
        self.bodies_placeholder();
        self.bodies[number as usize] = body;
    }
}

/// Takes items out of a block, not out of blocks inside it.
fn hoist(block: &mut syn::Block, found: &mut Vec<syn::Item>) {
    let mut kept = Vec::with_capacity(block.stmts.len());
    for statement in std::mem::take(&mut block.stmts) {
        match statement {
            syn::Stmt::Item(item @ (syn::Item::Macro(_) | syn::Item::Mod(_))) => {
                kept.push(syn::Stmt::Item(item))
            }
            syn::Stmt::Item(item) => found.push(item),
            other => kept.push(other),
        }
    }
    block.stmts = kept;
}

fn fields(fields: &syn::Fields, generics: &syn::Generics, module: &Name, cfg: &CfgSet) -> Fields {
    let generics = Generics::default().with(generics);
    let list = fields
        .iter()
        .filter(|it| cfg.keeps(&it.attrs))
        .enumerate()
        .map(|(n, field)| {
            let name = field.ident.as_ref().map_or_else(|| n.to_string(), plain);
            (Name::from(name), convert(&field.ty, &generics))
        })
        .collect();
    Fields {
        generics: generics.names,
        fields: list,
        module: module.to_string(),
    }
}

/// The path of a declaration in a module.
fn join(module: &Name, name: &str) -> Name {
    if module.is_empty() {
        name.into()
    } else {
        format!("{module}::{name}").into()
    }
}

/// Attributes of the language and of tools; others are macros that may rewrite what they stand on.
fn attribute_macro(attributes: &[syn::Attribute]) -> Option<Name> {
    const KNOWN: &[&str] = &[
        "doc",
        "inline",
        "cfg",
        "cfg_attr",
        "allow",
        "warn",
        "deny",
        "expect",
        "forbid",
        "must_use",
        "cold",
        "track_caller",
        "deprecated",
        "test",
        "no_mangle",
        "unsafe",
        "target_feature",
        "rustfmt",
        "clippy",
        "derive",
        "repr",
        "automatically_derived",
        "ignore",
        "should_panic",
        "non_exhaustive",
        "macro_use",
        "macro_export",
        "link_section",
        "export_name",
        "global_allocator",
        "proc_macro",
        "path",
        "default",
        "thread_local",
        "diagnostic",
        "rustc_const_unstable",
        "stable",
        "unstable",
        "no_sanitize",
        "pin",
        "tracing_attr",
    ];
    attributes.iter().find_map(|attribute| {
        let first = attribute.path().segments.first()?.ident.to_string();
        (!KNOWN.contains(&first.as_str())).then(|| Name::from(first))
    })
}

fn uses(
    tree: &syn::UseTree,
    prefix: &mut Vec<Name>,
    found: &mut impl FnMut(Vec<Name>, Option<Name>),
) {
    match tree {
        syn::UseTree::Path(it) => {
            prefix.push(plain(&it.ident).into());
            uses(&it.tree, prefix, found);
            prefix.pop();
        }
        syn::UseTree::Name(it) => {
            let name: Name = plain(&it.ident).into();
            if &*name == "self" {
                let last = prefix.last().cloned();
                found(prefix.clone(), last);
            } else {
                let mut path = prefix.clone();
                path.push(name.clone());
                found(path, Some(name));
            }
        }
        syn::UseTree::Rename(it) => {
            let mut path = prefix.clone();
            if it.ident != "self" {
                path.push(plain(&it.ident).into());
            }
            found(path, Some(plain(&it.rename).into()));
        }
        syn::UseTree::Glob(_) => found(prefix.clone(), None),
        syn::UseTree::Group(it) => {
            for tree in &it.items {
                uses(tree, prefix, found);
            }
        }
    }
}

//! Root file in, modules with their items out: `mod` declarations followed, `cfg` decided, macros at item position expanded.
//!
//! Syntax trees cannot be sent between threads, so each thread keeps the files that it has read; what others need of them (macros,
//! tables) is sent as plain data. Left out, always with a reason: files that cannot be read or parsed, macros that are not expanded.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::spanned::Spanned;

use super::cfg_attributes::CfgSet;
use super::macro_rules::MacroTable;
use super::types::plain;
use crate::skipped::Skipped;

/// A file that is to be read.
#[derive(Clone, Debug)]
pub(crate) struct FileTask {
    /// Its path on disk.
    pub(crate) path: PathBuf,
    /// Module it is: `a::b`, empty for the root.
    pub(crate) module: String,
    /// Directory in which its own `mod` declarations look.
    pub(crate) directory: PathBuf,
}

/// What a round of reading or expanding brought up.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Further files.
    pub(crate) files: Vec<FileTask>,
    /// Macros, as text.
    pub(crate) macros: Vec<(String, String)>,
    /// Item macros were expanded.
    pub(crate) expanded: usize,
    /// Lines of the files that were read.
    pub(crate) lines: usize,
    /// What could not be read.
    pub(crate) skipped: Vec<Skipped>,
}

/// Items of one module from one file.
pub(crate) struct Module {
    /// `a::b`.
    pub(crate) path: String,
    /// The file, relative to the package.
    pub(crate) file: Rc<str>,
    directory: PathBuf,
    /// Its items, without modules and macros.
    pub(crate) items: Vec<syn::Item>,
    /// Macro calls that wait for their definition.
    pending: Vec<syn::ItemMacro>,
}

/// The files one thread has read.
#[derive(Default)]
pub(crate) struct SourcePart {
    pub(crate) modules: Vec<Module>,
}

/// What reading needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) cfg: CfgSet,
    /// Directory of the package; files are named relative to it.
    pub(crate) package: PathBuf,
}

/// Files beyond this size are data, not code.
const LARGEST_FILE: u64 = 4 << 20;
/// Modules nested deeper are left out: a file that declares itself would never end.
const DEEPEST: usize = 40;

impl SourcePart {
    /// Reads one file.
    pub(crate) fn read(&mut self, task: &FileTask, reading: &Reading, found: &mut Found) {
        let name = task
            .path
            .strip_prefix(&reading.package)
            .unwrap_or(&task.path)
            .display()
            .to_string();
        if task.module.matches("::").count() > DEEPEST {
            found
                .skipped
                .push(Skipped::new(name, "modules are nested too deeply"));
            return;
        }
        let text = match std::fs::metadata(&task.path).and_then(|it| {
            if it.len() > LARGEST_FILE {
                Ok(None)
            } else {
                std::fs::read(&task.path).map(Some)
            }
        }) {
            Ok(Some(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            Ok(None) => {
                found.skipped.push(Skipped::new(name, "larger than 4 MiB"));
                return;
            }
            Err(error) => {
                found
                    .skipped
                    .push(Skipped::new(name, format!("cannot be read: {error}")));
                return;
            }
        };
        found.lines += text.lines().count();
        if nesting(&text) > 200 {
            found
                .skipped
                .push(Skipped::new(name, "brackets are nested more than 200 deep"));
            return;
        }
        match syn::parse_file(&text) {
            Ok(file) => {
                let module = Module {
                    path: task.module.clone(),
                    file: name.as_str().into(),
                    directory: task.directory.clone(),
                    items: Vec::new(),
                    pending: Vec::new(),
                };
                self.add(module, file.items, reading, found);
            }
            Err(error) => {
                let line = error.span().start().line;
                found.skipped.push(Skipped::new(
                    format!("{name}:{line}"),
                    format!("cannot be parsed: {error}"),
                ));
            }
        }
    }

    /// Expands item macros whose definition is known.
    pub(crate) fn expand(&mut self, macros: &MacroTable, reading: &Reading, found: &mut Found) {
        let mut n = 0;
        while n < self.modules.len() {
            let module = &mut self.modules[n];
            let mut waiting = Vec::new();
            let mut ready = Vec::new();
            for call in std::mem::take(&mut module.pending) {
                let name = call
                    .mac
                    .path
                    .segments
                    .last()
                    .map(|it| plain(&it.ident))
                    .unwrap_or_default();
                match macros.get(&name) {
                    Some(rules) => {
                        let items = rules
                            .expand(&call.mac.tokens, call.mac.path.span())
                            .and_then(|tokens| syn::parse2::<syn::File>(tokens).ok());
                        match items {
                            Some(file) => ready.push(file.items),
                            None => found.skipped.push(Skipped::new(
                                at(&module.file, call.mac.path.span()),
                                format!("macro `{name}!` cannot be expanded"),
                            )),
                        }
                    }
                    None => waiting.push(call),
                }
            }
            module.pending = waiting;
            found.expanded += ready.len();
            let target = Module {
                path: module.path.clone(),
                file: module.file.clone(),
                directory: module.directory.clone(),
                items: Vec::new(),
                pending: Vec::new(),
            };
            for items in ready {
                let part = Module {
                    items: Vec::new(),
                    pending: Vec::new(),
                    ..clone_head(&target)
                };
                self.add(part, items, reading, found);
            }
            n += 1;
        }
    }

    /// Item macros without a definition: what they make is not seen.
    pub(crate) fn give_up(&mut self, found: &mut Found) {
        for module in &mut self.modules {
            for call in std::mem::take(&mut module.pending) {
                let name = call
                    .mac
                    .path
                    .segments
                    .last()
                    .map(|it| plain(&it.ident))
                    .unwrap_or_default();
                // `pin_project! { struct … }` and its like: items that are decorated.
                match syn::parse2::<syn::File>(call.mac.tokens.clone()) {
                    Ok(file) if !file.items.is_empty() => module.items.extend(file.items),
                    _ => found.skipped.push(Skipped::new(
                        at(&module.file, call.mac.path.span()),
                        format!(
                            "macro `{name}!` is not expanded: its definition is not in the package"
                        ),
                    )),
                }
            }
        }
    }

    /// Sorts items into a module; nested modules become modules of their own.
    fn add(
        &mut self,
        mut module: Module,
        items: Vec<syn::Item>,
        reading: &Reading,
        found: &mut Found,
    ) {
        for item in items {
            if !reading.cfg.keeps(attributes(&item)) {
                continue;
            }
            match item {
                syn::Item::Mod(item) => self.module(&module, item, reading, found),
                syn::Item::Macro(item) => macro_item(&mut module, item, found),
                syn::Item::Verbatim(tokens) => {
                    found.skipped.push(Skipped::new(
                        at(&module.file, tokens.span()),
                        "an item that cannot be parsed",
                    ));
                }
                other => module.items.push(other),
            }
        }
        self.modules.push(module);
    }

    fn module(
        &mut self,
        parent: &Module,
        item: syn::ItemMod,
        reading: &Reading,
        found: &mut Found,
    ) {
        let name = plain(&item.ident);
        let path = if parent.path.is_empty() {
            name.clone()
        } else {
            format!("{}::{name}", parent.path)
        };
        let written = path_attribute(&item.attrs, reading);
        if let Some((_, items)) = item.content {
            let directory = written.map_or_else(
                || parent.directory.join(&name),
                |it| parent.directory.join(it),
            );
            let module = Module {
                path,
                file: parent.file.clone(),
                directory,
                items: Vec::new(),
                pending: Vec::new(),
            };
            self.add(module, items, reading, found);
            return;
        }
        let task = match written {
            Some(written) => {
                // Relative to the file, except inside an inline module, where the directory already is the module's own.
                let file = reading.package.join(&*parent.file);
                let beside = file
                    .parent()
                    .map(|it| it.join(&written))
                    .unwrap_or_default();
                let path_on_disk = if beside.is_file() {
                    beside
                } else {
                    parent.directory.join(&written)
                };
                let directory = path_on_disk
                    .parent()
                    .map(Path::to_path_buf)
                    .unwrap_or_default();
                FileTask {
                    path: path_on_disk,
                    module: path,
                    directory,
                }
            }
            None => {
                let flat = parent.directory.join(format!("{name}.rs"));
                let directory = parent.directory.join(&name);
                let nested = directory.join("mod.rs");
                FileTask {
                    path: if flat.is_file() { flat } else { nested },
                    module: path,
                    directory,
                }
            }
        };
        found.files.push(task);
    }
}

fn clone_head(module: &Module) -> Module {
    Module {
        path: module.path.clone(),
        file: module.file.clone(),
        directory: module.directory.clone(),
        items: Vec::new(),
        pending: Vec::new(),
    }
}

fn macro_item(module: &mut Module, item: syn::ItemMacro, found: &mut Found) {
    let name = item
        .mac
        .path
        .segments
        .last()
        .map(|it| plain(&it.ident))
        .unwrap_or_default();
    if let (Some(defined), "macro_rules") = (&item.ident, name.as_str()) {
        found
            .macros
            .push((plain(defined), item.mac.tokens.to_string()));
        return;
    }
    match name.as_str() {
        "thread_local" | "lazy_static" => module.items.extend(statics(&name, item.mac.tokens)),
        "include" => found.skipped.push(Skipped::new(
            at(&module.file, item.mac.path.span()),
            "`include!`: what it brings in is not seen",
        )),
        "compile_error" | "global_asm" | "doc_comment" | "assert_impl_all"
        | "static_assertions" => {}
        _ => module.pending.push(item),
    }
}

/// Declarations inside `thread_local!` and `lazy_static!`: the first are marked by an attribute, the types of the second are wrapped.
fn statics(kind: &str, tokens: TokenStream) -> Vec<syn::Item> {
    let text: TokenStream = tokens
        .into_iter()
        .filter(|tree| !(kind == "lazy_static" && tree.to_string() == "ref"))
        .collect();
    let Ok(file) = syn::parse2::<syn::File>(close(text)) else {
        return Vec::new();
    };
    file.items
        .into_iter()
        .map(|item| match item {
            syn::Item::Static(mut item) => {
                if kind == "thread_local" {
                    item.attrs.push(syn::parse_quote!(#[thread_local]));
                } else {
                    let ty = &item.ty;
                    item.ty = Box::new(syn::parse_quote!(::std::sync::LazyLock<#ty>));
                }
                syn::Item::Static(item)
            }
            other => other,
        })
        .collect()
}

/// The last declaration of `thread_local!` may lack its semicolon.
fn close(tokens: TokenStream) -> TokenStream {
    let trees: Vec<_> = tokens.into_iter().collect();
    let closed =
        matches!(trees.last(), Some(proc_macro2::TokenTree::Punct(it)) if it.as_char() == ';');
    let mut tokens: TokenStream = trees.into_iter().collect();
    if !closed {
        tokens.extend(quote::quote!(;));
    }
    tokens
}

fn path_attribute(attributes: &[syn::Attribute], reading: &Reading) -> Option<String> {
    let text = |meta: &syn::Meta| match meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(it),
                ..
            }) => Some(it.value()),
            _ => None,
        },
        _ => None,
    };
    attributes.iter().find_map(|attribute| {
        if attribute.path().is_ident("cfg_attr") {
            let inner = attribute
                .parse_args_with(
                    syn::punctuated::Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated,
                )
                .ok()?;
            let mut inner = inner.iter();
            return match reading.cfg.holds(inner.next()?) {
                Some(true) => inner.find_map(text),
                _ => None,
            };
        }
        text(&attribute.meta)
    })
}

/// Deepest nesting of brackets, counted roughly: a parser that recurses must not overflow its stack.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// `src/lib.rs:12`.
pub(crate) fn at(file: &str, span: proc_macro2::Span) -> String {
    format!("{file}:{}", span.start().line)
}

/// Attributes of an item.
pub(crate) fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(it) => &it.attrs,
        syn::Item::Enum(it) => &it.attrs,
        syn::Item::ExternCrate(it) => &it.attrs,
        syn::Item::Fn(it) => &it.attrs,
        syn::Item::ForeignMod(it) => &it.attrs,
        syn::Item::Impl(it) => &it.attrs,
        syn::Item::Macro(it) => &it.attrs,
        syn::Item::Mod(it) => &it.attrs,
        syn::Item::Static(it) => &it.attrs,
        syn::Item::Struct(it) => &it.attrs,
        syn::Item::Trait(it) => &it.attrs,
        syn::Item::Type(it) => &it.attrs,
        syn::Item::Union(it) => &it.attrs,
        syn::Item::Use(it) => &it.attrs,
        _ => &[],
    }
}

/// The tokens of a macro call with its name: for messages.
pub(crate) fn macro_name(mac: &syn::Macro) -> String {
    mac.path.segments.last().map_or_else(
        || mac.path.to_token_stream().to_string(),
        |it| plain(&it.ident),
    )
}

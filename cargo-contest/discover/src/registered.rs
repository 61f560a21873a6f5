//! Types whose values are known to a static as long as they exist: making and dropping them are calls that share state,
//! although no object does (an interner's handles, the entries of a registry).
//!
//! Read from the source, by names: `Drop` of the type, or of a type that a field of it names, uses a static of its
//! file, itself or through functions of the file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

use super::pairs::Candidate;
use super::recipes::Recipes;
use super::statics::{source_of, tokens_declare};
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{ConstructorEntry, OperationEntry, Passed, Taken};

/// Most ways to make a value of one type that are operations.
const MOST: usize = 3;

/// For each module with such types, the calls that make a value and drop it.
pub(super) fn registered(
    recipes: &Recipes<'_>,
    candidates: &[Candidate<'_>],
    roots: &[&Path],
) -> Vec<(String, OperationEntry)> {
    let library = recipes.solver.library;
    let mut by_file: BTreeMap<&Path, BTreeSet<String>> = BTreeMap::new();
    let mut found = Vec::new();
    for candidate in candidates.iter().filter(|it| it.at.document == 0) {
        let Some(item) = library.item(candidate.at) else {
            continue;
        };
        let (Some(name), Some(span)) = (&item.name, &item.span) else {
            continue;
        };
        let types = by_file.entry(&span.filename).or_insert_with(|| {
            let source = source_of(&span.filename, roots);
            source.map_or_else(BTreeSet::new, |it| types_in_statics(&it))
        });
        if !types.contains(name) {
            continue;
        }
        let path = candidate.name.path.as_str();
        let module = path.rsplit_once("::").map_or(path, |(it, _)| it);
        let (made, _) = recipes.constructors(&candidate.ty, 0);
        let declared = library.location(candidate.at, roots);
        let calls = made.iter().filter_map(|it| made_and_dropped(it, &declared));
        found.extend(calls.take(MOST).map(|it| (module.to_owned(), it)));
    }
    found
}

/// `drop(Handle::new({0}))`; what it returns is nothing, for what a handle shows may be its address.
fn made_and_dropped(made: &ConstructorEntry, declared: &str) -> Option<OperationEntry> {
    let other = |passed| matches!(passed, Passed::OtherObject | Passed::OtherObjectArc);
    if made.arguments.iter().any(|it| other(it.passed)) {
        return None;
    }
    let text = made.text.to_string();
    let name = text.split('(').next().unwrap_or_default();
    Some(OperationEntry {
        arguments: made.arguments.clone(),
        declared: declared.to_owned(),
        ..OperationEntry::new(
            name,
            Taken::Reference,
            Expression::call("::core::mem::drop", [made.expression.clone()]),
            Expression::call("drop", [made.text.clone()]),
        )
    })
}

/// What a file declares, by name, with the names that are used there.
#[derive(Default)]
struct Declared {
    statics: BTreeSet<String>,
    /// Functions and methods. Those of one name are one.
    functions: BTreeMap<String, BTreeSet<String>>,
    /// What `Drop` of a type uses.
    drops: BTreeMap<String, BTreeSet<String>>,
    fields: BTreeMap<String, BTreeSet<String>>,
}

/// Names of the types of a file whose values use its statics when they are dropped.
fn types_in_statics(source: &str) -> BTreeSet<String> {
    let mut all = Declared::default();
    if source.contains("Drop for ")
        && let Ok(file) = syn::parse_file(source)
    {
        all.read(&file.items);
    }
    let users = closure(all.statics, &all.functions);
    let of_drops = all
        .drops
        .into_iter()
        .filter(|(_, uses)| !uses.is_disjoint(&users))
        .map(|(name, _)| name)
        .collect();
    closure(of_drops, &all.fields)
}

/// These names, and those of all that uses one of them, by whatever way.
fn closure(
    mut names: BTreeSet<String>,
    uses: &BTreeMap<String, BTreeSet<String>>,
) -> BTreeSet<String> {
    if names.is_empty() {
        return names;
    }
    loop {
        let more: Vec<String> = (uses.iter())
            .filter(|(name, uses)| !names.contains(*name) && !uses.is_disjoint(&names))
            .map(|(name, _)| name.clone())
            .collect();
        if more.is_empty() {
            return names;
        }
        names.extend(more);
    }
}

impl Declared {
    fn read(&mut self, items: &[syn::Item]) {
        for item in items {
            match item {
                syn::Item::Static(_) | syn::Item::Macro(_) => {
                    self.statics.extend(statics_in(item.to_token_stream()));
                }
                syn::Item::Fn(it) => self.function(&it.sig.ident, &it.block),
                syn::Item::Struct(it) => {
                    let fields = names(it.fields.to_token_stream());
                    self.fields.insert(it.ident.to_string(), fields);
                }
                syn::Item::Impl(block) => self.read_impl(block),
                // Unit tests are no part of the crate.
                syn::Item::Mod(it) if it.ident != "test" && it.ident != "tests" => {
                    if let Some((_, items)) = &it.content {
                        self.read(items);
                    }
                }
                _ => {}
            }
        }
    }

    fn read_impl(&mut self, block: &syn::ItemImpl) {
        let of_trait = block.trait_.as_ref().map(|(path, _)| path);
        let is_drop = of_trait
            .and_then(|it| it.segments.last())
            .is_some_and(|it| it.ident == "Drop");
        for item in &block.items {
            let syn::ImplItem::Fn(it) = item else {
                continue;
            };
            if !is_drop {
                self.function(&it.sig.ident, &it.block);
            } else if let syn::Type::Path(of) = &*block.self_ty
                && let Some(name) = of.path.segments.last()
            {
                let uses = names(it.block.to_token_stream());
                self.drops.insert(name.ident.to_string(), uses);
            }
        }
    }

    fn function(&mut self, name: &syn::Ident, body: &syn::Block) {
        let body = body.to_token_stream();
        let mut uses = names(body.clone());
        let own = statics_in(body);
        uses.extend(own.iter().cloned());
        self.statics.extend(own);
        let known = self.functions.entry(name.to_string()).or_default();
        known.extend(uses);
    }
}

/// Names of the statics, if one of them can change, and of thread-locals, wherever they are declared.
fn statics_in(tokens: TokenStream) -> Vec<String> {
    if tokens_declare(tokens.clone()) {
        declared_statics(tokens)
    } else {
        Vec::new()
    }
}

/// All statics, those in the braces of `thread_local!` and `lazy_static!` too.
fn declared_statics(tokens: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    let mut before = None;
    let mut after_static = false;
    for token in tokens {
        match &token {
            TokenTree::Ident(it) if after_static && it != "ref" && it != "mut" => {
                found.push(it.to_string());
                after_static = false;
            }
            TokenTree::Ident(it) if it == "static" => {
                let lifetime =
                    matches!(&before, Some(TokenTree::Punct(it)) if it.as_char() == '\'');
                after_static = !lifetime;
            }
            TokenTree::Group(group) => found.extend(declared_statics(group.stream())),
            _ => {}
        }
        before = Some(token);
    }
    found
}

/// All names in a piece of source.
fn names(tokens: TokenStream) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for token in tokens {
        match token {
            TokenTree::Ident(it) => {
                found.insert(it.to_string());
            }
            TokenTree::Group(group) => found.extend(names(group.stream())),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::types_in_statics;

    fn of(source: &str) -> Vec<String> {
        types_in_statics(source).into_iter().collect()
    }

    #[test]
    fn a_type_uses_a_static_when_it_is_dropped_itself_or_by_functions_and_fields() {
        let by_itself = "static ALL: Mutex<Vec<u32>> = Mutex::new(Vec::new());
            pub struct Entry(u32);
            impl Drop for Entry { fn drop(&mut self) { ALL.lock().unwrap().retain(|it| *it != self.0) } }";
        assert_eq!(of(by_itself), ["Entry"]);
        let by_a_function = "lazy_static! { static ref ALL: Mutex<Vec<u32>> = Mutex::new(Vec::new()); }
            pub struct Entry<T>(T);
            impl<T> Entry<T> { fn all() -> &'static Mutex<Vec<u32>> { &ALL } fn leave(&self) { Self::all().lock(); } }
            impl<T> Drop for Entry<T> { fn drop(&mut self) { self.leave() } }";
        assert_eq!(of(by_a_function), ["Entry"]);
        let by_a_field = "thread_local! { static OWN: Cell<u32> = Cell::new(0); }
            pub struct Entry { inner: Arc<Inner> }
            struct Inner(u32);
            impl Drop for Inner { fn drop(&mut self) { OWN.with(|it| it.set(self.0)) } }";
        assert_eq!(of(by_a_field), ["Entry", "Inner"]);
        let within = "pub struct Entry;
            fn all() -> &'static Mutex<u32> { static ALL: Mutex<u32> = Mutex::new(0); &ALL }
            impl Drop for Entry { fn drop(&mut self) { *all().lock().unwrap() -= 1 } }";
        assert_eq!(of(within), ["Entry"]);
    }

    #[test]
    fn a_static_that_only_others_use_or_that_never_changes_is_none_of_a_type() {
        for none in [
            "static ALL: Mutex<u32> = Mutex::new(0); pub struct Entry; impl Entry { pub fn new() { ALL.lock(); } }",
            "static ALL: Mutex<u32> = Mutex::new(0); pub struct Entry(u32);
             impl Drop for Entry { fn drop(&mut self) { self.0 = 0; } }",
            "static NAMES: [&'static str; 1] = [\"a\"]; pub struct Entry;
             impl Drop for Entry { fn drop(&mut self) { log(NAMES[0]) } }",
            "mod tests { static ALL: Mutex<u32> = Mutex::new(0); struct Entry;
             impl Drop for Entry { fn drop(&mut self) { ALL.lock(); } } }",
        ] {
            assert_eq!(of(none), [""; 0], "{none}");
        }
    }
}

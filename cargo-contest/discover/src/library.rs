//! The crates whose documentation was read, with one index: items by definition path, types in discovery's own form.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use rustdoc_types::{Id, Item, ItemEnum, Type};

use super::document::{Document, impls_of};
use super::documentation::Documentation;
use super::foreign_crates::{
    crates_of_aliases, crates_of_arguments, crates_of_traits, foreign_crates, nameable,
};
use super::named_library::NamedLibrary;
use super::public_names::{Namespace, PublicNames, public_names};
use super::rust_type::{RustType, Substitution, TypeArgument};
use super::rustdoc_json::RustdocError;
use super::std_paths::{self, crate_of, is_std};
use contest_catalog::skipped::Skipped;

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
    /// The same by definition path of their trait and of the type that they are for; nothing for impl blocks that may
    /// be for several types. A trait of `std` has impls for all types of a large crate.
    impls_by_type: HashMap<(String, Option<String>), Vec<ItemRef>>,
    /// Crates and items that could not be read.
    pub(crate) skipped: Vec<Skipped>,
    aliases: Vec<Alias>,
}

/// A public alias, by which a type can be named whose own name is private or leads through another crate.
#[derive(Debug)]
struct Alias {
    path: String,
    target: RustType,
    parameters: Vec<String>,
}

/// Most crates that are read in addition to the package; each takes about a second.
const MAX_FOREIGN_CRATES: usize = 16;

impl Library {
    /// Reads the package's documentation and, through `load`, that of crates it re-exports from, aliases or bounds its
    /// API by, of those whose aliases its functions name, and of those in `named` whose traits its types implement, or
    /// whose types its functions take or its traits return.
    pub(crate) fn new(
        package: Documentation,
        load: &mut dyn FnMut(&str) -> Result<Documentation, RustdocError>,
        named: &[NamedLibrary],
    ) -> Self {
        let mut skipped = package.left_out;
        let mut documents = vec![Document::new(package.content)];
        let mut tried: Vec<String> = vec![documents[0].name.clone()];
        let mut next = 0;
        while next < documents.len() {
            let mut wanted = foreign_crates(&documents[next], next == 0);
            if next == 0 {
                wanted.extend(nameable(crates_of_traits(&documents[0]), named));
                wanted.extend(crates_of_aliases(&documents[0]));
                wanted.extend(nameable(crates_of_arguments(&documents[0]), named));
            }
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
                    Ok(read) => {
                        skipped.extend(read.left_out);
                        documents.push(Document::new(read.content));
                    }
                    Err(why) => {
                        skipped.push(Skipped::new(format!("crate {name}"), why.first_line()));
                    }
                }
            }
        }
        let names = public_names(&documents, named);
        let impls_by_trait = impls_by_trait(&documents);
        let impls_by_type = impls_by_type(&documents, &impls_by_trait);
        let mut library = Self {
            documents,
            names,
            impls_by_trait,
            impls_by_type,
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
                let lifetime = || TypeArgument::Lifetime;
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

    /// Impl blocks of a trait that may be for the type: its own first.
    pub(crate) fn impls_of_trait_for(
        &self,
        path: &str,
        ty: &RustType,
    ) -> impl Iterator<Item = &ItemRef> {
        let of = |own: Option<String>| {
            let found = self.impls_by_type.get(&(path.to_owned(), own));
            found.map_or(&[][..], Vec::as_slice)
        };
        match ty.as_named() {
            Some((own, _)) => of(Some(own.to_owned())).iter().chain(of(None)),
            None => self.impls_of_trait(path).iter().chain(&[]),
        }
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

    /// Where an item is declared: `src/lib.rs:12`, relative to the package where it is inside.
    pub(super) fn location(&self, at: ItemRef, roots: &[&Path]) -> String {
        let Some(span) = self.item(at).and_then(|it| it.span.as_ref()) else {
            return String::new();
        };
        let inside = roots
            .iter()
            .find_map(|root| span.filename.strip_prefix(root).ok());
        let file = inside.unwrap_or(&span.filename);
        format!("{}:{}", file.display(), span.begin.0)
    }

    /// True if the path is defined by the package under test.
    pub(crate) fn is_own(&self, path: &str) -> bool {
        crate_of(path) == self.documents[0].name
    }
}

/// See the field.
fn impls_by_type(
    documents: &[Document],
    by_trait: &BTreeMap<String, Vec<ItemRef>>,
) -> HashMap<(String, Option<String>), Vec<ItemRef>> {
    let mut found: HashMap<_, Vec<ItemRef>> = HashMap::new();
    for (trait_, impls) in by_trait {
        for at in impls {
            let document = &documents[at.document];
            let block = document.item(at.id).map(|it| &it.inner);
            let own = match block {
                Some(ItemEnum::Impl(block)) => self_type(document, &block.for_),
                _ => None,
            };
            found.entry((trait_.clone(), own)).or_default().push(*at);
        }
    }
    found
}

/// The definition path of the type that an impl block is for, if that is neither a parameter nor an alias.
fn self_type(document: &Document, for_: &Type) -> Option<String> {
    let Type::ResolvedPath(path) = for_ else {
        return None;
    };
    let is_alias = document
        .summary(path.id)
        .is_none_or(|it| it.kind == rustdoc_types::ItemKind::TypeAlias);
    (!is_alias).then(|| document.definition_path(path.id))?
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

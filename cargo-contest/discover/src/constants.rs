//! Values that constants name: of a module, of a type (`Pool::EMPTY`), of a trait
//! (`<RawMutex as lock_api::RawMutex>::INIT`).

use contest_data::subject::StandInMode;
use rustdoc_types::{Impl, ItemEnum, Visibility};

use super::constructors::Ranked;
use super::document::is_hidden;
use super::holds::Holds;
use super::library::ItemRef;
use super::public_names::Namespace;
use super::recipes::Recipes;
use super::render::{source, trait_source};
use super::rust_type::{RustType, Substitution, TypeArgument, bind};
use super::std_paths::{is_std, last_segment};
use contest_catalog::subject_catalog::{ConstructorEntry, Made};

impl Recipes<'_> {
    /// Constants whose type is `ty`.
    pub(super) fn constants(&self, ty: &RustType, found: &mut Vec<Ranked>) {
        let mut add = |text: String, expression: String| {
            found.push(Ranked {
                rank: (4, 0, found.len()),
                entry: ConstructorEntry {
                    text: text.into(),
                    expression: expression.into(),
                    made: Made::Plain,
                    mode: StandInMode::Usual,
                    arguments: Vec::new(),
                },
            });
        };
        self.free_constants(ty, &mut add);
        self.associated_constants(ty, &mut add);
    }

    fn free_constants(&self, ty: &RustType, add: &mut dyn FnMut(String, String)) {
        let all = self
            .free_constants
            .get_or_init(|| self.all_free_constants());
        for (_, path) in all.iter().filter(|(of, _)| of == ty) {
            add(last_segment(path).to_owned(), path.clone());
        }
    }

    /// Constants of modules, with their types: looked for once, because packages have thousands of items.
    fn all_free_constants(&self) -> Vec<(RustType, String)> {
        let library = self.solver.library;
        let mut found = Vec::new();
        for (document, it) in library.documents.iter().enumerate() {
            for item in it.items_in_order() {
                let ItemEnum::Constant { type_, .. } = &item.inner else {
                    continue;
                };
                let Some(path) = it.definition_path(item.id) else {
                    continue;
                };
                let name = library.names.get(&path, Namespace::Value);
                if let Some(name) = name.filter(|it| !it.hidden) {
                    found.push((library.convert(document, type_), name.path.clone()));
                }
            }
        }
        found
    }

    fn associated_constants(&self, ty: &RustType, add: &mut dyn FnMut(String, String)) {
        let library = self.solver.library;
        let Ok(written) = source(library, ty) else {
            return;
        };
        let short = last_segment(ty.path());
        for at in library.impls_of_type(ty.path()) {
            let Some(ItemEnum::Impl(block)) = library.item(at).map(|it| &it.inner) else {
                continue;
            };
            let Some((owner, mut by)) = self.owner_of_constants(ty, at, block, &written) else {
                continue;
            };
            by.insert("Self".to_owned(), TypeArgument::Type(ty.clone()));
            for id in &block.items {
                let Some(item) = library.item(ItemRef { id: *id, ..at }) else {
                    continue;
                };
                let ItemEnum::AssocConst { type_, .. } = &item.inner else {
                    continue;
                };
                let hidden = is_hidden(item)
                    || block.trait_.is_none() && item.visibility != Visibility::Public;
                let of = library.convert(at.document, type_).substitute(&by);
                if let (Some(name), false) = (&item.name, hidden)
                    && self.solver.normalise(of) == *ty
                {
                    add(format!("{short}::{name}"), format!("{owner}::{name}"));
                }
            }
        }
    }

    /// How constants of an impl are written, and the arguments of its parameters, if it is one of `ty`.
    fn owner_of_constants(
        &self,
        ty: &RustType,
        at: ItemRef,
        block: &Impl,
        written: &str,
    ) -> Option<(String, Substitution)> {
        let library = self.solver.library;
        if block.is_negative || block.is_synthetic || block.blanket_impl.is_some() {
            return None;
        }
        let constraints = library.constraints(at.document, &block.generics);
        let for_ = library.convert(at.document, &block.for_);
        let mut by = Substitution::new();
        if !bind(&for_, ty, &constraints.names(), &mut by)
            || self.solver.all_hold(&constraints, &by) == Holds::No
        {
            return None;
        }
        let Some(trait_) = &block.trait_ else {
            return Some((format!("<{written}>"), by));
        };
        let bound = library.trait_bound(at.document, trait_).substitute(&by);
        if is_std(&bound.path) {
            return None;
        }
        let trait_ = trait_source(library, &bound).ok()?;
        Some((format!("<{written} as {trait_}>"), by))
    }
}

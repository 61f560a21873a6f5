//! What impl blocks are for: headers in discovery's own form, each converted once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use rustdoc_types::{Impl, ItemEnum, Type};

use super::conversion::Constraints;
use super::library::{ItemRef, Library};
use super::rust_type::{RustType, Substitution, TraitBound, TypeArgument, bind, bind_arguments};

/// The header of `impl<…> Trait for Type where …`.
#[derive(Debug)]
pub(super) struct ImplHeader {
    pub(super) is_negative: bool,
    pub(super) constraints: Constraints,
    /// Names of the parameters.
    names: Vec<String>,
    for_: RustType,
    trait_: TraitBound,
}

/// Headers by the place of their impl block.
#[derive(Debug)]
pub(super) struct ImplHeaders<'a> {
    library: &'a Library,
    /// `None` for an impl block without a trait.
    known: RefCell<HashMap<ItemRef, Option<Rc<ImplHeader>>>>,
}

impl<'a> ImplHeaders<'a> {
    pub(super) fn new(library: &'a Library) -> Self {
        Self {
            library,
            known: RefCell::default(),
        }
    }

    /// The header of an impl block, bound to a type and a trait; `None` if it is for others.
    pub(super) fn matching(
        &self,
        at: ItemRef,
        ty: &RustType,
        bound: &TraitBound,
    ) -> Option<(Rc<ImplHeader>, Substitution)> {
        let ItemEnum::Impl(block) = &self.library.item(at)?.inner else {
            return None;
        };
        // A cheap test first: most impl blocks of a trait are for other types.
        if let (Type::ResolvedPath(path), Some((own, _))) = (&block.for_, ty.as_named())
            && self.library.documents[at.document].definition_path(path.id)? != own
            && !self.is_alias(at.document, path.id)
        {
            return None;
        }
        let header = self.header(at, block)?;
        let mut substitution = Substitution::new();
        if !bind(&header.for_, ty, &header.names, &mut substitution) {
            return None;
        }
        substitution.insert("Self".to_owned(), TypeArgument::Type(ty.clone()));
        let ours = header.trait_.substitute(&substitution).arguments;
        if !bound.arguments.is_empty()
            && !bind_arguments(&ours, &bound.arguments, &header.names, &mut substitution)
        {
            return None;
        }
        Some((header, substitution))
    }

    fn header(&self, at: ItemRef, block: &Impl) -> Option<Rc<ImplHeader>> {
        if let Some(known) = self.known.borrow().get(&at) {
            return known.clone();
        }
        let header = block.trait_.as_ref().map(|trait_| {
            let constraints = self.library.constraints(at.document, &block.generics);
            Rc::new(ImplHeader {
                is_negative: block.is_negative,
                names: constraints.names(),
                constraints,
                for_: self.library.convert(at.document, &block.for_),
                trait_: self.library.trait_bound(at.document, trait_),
            })
        });
        self.known.borrow_mut().insert(at, header.clone());
        header
    }

    fn is_alias(&self, document: usize, id: rustdoc_types::Id) -> bool {
        self.library.documents[document]
            .summary(id)
            .is_some_and(|it| it.kind == rustdoc_types::ItemKind::TypeAlias)
    }
}

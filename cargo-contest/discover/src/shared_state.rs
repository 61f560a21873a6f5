//! Whether anything in a value can change while it is shared.

use rustdoc_types::{ItemEnum, StructKind, VariantKind};

use super::document::generics_of;
use super::library::ItemRef;
use super::rust_type::{RustType, Substitution};
use super::solver::Solver;
use super::std_paths::{is_std, last_segment};

impl Solver<'_> {
    /// False only if all parts are known and none has a cell, a lock, an atomic or a pointer that hides them.
    pub(crate) fn can_change(&self, ty: &RustType) -> bool {
        self.can_change_beside(ty, &mut Vec::new())
    }

    fn can_change_beside(&self, ty: &RustType, seen: &mut Vec<RustType>) -> bool {
        if seen.contains(ty) || seen.len() > 64 {
            return false;
        }
        seen.push(ty.clone());
        let mut part = |it: &RustType| self.can_change_beside(it, seen);
        match ty {
            RustType::Primitive(_) | RustType::Function { .. } => false,
            RustType::Tuple(items) => items.iter().any(part),
            RustType::Array(item, _) | RustType::Slice(item) => part(item),
            RustType::Reference { to, .. } => part(to),
            RustType::Named { path, .. } if is_std(path) => {
                changes(path) || (0..3).any(|it| ty.argument(it).is_some_and(&mut part))
            }
            RustType::Named { .. } => match self.fields(ty) {
                Some(fields) => fields.iter().any(part),
                None => true,
            },
            _ => true,
        }
    }

    /// False only if all parts are known and a copy of the value has nothing in common with it.
    pub(crate) fn may_share(&self, ty: &RustType) -> bool {
        self.may_share_beside(ty, &mut Vec::new())
    }

    fn may_share_beside(&self, ty: &RustType, seen: &mut Vec<RustType>) -> bool {
        if seen.contains(ty) || seen.len() > 64 {
            return false;
        }
        seen.push(ty.clone());
        let mut part = |it: &RustType| self.may_share_beside(it, seen);
        match ty {
            RustType::Primitive(_) | RustType::Function { .. } => false,
            RustType::Tuple(items) => items.iter().any(part),
            RustType::Array(item, _) | RustType::Slice(item) => part(item),
            RustType::Named { path, .. } if is_std(path) => {
                let counted = ["alloc::sync::", "core::ptr::"];
                let mut counted = counted.iter();
                let phantom = path.ends_with("::PhantomData");
                counted.any(|it| path.starts_with(it))
                    || !phantom && (0..3).any(|it| ty.argument(it).is_some_and(&mut part))
            }
            RustType::Named { .. } => match self.fields(ty) {
                Some(fields) => fields.iter().any(part),
                None => true,
            },
            _ => true,
        }
    }

    /// True if it is known that a copy of the value and the value itself have something in common that can change.
    pub(crate) fn is_handle(&self, ty: &RustType) -> bool {
        self.is_handle_beside(ty, &mut Vec::new())
    }

    fn is_handle_beside(&self, ty: &RustType, seen: &mut Vec<RustType>) -> bool {
        if seen.contains(ty) || seen.len() > 64 {
            return false;
        }
        seen.push(ty.clone());
        let mut part = |it: &RustType| self.is_handle_beside(it, seen);
        match ty {
            RustType::Tuple(items) => items.iter().any(part),
            RustType::Array(item, _) | RustType::Slice(item) => part(item),
            RustType::Reference { to, .. } => self.can_change(to),
            RustType::Named { path, .. } if path == "alloc::sync::Arc" => {
                ty.argument(0).is_some_and(|it| self.can_change(it))
            }
            RustType::Named { path, .. } if is_std(path) => {
                let phantom = path.ends_with("::PhantomData");
                !phantom && (0..3).any(|it| ty.argument(it).is_some_and(&mut part))
            }
            RustType::Named { .. } => {
                let fields = self.fields(ty);
                fields.is_some_and(|fields| fields.iter().any(part))
            }
            _ => false,
        }
    }

    /// Types of all fields of a type of the library.
    pub(crate) fn fields(&self, ty: &RustType) -> Option<Vec<RustType>> {
        let library = self.library;
        let (at, item) = library.find_item(ty.path())?;
        let by = self.bind_parameters(ty)?;
        let mut ids = Vec::new();
        match &item.inner {
            ItemEnum::Struct(it) => match &it.kind {
                StructKind::Unit => {}
                StructKind::Tuple(fields) => ids.extend(fields.iter().copied()),
                StructKind::Plain {
                    fields,
                    has_stripped_fields,
                } => {
                    ids.extend(fields.iter().copied().map(Some));
                    if *has_stripped_fields {
                        return None;
                    }
                }
            },
            ItemEnum::Enum(it) => {
                for id in &it.variants {
                    let variant = library.item(ItemRef { id: *id, ..at })?;
                    let ItemEnum::Variant(variant) = &variant.inner else {
                        return None;
                    };
                    match &variant.kind {
                        VariantKind::Plain => {}
                        VariantKind::Tuple(fields) => ids.extend(fields.iter().copied()),
                        VariantKind::Struct { fields, .. } => {
                            ids.extend(fields.iter().copied().map(Some));
                        }
                    }
                }
            }
            _ => return None,
        }
        let field = |id: Option<rustdoc_types::Id>| {
            let item = library.item(ItemRef { id: id?, ..at })?;
            let ItemEnum::StructField(ty) = &item.inner else {
                return None;
            };
            let ty = library.convert(at.document, ty).substitute(&by);
            Some(self.normalise(ty))
        };
        ids.into_iter().map(field).collect()
    }

    /// The documentation of the field of this name, of a struct of the library.
    pub(crate) fn field_docs(&self, ty: &RustType, name: &str) -> Option<&str> {
        let (at, item) = self.library.find_item(ty.path())?;
        let ItemEnum::Struct(it) = &item.inner else {
            return None;
        };
        let StructKind::Plain { fields, .. } = &it.kind else {
            return None;
        };
        let mut fields = fields.iter().filter_map(|id| {
            let at = ItemRef { id: *id, ..at };
            self.library.item(at)
        });
        fields
            .find(|it| it.name.as_deref() == Some(name))?
            .docs
            .as_deref()
    }

    /// The parameters of a type's definition, as its arguments have them.
    pub(crate) fn bind_parameters(&self, ty: &RustType) -> Option<Substitution> {
        let (path, arguments) = ty.as_named()?;
        let (_, item) = self.library.find_item(path)?;
        let generics = generics_of(item)?;
        let names = generics.params.iter().map(|it| it.name.clone());
        Some(names.zip(arguments.iter().cloned()).collect())
    }
}

fn changes(path: &str) -> bool {
    let places = [
        "core::sync::atomic::",
        "core::cell::",
        "std::sync::",
        "std::thread::",
        "std::io::",
        "std::net::",
        "std::fs::",
        "std::process::",
        "core::ptr::",
        "core::task::",
        "alloc::task::",
    ];
    places.iter().any(|it| path.starts_with(it)) && last_segment(path) != "ThreadId"
        || path == "alloc::sync::Weak"
}

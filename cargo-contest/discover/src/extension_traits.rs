//! Methods that a trait provides, and what they make of a value: `future.shared()`, `buffer.chain(other)`.

use rustdoc_types::ItemEnum;

use super::library::{ItemRef, Library};
use super::public_names::Namespace;
use super::rust_type::RustType;
use super::signature::{Functions, Signature, trait_methods};

impl Functions {
    /// All functions that are not methods of trait impls, and the methods by which traits make something of a value.
    pub(crate) fn of(library: &Library) -> Self {
        let mut functions = Self::by_themselves(library);
        for method in extension_methods(library) {
            functions.add(method);
        }
        functions
    }
}

/// Methods with a body that take `self` by value, of public traits.
fn extension_methods(library: &Library) -> Vec<Signature> {
    let mut found = Vec::new();
    for (document, it) in library.documents.iter().enumerate() {
        for item in it.items_in_order() {
            let at = ItemRef {
                document,
                id: item.id,
            };
            let path = it.definition_path(item.id);
            if let (ItemEnum::Trait(trait_), Some(path)) = (&item.inner, path)
                && !trait_.is_unsafe
                && is_public(library, &path)
            {
                let methods = trait_methods(library, at).into_iter();
                found.extend(methods.filter(|method| gives_away(library, method)));
            }
        }
    }
    found
}

fn is_public(library: &Library, path: &str) -> bool {
    let name = library.names.get(path, Namespace::Type);
    name.is_some_and(|it| !it.hidden && !it.foreign_module)
}

fn gives_away(library: &Library, method: &Signature) -> bool {
    let has_body = matches!(
        library.item(method.at).map(|it| &it.inner),
        Some(ItemEnum::Function(function)) if function.has_body
    );
    let takes_self = matches!(
        method.inputs.first(),
        Some((name, RustType::Parameter(own))) if name == "self" && own == "Self"
    );
    has_body && takes_self
}

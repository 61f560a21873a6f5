//! Functions that a type has by its implementations of public traits.

use rustdoc_types::ItemEnum;

use super::document::is_derived;
use super::public_names::Namespace;
use super::rust_type::{RustType, Substitution, bind, bind_arguments};
use super::signature::{Owner, Signature, trait_methods};
use super::solver::Solver;
use super::std_paths::is_std;

impl Solver<'_> {
    /// Functions of public traits of the crates that were read which `ty` implements, with the arguments of the trait.
    pub(crate) fn trait_functions(&self, ty: &RustType) -> Vec<(Signature, Substitution)> {
        let library = self.library;
        let mut found: Vec<(Signature, Substitution)> = Vec::new();
        for at in library.impls_of_type(ty.path()) {
            let Some(item) = library.item(at) else {
                continue;
            };
            let ItemEnum::Impl(block) = &item.inner else {
                continue;
            };
            let Some(trait_) = &block.trait_ else {
                continue;
            };
            if block.is_negative || block.is_synthetic || block.blanket_impl.is_some() {
                continue;
            }
            let header = library.trait_bound(at.document, trait_);
            if is_std(&header.path) {
                continue;
            }
            let Some(trait_at) = library.find(&header.path) else {
                continue;
            };
            if is_derived(item) && !library.is_own(&header.path) {
                continue;
            }
            let name = library.names.get(&header.path, Namespace::Type);
            if name.is_none_or(|it| it.hidden) {
                continue;
            }
            let constraints = library.constraints(at.document, &block.generics);
            let for_ = library.convert(at.document, &block.for_);
            let mut of_impl = Substitution::new();
            if !bind(&for_, ty, &constraints.names(), &mut of_impl)
                || self.failing(&constraints, &of_impl).is_some()
            {
                continue;
            }
            let arguments = header.substitute(&of_impl).arguments;
            for method in trait_methods(library, trait_at) {
                let Owner::Trait(bound) = &method.owner else {
                    continue;
                };
                let mut by = Substitution::new();
                let names = method.constraints.names();
                bind_arguments(&bound.arguments, &arguments, &names, &mut by);
                if !found.iter().any(|(it, _)| it.at == method.at) {
                    found.push((method, by));
                }
            }
        }
        found
    }
}

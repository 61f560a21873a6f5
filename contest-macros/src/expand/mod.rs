//! From a checked item to code.

mod bounds;
mod call_arguments;
mod field_accesses;
mod given_out;
mod known_names;
mod operations;
mod rewrite;
mod shared;
mod snapshot;
mod test;

pub(crate) use operations::operations;
pub(crate) use shared::shared;
pub(crate) use test::test;

use proc_macro2::TokenStream;
use quote::quote;
use syn::visit_mut::VisitMut;

use rewrite::{Resolved, Rewrite};

/// The item without helpers, and what is wrong with it. The item must not be swallowed: everything that uses it would
/// be an error too; nor must its types differ from those of items that are right.
fn refused(item: &TokenStream, error: &syn::Error, instrument: bool) -> TokenStream {
    let error = error.to_compile_error();
    match syn::parse2::<syn::Item>(item.clone()) {
        Ok(mut parsed) => {
            crate::ast::strip(&mut parsed);
            if instrument {
                let runtime = crate::crate_name::runtime();
                Rewrite::new(&runtime, Resolved::Known, &[]).visit_item_mut(&mut parsed);
            }
            quote!(#parsed #error)
        }
        // Half-typed: the compiler says what is missing.
        Err(_) => quote!(#item #error),
    }
}

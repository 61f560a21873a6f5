//! From a checked item to code.

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

/// The item as it was written, and what is wrong with it. The item must not be swallowed: everything that uses it would be an error too.
fn refused(item: &TokenStream, error: &syn::Error) -> TokenStream {
    let error = error.to_compile_error();
    match syn::parse2::<syn::Item>(item.clone()) {
        Ok(mut parsed) => {
            crate::ast::strip(&mut parsed);
            quote!(#parsed #error)
        }
        // Half-typed: the compiler says what is missing.
        Err(_) => quote!(#item #error),
    }
}

//! `#[contest::test]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::visit_mut::VisitMut;
use syn::{ItemFn, Result};

use super::rewrite::{Resolved, Rewrite};
use crate::ast::TestArguments;
use crate::{crate_name, valid};

pub(crate) fn test(arguments: TokenStream, item: TokenStream, instrument: bool) -> TokenStream {
    match expanded(arguments, item.clone(), instrument) {
        Ok(expanded) => expanded,
        Err(error) => super::refused(&item, &error, instrument),
    }
}

fn expanded(arguments: TokenStream, item: TokenStream, instrument: bool) -> Result<TokenStream> {
    let arguments: TestArguments = syn::parse2(arguments)?;
    let mut function: ItemFn = valid::test_function(syn::parse2(item)?)?;
    let runtime = crate_name::runtime();
    let calls = valid::test_arguments(&arguments, &runtime)?;
    if instrument {
        Rewrite::new(&runtime, Resolved::Known, &[]).visit_item_fn_mut(&mut function);
    }
    let ItemFn {
        attrs,
        vis,
        sig,
        block,
        modifiers: _,
    } = &function;
    let name = &sig.ident;
    let inner = match &sig.output {
        syn::ReturnType::Default => quote!(|| #block),
        syn::ReturnType::Type(_, output) => quote! {
            || {
                let run = || -> #output { #block };
                #runtime::annotated::passed(run());
            }
        },
    };
    Ok(quote! {
        #[::core::prelude::v1::test]
        #(#attrs)*
        #vis fn #name() {
            #runtime::Builder::new()#(#calls)*.check(#inner);
        }
    })
}

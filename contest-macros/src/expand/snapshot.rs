//! The state of an annotated type: a text made of its fields, through locks.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Fields, Generics, Ident, ItemEnum, ItemStruct, parse_quote};

use crate::ast::FieldHelpers;

pub(super) fn of_struct(
    item: &ItemStruct,
    helpers: &[FieldHelpers],
    runtime: &TokenStream,
) -> TokenStream {
    if is_packed(&item.attrs) {
        // Its fields may not be borrowed.
        return implementation(&item.ident, &item.generics, runtime, None);
    }
    let name = &item.ident;
    let (pattern, written) = fields(&item.fields, helpers, runtime);
    let text = name.to_string();
    let body = quote! {
        let #name #pattern = self;
        out.push_str(#text);
        #written
    };
    implementation(name, &item.generics, runtime, Some(body))
}

pub(super) fn of_enum(
    item: &ItemEnum,
    helpers: &[Vec<FieldHelpers>],
    runtime: &TokenStream,
) -> TokenStream {
    let name = &item.ident;
    if item.variants.is_empty() {
        return implementation(name, &item.generics, runtime, None);
    }
    let arms = item.variants.iter().zip(helpers).map(|(variant, helpers)| {
        let ident = &variant.ident;
        let (pattern, written) = fields(&variant.fields, helpers, runtime);
        let text = ident.to_string();
        quote! {
            #name::#ident #pattern => {
                out.push_str(#text);
                #written
            }
        }
    });
    let body = quote!(match self { #(#arms)* });
    implementation(name, &item.generics, runtime, Some(body))
}

/// A pattern that binds the fields, and code that writes them.
fn fields(
    fields: &Fields,
    helpers: &[FieldHelpers],
    runtime: &TokenStream,
) -> (TokenStream, TokenStream) {
    let shown = |index: usize| helpers.get(index).is_none_or(|it| it.opaque.is_none());
    let bound: Vec<Ident> = (0..fields.len())
        .map(|index| format_ident!("field{index}"))
        .collect();
    let pattern = match fields {
        Fields::Unit => quote!(),
        Fields::Unnamed(_) => {
            let parts = bound.iter().enumerate().map(|(index, name)| {
                if shown(index) {
                    quote!(#name)
                } else {
                    quote!(_)
                }
            });
            quote!((#(#parts),*))
        }
        Fields::Named(named) => {
            let parts = named.named.iter().zip(&bound).enumerate();
            let parts = parts
                .filter(|(index, _)| shown(*index))
                .map(|(_, (field, name))| {
                    let field = &field.ident;
                    quote!(#field: #name)
                });
            quote!({ #(#parts,)* .. })
        }
    };
    let written = bound
        .iter()
        .enumerate()
        .filter(|(index, _)| shown(*index))
        .map(|(_, name)| {
            quote! {
                out.push(' ');
                complete &= #runtime::snapshot!(#name, out);
            }
        });
    (
        pattern,
        quote! {
            let mut complete = true;
            #(#written)*
            complete
        },
    )
}

fn implementation(
    name: &Ident,
    generics: &Generics,
    runtime: &TokenStream,
    body: Option<TokenStream>,
) -> TokenStream {
    let mut bounded = generics.clone();
    for parameter in bounded.type_params_mut() {
        parameter.bounds.push(parse_quote!(#runtime::Snapshot));
    }
    let (impl_generics, _, where_clause) = bounded.split_for_impl();
    let (_, type_generics, _) = generics.split_for_impl();
    let method = body.map(|body| {
        quote! {
            fn snapshot(&self, out: &mut #runtime::macro_support::std::string::String) -> bool {
                #body
            }
        }
    });
    quote! {
        #[automatically_derived]
        #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        impl #impl_generics #runtime::Snapshot for #name #type_generics #where_clause {
            #method
        }
    }
}

fn is_packed(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let mut packed = false;
        if attribute.path().is_ident("repr") {
            let _ = attribute.parse_nested_meta(|meta| {
                packed |= meta.path.is_ident("packed");
                if meta.input.peek(syn::token::Paren) {
                    let inside;
                    syn::parenthesized!(inside in meta.input);
                    let _: TokenStream = inside.parse()?;
                }
                Ok(())
            });
        }
        packed
    })
}

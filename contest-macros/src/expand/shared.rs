//! `#[contest::shared]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::visit_mut::VisitMut;
use syn::{Fields, Generics, Ident, Item, Result};

use super::field_accesses::FieldAccesses;
use super::rewrite::{Resolved, Rewrite};
use super::snapshot;
use crate::ast::{FieldHelpers, SharedArguments, take_field_helpers};
use crate::{crate_name, valid};

// A type that the compiler resolves looks more complex to clippy than the one that was written, hence the `allow`s.

pub(crate) fn shared(arguments: TokenStream, item: TokenStream, instrument: bool) -> TokenStream {
    match expanded(arguments, item.clone(), instrument) {
        Ok(expanded) => expanded,
        Err(error) => super::refused(&item, &error, instrument),
    }
}

fn expanded(arguments: TokenStream, item: TokenStream, instrument: bool) -> Result<TokenStream> {
    let arguments: SharedArguments = syn::parse2(arguments)?;
    let mut parsed: Item = syn::parse2(item)?;
    valid::shared_item(&parsed)?;
    let runtime = crate_name::runtime();
    match &mut parsed {
        Item::Struct(structure) => {
            let helpers = helpers_of(&mut structure.fields)?;
            valid::fields(&helpers)?;
            if !instrument {
                return Ok(quote!(#structure));
            }
            let generics = structure.generics.clone();
            rewrite_fields(
                &mut structure.fields,
                &helpers,
                &arguments.plain,
                &generics,
                &runtime,
            );
            let mut further = of_type(&structure.ident, &generics, &runtime);
            further.extend(of_fields(&structure.ident, &generics, &runtime));
            let snapshot = snapshot::of_struct(structure, &helpers, &runtime);
            Ok(quote!(#[allow(clippy::type_complexity)] #structure #further #snapshot))
        }
        Item::Enum(enumeration) => {
            let mut helpers = Vec::new();
            for variant in &mut enumeration.variants {
                let of_variant = helpers_of(&mut variant.fields)?;
                valid::fields(&of_variant)?;
                helpers.push(of_variant);
            }
            if !instrument {
                return Ok(quote!(#enumeration));
            }
            let generics = enumeration.generics.clone();
            for (variant, helpers) in enumeration.variants.iter_mut().zip(&helpers) {
                rewrite_fields(
                    &mut variant.fields,
                    helpers,
                    &arguments.plain,
                    &generics,
                    &runtime,
                );
            }
            let further = of_type(&enumeration.ident, &generics, &runtime);
            let snapshot = snapshot::of_enum(enumeration, &helpers, &runtime);
            Ok(quote!(#[allow(clippy::type_complexity)] #enumeration #further #snapshot))
        }
        other => {
            if instrument {
                FieldAccesses::new(&runtime).visit_item_mut(other);
                Rewrite::new(&runtime, Resolved::Known, &arguments.plain).visit_item_mut(other);
                return Ok(quote!(#[allow(clippy::type_complexity)] #other));
            }
            Ok(quote!(#other))
        }
    }
}

/// Reads and removes all of them, and reports every error.
fn helpers_of(fields: &mut Fields) -> Result<Vec<FieldHelpers>> {
    let mut found = Vec::new();
    let mut errors: Option<syn::Error> = None;
    for field in fields {
        match take_field_helpers(&mut field.attrs) {
            Ok(helpers) => found.push(helpers),
            Err(error) => match &mut errors {
                None => errors = Some(error),
                Some(all) => all.combine(error),
            },
        }
    }
    errors.map_or(Ok(found), Err)
}

fn rewrite_fields(
    fields: &mut Fields,
    helpers: &[FieldHelpers],
    plain: &[Ident],
    generics: &Generics,
    runtime: &TokenStream,
) {
    for (field, helpers) in fields.iter_mut().zip(helpers) {
        if helpers.plain.is_none() {
            Rewrite::new(runtime, Resolved::All, plain)
                .with_generics(generics)
                .with_plain(&helpers.plain_names)
                .visit_type_mut(&mut field.ty);
        }
    }
}

/// It stands for itself in the fields of others.
fn of_type(name: &Ident, generics: &Generics, runtime: &TokenStream) -> TokenStream {
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics #runtime::Instrument for #name #type_generics #where_clause {
            type As = Self;
        }
    }
}

/// Accesses of its fields are reported.
fn of_fields(name: &Ident, generics: &Generics, runtime: &TokenStream) -> TokenStream {
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let text = name.to_string();
    quote! {
        #[automatically_derived]
        impl #impl_generics #runtime::macro_support::fields::HasFields for #name #type_generics #where_clause {
            const NAME: &'static str = #text;
        }
    }
}

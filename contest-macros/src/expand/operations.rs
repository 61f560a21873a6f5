//! `#[contest::operations]`: the `impl` with its bodies rewritten, and the tables of its operations.

use std::fmt::Write as _;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::visit_mut::VisitMut;
use syn::{Ident, ItemImpl, Result, Type};

use super::bounds::bounds;
use super::call_arguments::{argument_table, argument_texts, bind, is_object, pass};
use super::field_accesses::FieldAccesses;
use super::given_out::given_out;
use super::rewrite::{Resolved, Rewrite};
use crate::ast::{Method, OperationsArguments, Receiver, Returned, methods};
use crate::valid::{Role, roles};
use crate::{crate_name, valid};

pub(crate) fn operations(
    arguments: TokenStream,
    item: TokenStream,
    instrument: bool,
) -> TokenStream {
    match expanded(arguments, item.clone(), instrument) {
        Ok(expanded) => expanded,
        Err(error) => super::refused(&item, &error, instrument),
    }
}

fn expanded(arguments: TokenStream, item: TokenStream, instrument: bool) -> Result<TokenStream> {
    let arguments: OperationsArguments = syn::parse2(arguments)?;
    let mut item: ItemImpl = valid::operations_item(syn::parse2(item)?)?;
    let methods = methods(&mut item)?;
    let roles = roles(&methods, &arguments)?;
    if !instrument {
        return Ok(quote!(#item));
    }
    let runtime = crate_name::runtime();
    let tables = Tables {
        item: &item,
        runtime: &runtime,
        arguments: &arguments,
        methods: &methods,
        roles: &roles,
    };
    let further = tables.write();
    FieldAccesses::new(&runtime).visit_item_impl_mut(&mut item);
    Rewrite::new(&runtime, Resolved::Known, &arguments.plain).visit_item_impl_mut(&mut item);
    Ok(quote!(#[allow(clippy::type_complexity)] #item #further))
}

struct Tables<'a> {
    item: &'a ItemImpl,
    runtime: &'a TokenStream,
    arguments: &'a OperationsArguments,
    methods: &'a [Method],
    roles: &'a [Role],
}

impl Tables<'_> {
    fn write(&self) -> TokenStream {
        let runtime = self.runtime;
        let mut constructors = Vec::new();
        let mut operations = Vec::new();
        let mut left_out = Vec::new();
        for (method, role) in self.methods.iter().zip(self.roles) {
            match role {
                Role::Constructor(returned) => {
                    constructors.push(self.constructor(method, *returned))
                }
                Role::Operation => operations.push(self.operation(method)),
                Role::LeftOut(why) => {
                    let name = method.signature.ident.to_string();
                    left_out.push(quote!((#name, #why)));
                }
                Role::Nothing => {}
            }
        }
        let subject = &self.item.self_ty;
        let mut generics = self.item.generics.clone();
        bounds(
            self.methods,
            self.roles,
            self.arguments,
            runtime,
            &mut generics,
        );
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        let implementation = match self.part() {
            Some(name) => {
                let number = part_number(&name);
                quote! {
                    impl #impl_generics #runtime::annotated::Part<#number> for #subject #where_clause {
                        const METHODS: &'static [#runtime::annotated::Method] = &[#(#operations,)*];
                        const LEFT_OUT: &'static [(&'static str, &'static str)] = &[#(#left_out,)*];
                    }
                }
            }
            None => {
                let path = type_name(subject).to_string();
                let numbers: Vec<u64> = self.arguments.parts.iter().map(part_number).collect();
                let (plain_impl_generics, _, plain_where_clause) =
                    self.item.generics.split_for_impl();
                quote! {
                    #(impl #plain_impl_generics #runtime::annotated::HasPart<#numbers> for #subject #plain_where_clause {})*

                    impl #impl_generics #runtime::annotated::Operations for #subject #where_clause {
                        const PACKAGE: #runtime::macro_support::Package = #runtime::macro_support::Package {
                            name: std::env!("CARGO_PKG_NAME"),
                            version: std::env!("CARGO_PKG_VERSION"),
                        };
                        const PATH: &'static str = #path;
                        const CONSTRUCTORS: &'static [#runtime::macro_support::subject::Constructor] = &[#(#constructors,)*];
                        const METHODS: &'static [&'static [#runtime::annotated::Method]] = &[
                            &[#(#operations,)*],
                            #(<Self as #runtime::annotated::Part<#numbers>>::METHODS,)*
                        ];
                        const LEFT_OUT: &'static [&'static [(&'static str, &'static str)]] = &[
                            &[#(#left_out,)*],
                            #(<Self as #runtime::annotated::Part<#numbers>>::LEFT_OUT,)*
                        ];

                        fn state(call: &#runtime::macro_support::subject::Call<'_>) -> #runtime::macro_support::subject::Response {
                            let mut out = std::string::String::new();
                            let object = #runtime::macro_support::object::<Self>(call, call.receiver);
                            #runtime::snapshot!(&**object, &mut out).then_some(out)
                        }
                    }
                }
            }
        };
        quote! {
            #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
            const _: () = {
                use #runtime::macro_support::std;

                #implementation
            };
        }
    }

    /// The name of this part, unless it is the `impl` that names the others.
    fn part(&self) -> Option<Ident> {
        let of_trait = self
            .item
            .trait_
            .as_ref()
            .and_then(|(path, _)| path.segments.last());
        self.arguments
            .part
            .clone()
            .or_else(|| of_trait.map(|last| last.ident.clone()))
    }

    fn constructor(&self, method: &Method, returned: Returned) -> TokenStream {
        let runtime = self.runtime;
        let name = &method.signature.ident;
        let text = format!(
            "{}::{name}({})",
            type_name(&self.item.self_ty),
            argument_texts(method)
        );
        let arguments = argument_table(method, runtime);
        let bind = bind(method, runtime);
        let passed = pass(method);
        let call = quote!(Self::#name(#(#passed),*));
        let fails = format!("`{name}` of the test made no object");
        let made = match returned {
            Returned::ItselfInArc => call,
            Returned::Perhaps => quote! {
                std::sync::Arc::new(std::iter::Iterator::next(&mut std::iter::IntoIterator::into_iter(#call)).expect(#fails))
            },
            Returned::PerhapsInArc => quote! {
                std::iter::Iterator::next(&mut std::iter::IntoIterator::into_iter(#call)).expect(#fails)
            },
            _ => quote!(std::sync::Arc::new(#call)),
        };
        quote! {
            #runtime::macro_support::subject::Constructor {
                text: #text,
                arguments: &[#(#arguments,)*],
                mode: #runtime::macro_support::subject::StandInMode::Usual,
                make: |call| {
                    #(#bind)*
                    let made: std::sync::Arc<Self> = #made;
                    #runtime::macro_support::shared(made)
                },
            }
        }
    }

    fn operation(&self, method: &Method) -> TokenStream {
        let runtime = self.runtime;
        let helpers = &method.helpers;
        let ident = &method.signature.ident;
        let name = ident.to_string();
        let mut text = format!("{{s}}.{name}({})", argument_texts(method));
        let mut arguments = argument_table(method, runtime);
        let is_async = method.signature.asyncness.is_some();
        let future = method.arguments.len();
        if is_async {
            let _ = write!(text, ".await{{{future}}}");
            arguments.push(quote!(#runtime::macro_support::subject::Argument::OF_FUTURE));
        }
        let bind = bind(method, runtime);
        let passed = pass(method);
        let (receiver, take) = match method.receiver {
            Some(Receiver::Exclusive) => (
                quote!(Exclusive),
                quote! {
                    let mut slot = #runtime::macro_support::object_mut::<Self>(call, call.receiver);
                    let std::option::Option::Some(subject) = std::sync::Arc::get_mut(&mut slot) else {
                        return #runtime::macro_support::not_called("the object has another owner");
                    };
                },
            ),
            taken => {
                let bound = match taken {
                    Some(Receiver::ArcReference) => {
                        quote!(let subject: &std::sync::Arc<Self> = &slot;)
                    }
                    Some(Receiver::Arc) => {
                        quote!(let subject: std::sync::Arc<Self> = std::sync::Arc::clone(&slot);)
                    }
                    _ => quote!(let subject: &Self = &slot;),
                };
                (
                    quote!(Shared),
                    quote! {
                        let slot = #runtime::macro_support::object::<Self>(call, call.receiver);
                        #bound
                    },
                )
            }
        };
        // An object that is lent whole cannot be its own argument.
        let own_argument = (method.receiver == Some(Receiver::Exclusive)).then(|| {
            let objects = method.arguments.iter().enumerate().filter(|(_, argument)| is_object(&argument.passed));
            let checks = objects.map(|(index, _)| {
                quote! {
                    if usize::from(call.choice(#index)) == call.receiver {
                        return #runtime::macro_support::not_called("the object is its own argument");
                    }
                }
            });
            quote!(#(#checks)*)
        });
        let called = quote!(Self::#ident(subject #(, #passed)*));
        let response = if helpers.invariant.is_some() {
            let broken = format!("invariant `{name}` does not hold");
            // Where it fails is at the method.
            let there = ident.span().resolved_at(Span::mixed_site());
            let held = Ident::new("held", there);
            let check = quote_spanned!(there=> #runtime::annotated::Holds::check(#held, #broken););
            quote! {{
                let #held = #called;
                #check
                std::option::Option::None
            }}
        } else if is_async {
            quote!(#runtime::observe_future!(#called, call.choice(#future)))
        } else {
            quote!(#runtime::observe!(#called))
        };
        let weak = helpers.weak.is_some();
        let invariant = helpers.invariant.is_some();
        let observer = helpers.observe.is_some() || invariant;
        let (may_panic, blocking) = (helpers.may_panic.is_some(), helpers.blocking.is_some());
        let given_out = given_out(method, self.methods, runtime);
        let by_custom = !(weak || observer || is_async)
            && method.receiver != Some(Receiver::Exclusive)
            && method.returned != Returned::Nothing
            && !returns_mutable_reference(method);
        quote! {
            #runtime::annotated::Method {
                by_custom: #by_custom,
                operation: #runtime::macro_support::subject::Operation {
                    name: #name,
                    text: #text,
                    arguments: &[#(#arguments,)*],
                    receiver: #runtime::macro_support::subject::Receiver::#receiver,
                    weak: #weak,
                    observer: #observer,
                    contract: #runtime::macro_support::subject::Contract { invariant: #invariant, may_panic: #may_panic, blocking: #blocking, #given_out ..#runtime::macro_support::subject::Contract::NONE },
                    declared: std::concat!(std::file!(), ":", std::line!()),
                    call: |call| {
                        #own_argument
                        #take
                        #(#bind)*
                        #response
                    },
                },
            }
        }
    }
}

/// The name of the type, without arguments.
fn type_name(subject: &Type) -> Ident {
    match subject {
        Type::Path(path) => path.path.segments.last().map_or_else(
            || Ident::new("Self", Span::call_site()),
            |last| last.ident.clone(),
        ),
        _ => Ident::new("Self", Span::call_site()),
    }
}

/// Stands for the name of a part in a const argument: FNV-1a, the same in every build.
pub(super) fn part_number(name: &Ident) -> u64 {
    name.to_string()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}

/// What it returns gives a way to change the object.
fn returns_mutable_reference(method: &Method) -> bool {
    struct Find(bool);
    impl VisitMut for Find {
        fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
            self.0 |= reference.mutability.is_some();
            syn::visit_mut::visit_type_reference_mut(self, reference);
        }
    }
    let mut find = Find(false);
    find.visit_return_type_mut(&mut method.signature.output.clone());
    find.0
}

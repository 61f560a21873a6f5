//! `#[contest::operations]`: the `impl` with its bodies rewritten, and the tables of its operations.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::visit_mut::VisitMut;
use syn::{Ident, ItemImpl, Result, ReturnType, Type, WherePredicate, parse_quote};

use super::rewrite::{Asked, Rewrite};
use crate::ast::{Argument, Method, OperationsArguments, Passed, Receiver, Returned, methods};
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
    Rewrite::new(&runtime, Asked::Known, &arguments.plain).visit_item_impl_mut(&mut item);
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
        self.bounds(&mut generics);
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
                        const PACKAGE: #runtime::campaign::Package = #runtime::campaign::Package {
                            name: std::env!("CARGO_PKG_NAME"),
                            version: std::env!("CARGO_PKG_VERSION"),
                        };
                        const PATH: &'static str = #path;
                        const CONSTRUCTORS: &'static [#runtime::subject::Constructor] = &[#(#constructors,)*];
                        const METHODS: &'static [&'static [#runtime::annotated::Method]] = &[
                            &[#(#operations,)*],
                            #(<Self as #runtime::annotated::Part<#numbers>>::METHODS,)*
                        ];
                        const LEFT_OUT: &'static [&'static [(&'static str, &'static str)]] = &[
                            &[#(#left_out,)*],
                            #(<Self as #runtime::annotated::Part<#numbers>>::LEFT_OUT,)*
                        ];

                        fn state(call: &#runtime::subject::Call<'_>) -> #runtime::subject::Response {
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
            .and_then(|(_, path, _)| path.segments.last());
        self.arguments
            .part
            .clone()
            .or_else(|| of_trait.map(|last| last.ident.clone()))
    }

    /// Objects are shared and kept, values of arguments are made, and results are looked at.
    fn bounds(&self, generics: &mut syn::Generics) {
        let runtime = self.runtime;
        if generics.type_params().next().is_none() {
            return;
        }
        let parameters: Vec<Ident> = generics.type_params().map(|it| it.ident.clone()).collect();
        let made: Vec<Type> = self
            .methods
            .iter()
            .zip(self.roles)
            .filter(|(_, role)| matches!(role, Role::Constructor(_) | Role::Operation))
            .flat_map(|(method, _)| {
                method
                    .arguments
                    .iter()
                    .filter(|argument| given(method, &argument.name).is_none())
            })
            .filter_map(|argument| match &argument.passed {
                Passed::Value(made) | Passed::Reference(made) | Passed::MutableReference(made) => {
                    Some(made.clone())
                }
                _ => None,
            })
            .filter(|made| names(made, &parameters))
            .collect();
        let shown: Vec<&Ident> = parameters
            .iter()
            .filter(|parameter| {
                let operations = self.methods.iter().zip(self.roles);
                operations
                    .filter(|(_, role)| matches!(role, Role::Operation))
                    .any(|(method, _)| match &method.signature.output {
                        ReturnType::Type(_, output) => {
                            names(output, std::slice::from_ref(*parameter))
                        }
                        ReturnType::Default => false,
                    })
            })
            .collect();
        let parts = self.arguments.parts.iter().map(part_number);
        let clause = generics.make_where_clause();
        let mut bound = |predicate: WherePredicate| {
            if !clause.predicates.iter().any(|known| *known == predicate) {
                clause.predicates.push(predicate);
            }
        };
        bound(parse_quote!(Self: ::core::marker::Sync + 'static));
        for made in made {
            bound(parse_quote!(#made: #runtime::Values));
        }
        // What operations return is compared by `Debug`; without it two results that differ would look the same.
        for shown in shown {
            bound(parse_quote!(#shown: ::core::fmt::Debug));
        }
        for part in parts {
            bound(parse_quote!(Self: #runtime::annotated::Part<#part>));
        }
    }

    fn constructor(&self, method: &Method, returned: Returned) -> TokenStream {
        let runtime = self.runtime;
        let name = &method.signature.ident;
        let text = format!(
            "{}::{name}({})",
            type_name(&self.item.self_ty),
            argument_texts(method)
        );
        let arguments = self.argument_table(method);
        let bind = self.bind(method);
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
            #runtime::subject::Constructor {
                text: #text,
                arguments: &[#(#arguments,)*],
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
        let text = format!("{{s}}.{name}({})", argument_texts(method));
        let arguments = self.argument_table(method);
        let bind = self.bind(method);
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
        let observe = if method.signature.asyncness.is_some() {
            quote!(observe_future)
        } else {
            quote!(observe)
        };
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
        } else {
            quote!(#runtime::#observe!(#called))
        };
        let weak = helpers.weak.is_some();
        let invariant = helpers.invariant.is_some();
        let observer = helpers.observe.is_some() || invariant;
        let (may_panic, blocking) = (helpers.may_panic.is_some(), helpers.blocking.is_some());
        let by_custom = !(weak || observer)
            && method.signature.asyncness.is_none()
            && method.receiver != Some(Receiver::Exclusive)
            && method.returned != Returned::Nothing
            && !returns_mutable_reference(method);
        quote! {
            #runtime::annotated::Method {
                by_custom: #by_custom,
                operation: #runtime::subject::Operation {
                    name: #name,
                    text: #text,
                    arguments: &[#(#arguments,)*],
                    receiver: #runtime::subject::Receiver::#receiver,
                    weak: #weak,
                    observer: #observer,
                    contract: #runtime::subject::Contract { invariant: #invariant, may_panic: #may_panic, blocking: #blocking },
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

    fn argument_table(&self, method: &Method) -> Vec<TokenStream> {
        let runtime = self.runtime;
        let of = |argument: &Argument| {
            let choices = match given(method, &argument.name) {
                Some(Given::Values(values)) => {
                    let texts = values.iter().map(|value| text_of(value));
                    quote!(&[#(#texts),*])
                }
                Some(Given::With(path)) => {
                    let texts = (0..3_usize).map(|choice| {
                        let choice = proc_macro2::Literal::usize_unsuffixed(choice);
                        text_of(&parse_quote!(#path(#choice)))
                    });
                    quote!(&[#(#texts),*])
                }
                None => match &argument.passed {
                    Passed::Value(made)
                    | Passed::Reference(made)
                    | Passed::MutableReference(made) => {
                        quote!(<#made as #runtime::Values>::TEXTS)
                    }
                    _ => {
                        return quote!(#runtime::subject::Argument {
                            choices: &["a", "b"],
                            object: true
                        });
                    }
                },
            };
            quote!(#runtime::subject::Argument { choices: #choices, object: false })
        };
        method.arguments.iter().map(of).collect()
    }

    /// `let a0 = ..;`, by the choice of the call.
    fn bind(&self, method: &Method) -> Vec<TokenStream> {
        let runtime = self.runtime;
        let of = |(index, argument): (usize, &Argument)| {
            let name = format_ident!("a{index}");
            let slot = format_ident!("slot{index}");
            if is_object(&argument.passed) && given(method, &argument.name).is_none() {
                return quote! {
                    let #slot = #runtime::macro_support::object::<Self>(call, usize::from(call.choice(#index)));
                };
            }
            let (mutable, made) = match &argument.passed {
                Passed::Value(made) | Passed::Reference(made) => (None, Some(made)),
                Passed::MutableReference(made) => (Some(quote!(mut)), Some(made)),
                _ => (None, None),
            };
            let ascription = match (made, given(method, &argument.name)) {
                (Some(made), None) => Some(quote!(: #made)),
                _ => None,
            };
            let value = match given(method, &argument.name) {
                Some(Given::Values(values)) => {
                    let (first, others) = (values[0], &values[1..]);
                    if others.is_empty() {
                        quote!(#first)
                    } else {
                        let others = others.iter().enumerate().map(|(number, value)| {
                            let number = u8::try_from(number + 1).unwrap_or(u8::MAX);
                            quote!(#number => #value)
                        });
                        quote!(match call.choice(#index) { #(#others,)* _ => #first })
                    }
                }
                Some(Given::With(path)) => quote!(#path(usize::from(call.choice(#index)))),
                None => {
                    let made = made.map(|made| quote!(#made));
                    quote!(<#made as #runtime::Values>::value(usize::from(call.choice(#index))))
                }
            };
            quote!(let #mutable #name #ascription = #value;)
        };
        method.arguments.iter().enumerate().map(of).collect()
    }
}

/// What the annotation gives for an argument.
enum Given<'m> {
    Values(Vec<&'m syn::Expr>),
    With(&'m syn::Path),
}

fn given<'m>(method: &'m Method, name: &Ident) -> Option<Given<'m>> {
    let values = method
        .helpers
        .values
        .iter()
        .find(|(given, _)| given == name);
    if let Some((_, list)) = values {
        return Some(Given::Values(list.elems.iter().collect()));
    }
    let with = method
        .helpers
        .with
        .iter()
        .find(|(given, _)| given == name)?;
    Some(Given::With(&with.1))
}

fn is_object(passed: &Passed) -> bool {
    matches!(
        passed,
        Passed::Object | Passed::ObjectArc | Passed::ObjectArcReference
    )
}

/// The bound arguments as they are passed.
fn pass(method: &Method) -> Vec<TokenStream> {
    let of = |(index, argument): (usize, &Argument)| {
        let name = format_ident!("a{index}");
        let slot = format_ident!("slot{index}");
        let is_given = given(method, &argument.name).is_some();
        match &argument.passed {
            Passed::Object if !is_given => quote!(&**#slot),
            Passed::ObjectArc if !is_given => quote!(std::sync::Arc::clone(&#slot)),
            Passed::ObjectArcReference if !is_given => quote!(&*#slot),
            Passed::Reference(_) if !is_given => quote!(&#name),
            Passed::MutableReference(_) if !is_given => quote!(&mut #name),
            _ => quote!(#name),
        }
    };
    method.arguments.iter().enumerate().map(of).collect()
}

/// `{0}, &{1}`
fn argument_texts(method: &Method) -> String {
    let of = |(index, argument): (usize, &Argument)| {
        let front = match &argument.passed {
            _ if given(method, &argument.name).is_some() => "",
            Passed::Reference(_) | Passed::Object | Passed::ObjectArcReference => "&",
            Passed::MutableReference(_) => "&mut ",
            _ => "",
        };
        format!("{front}{{{index}}}")
    };
    let texts: Vec<String> = method.arguments.iter().enumerate().map(of).collect();
    texts.join(", ")
}

/// An expression as people write it.
fn text_of(value: &syn::Expr) -> String {
    let text = quote!(#value).to_string();
    text.replace(" :: ", "::")
        .replace(" (", "(")
        .replace("( ", "(")
        .replace(" )", ")")
        .replace(" ,", ",")
        .replace(" .", ".")
        .replace("& ", "&")
        .replace(" !", "!")
        .replace("| |", "||")
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

/// True if the type depends on one of the parameters.
fn names(made: &Type, parameters: &[Ident]) -> bool {
    struct Find<'a>(&'a [Ident], bool);
    impl VisitMut for Find<'_> {
        fn visit_path_mut(&mut self, path: &mut syn::Path) {
            if let Some(first) = path.segments.first() {
                self.1 |= self.0.contains(&first.ident);
            }
            syn::visit_mut::visit_path_mut(self, path);
        }
    }
    let mut find = Find(parameters, false);
    find.visit_type_mut(&mut made.clone());
    find.1
}

/// Stands for the name of a part in a const argument: FNV-1a, the same in every build.
fn part_number(name: &Ident) -> u64 {
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

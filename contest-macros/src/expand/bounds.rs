//! What the tables of a type with parameters need of these.

use proc_macro2::TokenStream;
use syn::visit_mut::{self, VisitMut};
use syn::{Generics, Ident, ReturnType, Type, WherePredicate, parse_quote};

use super::call_arguments::given;
use super::operations::part_number;
use crate::ast::{Method, OperationsArguments, Passed};
use crate::valid::Role;

/// Objects are shared and kept, values of arguments are made, and results are looked at.
pub(super) fn bounds(
    methods: &[Method],
    roles: &[Role],
    arguments: &OperationsArguments,
    runtime: &TokenStream,
    generics: &mut Generics,
) {
    if generics.type_params().next().is_none() {
        return;
    }
    let parameters: Vec<Ident> = generics.type_params().map(|it| it.ident.clone()).collect();
    let made: Vec<Type> = methods
        .iter()
        .zip(roles)
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
            let operations = methods.iter().zip(roles);
            operations
                .filter(|(_, role)| matches!(role, Role::Operation))
                .any(|(method, _)| match &method.signature.output {
                    ReturnType::Type(_, output) => names(output, std::slice::from_ref(*parameter)),
                    ReturnType::Default => false,
                })
        })
        .collect();
    let parts = arguments.parts.iter().map(part_number);
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

/// True if the type depends on one of the parameters.
fn names(made: &Type, parameters: &[Ident]) -> bool {
    struct Find<'a>(&'a [Ident], bool);
    impl VisitMut for Find<'_> {
        fn visit_path_mut(&mut self, path: &mut syn::Path) {
            if let Some(first) = path.segments.first() {
                self.1 |= self.0.contains(&first.ident);
            }
            visit_mut::visit_path_mut(self, path);
        }
    }
    let mut find = Find(parameters, false);
    find.visit_type_mut(&mut made.clone());
    find.1
}

//! The helper attribute `#[contest(..)]` on fields and methods.

use proc_macro2::Span;
use syn::parse::{Parse, ParseStream};
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Expr, ExprArray, Ident, ItemFn, Path, Result, Token, parenthesized};

use super::arguments::names;

/// On a field.
#[derive(Default)]
pub(crate) struct FieldHelpers {
    /// The whole field stays as it is.
    pub(crate) plain: Option<Span>,
    /// These types in it do.
    pub(crate) plain_names: Vec<Ident>,
    /// No part of the state.
    pub(crate) opaque: Option<Span>,
}

/// On a method.
#[derive(Default)]
pub(crate) struct MethodHelpers {
    pub(crate) skip: Option<Span>,
    pub(crate) constructor: Option<Span>,
    pub(crate) operation: Option<Span>,
    pub(crate) observe: Option<Span>,
    pub(crate) invariant: Option<Span>,
    pub(crate) weak: Option<Span>,
    pub(crate) may_panic: Option<Span>,
    pub(crate) blocking: Option<Span>,
    pub(crate) values: Vec<(Ident, ExprArray)>,
    pub(crate) with: Vec<(Ident, Path)>,
}

const FIELD: &str = "on a field there are `plain`, `plain(Name, ..)` and `opaque`";
const METHOD: &str = "on a method there are `skip`, `constructor`, `operation`, `values(name = [..])`, `with(name = path)`, `observe`, `invariant`, \
                      `weak`, `may_panic` and `blocking`";

impl FieldHelpers {
    fn take(&mut self, name: &Ident, input: ParseStream<'_>) -> Result<()> {
        match name.to_string().as_str() {
            "plain" if input.peek(syn::token::Paren) => self.plain_names.extend(names(input)?),
            "plain" => self.plain = Some(name.span()),
            "opaque" => self.opaque = Some(name.span()),
            _ => return Err(syn::Error::new(name.span(), FIELD)),
        }
        Ok(())
    }
}

impl MethodHelpers {
    fn take(&mut self, name: &Ident, input: ParseStream<'_>) -> Result<()> {
        let flag = match name.to_string().as_str() {
            "skip" => &mut self.skip,
            "constructor" => &mut self.constructor,
            "operation" => &mut self.operation,
            "observe" => &mut self.observe,
            "invariant" => &mut self.invariant,
            "weak" => &mut self.weak,
            "may_panic" => &mut self.may_panic,
            "blocking" => &mut self.blocking,
            "values" => {
                self.values
                    .extend(pairs::<ExprArray>(input, "[first, second]")?);
                return Ok(());
            }
            "with" => {
                self.with.extend(pairs::<Path>(input, "path::to::factory")?);
                return Ok(());
            }
            _ => return Err(syn::Error::new(name.span(), METHOD)),
        };
        if flag.replace(name.span()).is_some() {
            return Err(syn::Error::new(name.span(), "this is said twice"));
        }
        Ok(())
    }
}

/// `(name = value, ..)`
fn pairs<V: Parse>(input: ParseStream<'_>, value: &str) -> Result<Vec<(Ident, V)>> {
    let inside;
    parenthesized!(inside in input);
    let mut found = Vec::new();
    while !inside.is_empty() {
        let name: Ident = inside.parse()?;
        inside.parse::<Token![=]>()?;
        let at = inside.span();
        let parsed = inside.parse().map_err(|error| {
            syn::Error::new(at, format!("expected `{name} = {value}`: {error}"))
        })?;
        found.push((name, parsed));
        if !inside.is_empty() {
            inside.parse::<Token![,]>()?;
        }
    }
    Ok(found)
}

/// Reads and removes the helpers among the attributes.
fn take(
    attributes: &mut Vec<Attribute>,
    mut each: impl FnMut(&Ident, ParseStream<'_>) -> Result<()>,
) -> Result<()> {
    let mut result = Ok(());
    attributes.retain(|attribute| {
        if !is_helper(attribute) {
            return true;
        }
        let read = attribute.parse_args_with(|input: ParseStream<'_>| {
            while !input.is_empty() {
                let name = input.call(<Ident as syn::ext::IdentExt>::parse_any)?;
                each(&name, input)?;
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(())
        });
        if let Err(error) = read {
            match &mut result {
                Ok(()) => result = Err(error),
                Err(all) => all.combine(error),
            }
        }
        false
    });
    result
}

fn is_helper(attribute: &Attribute) -> bool {
    attribute.path().is_ident("contest")
}

/// Reads and removes the helpers of a field.
pub(crate) fn take_field_helpers(attributes: &mut Vec<Attribute>) -> Result<FieldHelpers> {
    let mut helpers = FieldHelpers::default();
    take(attributes, |name, input| helpers.take(name, input))?;
    Ok(helpers)
}

/// Reads and removes the helpers of a method.
pub(crate) fn take_method_helpers(attributes: &mut Vec<Attribute>) -> Result<MethodHelpers> {
    let mut helpers = MethodHelpers::default();
    take(attributes, |name, input| helpers.take(name, input))?;
    Ok(helpers)
}

/// Removes all helpers in an item, read or not.
pub(crate) struct Strip;

impl VisitMut for Strip {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|attribute| !is_helper(attribute));
    }

    fn visit_item_fn_mut(&mut self, function: &mut ItemFn) {
        self.visit_attributes_mut(&mut function.attrs);
    }

    // Nothing is annotated inside of expressions.
    fn visit_expr_mut(&mut self, _: &mut Expr) {}
}

/// The item without helpers.
pub(crate) fn strip(item: &mut syn::Item) {
    visit_mut::visit_item_mut(&mut Strip, item);
}

//! Arguments of the attributes themselves.

use proc_macro2::Span;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, Path, Result, Token, parenthesized};

/// `#[contest::shared(plain(Config))]`
#[derive(Default)]
pub(crate) struct SharedArguments {
    pub(crate) plain: Vec<Ident>,
}

/// `#[contest::operations(parts(Extend), part = Reads, plain(Config))]`
#[derive(Default)]
pub(crate) struct OperationsArguments {
    pub(crate) parts: Vec<Ident>,
    pub(crate) part: Option<Ident>,
    pub(crate) plain: Vec<Ident>,
}

/// `#[contest::test(exhaustive, seed = 7)]`
#[derive(Default)]
pub(crate) struct TestArguments(pub(crate) Vec<TestArgument>);

pub(crate) struct TestArgument {
    pub(crate) name: Ident,
    pub(crate) value: Option<Expr>,
}

/// `(A, b::C)`: names of types; of a path the last segment counts.
pub(super) fn names(input: ParseStream<'_>) -> Result<Vec<Ident>> {
    let inside;
    parenthesized!(inside in input);
    let paths = Punctuated::<Path, Token![,]>::parse_terminated(&inside)?;
    Ok(paths
        .into_iter()
        .filter_map(|path| path.segments.last().map(|last| last.ident.clone()))
        .collect())
}

/// The arguments between commas, each read from its name on.
fn each(
    input: ParseStream<'_>,
    mut read: impl FnMut(Ident, ParseStream<'_>) -> Result<()>,
) -> Result<()> {
    while !input.is_empty() {
        let name = input.parse()?;
        read(name, input)?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(())
}

impl Parse for SharedArguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut found = Self::default();
        each(input, |name, input| {
            if name != "plain" {
                return Err(syn::Error::new(
                    name.span(),
                    "`#[contest::shared]` takes `plain(Name, ..)` and nothing else",
                ));
            }
            found.plain.extend(names(input)?);
            Ok(())
        })?;
        Ok(found)
    }
}

impl Parse for OperationsArguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut found = Self::default();
        each(input, |name, input| {
            match name.to_string().as_str() {
                "plain" => found.plain.extend(names(input)?),
                "parts" => found.parts.extend(names(input)?),
                "part" => {
                    input.parse::<Token![=]>()?;
                    found.part = Some(input.parse()?);
                }
                _ => {
                    return Err(syn::Error::new(
                        name.span(),
                        "`#[contest::operations]` takes `parts(Name, ..)`, `part = Name` and `plain(Name, ..)`",
                    ));
                }
            }
            Ok(())
        })?;
        Ok(found)
    }
}

impl Parse for TestArguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut found = Vec::new();
        each(input, |name, input| {
            let value = if input.peek(Token![=]) {
                input.parse::<Token![=]>()?;
                Some(input.parse()?)
            } else {
                None
            };
            found.push(TestArgument { name, value });
            Ok(())
        })?;
        Ok(Self(found))
    }
}

impl TestArgument {
    pub(crate) fn span(&self) -> Span {
        self.name.span()
    }
}

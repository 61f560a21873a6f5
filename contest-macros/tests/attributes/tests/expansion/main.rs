//! What the attributes expand to, as text to look at, with feature `explore` and without. To accept a change:
//! `INSTA_UPDATE=always`.
//!
//! A crate of macros exports nothing but macros, so its modules are taken in here.

#[path = "../../../../src/ast/mod.rs"]
mod ast;
#[path = "../../../../src/crate_name.rs"]
mod crate_name;
#[path = "../../../../src/expand/mod.rs"]
mod expand;
#[path = "../../../../src/valid/mod.rs"]
mod valid;

mod half_typed;
mod items;

use proc_macro2::TokenStream;

type Attribute = fn(TokenStream, TokenStream, bool) -> TokenStream;

/// The expansion as a file.
fn expansion(attribute: Attribute, arguments: &str, item: &str, instrument: bool) -> String {
    let parse = |text: &str| text.parse::<TokenStream>().expect("tokens");
    let expanded = attribute(parse(arguments), parse(item), instrument);
    let file = syn::parse2(expanded).expect("items");
    prettyplease::unparse(&file)
}

/// The item as it was written, without helpers.
fn as_written(item: &str) -> String {
    let file = syn::parse_str(item).expect("items");
    prettyplease::unparse(&file)
}

//! The path of contest-runtime in the crate that uses the attributes.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// `::contest`, or the name under which the crate imports it. If that cannot be determined, `::contest`, so that the
/// compiler reports what is missing.
pub(crate) fn runtime() -> TokenStream {
    let name = match crate_name("contest-runtime") {
        // Not renamed: the library has a name of its own.
        Ok(FoundCrate::Name(name)) if name == "contest_runtime" => "contest".to_owned(),
        Ok(FoundCrate::Name(name)) => name,
        Ok(FoundCrate::Itself) | Err(_) => "contest".to_owned(),
    };
    let name = Ident::new(&name, Span::call_site());
    quote!(::#name)
}

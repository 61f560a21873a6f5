//! What makes no sense is refused here, where it is written, with what would make sense.

mod hand_written;
mod roles;

pub(crate) use hand_written::{test_arguments, test_function};
pub(crate) use roles::{Role, roles};

use syn::spanned::Spanned;
use syn::{Error, Item, Result};

use crate::ast::FieldHelpers;

/// Adds up errors, so that all are seen at once.
#[derive(Default)]
struct Errors(Option<Error>);

impl Errors {
    fn add(&mut self, span: proc_macro2::Span, message: impl std::fmt::Display) {
        let error = Error::new(span, message);
        match &mut self.0 {
            None => self.0 = Some(error),
            Some(all) => all.combine(error),
        }
    }

    fn result(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

/// What `#[contest::shared]` can be on.
pub(crate) fn shared_item(item: &Item) -> Result<()> {
    let what = match item {
        Item::Struct(_)
        | Item::Enum(_)
        | Item::Fn(_)
        | Item::Impl(_)
        | Item::Static(_)
        | Item::Const(_)
        | Item::Type(_)
        | Item::Trait(_) => return Ok(()),
        Item::Mod(module) if module.content.is_some() => return Ok(()),
        Item::Mod(_) => "a module in a separate file: annotate the items in it",
        Item::Union(_) => "a union: its active field is not known",
        Item::Macro(_) => "a macro: annotate what it expands to, inside of the macro",
        Item::Use(_) => "a `use`: annotate the items that use the names",
        _ => "this item",
    };
    Err(Error::new(
        item.span(),
        format!(
            "`#[contest::shared]` cannot be on {what}; it can be on a `struct`, `enum`, `fn`, `impl`, `static`, `const`, `type`, `trait` or inline \
             `mod`"
        ),
    ))
}

pub(crate) fn fields(helpers: &[FieldHelpers]) -> Result<()> {
    let mut errors = Errors::default();
    for helpers in helpers {
        if let (Some(span), false) = (helpers.plain, helpers.plain_names.is_empty()) {
            errors.add(
                span,
                "`plain` leaves the whole field as it is; `plain(Name, ..)` beside it says nothing",
            );
        }
    }
    errors.result()
}

/// What `#[contest::operations]` can be on.
pub(crate) fn operations_item(item: Item) -> Result<syn::ItemImpl> {
    const WHERE: &str =
        "`#[contest::operations]` is for an `impl` of a type or of a trait for a type";
    let Item::Impl(item) = item else {
        return Err(Error::new(
            item.span(),
            format!("{WHERE}; on the type itself write `#[contest::shared]`"),
        ));
    };
    if !matches!(*item.self_ty, syn::Type::Path(_)) {
        return Err(Error::new(item.self_ty.span(), WHERE));
    }
    Ok(item)
}

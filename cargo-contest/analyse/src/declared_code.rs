//! A hash of what a crate declares, bodies of functions left out.

use std::hash::Hasher;

use fnv::FnvHasher;
use syn::{ImplItem, Item, TraitItem};

/// A hash of this text.
pub(super) fn of_text(text: &str) -> u64 {
    let mut hasher = FnvHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// A hash of expanded source without documentation and bodies of functions, and of the hash of its constants. Bodies
/// are compared by their MIR.
pub(super) fn of_declarations(expanded: &str, constants: u64) -> u64 {
    let is_code = |line: &&str| {
        let line = line.trim_start();
        !line.starts_with("///") && !line.starts_with("//!")
    };
    let code: Vec<&str> = expanded.lines().filter(is_code).collect();
    let code = code.join("\n");
    let declarations = match syn::parse_file(&code) {
        Ok(mut file) => {
            without_bodies(&mut file.items);
            quote::quote!(#file).to_string()
        }
        Err(_) => code,
    };
    of_text(&declarations) ^ constants.rotate_left(1)
}

/// Leaves out functions that are no methods of traits: what calls them names them in its MIR, with all types. So are
/// imports and macros resolved there.
fn without_bodies(items: &mut Vec<Item>) {
    items.retain(|item| !matches!(item, Item::Fn(_) | Item::Use(_) | Item::Macro(_)));
    for item in items {
        match item {
            Item::Impl(of) if of.trait_.is_none() => {
                of.items.retain(|item| !matches!(item, ImplItem::Fn(_)));
            }
            Item::Impl(of) => {
                for item in &mut of.items {
                    if let ImplItem::Fn(function) = item {
                        function.block.stmts.clear();
                    }
                }
            }
            Item::Trait(of) => {
                for item in &mut of.items {
                    if let TraitItem::Fn(function) = item
                        && let Some(body) = &mut function.default
                    {
                        body.stmts.clear();
                    }
                }
            }
            Item::Mod(module) => {
                if let Some((_, items)) = &mut module.content {
                    without_bodies(items);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::of_declarations;

    #[test]
    fn bodies_and_documentation_are_no_declarations() {
        let of = |text: &str| of_declarations(text, 0);
        let before = of(
            "/// Old.\nstruct A { a: u32 }\nimpl A { fn f(&self) -> u32 { 1 } }\nimpl T for A { fn t() { 1 } }",
        );
        let body = of(
            "/// New.\nstruct A { a: u32 }\nimpl A { fn g(&self) {} }\nimpl T for A { fn t() { 2 } }",
        );
        assert_eq!(before, body);
        let field = of(
            "struct A { a: u64 }\nimpl A { fn f(&self) -> u32 { 1 } }\nimpl T for A { fn t() { 1 } }",
        );
        assert_ne!(before, field);
        let implementation = of(
            "struct A { a: u32 }\nimpl A { fn f(&self) -> u32 { 1 } }\nimpl T for A { fn u() { 1 } }",
        );
        assert_ne!(before, implementation);
    }
}

//! Code that is being typed: the item is there, whatever is wrong. An editor that loses it would mark all that uses it.

use proc_macro2::TokenStream;

use crate::Attribute;
use crate::expand::{operations, shared, test};

fn expanded(attribute: Attribute, arguments: &str, item: &str) -> String {
    expanded_with(attribute, arguments, item, false)
}

fn expanded_with(attribute: Attribute, arguments: &str, item: &str, instrument: bool) -> String {
    let parse = |text: &str| text.parse::<TokenStream>().expect("tokens");
    attribute(parse(arguments), parse(item), instrument).to_string()
}

fn contains(expanded: &str, item: &str) -> bool {
    let item = item.parse::<TokenStream>().expect("tokens").to_string();
    expanded.contains(&item)
}

#[test]
fn what_is_no_item_yet_comes_out_as_it_was_typed() {
    for item in [
        "struct Queue { items: , capacity: usize }",
        "struct Queue { items: Mutex< }"
            .replace("Mutex<", "Mutex<>")
            .as_str(),
        "impl Queue { pub fn push(&self { } }"
            .replace("(&self {", "(&self) {")
            .as_str(),
        "impl Queue { pub fn push(&self) { self. } }",
        "impl Queue { pub fn }",
        "fn",
        "",
    ] {
        for attribute in [shared as Attribute, operations, test] {
            for instrument in [false, true] {
                let expanded = expanded_with(attribute, "", item, instrument);
                let start = item.split('{').next().unwrap_or_default();
                assert!(contains(&expanded, start), "{item}: {expanded}");
            }
        }
    }
}

#[test]
fn wrong_arguments_leave_the_item_and_take_the_helpers() {
    let item = "struct Queue { #[contest(plain)] items: Mutex<u32> }";
    for arguments in ["pla", "plain(", "plain(Config", "= 3"] {
        let arguments = arguments.replace('(', "(,)").replace("(,)Config", "(3)");
        let expanded = expanded(shared, &arguments, item);
        assert!(
            contains(&expanded, "struct Queue { items : Mutex < u32 > }"),
            "{expanded}"
        );
        assert!(expanded.contains("compile_error"), "{expanded}");
    }
}

#[test]
fn a_wrong_helper_leaves_the_methods() {
    let item = "impl Queue { #[contest(wea)] pub fn push(&self) { self.items.lock(); } #[contest(skip)] fn other() {} }";
    let expanded = expanded(operations, "", item);
    assert!(
        contains(
            &expanded,
            "pub fn push(&self) { self.items.lock(); } fn other() {}"
        ),
        "{expanded}"
    );
    assert!(expanded.contains("compile_error"), "{expanded}");
}

#[test]
fn an_unfinished_body_is_not_lost() {
    // What rust-analyzer hands over while a method is typed: tokens that are balanced and no expression.
    let item = "impl Queue { pub fn push(&self) { self.items. } pub fn pop(&self) {} }";
    let expanded = expanded(operations, "", item);
    assert!(
        contains(
            &expanded,
            "pub fn push(&self) { self.items. } pub fn pop(&self) {}"
        ),
        "{expanded}"
    );
}

/// rust-analyzer puts a name of its own where something is missing, so that the item parses, and looks for it in the
/// expansion: whatever is at the caret must be there, also in instrumented code.
#[test]
fn what_is_at_the_caret_comes_out_with_and_without_the_feature() {
    for item in [
        "impl Queue { pub fn push(&self) { self.__ra_fixup } pub fn pop(&self) {} }",
        "impl Queue { pub fn push(&self) { self.items.__ra_fixup; let a = 1; } pub fn pop(&self) {} }",
        "impl Queue { pub fn push(&self) { let x = __ra_fixup; } pub fn pop(&self) {} }",
        "impl Queue { pub fn push(&self) { self.items.lock().unwrap().__ra_fixup } pub fn pop(&self) {} }",
        "impl Queue { pub fn push(&self) { if __ra_fixup { } } pub fn pop(&self) {} }",
        "impl Queue { pub fn push(&self) { match self.__ra_fixup { } } pub fn pop(&self) {} }",
        "impl Queue { pub fn push(&self) { for __ra_fixup in self.items { } } pub fn pop(&self) {} }",
        "impl Queue { pub fn push(&self, __ra_fixup: u32) { } pub fn pop(&self) {} }",
        "impl Queue { pub fn push(&self) -> __ra_fixup { } pub fn pop(&self) {} }",
    ] {
        for instrument in [false, true] {
            let expanded = expanded_with(operations, "", item, instrument);
            assert!(syn::parse_str::<syn::File>(&expanded).is_ok(), "{expanded}");
            for part in ["__ra_fixup", "fn push", "fn pop"] {
                assert!(expanded.contains(part), "{part}: {item}: {expanded}");
            }
            assert!(!expanded.contains("compile_error"), "{item}: {expanded}");
        }
    }
    let expanded = expanded_with(
        shared,
        "",
        "struct Queue { items: __ra_fixup, size: usize }",
        true,
    );
    assert!(expanded.contains("__ra_fixup"), "{expanded}");
}

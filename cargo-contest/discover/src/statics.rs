//! Whether a source file has statics that can change, or thread-locals.

use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};

/// True if a source file declares a static that can change, or a thread-local.
pub(super) fn has_state(file: &Path, roots: &[&Path]) -> bool {
    source_of(file, roots).is_some_and(|it| declares_state(&it))
}

/// A source file, relative to one of the roots.
pub(super) fn source_of(file: &Path, roots: &[&Path]) -> Option<String> {
    let mut places = std::iter::once(file.to_owned()).chain(roots.iter().map(|it| it.join(file)));
    places.find_map(|it| std::fs::read_to_string(it).ok())
}

/// Names in the type of a static without state that threads share.
const PLAIN: [&str; 16] = [
    "str", "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64",
    "i128", "f32", "f64",
];

fn declares_state(text: &str) -> bool {
    let words = ["static ", "thread_local!", "lazy_static!"];
    words.iter().any(|it| text.contains(it)) && text.parse().is_ok_and(tokens_declare)
}

/// True if tokens declare such a static.
pub(super) fn tokens_declare(tokens: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let ident = |at: usize| match tokens.get(at) {
        Some(TokenTree::Ident(it)) => Some(it.to_string()),
        _ => None,
    };
    let punct = |at: usize, wanted: char| matches!(tokens.get(at), Some(TokenTree::Punct(it)) if it.as_char() == wanted);
    let mut at = 0;
    while at < tokens.len() {
        match ident(at).as_deref() {
            // Unit tests are no part of the crate.
            Some("mod") if ident(at + 1).is_some_and(|it| it == "test" || it == "tests") => {
                at += 2;
            }
            Some("thread_local" | "lazy_static") if punct(at + 1, '!') => return true,
            // Not the lifetime `'static`.
            Some("static") if at == 0 || !punct(at - 1, '\'') => {
                if ident(at + 1).as_deref() == Some("mut") {
                    return true;
                }
                let of_type = tokens[at..].iter().skip_while(|it| !is_punct(it, ':'));
                let of_type = of_type.take_while(|it| !is_punct(it, '='));
                let mut names = of_type.filter_map(|it| match it {
                    TokenTree::Ident(name) => Some(name.to_string()),
                    _ => None,
                });
                let plain = |it: &String| PLAIN.contains(&it.as_str()) || it == "static";
                if punct(at + 2, ':') && names.any(|it| !plain(&it)) {
                    return true;
                }
            }
            _ => {
                if let Some(TokenTree::Group(group)) = tokens.get(at)
                    && tokens_declare(group.stream())
                {
                    return true;
                }
            }
        }
        at += 1;
    }
    false
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(it) if it.as_char() == wanted)
}

#[cfg(test)]
mod tests {
    use super::declares_state;

    #[test]
    fn a_static_that_can_change_is_state_and_a_table_is_none() {
        for state in [
            "static NEXT: AtomicU32 = AtomicU32::new(0);",
            "mod inner { pub static TABLE: Mutex<Vec<&'static str>> = Mutex::new(Vec::new()); }",
            "thread_local! { static OWN: Cell<u32> = Cell::new(0); }",
            "fn next() -> u32 { static mut LAST: u32 = 0; 1 }",
        ] {
            assert!(declares_state(state), "{state}");
        }
        for none in [
            "static NAMES: [&str; 2] = [\"a\", \"b\"];",
            "fn name() -> &'static str { \"static X: Mutex\" }",
            "mod tests { static COUNT: AtomicU32 = AtomicU32::new(0); }",
        ] {
            assert!(!declares_state(none), "{none}");
        }
    }
}

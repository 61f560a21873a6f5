//! The tokens of a source file that are compiled for this machine: without what `cfg` attributes leave out.
//!
//! Predicates about the target are evaluated; what others say (features, flags of build scripts) is not known here, and
//! code under them counts as compiled.

use std::env::consts::{ARCH, FAMILY, OS};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// What is compiled of a file.
pub(super) struct Compiled {
    pub(super) tokens: TokenStream,
    /// Modules of other files that are not, by name: `mod wasm;`.
    pub(super) no_modules: Vec<String>,
}

/// What is compiled of these tokens.
pub(super) fn compiled(tokens: TokenStream) -> Compiled {
    let mut no_modules = Vec::new();
    let tokens = without(tokens, &mut no_modules);
    Compiled { tokens, no_modules }
}

fn without(tokens: TokenStream, no_modules: &mut Vec<String>) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out: Vec<TokenTree> = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if is_punct(token, '#') {
            let inner = tokens.get(at + 1).is_some_and(|it| is_punct(it, '!'));
            let attribute = tokens.get(at + 1 + usize::from(inner));
            if attribute
                .and_then(predicate)
                .is_some_and(|it| is_false(&it))
            {
                if inner {
                    return TokenStream::new();
                }
                let end = end_of_item(&tokens, at + 2);
                no_modules.extend(module(&tokens[at..end]));
                at = end;
                continue;
            }
        }
        out.push(match token {
            TokenTree::Group(group) => {
                let inside = without(group.stream(), no_modules);
                TokenTree::Group(Group::new(group.delimiter(), inside))
            }
            other => other.clone(),
        });
        at += 1;
    }
    out.into_iter().collect()
}

/// Where the item, the field or the statement ends that goes on at `at`.
fn end_of_item(tokens: &[TokenTree], at: usize) -> usize {
    let mut place = at;
    while let Some(token) = tokens.get(place) {
        place += 1;
        let braces = matches!(token, TokenTree::Group(it) if it.delimiter() == Delimiter::Brace);
        if braces || is_punct(token, ';') || is_punct(token, ',') {
            break;
        }
    }
    place
}

/// The name of `mod name;`.
fn module(item: &[TokenTree]) -> Option<String> {
    let [.., TokenTree::Ident(word), TokenTree::Ident(name), end] = item else {
        return None;
    };
    (word == "mod" && is_punct(end, ';')).then(|| name.to_string())
}

/// The predicate of `[cfg(…)]`.
fn predicate(attribute: &TokenTree) -> Option<Vec<TokenTree>> {
    let TokenTree::Group(brackets) = attribute else {
        return None;
    };
    let inside: Vec<TokenTree> = brackets.stream().into_iter().collect();
    match inside.as_slice() {
        [TokenTree::Ident(name), TokenTree::Group(of)] if name == "cfg" => {
            Some(of.stream().into_iter().collect())
        }
        _ => None,
    }
}

fn is_false(predicate: &[TokenTree]) -> bool {
    evaluate(predicate) == Some(false)
}

/// What a predicate says of this machine; `None` if that is not known here.
fn evaluate(predicate: &[TokenTree]) -> Option<bool> {
    match predicate {
        [TokenTree::Ident(name), TokenTree::Group(of)] => {
            let of: Vec<TokenTree> = of.stream().into_iter().collect();
            let mut each = of
                .split(|it| is_punct(it, ','))
                .filter(|it| !it.is_empty())
                .map(evaluate);
            match name.to_string().as_str() {
                "not" => each.next()?.map(|it| !it),
                "all" => each
                    .try_fold(Some(true), |all, it| match it {
                        Some(false) => Err(()),
                        it => Ok(all.and(it)),
                    })
                    .unwrap_or(Some(false)),
                "any" => each
                    .try_fold(Some(false), |any, it| match it {
                        Some(true) => Err(()),
                        it => Ok(any.and(it)),
                    })
                    .unwrap_or(Some(true)),
                _ => None,
            }
        }
        [TokenTree::Ident(name)] => match name.to_string().as_str() {
            family @ ("unix" | "windows") => Some(FAMILY == family),
            _ => None,
        },
        [TokenTree::Ident(name), equals, TokenTree::Literal(value)] if is_punct(equals, '=') => {
            let value = value.to_string();
            let value = value.trim_matches('"');
            match name.to_string().as_str() {
                "target_arch" => Some(value == ARCH),
                "target_os" => Some(value == OS),
                "target_family" => Some(value == FAMILY),
                "target_pointer_width" => Some(value == usize::BITS.to_string()),
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(it) if it.as_char() == character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (String, Vec<String>) {
        let Compiled { tokens, no_modules } = compiled(text.parse().unwrap());
        (tokens.to_string(), no_modules)
    }

    #[test]
    fn what_is_for_another_target_is_not_compiled() {
        let (text, modules) = of(
            "#[cfg(target_arch = \"wasm32\")] #[allow(x)] extern \"C\" { fn a(); } fn b() {} \
             #[cfg(all(unknown, target_os = \"none\"))] pub mod c; struct S { #[cfg(not(all()))] d: u8, e: u8 }",
        );
        assert!(!text.contains("extern") && text.contains("fn b"), "{text}");
        assert!(
            !text.contains("d : u8") && text.contains("e : u8"),
            "{text}"
        );
        assert_eq!(modules, ["c"]);
    }

    #[test]
    fn what_is_for_this_target_or_not_known_is_compiled() {
        let this =
            format!("#[cfg(any(target_os = \"none\", target_arch = \"{ARCH}\"))] extern {{ }}");
        assert!(of(&this).0.contains("extern"));
        assert!(
            of("#[cfg(feature = \"f\")] extern { }")
                .0
                .contains("extern")
        );
        assert!(
            of("#[cfg(any(target_os = \"none\", windowing))] extern { }")
                .0
                .contains("extern")
        );
        assert!(of("#![cfg(target_os = \"none\")] extern { }").0.is_empty());
    }
}

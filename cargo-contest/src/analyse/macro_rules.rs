//! Macros by example, expanded as the compiler does, without hygiene: the analysis reads names in their scopes, and macros seldom
//! reuse a name of their caller on purpose.
//!
//! `-Zunpretty=expanded` of the compiler is not used: it forgets where code stands, its text is not always Rust that can be
//! parsed again (`super let`, `builtin #`), and it costs a compiler run.

use std::collections::HashMap;
use std::rc::Rc;

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser, discouraged::Speculative};

/// The rules of one macro.
#[derive(Debug)]
pub(crate) struct MacroRules {
    rules: Vec<(Vec<Matcher>, TokenStream)>,
}

#[derive(Debug)]
enum Matcher {
    Token(TokenTree),
    Group(Delimiter, Vec<Matcher>),
    Fragment(String, String),
    Repeat {
        inner: Vec<Matcher>,
        separator: Vec<TokenTree>,
        once: bool,
    },
}

#[derive(Clone, Debug)]
enum Binding {
    Leaf(TokenStream),
    Many(Vec<Binding>),
}

type Bindings = HashMap<String, Binding>;

/// Most tokens one expansion may have.
const LARGEST: usize = 200_000;

impl MacroRules {
    /// Reads what stands between the braces of `macro_rules! name { … }`, or after `macro name`.
    pub(crate) fn parse(body: TokenStream) -> Option<Self> {
        let mut rules = Vec::new();
        let mut trees = body.into_iter().peekable();
        while let Some(tree) = trees.next() {
            let TokenTree::Group(matcher) = tree else {
                return None;
            };
            let arrow = [trees.next()?, trees.next()?];
            if !arrow.iter().all(|it| matches!(it, TokenTree::Punct(_))) {
                return None;
            }
            let TokenTree::Group(transcriber) = trees.next()? else {
                return None;
            };
            rules.push((matchers(matcher.stream())?, transcriber.stream()));
            if let Some(TokenTree::Punct(punct)) = trees.peek()
                && matches!(punct.as_char(), ';' | ',')
            {
                trees.next();
            }
        }
        Some(Self { rules })
    }

    /// Expands a call; `None` if no rule matches or the result is too large.
    pub(crate) fn expand(&self, input: &TokenStream, at: Span) -> Option<TokenStream> {
        for (matcher, transcriber) in &self.rules {
            let bindings = (|stream: ParseStream<'_>| {
                let mut bindings = Bindings::new();
                take(matcher, stream, &mut bindings)?;
                if stream.is_empty() {
                    Ok(bindings)
                } else {
                    Err(stream.error("more than the rule takes"))
                }
            })
            .parse2(input.clone());
            if let Ok(bindings) = bindings {
                let mut size = 0;
                return transcribe(transcriber.clone(), &bindings, at, &mut size);
            }
        }
        None
    }
}

fn matchers(stream: TokenStream) -> Option<Vec<Matcher>> {
    let mut found = Vec::new();
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Punct(punct) if punct.as_char() == '$' => match trees.next()? {
                TokenTree::Ident(name) if name == "crate" => {
                    found.push(Matcher::Token(TokenTree::Ident(name)))
                }
                TokenTree::Ident(name) => {
                    trees.next()?;
                    found.push(Matcher::Fragment(
                        name.unraw().to_string(),
                        trees.next()?.to_string(),
                    ));
                }
                TokenTree::Group(group) => {
                    let (separator, op) = repetition(&mut trees)?;
                    found.push(Matcher::Repeat {
                        inner: matchers(group.stream())?,
                        separator,
                        once: op == '?',
                    });
                }
                _ => return None,
            },
            TokenTree::Group(group) => {
                found.push(Matcher::Group(group.delimiter(), matchers(group.stream())?))
            }
            other => found.push(Matcher::Token(other)),
        }
    }
    Some(found)
}

/// The separator and the operator after `$(…)`.
fn repetition(
    trees: &mut std::iter::Peekable<proc_macro2::token_stream::IntoIter>,
) -> Option<(Vec<TokenTree>, char)> {
    let mut separator = Vec::new();
    loop {
        let tree = trees.next()?;
        if let TokenTree::Punct(punct) = &tree {
            let next_is_operator = || matches!(punct.as_char(), '*' | '+' | '?');
            if next_is_operator() {
                // `$(…)+*` has a plus as separator; rare, and then an operator follows.
                if separator.is_empty()
                    && let Some(TokenTree::Punct(next)) = trees.peek()
                    && matches!(next.as_char(), '*' | '+')
                    && punct.as_char() != '*'
                    && punct.spacing() == Spacing::Joint
                {
                    separator.push(tree);
                    continue;
                }
                return Some((separator, punct.as_char()));
            }
        }
        separator.push(tree);
        if separator.len() > 3 {
            return None;
        }
    }
}

fn take(matchers: &[Matcher], input: ParseStream<'_>, bindings: &mut Bindings) -> syn::Result<()> {
    for matcher in matchers {
        match matcher {
            Matcher::Token(token) => take_token(token, input)?,
            Matcher::Group(delimiter, inner) => {
                let TokenTree::Group(group) = input.parse::<TokenTree>()? else {
                    return Err(input.error("no group"));
                };
                if group.delimiter() != *delimiter {
                    return Err(input.error("another delimiter"));
                }
                (|stream: ParseStream<'_>| take(inner, stream, bindings)).parse2(group.stream())?;
            }
            Matcher::Fragment(name, kind) => {
                let leaf = fragment(kind, input)?;
                bindings.insert(name.clone(), Binding::Leaf(leaf));
            }
            Matcher::Repeat {
                inner,
                separator,
                once,
            } => {
                let mut names = Vec::new();
                names_of(inner, &mut names);
                let mut rounds: Vec<Bindings> = Vec::new();
                while !input.is_empty() {
                    let fork = input.fork();
                    let mut round = Bindings::new();
                    if !rounds.is_empty()
                        && !separator
                            .iter()
                            .all(|token| take_token(token, &fork).is_ok())
                    {
                        break;
                    }
                    let before = fork.cursor();
                    if take(inner, &fork, &mut round).is_err() || fork.cursor() == before {
                        break;
                    }
                    input.advance_to(&fork);
                    rounds.push(round);
                    if *once {
                        break;
                    }
                }
                for name in names {
                    let many = rounds
                        .iter()
                        .filter_map(|round| round.get(&name).cloned())
                        .collect();
                    bindings.insert(name, Binding::Many(many));
                }
            }
        }
    }
    Ok(())
}

fn take_token(token: &TokenTree, input: ParseStream<'_>) -> syn::Result<()> {
    let found: TokenTree = input.parse()?;
    let same = match (token, &found) {
        (TokenTree::Punct(a), TokenTree::Punct(b)) => a.as_char() == b.as_char(),
        (a, b) => a.to_string() == b.to_string(),
    };
    if same {
        Ok(())
    } else {
        Err(input.error("another token"))
    }
}

fn names_of(matchers: &[Matcher], names: &mut Vec<String>) {
    for matcher in matchers {
        match matcher {
            Matcher::Fragment(name, _) => names.push(name.clone()),
            Matcher::Group(_, inner) | Matcher::Repeat { inner, .. } => names_of(inner, names),
            Matcher::Token(_) => {}
        }
    }
}

/// Parses one fragment. What has a precedence is put into an invisible group.
fn fragment(kind: &str, input: ParseStream<'_>) -> syn::Result<TokenStream> {
    fn whole<T: Parse + ToTokens>(input: ParseStream<'_>) -> syn::Result<TokenStream> {
        Ok(input.parse::<T>()?.to_token_stream())
    }
    let invisible =
        |tokens: TokenStream| TokenTree::Group(Group::new(Delimiter::None, tokens)).into();
    match kind {
        "ident" => Ok(Ident::parse_any(input)?.to_token_stream()),
        "expr" | "expr_2021" => whole::<syn::Expr>(input).map(invisible),
        "ty" => whole::<syn::Type>(input).map(invisible),
        "tt" => whole::<TokenTree>(input),
        "pat" => Ok(syn::Pat::parse_multi_with_leading_vert(input)?.to_token_stream()),
        "pat_param" => Ok(syn::Pat::parse_single(input)?.to_token_stream()),
        "path" => whole::<syn::Path>(input),
        "block" => whole::<syn::Block>(input),
        "item" => whole::<syn::Item>(input),
        "literal" => whole::<syn::Lit>(input),
        "lifetime" => whole::<syn::Lifetime>(input),
        "vis" => whole::<syn::Visibility>(input),
        "meta" => whole::<syn::Meta>(input),
        "stmt" => {
            let statements = syn::Block::parse_within(input)?;
            Ok(statements.iter().map(ToTokens::to_token_stream).collect())
        }
        _ => Err(input.error("a fragment that is not known")),
    }
}

fn transcribe(
    body: TokenStream,
    bindings: &Bindings,
    at: Span,
    size: &mut usize,
) -> Option<TokenStream> {
    let mut out = TokenStream::new();
    let mut trees = body.into_iter().peekable();
    while let Some(tree) = trees.next() {
        *size += 1;
        if *size > LARGEST {
            return None;
        }
        match tree {
            TokenTree::Punct(punct) if punct.as_char() == '$' => match trees.next()? {
                TokenTree::Ident(name) if name == "crate" => {
                    out.extend([TokenTree::Ident(Ident::new("crate", at))])
                }
                TokenTree::Ident(name) => match bindings.get(&name.unraw().to_string()) {
                    Some(Binding::Leaf(leaf)) => out.extend(leaf.clone()),
                    Some(Binding::Many(_)) => return None,
                    None => out.extend([
                        TokenTree::Punct(Punct::new('$', Spacing::Alone)),
                        TokenTree::Ident(name),
                    ]),
                },
                TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
                    let (separator, _) = repetition(&mut trees)?;
                    let mut used = Vec::new();
                    used_names(group.stream(), &mut used);
                    let rounds = used
                        .iter()
                        .filter_map(|name| match bindings.get(name) {
                            Some(Binding::Many(many)) => Some(many.len()),
                            _ => None,
                        })
                        .max()?;
                    for round in 0..rounds {
                        let mut inner = bindings.clone();
                        for name in &used {
                            if let Some(Binding::Many(many)) = bindings.get(name) {
                                inner.insert(name.clone(), many.get(round)?.clone());
                            }
                        }
                        if round > 0 {
                            out.extend(separator.iter().cloned());
                        }
                        out.extend(transcribe(group.stream(), &inner, at, size)?);
                    }
                }
                other => out.extend([TokenTree::Punct(punct), other]),
            },
            TokenTree::Group(group) => {
                let inner = transcribe(group.stream(), bindings, at, size)?;
                let mut group = Group::new(group.delimiter(), inner);
                group.set_span(at);
                out.extend([TokenTree::Group(group)]);
            }
            mut other => {
                other.set_span(at);
                out.extend([other]);
            }
        }
    }
    Some(out)
}

fn used_names(stream: TokenStream, names: &mut Vec<String>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Punct(punct) if punct.as_char() == '$' => {
                if let Some(TokenTree::Ident(name)) = trees.peek() {
                    names.push(name.unraw().to_string());
                }
            }
            TokenTree::Group(group) => used_names(group.stream(), names),
            _ => {}
        }
    }
}

/// Macros of a crate by name, as text, so that threads can share them; parsed where they are used.
#[derive(Debug, Default)]
pub(crate) struct MacroTable {
    texts: HashMap<String, String>,
    parsed: std::cell::RefCell<HashMap<String, Option<Rc<MacroRules>>>>,
}

impl MacroTable {
    /// Adds a definition; the first of a name stays.
    pub(crate) fn add(&mut self, name: String, text: String) {
        self.texts.entry(name).or_insert(text);
    }

    /// The rules of this name.
    pub(crate) fn get(&self, name: &str) -> Option<Rc<MacroRules>> {
        if let Some(found) = self.parsed.borrow().get(name) {
            return found.clone();
        }
        let text = self.texts.get(name)?;
        let rules = text.parse().ok().and_then(MacroRules::parse).map(Rc::new);
        self.parsed
            .borrow_mut()
            .insert(name.to_string(), rules.clone());
        rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(rules: &str, input: &str) -> String {
        MacroRules::parse(rules.parse().unwrap())
            .unwrap()
            .expand(&input.parse().unwrap(), Span::call_site())
            .map_or_else(
                || "none".to_string(),
                |tokens| tokens.to_string().split_whitespace().collect(),
            )
    }

    #[test]
    fn the_first_rule_that_matches_is_transcribed() {
        assert_eq!(expand("(a) => { 1 }; ($x:expr) => { f($x) };", "a"), "1");
        assert_eq!(
            expand("(a) => { 1 }; ($x:expr) => { f($x) };", "b + 1"),
            "f(b+1)"
        );
        assert_eq!(expand("(a) => { 1 };", "b"), "none");
    }

    #[test]
    fn repetitions_nest_and_trailing_separators_pass() {
        let rules = "($($name:ident : [$($value:expr),*]),* $(,)?) => { $( fn $name() { $( g($value); )* } )* };";
        assert_eq!(
            expand(rules, "a: [1, 2], b: [],"),
            "fna(){g(1);g(2);}fnb(){}"
        );
    }

    #[test]
    fn items_pass_through_as_in_macros_that_only_add_attributes() {
        let rules = "($($item:item)*) => { $( #[cfg(feature = \"rt\")] $item )* };";
        assert_eq!(
            expand(rules, "mod a; pub fn b() {}"),
            "#[cfg(feature=\"rt\")]moda;#[cfg(feature=\"rt\")]pubfnb(){}"
        );
    }
}

//! Functions that share statics, as operations on one subject for each module.
//!
//! Documentation has no private items, so whether a module has state is read from its source: a static that can change,
//! or a thread-local. The object is `()`; the driver puts statics back after each execution.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

use super::announced_panics::announced_panic;
use super::cancel_safety::not_cancel_safe;
use super::expression::Expression;
use super::observation::{is_approximate, is_observer, is_weak, returned};
use super::recipes::Recipes;
use super::request::Request;
use super::rust_type::{RustType, Substitution};
use super::signature::{Owner, Signature};
use super::std_paths::is_std;
use super::subject_catalog::{
    ConstructorEntry, Made, OperationEntry, Returned, SubjectEntry, Taken,
};
use crate::skipped::Skipped;

/// The modules whose functions share state. `roots` are directories that the documentation's file names are relative
/// to, the package's own first; `tested` are the types that are subjects.
pub(super) fn modules(
    recipes: &Recipes<'_>,
    roots: &[&Path],
    tested: &[RustType],
) -> Vec<SubjectEntry> {
    let library = recipes.solver.library;
    let mut stateful: BTreeMap<PathBuf, bool> = BTreeMap::new();
    let mut found: BTreeMap<String, SubjectEntry> = BTreeMap::new();
    for function in &recipes.functions.all {
        let Owner::Free(path) = &function.owner else {
            continue;
        };
        let own = function.at.document == 0;
        let file = library.item(function.at).and_then(|it| it.span.as_ref());
        let (Some(file), true) = (file.map(|it| it.filename.clone()), own) else {
            continue;
        };
        let has_state = *stateful
            .entry(file)
            .or_insert_with_key(|file| has_state(file, roots));
        if !has_state || is_of_a_type(recipes, function, tested) {
            continue;
        }
        let module = path.rsplit_once("::").map_or(path.as_str(), |(it, _)| it);
        let entry = found
            .entry(module.to_owned())
            .or_insert_with(|| SubjectEntry {
                path: module.to_owned(),
                type_expression: "()".to_owned(),
                declared: library.location(function.at, roots),
                constructors: vec![ConstructorEntry {
                    text: "()".into(),
                    expression: "()".into(),
                    made: Made::Plain,
                    arguments: Vec::new(),
                }],
                operations: Vec::new(),
                left_out: Vec::new(),
            });
        match operation(recipes, function, roots) {
            Ok(operation) => entry.operations.push(operation),
            Err(why) => {
                let why = Skipped::new(&function.name, why);
                entry.left_out.push(why);
            }
        }
    }
    let mut found: Vec<SubjectEntry> = found.into_values().collect();
    found.retain(|it| !it.operations.is_empty());
    found
}

/// True if it makes or takes an object that is tested itself.
fn is_of_a_type(recipes: &Recipes<'_>, function: &Signature, tested: &[RustType]) -> bool {
    let mut is = false;
    let mut look = |ty: &RustType| {
        ty.visit(&mut |it| {
            let own = !it.path().is_empty() && !is_std(it.path());
            is |= own && tested.iter().any(|of| of.path() == it.path());
        });
    };
    look(&function.output);
    function.inputs.iter().for_each(|(_, ty)| look(ty));
    // Most functions that return something of the crate are constructors.
    let (makes, _, _) = super::makers::unwrapped(&function.output, "".into(), "".into());
    let changes =
        !is_std(makes.path()) && makes.as_named().is_some() && recipes.solver.can_change(makes);
    is || changes
}

fn operation(
    recipes: &Recipes<'_>,
    function: &Signature,
    roots: &[&Path],
) -> Result<OperationEntry, String> {
    if function.name.starts_with('_') {
        return Err("internal by its name".to_owned());
    }
    let call = recipes.call(function, Substitution::new(), 0, Request::PLAIN);
    let call = call.map_err(|why| why.to_string())?;
    let returned = returned(&recipes.solver, &call.output, function.is_async);
    let weak = is_weak(&function.name, &call.output, returned);
    let expression = Expression::call(&call.path, call.holes());
    let text = Expression::call(&call.short_path, call.holes());
    Ok(OperationEntry {
        returned,
        weak,
        approximate: is_approximate(&function.docs, &call.output),
        not_cancel_safe: not_cancel_safe(&function.docs).filter(|_| returned == Returned::Future),
        announced_panic: announced_panic(&function.docs, None),
        observer: is_observer(&function.name, &call.output, returned)
            && call.arguments.iter().all(|it| !it.choices.is_empty()),
        declared: recipes.solver.library.location(function.at, roots),
        arguments: call.arguments,
        ..OperationEntry::new(&function.name, Taken::Reference, expression, text)
    })
}

/// True if a source file declares a static that can change, or a thread-local.
fn has_state(file: &Path, roots: &[&Path]) -> bool {
    let places = std::iter::once(file.to_owned()).chain(roots.iter().map(|it| it.join(file)));
    let text = places
        .filter_map(|it| std::fs::read_to_string(it).ok())
        .next();
    text.is_some_and(|it| declares_state(&it))
}

/// Names in the type of a static without state that threads share.
const PLAIN: [&str; 16] = [
    "str", "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64",
    "i128", "f32", "f64",
];

fn declares_state(text: &str) -> bool {
    let words = ["static ", "thread_local!", "lazy_static!"];
    words.iter().any(|it| text.contains(it)) && text.parse().is_ok_and(tokens_do)
}

fn tokens_do(tokens: TokenStream) -> bool {
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
                    && tokens_do(group.stream())
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

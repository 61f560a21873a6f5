//! What a scenario may name without a path, as `list` shows it: `Arc::new(…)`, and types of modules and other crates.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};

use super::std_paths::{is_std, last_segment};
use contest_catalog::subject_catalog::SubjectCatalog;

/// Of `std`, these; what the package has by one of these names goes before. `Ordering` is that of atomics.
const ITEMS: [&str; 43] = [
    "std::borrow::Cow",
    "std::cell::Cell",
    "std::cell::RefCell",
    "std::collections::BTreeMap",
    "std::collections::BTreeSet",
    "std::collections::BinaryHeap",
    "std::collections::HashMap",
    "std::collections::HashSet",
    "std::collections::VecDeque",
    "std::ffi::CString",
    "std::ffi::OsStr",
    "std::ffi::OsString",
    "std::fmt",
    "std::hash::RandomState",
    "std::io",
    "std::io::Cursor",
    "std::iter",
    "std::marker::PhantomData",
    "std::mem",
    "std::net::IpAddr",
    "std::net::Ipv4Addr",
    "std::net::Ipv6Addr",
    "std::net::SocketAddr",
    "std::num::NonZero",
    "std::num::Wrapping",
    "std::ops::Bound",
    "std::path::Path",
    "std::path::PathBuf",
    "std::pin::Pin",
    "std::rc::Rc",
    "std::sync::Arc",
    "std::sync::Mutex",
    "std::sync::RwLock",
    "std::sync::atomic::AtomicBool",
    "std::sync::atomic::AtomicU32",
    "std::sync::atomic::AtomicU64",
    "std::sync::atomic::AtomicUsize",
    "std::sync::atomic::Ordering",
    "std::task::Waker",
    "std::thread",
    "std::time::Duration",
    "std::time::Instant",
    "std::time::SystemTime",
];

/// `use` items for what the text names, one a line: by these paths, or of `std`. They belong outside of the block in
/// which `use library::*;` stands, which so goes before.
pub(super) fn uses(text: &str, paths: &[String], indent: &str) -> String {
    let names = words_of(text);
    let of_std = ITEMS.iter().filter(|path| {
        let same = |it: &String| last_segment(it) == last_segment(path);
        !paths.iter().any(same) && names.iter().any(|it| it == last_segment(path))
    });
    let all = paths.iter().map(String::as_str).chain(of_std.copied());
    let lines = all.map(|path| format!("{indent}#[allow(unused_imports)]\n{indent}use {path};\n"));
    lines.collect()
}

/// Paths of the types that the text names, as far as the driver of a catalog names them: those of the package's modules
/// and of crates that it depends on. What stands in the root of `library` has its name from there.
///
/// # Errors
/// In words, if a name may be of two types.
pub(super) fn paths(
    text: &str,
    catalog: &SubjectCatalog,
    library: &str,
) -> Result<Vec<String>, String> {
    let mut known = BTreeMap::new();
    for subject in &catalog.subjects {
        add_paths(&subject.type_expression, &mut known);
        let made = subject.constructors.iter().flat_map(|it| it.values());
        let called = subject.operations.iter().flat_map(|it| it.values());
        for value in made.chain(called) {
            add_paths(&value.to_string(), &mut known);
        }
    }
    let mut names = words_of(text);
    names.sort();
    names.dedup();
    let mut found = Vec::new();
    for paths in names.iter().filter_map(|it| known.remove(it)) {
        let in_root = |it: &String| *it == format!("{library}::{}", last_segment(it));
        if paths.iter().any(in_root) {
            continue;
        }
        let mut paths = paths.into_iter();
        found.extend(paths.next());
        if let (Some(first), Some(second)) = (found.last(), paths.next()) {
            let name = last_segment(&second);
            return Err(format!(
                "`{name}` may be `{first}` or `{second}`: write its path"
            ));
        }
    }
    Ok(found)
}

/// `q::inner::Deep`, by its last segment, for each type that the code names by such a path.
fn add_paths(code: &str, known: &mut BTreeMap<String, BTreeSet<String>>) {
    fn of(tokens: TokenStream, known: &mut BTreeMap<String, BTreeSet<String>>) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(sign) if sign.as_char() == ':' => colons += 1,
                TokenTree::Ident(word) => {
                    let name = word.to_string();
                    if colons != 2 {
                        path.clear();
                    }
                    colons = 0;
                    // `dyn ::core::ops::Fn`
                    if KEYWORDS.contains(&name.as_str()) {
                        path.clear();
                        continue;
                    }
                    let in_module = !path.is_empty() && !path.iter().any(|it| starts_upper(it));
                    path.push(name.clone());
                    let is_own =
                        !is_std(&path[0]) && !["contest", "crate"].contains(&path[0].as_str());
                    if in_module && is_own && starts_upper(&name) {
                        known.entry(name).or_default().insert(path.join("::"));
                    }
                }
                TokenTree::Group(group) => {
                    of(group.stream(), known);
                    path.clear();
                    colons = 0;
                }
                _ => {
                    path.clear();
                    colons = 0;
                }
            }
        }
    }
    if let Ok(tokens) = code.parse() {
        of(tokens, known);
    }
}

/// Words that stand before a path and are no part of it.
const KEYWORDS: [&str; 8] = ["as", "dyn", "for", "impl", "in", "move", "mut", "return"];

fn starts_upper(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

fn words_of(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    if let Ok(tokens) = text.parse() {
        words(tokens, &mut names);
    }
    names
}

/// Words of the text that no path stands in front of.
fn words(tokens: TokenStream, found: &mut Vec<String>) {
    let (mut after_path, mut colons) = (false, 0);
    for token in tokens {
        match &token {
            TokenTree::Ident(word) if !after_path => found.push(word.to_string()),
            TokenTree::Group(group) => words(group.stream(), found),
            _ => {}
        }
        let sign = match &token {
            TokenTree::Punct(sign) => sign.as_char(),
            _ => ' ',
        };
        // One colon stands before a type or a value: `wait: Duration`.
        colons = if sign == ':' { colons + 1 } else { 0 };
        after_path = sign == '.' || colons == 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_catalog::subject_catalog::SubjectEntry;

    #[test]
    fn what_is_named_without_its_path_is_in_scope() {
        let text = "let a: Arc<u8> = f(Wait { time: Duration::ZERO }); std::mem::drop(a.io())";
        let uses = |paths: &[String]| uses(text, paths, "");
        let lines: Vec<String> = uses(&[])
            .lines()
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect();
        assert_eq!(lines, ["use std::sync::Arc;", "use std::time::Duration;"]);
        let own = uses(&["q::Arc".to_owned()]);
        assert!(
            own.contains("use q::Arc;") && !own.contains("sync::Arc"),
            "{own}"
        );
    }

    #[test]
    fn a_name_of_two_types_is_refused_unless_one_is_in_the_root() {
        let of = |code: [&str; 2]| {
            let subjects = code.map(|it| SubjectEntry {
                path: String::new(),
                type_expression: it.to_owned(),
                declared: String::new(),
                constructors: Vec::new(),
                operations: Vec::new(),
                left_out: Vec::new(),
            });
            let catalog = SubjectCatalog {
                subjects: subjects.into(),
                ..SubjectCatalog::default()
            };
            paths("let a = Config::new()", &catalog, "q")
        };
        assert_eq!(
            of(["q::a::Config", "q::a::Config"]),
            Ok(vec!["q::a::Config".to_owned()])
        );
        assert_eq!(of(["q::a::Config", "q::Config"]), Ok(Vec::new()));
        let refused = of(["q::a::Config", "q::b::Config"]).unwrap_err();
        assert!(
            refused.contains("`q::a::Config` or `q::b::Config`"),
            "{refused}"
        );
    }

    #[test]
    fn types_are_known_by_the_paths_in_drivers() {
        let mut known = BTreeMap::new();
        let code = "<q::inner::Deep<u32>>::of(bytes::Bytes::new(), std::sync::Arc::new(q::Kind::Low), \
                    { q::free(q::A) as &dyn ::core::ops::Fn() })";
        add_paths(code, &mut known);
        let paths: Vec<String> = known.into_values().flatten().collect();
        assert_eq!(paths, ["q::A", "bytes::Bytes", "q::inner::Deep", "q::Kind"]);
    }
}

//! Types of a package that are compiled only with features that are off.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Item, Meta};

use super::selection::Package;

/// Most names of types for a feature.
const MOST: usize = 4;

/// Features that are off, with types and modules that need them.
#[must_use]
pub fn off_features(package: &Package) -> Vec<(String, Vec<String>)> {
    let mut found = BTreeMap::new();
    if let Some(directory) = package.library_source.parent() {
        read_directory(directory, &package.features, &mut found);
    }
    found.into_iter().collect()
}

type Found = BTreeMap<String, Vec<String>>;

fn read_directory(directory: &Path, on: &[String], found: &mut Found) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|it| it.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            read_directory(&path, on, found);
        } else if path.extension().is_some_and(|it| it == "rs")
            && let Ok(text) = fs::read_to_string(&path)
            && text.contains("feature")
            && let Ok(file) = syn::parse_file(&text)
        {
            read_items(&file.items, on, found);
        }
    }
}

fn read_items(items: &[Item], on: &[String], found: &mut Found) {
    for item in items {
        let (attributes, name) = match item {
            Item::Struct(it) => (&it.attrs, &it.ident),
            Item::Enum(it) => (&it.attrs, &it.ident),
            Item::Trait(it) => (&it.attrs, &it.ident),
            Item::Mod(it) => (&it.attrs, &it.ident),
            _ => continue,
        };
        if let Some(feature) = attributes.iter().find_map(|it| off_feature(it, on)) {
            let types = found.entry(feature).or_default();
            let name = name.to_string();
            if types.len() < MOST && !types.contains(&name) {
                types.push(name);
            }
        } else if let Item::Mod(it) = item
            && let Some((_, items)) = &it.content
        {
            read_items(items, on, found);
        }
    }
}

/// The feature in `#[cfg(feature = "…")]`, if it is off.
fn off_feature(attribute: &Attribute, on: &[String]) -> Option<String> {
    let Meta::List(list) = &attribute.meta else {
        return None;
    };
    if !list.path.is_ident("cfg") {
        return None;
    }
    let wanted = features_in(list.tokens.clone());
    // With `any`, one of them is enough.
    if wanted.iter().any(|it| on.contains(it)) {
        return None;
    }
    wanted.into_iter().next()
}

/// Without those inside of `not(…)`.
fn features_in(tokens: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    let mut before: Option<String> = None;
    for token in tokens {
        match token {
            TokenTree::Ident(it) => before = Some(it.to_string()),
            TokenTree::Group(group) => {
                if before.as_deref() != Some("not") {
                    found.extend(features_in(group.stream()));
                }
                before = None;
            }
            TokenTree::Literal(it) if before.as_deref() == Some("feature") => {
                found.push(it.to_string().trim_matches('"').to_owned());
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_named_with_the_feature_that_it_needs() {
        let source = "#[cfg(feature = \"pool\")] pub struct Pool; #[cfg(not(feature = \"pool\"))] pub struct None;
            #[cfg(any(feature = \"std\", feature = \"alloc\"))] pub struct Std; #[cfg(unix)] pub struct Unix;
            mod inner { #[cfg(all(unix, feature = \"io\"))] pub enum Io {} }";
        let file = syn::parse_file(source).unwrap();
        let mut found = BTreeMap::new();
        read_items(&file.items, &["std".to_owned()], &mut found);
        let found: Vec<_> = found.into_iter().collect();
        let of = |feature: &str, name: &str| (feature.to_owned(), vec![name.to_owned()]);
        assert_eq!(found, [of("io", "Io"), of("pool", "Pool")]);
    }
}

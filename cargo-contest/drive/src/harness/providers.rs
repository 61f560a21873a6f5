//! Packages that provide symbols which others only declare: a logger, a critical section, a hook of an embedded system.
//!
//! A program names such a package and nothing else refers to it, so a driver, which names only the package under test,
//! does not link. In: the words of the linker, the packages of the user's graph. Out: those that define what is
//! missing.

use std::fs;
use std::path::{Path, PathBuf};

use super::harness_error::HarnessError;
use super::missing_symbols::symbols;
use super::subject_package::SubjectPackage;
use contest_build::workspace::scratch_dir::write_if_changed;
use contest_build::workspace::selection::GraphPackage;

/// Largest source file that is read.
const MOST_BYTES: u64 = 1 << 20;
/// Most levels of folders.
const MOST_LEVELS: u32 = 8;

/// File with the packages that the last driver had to be linked with, so that the next one is not linked without them
/// first.
fn memory(package: &SubjectPackage) -> PathBuf {
    package.driver_directory().join("providers.json")
}

/// A package by name and version, and the symbols it provides.
type Kept = (String, String, Vec<String>);

/// What was linked last time, as far as it is still in the graph.
fn remembered(package: &SubjectPackage) -> Vec<(GraphPackage, Vec<String>)> {
    let text = fs::read_to_string(memory(package)).unwrap_or_default();
    let kept: Vec<Kept> = serde_json::from_str(&text).unwrap_or_default();
    let found = kept.into_iter().filter_map(|(name, version, symbols)| {
        let mut others = package.others.iter();
        let same = others.find(|it| it.name == name && it.version == version)?;
        Some((same.clone(), symbols))
    });
    found.collect()
}

fn with(package: &SubjectPackage, providers: &[(GraphPackage, Vec<String>)]) -> SubjectPackage {
    SubjectPackage {
        providers: providers.iter().map(|(it, _)| it.clone()).collect(),
        ..package.clone()
    }
}

/// Builds the driver of `package`, with what provides missing symbols where that is found. Returns the providers as
/// text.
pub(super) fn with_providers<T>(
    package: &SubjectPackage,
    build: &mut dyn FnMut(&SubjectPackage) -> Result<T, HarnessError>,
) -> Result<(T, Vec<String>), HarnessError> {
    let mut used = remembered(package);
    let mut built = build(&with(package, &used));
    if !used.is_empty() && matches!(built, Err(HarnessError::Driver { .. })) {
        used.clear();
        built = build(package);
    }
    if let Err(HarnessError::Driver { diagnostics, .. }) = &built
        && used.is_empty()
    {
        used = providers(&package.others, diagnostics);
        if !used.is_empty() {
            built = build(&with(package, &used));
        }
    }
    let built = built?;
    let keep = |(it, symbols): &(GraphPackage, Vec<String>)| -> Kept {
        (it.name.clone(), it.version.clone(), symbols.clone())
    };
    let kept: Vec<Kept> = used.iter().map(keep).collect();
    let text = serde_json::to_string(&kept).expect("names are JSON");
    if !kept.is_empty() || memory(package).is_file() {
        write_if_changed(&memory(package), &text)?;
    }
    let named = kept.iter().map(|(name, version, symbols)| {
        let symbols: Vec<String> = symbols.iter().map(|it| format!("`{it}`")).collect();
        format!("{name} {version} ({})", symbols.join(", "))
    });
    Ok((built, named.collect()))
}

/// For each missing symbol the package that defines it, if there is one such package, with these symbols.
pub(super) fn providers(
    packages: &[GraphPackage],
    linker: &str,
) -> Vec<(GraphPackage, Vec<String>)> {
    let mut found: Vec<(GraphPackage, Vec<String>)> = Vec::new();
    for symbol in symbols(linker) {
        let mut defining = packages.iter().filter(|it| defines(&it.sources, symbol, 0));
        // Of several, which one a program would name is for its author to say.
        let (Some(package), None) = (defining.next(), defining.next()) else {
            continue;
        };
        match found.iter_mut().find(|(it, _)| it == package) {
            Some((_, symbols)) => symbols.push(symbol.to_owned()),
            None => found.push((package.clone(), vec![symbol.to_owned()])),
        }
    }
    found
}

/// True if a source file below `directory` has a function with this symbol.
fn defines(directory: &Path, symbol: &str, level: u32) -> bool {
    let Ok(entries) = fs::read_dir(directory) else {
        return false;
    };
    entries.filter_map(Result::ok).any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return level < MOST_LEVELS && defines(&path, symbol, level + 1);
        }
        let is_source = path.extension().is_some_and(|it| it == "rs");
        let fits = entry.metadata().is_ok_and(|it| it.len() <= MOST_BYTES);
        let text = (is_source && fits).then(|| fs::read_to_string(&path));
        text.is_some_and(|text| text.is_ok_and(|text| has_definition(&text, symbol)))
    })
}

/// True if the source text defines a function under this very name.
fn has_definition(text: &str, symbol: &str) -> bool {
    if text.contains(&format!("export_name = \"{symbol}\"")) {
        return true;
    }
    let name = format!("fn {symbol}");
    let is_name = |it: char| it.is_alphanumeric() || it == '_';
    text.contains("no_mangle")
        && text.match_indices(&name).any(|(at, name)| {
            let rest = &text[at + name.len()..];
            // A declaration ends with a semicolon.
            !rest.starts_with(is_name)
                && rest
                    .find(['{', ';'])
                    .is_some_and(|at| rest[at..].starts_with('{'))
        })
}

#[cfg(test)]
mod tests {
    use super::has_definition;

    #[test]
    fn a_definition_has_a_body_and_a_name_of_its_own() {
        let defined = "#[no_mangle]\npub extern \"Rust\" fn board_lock() -> u8 { 0 }";
        assert!(has_definition(defined, "board_lock"));
        assert!(!has_definition(defined, "board"));
        let declared = "#[no_mangle] fn other() {}\nextern \"Rust\" { fn board_lock() -> u8; }";
        assert!(!has_definition(declared, "board_lock"));
        assert!(!has_definition("fn board_lock() {}", "board_lock"));
        let exported = "#[unsafe(export_name = \"board_lock\")]\nfn lock() {}";
        assert!(has_definition(exported, "board_lock"));
    }
}

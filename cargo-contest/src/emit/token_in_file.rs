//! The schedule token of an emitted test file, also after edits and formatting.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::test_names::PREFIX;

/// The constant that holds the token.
pub const CONSTANT: &str = "SCHEDULE";

/// The token in the source of an emitted test: the text of its `const SCHEDULE: &str = "…"`.
#[must_use]
pub fn token_of(source: &str) -> Option<String> {
    let declaration = format!("const {CONSTANT}: &str");
    let after = &source[source.find(&declaration)? + declaration.len()..];
    let after = after.trim_start().strip_prefix('=')?;
    let text = after.trim_start().strip_prefix('"')?;
    Some(text[..text.find('"')?].to_string())
}

/// Name, path and token of an emitted test file.
pub type TokenInFile = (String, PathBuf, String);

/// Emitted test files of a directory that hold a token. A directory that is not there has none.
///
/// # Errors
/// If the directory or a file in it cannot be read; the path says which.
pub fn emitted_tests(directory: &Path) -> Result<Vec<TokenInFile>, (PathBuf, io::Error)> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err((directory.to_path_buf(), error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|error| (directory.to_path_buf(), error))?
            .path();
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else {
            continue;
        };
        if !name.starts_with(PREFIX) || path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let source = fs::read_to_string(&path).map_err(|error| (path.clone(), error))?;
        if let Some(token) = token_of(&source) {
            found.push((name.to_string(), path, token));
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_found_after_formatting() {
        let source = "/// The schedule.\nconst SCHEDULE: &str =\n    \"c1:AbC\";\n";
        assert_eq!(token_of(source).as_deref(), Some("c1:AbC"));
        assert_eq!(
            token_of("pub const SCHEDULE: &str = \"x\";").as_deref(),
            Some("x")
        );
        assert_eq!(token_of("const OTHER: &str = \"x\";"), None);
    }

    #[test]
    fn only_emitted_tests_are_found() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            fs::write(directory.path().join(name), text).unwrap();
        };
        write("contest_b_panic_1.rs", "const SCHEDULE: &str = \"b\";");
        write("contest_a_panic_1.rs", "const SCHEDULE: &str = \"a\";");
        write("contest_without.rs", "");
        write("other.rs", "const SCHEDULE: &str = \"c\";");
        let names: Vec<String> = emitted_tests(directory.path())
            .unwrap()
            .into_iter()
            .map(|(name, ..)| name)
            .collect();
        assert_eq!(names, ["contest_a_panic_1", "contest_b_panic_1"]);
        assert_eq!(
            emitted_tests(&directory.path().join("none")).unwrap(),
            Vec::new()
        );
    }
}

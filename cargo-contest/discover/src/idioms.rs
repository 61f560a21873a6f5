//! How a package's own tests, examples and documentation call its functions: source text in, arguments out.
//!
//! Which function is called is guessed from names: types are not known here.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

mod bindings;
mod calls;
mod documentation;
mod outside;
mod written_call;

use calls::Part;
use written_call::CallIdiom;
pub(super) use written_call::Written;

use super::signature::Signature;

/// Larger files are generated ones.
const MAX_FILE: u64 = 1_000_000;
/// Files beyond these are not read.
const MAX_FILES: usize = 400;

/// Calls with arguments that need nothing around them. Nothing is read before one is needed.
#[derive(Debug, Default)]
pub struct Idioms {
    /// The package's directory, and the name of its library.
    package: Option<(PathBuf, String)>,
    calls: OnceCell<Calls>,
}

/// By the name of the function and the number of arguments, the receiver not included.
#[derive(Debug, Default, PartialEq, Eq)]
struct Calls(BTreeMap<(String, usize), Vec<CallIdiom>>);

impl Idioms {
    /// Those of the package in this directory, whose library has this name. What cannot be read or parsed has none.
    #[must_use]
    pub fn of_package(root: &Path, krate: &str) -> Self {
        Self {
            package: Some((root.to_owned(), krate.to_owned())),
            calls: OnceCell::new(),
        }
    }

    /// What others pass for input `index` of a function, the receiver not counted, with the place of each.
    pub(super) fn arguments<'a>(
        &'a self,
        function: &Signature,
        index: usize,
    ) -> impl Iterator<Item = (&'a Written, &'a str)> {
        self.calls_of(function).filter_map(move |call| {
            let argument = call.arguments.get(index)?.as_ref()?;
            Some((argument, call.location.as_str()))
        })
    }

    /// Texts that others pass for this input, as source, where they unwrap what the function returns: what a text has
    /// to look like can only be seen there.
    pub(super) fn texts(&self, function: &Signature, index: usize) -> Vec<String> {
        let unwrapped = self.calls_of(function).filter(|it| it.is_unwrapped);
        let texts = unwrapped.filter_map(|it| it.arguments.get(index)?.as_ref()?.literal.clone());
        let mut found = Vec::new();
        for text in texts {
            if !found.contains(&text) {
                found.push(text);
            }
        }
        found
    }

    fn calls_of(&self, function: &Signature) -> impl Iterator<Item = &CallIdiom> {
        let receiver = usize::from(function.is_method());
        let key = (function.name.clone(), function.inputs.len() - receiver);
        let package = || self.package.as_ref();
        let read = || package().map(|(root, krate)| Calls::of_package(root, krate));
        let calls = self.calls.get_or_init(|| read().unwrap_or_default());
        let calls = calls.0.get(&key).into_iter().flatten();
        calls.filter(|it| it.of.is_of(function))
    }
}

impl Calls {
    fn of_package(root: &Path, krate: &str) -> Self {
        let mut found = Self::default();
        let mut files = Vec::new();
        for directory in ["src", "tests", "examples", "benches"] {
            rust_files(&root.join(directory), &mut files);
        }
        files.truncate(MAX_FILES);
        for path in files {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy();
            if let Ok(text) = fs::read_to_string(&path) {
                found.read(&text, &name.replace('\\', "/"), krate);
            }
        }
        if let Ok(text) = fs::read_to_string(root.join("README.md")) {
            for example in documentation::examples(&text) {
                found.read(&example, "README.md", krate);
            }
        }
        found
    }

    /// Adds what a file has. `name` is its path relative to the package.
    fn read(&mut self, text: &str, name: &str, krate: &str) {
        let Some(file) = parsed(text) else {
            return;
        };
        if name.starts_with("src/") {
            for example in documentation::of_file(&file) {
                self.read(&example, "documentation", krate);
            }
        }
        let part = if name.starts_with("src/") {
            Part::TestsOnly
        } else {
            Part::All
        };
        for (name, call) in calls::calls(&file, name, krate, part) {
            let key = (name, call.arguments.len());
            self.0.entry(key).or_default().push(call);
        }
    }
}

/// `None` for what is no Rust, or nested so deeply that parsing it might overflow the stack.
fn parsed(text: &str) -> Option<syn::File> {
    const DEEPEST: i32 = 100;
    let mut depth = 0;
    let is_shallow = text.bytes().all(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = (depth - 1).max(0),
            _ => {}
        }
        depth <= DEEPEST
    });
    is_shallow.then(|| syn::parse_file(text).ok())?
}

/// Files in order of their names, so that the same package has the same idioms everywhere.
fn rust_files(directory: &Path, files: &mut Vec<std::path::PathBuf>) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.is_symlink() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|it| it == "rs")
            && path.metadata().is_ok_and(|it| it.len() <= MAX_FILE)
        {
            files.push(path);
        }
    }
}

#[cfg(test)]
mod tests;

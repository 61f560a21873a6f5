//! How a package's own tests, examples and documentation call its functions: source text in, arguments out.
//!
//! Discovery takes an argument from here only where it cannot make one itself. Whether the argument is of the right type
//! is left to the compiler: what it refuses is left out as any other item is.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

mod bindings;
mod calls;
mod documentation;

use calls::Part;

use super::hints::written;
use super::obstacle::Obstacle;
use super::recipes::Recipes;
use super::render::source;
use super::request::choice;
use super::rust_type::RustType;
use super::signature::{Owner, Signature};
use super::std_paths::last_segment;
use super::subject_catalog::{ArgumentRecipe, Passed, SubjectCatalog, TakenIdiom};

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

/// A call as somebody wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CallIdiom {
    /// What stands before its name.
    of: Receiver,
    /// Arguments that need nothing but what is said with them; `None` for others.
    arguments: Vec<Option<Written>>,
    /// `tests/pool.rs:12`
    location: String,
}

/// What a call stands behind.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Receiver {
    /// `pool.get(…)`, with the names of types where `pool` is made.
    Value(BTreeSet<String>),
    /// `Pool::get(…)`, `a::get(…)`: the segment before the name.
    Path(String),
    /// `get(…)`
    Nothing,
}

/// An argument as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Written {
    /// For reports.
    text: String,
    /// With the `use` and `let` it needs, without a `&` in front.
    expression: String,
    /// What stood in front: nothing, `&` or `&mut `.
    reference: &'static str,
}

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
    fn arguments<'a>(
        &'a self,
        function: &Signature,
        index: usize,
    ) -> impl Iterator<Item = (&'a Written, &'a str)> {
        let receiver = usize::from(function.is_method());
        let key = (function.name.clone(), function.inputs.len() - receiver);
        let package = || self.package.as_ref();
        let read = || package().map(|(root, krate)| Calls::of_package(root, krate));
        let calls = self.calls.get_or_init(|| read().unwrap_or_default());
        let calls = calls.0.get(&key).into_iter().flatten();
        let calls = calls.filter(|it| it.of.is_of(function));
        calls.filter_map(move |call| {
            let argument = call.arguments.get(index)?.as_ref()?;
            Some((argument, call.location.as_str()))
        })
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

impl Recipes<'_> {
    /// An argument that cannot be made, as others pass it. `index` does not count the receiver.
    ///
    /// # Errors
    /// `why` it cannot be made, if nobody passes one.
    pub(super) fn idiomatic(
        &self,
        function: &Signature,
        index: usize,
        ty: &RustType,
        why: Obstacle,
    ) -> Result<ArgumentRecipe, Obstacle> {
        let (owned, passed, reference) = match ty {
            RustType::Reference { mutable, to, .. } if *mutable => {
                (&**to, Passed::MutableReference, "&mut ")
            }
            RustType::Reference { to, .. } => (&**to, Passed::Reference, "&"),
            _ => (ty, Passed::Value, ""),
        };
        let Ok(type_expression) = source(self.solver.library, owned) else {
            return Err(why);
        };
        // The compiler leaves out all of a call for one argument of another type, so there is one: if possible, one in
        // which the type is named.
        let names_type = |it: &Written| it.expression.contains(last_segment(owned.path()));
        let fitting = self.idioms.arguments(function, index);
        let fitting = fitting.filter(|(it, _)| it.reference == reference);
        let Some((argument, location)) = fitting.min_by_key(|(it, _)| !names_type(it)) else {
            return Err(why);
        };
        let krate = &self.solver.library.documents[0].name;
        let choice = choice(&argument.text, written(krate, &argument.expression));
        let inputs = function.inputs.iter().map(|(name, _)| name.as_str());
        let name = inputs.filter(|it| *it != "self").nth(index);
        self.taken_idioms.borrow_mut().push(TakenIdiom {
            argument: format!("{}.{}", function.shown(), name.unwrap_or_default()),
            text: argument.text.clone(),
            expression: choice.expression.to_string(),
            location: location.to_owned(),
        });
        Ok(ArgumentRecipe {
            type_expression: Some(type_expression),
            passed,
            choices: vec![choice],
        })
    }

    /// The idioms that a catalog holds, each once.
    pub(super) fn idioms_in(&self, catalog: &SubjectCatalog) -> Vec<TakenIdiom> {
        let arguments = |it: &[ArgumentRecipe]| -> Vec<String> {
            let choices = it.iter().flat_map(|it| &it.choices);
            choices.map(|it| it.expression.to_string()).collect()
        };
        let expressions = catalog.subjects.iter().flat_map(|subject| {
            let constructors = subject.constructors.iter();
            let constructors = constructors.flat_map(|it| {
                let own = it.expression.to_string();
                arguments(&it.arguments).into_iter().chain([own])
            });
            let operations = subject.operations.iter();
            constructors.chain(operations.flat_map(|it| arguments(&it.arguments)))
        });
        let expressions: Vec<String> = expressions.collect();
        let mut found: Vec<TakenIdiom> = Vec::new();
        for taken in self.taken_idioms.borrow().iter() {
            let is_held = expressions.iter().any(|it| it.contains(&taken.expression));
            if is_held && !found.contains(taken) {
                found.push(taken.clone());
            }
        }
        found
    }
}

impl Receiver {
    /// True if this may be a call of the function, by all that can be seen without types.
    fn is_of(&self, function: &Signature) -> bool {
        match (self, &function.owner) {
            (Self::Value(made_of), Owner::Inherent(owner)) => {
                function.is_method() && made_of.contains(last_segment(owner.path()))
            }
            (Self::Value(_), _) => false,
            (_, _) if function.is_method() => false,
            (Self::Path(before), Owner::Inherent(owner)) => before == last_segment(owner.path()),
            (Self::Path(before), Owner::Free(_)) => !starts_upper(before),
            (Self::Nothing, owner) => matches!(owner, Owner::Free(_)),
            (Self::Path(_), Owner::Trait(_)) => false,
        }
    }
}

fn starts_upper(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
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

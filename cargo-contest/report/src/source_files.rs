//! The source lines that locations in findings name. Reads Rust files of the package, its workspace and its
//! dependencies, and no other file: a location is text that came from debug information.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// Larger files are not shown: they are generated.
const LARGEST: u64 = 4 << 20;

/// `src/lib.rs:10:5`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// As the finding has it: relative to the package, or below a registry.
    pub file: &'a str,
    /// Counting from 1.
    pub line: u32,
    /// Counting from 1; 0 if unknown.
    pub column: u32,
}

impl<'a> Place<'a> {
    /// Reads a location; `None` for text that is none.
    #[must_use]
    pub fn parse(location: &'a str) -> Option<Self> {
        let (front, last) = location.rsplit_once(':')?;
        let last: u32 = last.parse().ok()?;
        let with_column = front
            .rsplit_once(':')
            .and_then(|(file, line)| Some((file, line.parse().ok()?)));
        let (file, line, column) = match with_column {
            Some((file, line)) => (file, line, last),
            None => (front, last, 0),
        };
        (!file.is_empty() && line > 0).then_some(Self { file, line, column })
    }
}

/// Whose code a place is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The package under test, or another one of its workspace.
    Package,
    /// Another crate, `flume-0.12.0`.
    Dependency(String),
    /// The standard library.
    Standard,
    /// No place is known.
    Unknown,
}

/// Finds and keeps files.
#[derive(Debug, Default)]
pub struct SourceFiles {
    /// The package and its workspace.
    own: Vec<PathBuf>,
    /// Directories whose entries are crates.
    registries: Vec<PathBuf>,
    read: RefCell<HashMap<String, Option<Rc<SourceFile>>>>,
}

/// A file that was found.
#[derive(Debug)]
pub struct SourceFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

impl SourceFiles {
    /// For a package in the first of these directories. `cargo_home` has the sources of dependencies.
    #[must_use]
    pub fn new(own: &[&Path], cargo_home: Option<&Path>) -> Self {
        let entries = |directory: PathBuf| {
            let entries = fs::read_dir(directory).into_iter().flatten();
            entries.filter_map(|entry| Some(entry.ok()?.path()))
        };
        let registries = cargo_home.into_iter().flat_map(|home| {
            entries(home.join("registry/src")).chain(entries(home.join("git/checkouts")))
        });
        Self {
            own: own.iter().map(|path| path.to_path_buf()).collect(),
            registries: registries.collect(),
            read: RefCell::default(),
        }
    }

    /// Whose code it is.
    #[must_use]
    pub fn owner(&self, location: &str) -> Owner {
        let Some(place) = Place::parse(location) else {
            return Owner::Unknown;
        };
        let file = place.file;
        if file.starts_with("library/") || file.contains("/rustlib/src/rust/") {
            return Owner::Standard;
        }
        let path = Path::new(file);
        if self.own.iter().any(|root| root.join(path).is_file()) {
            return Owner::Package;
        }
        // Package directories are in front of the path otherwise.
        match path.components().next() {
            Some(Component::Normal(name)) if name != "src" => {
                Owner::Dependency(name.to_string_lossy().into_owned())
            }
            Some(Component::RootDir) => Owner::Dependency(
                path.ancestors()
                    .find(|above| above.join("Cargo.toml").is_file())
                    .and_then(Path::file_name)
                    .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            ),
            _ => Owner::Package,
        }
    }

    /// The file of a place, if it is one that may be shown.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<Rc<SourceFile>> {
        if let Some(known) = self.read.borrow().get(name) {
            return known.clone();
        }
        let found = self.find(name).map(Rc::new);
        self.read
            .borrow_mut()
            .insert(name.to_owned(), found.clone());
        found
    }

    /// Number and text of the line of a location, without what stands around it; nothing if it cannot be shown.
    #[must_use]
    pub fn line(&self, location: &str) -> Option<(u32, String)> {
        let place = Place::parse(location)?;
        let file = self.file(place.file)?;
        let number = usize::try_from(place.line).ok()?.checked_sub(1)?;
        let line = file.text.lines().nth(number)?.trim();
        (!line.is_empty()).then(|| (place.line, line.to_owned()))
    }

    fn find(&self, name: &str) -> Option<SourceFile> {
        let relative = Path::new(name);
        let harmless = relative
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        if !harmless || relative.extension().is_none_or(|it| it != "rs") {
            return None;
        }
        let roots = self.own.iter().chain(&self.registries);
        roots.filter_map(|root| read_below(root, relative)).next()
    }
}

fn read_below(root: &Path, relative: &Path) -> Option<SourceFile> {
    // A link may lead elsewhere.
    let path = root.join(relative).canonicalize().ok()?;
    if !path.starts_with(root.canonicalize().ok()?) || fs::metadata(&path).ok()?.len() > LARGEST {
        return None;
    }
    let text = String::from_utf8(fs::read(&path).ok()?).ok()?;
    Some(SourceFile { path, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_read_with_and_without_a_column() {
        let place = |file, line, column| Some(Place { file, line, column });
        assert_eq!(Place::parse("src/a.rs:10:5"), place("src/a.rs", 10, 5));
        assert_eq!(Place::parse("src/a.rs:10"), place("src/a.rs", 10, 0));
        assert_eq!(Place::parse("C:/x/a.rs:1:2"), place("C:/x/a.rs", 1, 2));
        for text in ["", "src/a.rs", ":1:2", "a:0", "a:b:c"] {
            assert_eq!(Place::parse(text), None, "{text}");
        }
    }

    #[test]
    fn only_rust_files_below_the_roots_are_read() {
        let scratch = tempfile::tempdir().unwrap();
        let package = scratch.path().join("package");
        fs::create_dir_all(package.join("src")).unwrap();
        fs::write(package.join("src/lib.rs"), "fn f() {}").unwrap();
        fs::write(package.join("secret"), "x").unwrap();
        fs::write(scratch.path().join("outside.rs"), "x").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(
            scratch.path().join("outside.rs"),
            package.join("src/link.rs"),
        )
        .unwrap();
        let files = SourceFiles::new(&[&package], None);
        assert_eq!(files.file("src/lib.rs").unwrap().text, "fn f() {}");
        for name in [
            "secret",
            "../outside.rs",
            "src/link.rs",
            "/etc/passwd",
            "src/none.rs",
        ] {
            assert!(files.file(name).is_none(), "{name}");
        }
        let line = files.line("src/lib.rs:1:4");
        assert_eq!(line, Some((1, "fn f() {}".to_owned())));
        for none in ["src/lib.rs:2:1", "secret:1:1", ""] {
            assert_eq!(files.line(none), None, "{none}");
        }
        assert_eq!(files.owner("src/lib.rs:1:1"), Owner::Package);
        assert_eq!(files.owner("library/std/src/x.rs:1:1"), Owner::Standard);
        assert_eq!(
            files.owner("flume-0.12.0/src/lib.rs:1:1"),
            Owner::Dependency("flume-0.12.0".to_owned())
        );
        assert_eq!(files.owner(""), Owner::Unknown);
    }
}

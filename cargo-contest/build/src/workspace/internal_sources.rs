//! Sources of a package with its internal types public: for `--internal`, and where there is nothing else to test.
//!
//! The copy stands below the target directory and the user's tree stays as it is: the compiler is given the root of the
//! copy in place of that of the package, cargo goes on to read the package. Only visibilities are different, so every
//! line keeps its number. Private methods of public types stay private: what they need to hold on entry is between them
//! and their callers.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use quote::ToTokens;
use serde::{Deserialize, Serialize};
use syn::spanned::Spanned;
use syn::{ImplItem, Item, ItemImpl, Type, Visibility};

use super::scratch_dir::{WriteError, make_directory, write_if_changed};

/// Files that are not there.
const NOT_COPIED: [&str; 2] = ["Cargo.toml", "Cargo.lock"];

/// Where the copy of a package is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InternalSources {
    /// Directory of the package.
    pub directory: PathBuf,
    /// Root source file of the library there.
    pub root: PathBuf,
    /// Directory of the copy.
    pub copy: PathBuf,
    /// Files that are as they were, with the reason.
    #[serde(skip)]
    pub unchanged: Vec<String>,
}

impl InternalSources {
    /// Copies the sources of the package in `directory`, whose library begins in `root`, to `copy`.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn of(directory: &Path, root: &Path, copy: PathBuf) -> Result<Self, WriteError> {
        let mut sources = Self {
            directory: directory.to_owned(),
            root: root.to_owned(),
            copy,
            unchanged: Vec::new(),
        };
        sources.copy_directory(directory, &mut Vec::new())?;
        Ok(sources)
    }

    /// Replaces the root source file in the arguments of rustc or rustdoc, if they are about the package. `here` is
    /// where the compiler runs.
    pub fn redirect(&self, arguments: &mut [OsString], here: &Path) -> bool {
        let Ok(root) = self.root.canonicalize() else {
            return false;
        };
        let is_root = |argument: &&mut OsString| {
            let path = Path::new(argument);
            path.extension() == Some(OsStr::new("rs"))
                && here.join(path).canonicalize().is_ok_and(|it| it == root)
        };
        let Some(argument) = arguments.iter_mut().find(is_root) else {
            return false;
        };
        let below = self.root.strip_prefix(&self.directory);
        *argument = self.copy.join(below.unwrap_or(&self.root)).into();
        true
    }

    /// `above`: the directories that this one is in, as they are called without links.
    fn copy_directory(&mut self, from: &Path, above: &mut Vec<PathBuf>) -> Result<(), WriteError> {
        let unlinked = from
            .canonicalize()
            .map_err(|error| WriteError::reading(from, error))?;
        // A link to a directory that it is in would have no end.
        if above.contains(&unlinked) {
            return Ok(());
        }
        above.push(unlinked);
        let copied = self.copy_entries(from, above);
        above.pop();
        copied
    }

    fn copy_entries(&mut self, from: &Path, above: &mut Vec<PathBuf>) -> Result<(), WriteError> {
        let below = from
            .strip_prefix(&self.directory)
            .unwrap_or(Path::new(""))
            .to_owned();
        let to = self.copy.join(&below);
        make_directory(&to)?;
        let unreadable = |error| WriteError::reading(from, error);
        for entry in fs::read_dir(from).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let (path, name) = (entry.path(), entry.file_name());
            let target = to.join(&name);
            if path.is_dir() {
                let is_package = path.join("Cargo.toml").is_file();
                if name != "target" && !name.to_string_lossy().starts_with('.') && !is_package {
                    self.copy_directory(&path, above)?;
                }
            } else if NOT_COPIED.iter().any(|it| name == *it) {
                // A copy may have its own, and cargo would write through a link.
            } else if path.extension() == Some(OsStr::new("rs")) {
                let text =
                    fs::read_to_string(&path).map_err(|error| WriteError::reading(&path, error))?;
                let public = with_internal_types_public(&text).unwrap_or_else(|why| {
                    let file = below.join(&name).display().to_string();
                    self.unchanged.push(format!("{file}: {why}"));
                    text.clone()
                });
                write_if_changed(&target, &public)?;
            } else {
                refer(&path, &target).map_err(|error| WriteError::new(&target, error))?;
            }
        }
        Ok(())
    }
}

/// What sources include, such as texts and tables, is that of the package.
fn refer(path: &Path, target: &Path) -> std::io::Result<()> {
    if fs::read_link(target).is_ok_and(|it| it == path) {
        return Ok(());
    }
    if fs::symlink_metadata(target).is_ok() {
        fs::remove_file(target)?;
    }
    #[cfg(unix)]
    return std::os::unix::fs::symlink(path, target);
    #[cfg(not(unix))]
    fs::copy(path, target).map(drop)
}

/// The text with internal modules, types and traits public, and their methods.
///
/// # Errors
/// If it cannot be parsed: why.
fn with_internal_types_public(text: &str) -> Result<String, String> {
    // The parser leaves a byte order mark out, and places would be off.
    if text.starts_with('\u{feff}') || text.starts_with("#!") && !text.starts_with("#![") {
        return Err("it begins with a mark that is no Rust".to_owned());
    }
    let file = syn::parse_file(text).map_err(|error| format!("it cannot be parsed: {error}"))?;
    let mut edits = Edits {
        internal: BTreeSet::new(),
        all: Vec::new(),
    };
    edits.find_internal(&file.items);
    edits.items(&file.items);
    Ok(edits.apply(text))
}

struct Edits {
    /// Names of types that are not public.
    internal: BTreeSet<String>,
    /// What to replace, and by what.
    all: Vec<(Range<usize>, &'static str)>,
}

impl Edits {
    fn find_internal(&mut self, items: &[Item]) {
        for item in items {
            let (visibility, name) = match item {
                Item::Struct(it) => (&it.vis, &it.ident),
                Item::Enum(it) => (&it.vis, &it.ident),
                Item::Union(it) => (&it.vis, &it.ident),
                Item::Mod(it) => {
                    if let Some((_, items)) = &it.content {
                        self.find_internal(items);
                    }
                    continue;
                }
                _ => continue,
            };
            if !matches!(visibility, Visibility::Public(_)) {
                self.internal.insert(name.to_string());
            }
        }
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Struct(it) => self.open(&it.vis, &it.struct_token),
                Item::Enum(it) => self.open(&it.vis, &it.enum_token),
                Item::Union(it) => self.open(&it.vis, &it.union_token),
                Item::Trait(it) => match (&it.unsafety, &it.modifiers.auto_token) {
                    (Some(token), _) => self.open(&it.vis, token),
                    (None, Some(token)) => self.open(&it.vis, token),
                    (None, None) => self.open(&it.vis, &it.trait_token),
                },
                Item::Mod(it) => {
                    self.open(&it.vis, &it.mod_token);
                    if let Some((_, items)) = &it.content {
                        self.items(items);
                    }
                }
                // Without a visibility they stay as they are: an alias that a module has for itself could hide a name
                // of the prelude in those that import all of the module.
                Item::Type(it) => self.widen(&it.vis),
                Item::Fn(it) => self.widen(&it.vis),
                Item::Const(it) => self.widen(&it.vis),
                Item::Static(it) => self.widen(&it.vis),
                Item::Impl(it) if it.trait_.is_none() => self.methods(it),
                _ => {}
            }
        }
    }

    fn methods(&mut self, of: &ItemImpl) {
        let is_internal = match &*of.self_ty {
            Type::Path(path) => {
                let last = path.path.segments.last();
                last.is_some_and(|it| self.internal.contains(&it.ident.to_string()))
            }
            _ => false,
        };
        for item in &of.items {
            match item {
                ImplItem::Fn(it) if is_internal => self.open(&it.vis, &it.sig),
                ImplItem::Fn(it) => self.widen(&it.vis),
                ImplItem::Const(it) => self.widen(&it.vis),
                _ => {}
            }
        }
    }

    /// Makes an item public that has any other visibility; `then` is what follows it.
    fn open(&mut self, visibility: &Visibility, then: &impl ToTokens) {
        if !matches!(visibility, Visibility::Inherited) {
            self.widen(visibility);
        } else if let Some(first) = then.to_token_stream().into_iter().next() {
            let begin = first.span().byte_range().start;
            self.all.push((begin..begin, "pub "));
        }
    }

    /// Makes an item public that is visible in more than its module.
    fn widen(&mut self, visibility: &Visibility) {
        if let Visibility::Restricted(it) = visibility {
            self.all.push((it.span().byte_range(), "pub"));
        }
    }

    fn apply(mut self, text: &str) -> String {
        self.all.sort_by_key(|(range, _)| range.start);
        let mut out = String::with_capacity(text.len() + 5 * self.all.len());
        let mut done = 0;
        for (range, replacement) in self.all {
            out.push_str(&text[done..range.start]);
            out.push_str(replacement);
            // A visibility may take several lines.
            out.extend(text[range.clone()].chars().filter(|it| *it == '\n'));
            done = range.end;
        }
        out.push_str(&text[done..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internal_types_and_what_is_visible_in_the_crate_become_public() {
        let text = "//! é\nmod slots {\n  /// One.\n  #[derive(Default)] struct Slot<T>(T);\n  impl<T> Slot<T> { fn get(&self) {} }\n  \
            pub(in crate::slots) enum Two { A }\n  type Result = u8;\n}\npub struct Pool { slots: u8 }\nimpl Pool { fn raw(&self) {} \
            pub(crate) fn near(&self) {} }\nfn helper() {}\nunsafe trait Raw { fn f(&self); }\nimpl Drop for Pool { fn drop(&mut self) {} }\n";
        let public = with_internal_types_public(text).unwrap();
        for part in [
            "\npub mod slots {",
            "#[derive(Default)] pub struct Slot",
            " pub fn get(&self)",
            "  pub enum Two",
            "  type Result",
            "{ fn raw(&self)",
            "pub fn near",
            "\nfn helper",
            "pub unsafe trait Raw { fn f",
            "{ fn drop",
        ] {
            let normal = |text: &str| text.replace("  ", " ");
            assert!(normal(&public).contains(&normal(part)), "{part}:\n{public}");
        }
        assert_eq!(public.lines().count(), text.lines().count());
        syn::parse_file(&public).unwrap();
        assert!(with_internal_types_public("fn (").is_err());
    }

    #[test]
    fn inner_attributes_of_a_module_do_not_move_its_visibility() {
        let text = "#[cfg(all())]\nmod a {\n  #![allow(dead_code)]\n  struct B;\n}\n";
        let public = with_internal_types_public(text).unwrap();
        assert_eq!(
            public,
            "#[cfg(all())]\npub mod a {\n  #![allow(dead_code)]\n  pub struct B;\n}\n"
        );
        syn::parse_file(&public).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn a_link_to_a_directory_above_has_an_end() {
        let scratch = tempfile::tempdir().unwrap();
        let (package, copy) = (scratch.path().join("package"), scratch.path().join("copy"));
        fs::create_dir_all(package.join("src/inner")).unwrap();
        fs::write(package.join("src/lib.rs"), "mod a { struct B; }").unwrap();
        std::os::unix::fs::symlink(&package, package.join("src/inner/above")).unwrap();
        std::os::unix::fs::symlink("inner", package.join("src/beside")).unwrap();
        InternalSources::of(&package, &package.join("src/lib.rs"), copy.clone()).unwrap();
        let text = fs::read_to_string(copy.join("src/lib.rs")).unwrap();
        assert_eq!(text, "pub mod a { pub struct B; }");
        assert!(copy.join("src/beside").is_dir());
        assert!(!copy.join("src/inner/above").exists());
    }
}

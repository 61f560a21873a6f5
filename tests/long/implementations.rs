//! What is linked beside code under test implements no trait of `std` for a type of `std`, nor for all types: one more
//! implementation changes which types the compiler infers. Read from rustdoc's JSON, which has what macros made; only
//! implementations inside of function bodies are not there.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::support::{Subject, root};

/// A crate as rustdoc describes it, as far as it matters here.
#[derive(Deserialize)]
struct Crate {
    index: HashMap<u32, Item>,
    paths: HashMap<u32, ItemPath>,
    external_crates: HashMap<u32, ExternalCrate>,
}

#[derive(Deserialize)]
struct Item {
    crate_id: u32,
    inner: Inner,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Inner {
    Implementation {
        #[serde(rename = "impl")]
        it: Implementation,
    },
    Other(IgnoredAny),
}

#[derive(Deserialize)]
struct Implementation {
    #[serde(rename = "trait")]
    of: Option<Named>,
    #[serde(rename = "for")]
    for_type: Value,
    /// Of `Send` and the like, by the compiler.
    is_synthetic: bool,
    /// One of another crate, shown for a type of this one.
    blanket_impl: Option<Value>,
}

#[derive(Deserialize)]
struct Named {
    path: String,
    id: u32,
}

#[derive(Deserialize)]
struct ItemPath {
    crate_id: u32,
}

#[derive(Deserialize)]
struct ExternalCrate {
    name: String,
}

impl Crate {
    fn read(file: &Path) -> Self {
        let text = File::open(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        serde_json::from_reader(BufReader::new(text))
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// The implementations that there must not be: trait and type.
    fn foreign(&self) -> BTreeSet<String> {
        let own = self.index.values().filter(|item| item.crate_id == 0);
        let written = own
            .filter_map(|item| match &item.inner {
                Inner::Implementation { it } => Some(it),
                Inner::Other(_) => None,
            })
            .filter(|it| !it.is_synthetic && it.blanket_impl.is_none());
        written
            .filter_map(|it| Some((it.of.as_ref()?, &it.for_type)))
            .filter(|(of, for_type)| self.is_of_std(of.id) && !self.is_own(for_type))
            .map(|(of, for_type)| format!("{} for {for_type}", of.path))
            .collect()
    }

    fn is_of_std(&self, id: u32) -> bool {
        let known = self.paths.get(&id);
        let home = known.and_then(|it| self.external_crates.get(&it.crate_id));
        home.is_some_and(|it| ["std", "core", "alloc"].contains(&it.name.as_str()))
    }

    /// True for a type of this crate, and for what the language counts as one.
    fn is_own(&self, of: &Value) -> bool {
        let reference = &of["borrowed_ref"]["type"];
        let path = &of["resolved_path"];
        let principal = &of["dyn_trait"]["traits"][0]["trait"];
        if !reference.is_null() {
            return self.is_own(reference);
        }
        let name = if path.is_null() { principal } else { path };
        let Some(id) = name["id"].as_u64() else {
            return false;
        };
        if ["Box", "Pin"].contains(&name["path"].as_str().unwrap_or_default()) {
            return self.is_own(&name["args"]["angle_bracketed"]["args"][0]["type"]);
        }
        let id = u32::try_from(id).unwrap();
        let path = self.paths.get(&id).map(|it| it.crate_id);
        path.or_else(|| self.index.get(&id).map(|it| it.crate_id)) == Some(0)
    }
}

/// Has rustdoc describe these packages, and what they are linked with, in a directory of its own.
fn describe(directory: &Path, target: &Path, arguments: &[&str]) -> PathBuf {
    let flags = "-Zunstable-options --output-format json --document-private-items --document-hidden-items --cap-lints allow";
    let output = Command::new(env!("CARGO"))
        .arg("doc")
        .args(arguments)
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", target)
        .env("RUSTDOCFLAGS", flags)
        .env("RUSTC_BOOTSTRAP", "1")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    target.join("doc")
}

/// The libraries that these packages are linked with, themselves included.
fn linked(packages: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--edges", "normal,no-proc-macro"])
        .args(["--prefix", "none", "--format", "{lib}"])
        .args(packages)
        .current_dir(root())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    // A package that was shown before is marked; a line is empty between two of them.
    let names = text.lines().map(|line| line.trim_end_matches(" (*)"));
    names
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn nothing_that_is_linked_beside_code_under_test_has_implementations_for_types_of_std() {
    // As the tool builds them, by these two names.
    let packages = ["--package", "contest-facade", "--package", "contest-driver"];
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("implementations");
    let described = describe(root(), &target, &[&["--locked"], &packages[..]].concat());
    let crates = linked(&packages);
    assert!(crates.contains("contest_engine") && crates.contains("gimli"));
    let foreign: Vec<String> = crates
        .iter()
        .flat_map(|name| {
            let known = Crate::read(&described.join(format!("{name}.json")));
            let foreign = known.foreign().into_iter();
            foreign.map(move |it| format!("{name}: {it}"))
        })
        .collect();
    assert!(foreign.is_empty(), "{foreign:#?}");
}

const ALL_KINDS: &str = r"
pub struct Value;
pub trait Own {}

mod hidden {
    pub(super) struct Secret;

    macro_rules! compared {
        ($($t:ty)*) => {$(
            impl PartialEq<Secret> for $t {
                fn eq(&self, _: &Secret) -> bool { false }
            }
        )*};
    }
    compared!(u32 str);
}

impl PartialEq<Value> for &String { fn eq(&self, _: &Value) -> bool { false } }
impl<T> PartialEq<Value> for [T] { fn eq(&self, _: &Value) -> bool { false } }
impl From<Value> for Vec<Value> { fn from(it: Value) -> Self { vec![it] } }
impl std::ops::Add<Value> for (u8,) { type Output = u8; fn add(self, _: Value) -> u8 { 0 } }

// These change nothing for others.
impl From<u32> for Value { fn from(_: u32) -> Self { Self } }
impl PartialEq<u32> for &Value { fn eq(&self, _: &u32) -> bool { false } }
impl std::fmt::Debug for dyn Own { fn fmt(&self, _: &mut std::fmt::Formatter) -> std::fmt::Result { Ok(()) } }
impl Default for Box<Value> { fn default() -> Self { Box::new(Value) } }
impl<T> Own for T {}
impl Value { pub fn new() -> Self { Self } }
";

#[test]
fn every_kind_of_such_an_implementation_is_seen() {
    let manifest =
        "[package]\nname = \"kinds\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    let scratch = Subject::empty();
    scratch.write("Cargo.toml", manifest);
    scratch.write("src/lib.rs", ALL_KINDS);
    let target = scratch.directory.join("target");
    let described = describe(&scratch.directory, &target, &["--offline"]);
    let foreign = Crate::read(&described.join("kinds.json")).foreign();
    let has = |name: &str, of: &str| {
        let mut foreign = foreign.iter();
        foreign.any(|it| it.starts_with(name) && it.contains(of))
    };
    for (name, of) in [
        ("PartialEq", "u32"),
        ("PartialEq", "\"str\""),
        ("PartialEq", "String"),
        ("PartialEq", "slice"),
        ("From", "Vec"),
        ("Add", "tuple"),
    ] {
        assert!(has(name, of), "{name} for {of}: {foreign:#?}");
    }
    assert_eq!(foreign.len(), 6, "{foreign:#?}");
}

//! From a workspace on disk to a package and its catalog, by real cargo.

use std::path::Path;

use contest_build::workspace::cargo_metadata::{select, select_for_tests, select_only};
use contest_build::workspace::selection::{
    FeatureSelection, PackageSource, Selection, SelectionError,
};
use contest_discover::hints::Hints;
use contest_discover::rustdoc_json::RustdocError;
use contest_discover::{DiscoverError, DiscoverOptions, discover};

/// Writes files below a new directory.
fn workspace(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = directory.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    directory
}

fn selection(directory: &Path, package: Option<&str>) -> Selection {
    Selection {
        manifest_path: Some(directory.join("Cargo.toml")),
        package: package.map(str::to_owned),
        features: FeatureSelection::default(),
        cargo_arguments: Vec::new(),
    }
}

fn options() -> DiscoverOptions {
    DiscoverOptions {
        features: FeatureSelection::default(),
        cargo_arguments: Vec::new(),
        hints: Hints::default(),
        behind_lock: false,
        idioms: true,
        tool: Some(env!("CARGO_BIN_EXE_cargo-contest").into()),
    }
}

const COUNTER: &str = "#[derive(Default)] pub struct Counter(std::sync::Mutex<u32>);
    impl Counter { pub fn inc(&self) {} }
    #[cfg(feature = \"extra\")] #[derive(Default)] pub struct Extra(std::sync::Mutex<u32>);
    #[cfg(feature = \"extra\")] impl Extra { pub fn inc(&self) {} }";

#[test]
fn a_package_is_documented_with_the_features_of_the_workspace() {
    let app = "[package]\nname = \"app\"\nedition = \"2024\"\n[dependencies]\nlib-b = { path = \"lib-b\", features = [\"extra\"] }\n";
    let library = "[package]\nname = \"lib-b\"\nversion = \"1.2.3\"\nedition = \"2021\"\n[features]\nextra = []\n";
    // A build script that looks for nightly must not believe it found it.
    let build = "fn main() { assert!(std::env::var_os(\"RUSTC_BOOTSTRAP\").is_none()); }";
    let directory = workspace(&[
        ("Cargo.toml", app),
        ("src/main.rs", "fn main() {}"),
        ("lib-b/Cargo.toml", library),
        ("lib-b/build.rs", build),
        ("lib-b/src/lib.rs", COUNTER),
    ]);
    let selection = selection(directory.path(), Some("lib-b"));
    let package = select(&selection).unwrap();
    assert_eq!(
        (package.library.as_str(), package.version.as_str()),
        ("lib_b", "1.2.3")
    );
    assert_eq!(package.features, ["extra"]);
    assert!(matches!(package.source, PackageSource::Path(_)));
    assert_eq!(package.edition, "2021");
    let options = options();
    let catalog = discover(&package, &options).unwrap();
    let paths: Vec<_> = catalog.subjects.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["lib_b::Counter", "lib_b::Extra"]);
    assert_eq!(catalog.subjects[0].declared, "src/lib.rs:1");
    assert_eq!(discover(&package, &options).unwrap(), catalog);
}

#[test]
fn features_of_the_command_line_reach_a_dependency_outside_the_workspace() {
    let app = "[package]\nname = \"app\"\nedition = \"2024\"\n[workspace]\n[features]\nmore = [\"lib-b/extra\"]\n\
        [dependencies]\nlib-b = { path = \"../lib-b\" }\n";
    let library = "[package]\nname = \"lib-b\"\nedition = \"2024\"\n[features]\nextra = []\n";
    let directory = workspace(&[
        ("app/Cargo.toml", app),
        ("app/src/main.rs", "fn main() {}"),
        ("lib-b/Cargo.toml", library),
        ("lib-b/src/lib.rs", COUNTER),
    ]);
    let mut selection = selection(&directory.path().join("app"), Some("lib-b"));
    selection.features.features = vec!["more".to_owned()];
    let package = select(&selection).unwrap();
    assert_eq!(package.features, ["extra"]);
    let options = DiscoverOptions {
        features: selection.features,
        ..options()
    };
    let catalog = discover(&package, &options).unwrap();
    assert!(catalog.subjects.iter().any(|it| it.path == "lib_b::Extra"));
}

#[test]
fn a_crate_that_does_not_build_shows_rustcs_words() {
    let manifest = "[package]\nname = \"broken\"\nedition = \"2024\"\n";
    let directory = workspace(&[
        ("Cargo.toml", manifest),
        ("src/lib.rs", "pub fn f() -> Missing { todo!() }"),
    ]);
    let package = select(&selection(directory.path(), None)).unwrap();
    let options = options();
    let error = discover(&package, &options).unwrap_err();
    let DiscoverError::Rustdoc(RustdocError::DoesNotBuild { output, .. }) = &error else {
        panic!("{error}")
    };
    assert!(output.contains("Missing"), "{output}");
}

#[test]
fn selections_that_lead_nowhere_say_why() {
    let member = |name: &str, more: &str| {
        format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n{more}")
    };
    let directory = workspace(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"a\", \"b\", \"m\", \"x\"]\nresolver = \"3\"\n",
        ),
        ("a/Cargo.toml", &member("a", "")),
        ("a/src/lib.rs", ""),
        ("b/Cargo.toml", &member("b", "")),
        ("b/src/lib.rs", ""),
        ("m/Cargo.toml", &member("m", "[lib]\nproc-macro = true\n")),
        ("m/src/lib.rs", ""),
        ("x/Cargo.toml", &member("x", "")),
        ("x/src/main.rs", "fn main() {}"),
    ]);
    let error = |package| select(&selection(directory.path(), package)).unwrap_err();
    assert!(matches!(error(None), SelectionError::Choose(names) if names == ["a", "b", "m", "x"]));
    let manifest = directory.path().join("Cargo.toml");
    let members = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, members + "default-members = [\"b\", \"x\"]\n").unwrap();
    let by_default = select(&selection(directory.path(), None)).unwrap();
    assert_eq!(by_default.name, "b");
    assert_eq!(by_default.other_members, ["a", "x"]);
    let chosen = select(&selection(directory.path(), Some("b"))).unwrap();
    assert!(chosen.other_members.is_empty());
    assert!(matches!(error(Some("m")), SelectionError::ProcMacro(name) if name == "m"));
    let tested = select_for_tests(&selection(directory.path(), Some("m"))).unwrap();
    assert_eq!(tested.name, "m");
    let binary = select(&selection(directory.path(), Some("x"))).unwrap();
    assert_eq!(binary.binary.unwrap().name, "x");
    let several = select_only(&selection(directory.path(), None)).unwrap_err();
    assert!(matches!(several, SelectionError::Choose(names) if names == ["b", "x"]));
    assert!(matches!(error(Some("c")), SelectionError::NoMatch(..)));
    assert!(matches!(error(Some("a@9")), SelectionError::NoMatch(..)));
    let nowhere = selection(&directory.path().join("nothing"), None);
    assert!(matches!(select(&nowhere), Err(SelectionError::Metadata(_))));
}

#[test]
fn two_versions_of_a_package_have_to_be_distinguished() {
    let two = "[package]\nname = \"app\"\nedition = \"2024\"\n[dependencies]\n\
        one = { package = \"dup\", path = \"dup1\" }\ntwo = { package = \"dup\", path = \"dup2\" }\n";
    let directory = workspace(&[
        ("Cargo.toml", two),
        ("src/lib.rs", ""),
        (
            "dup1/Cargo.toml",
            "[package]\nname = \"dup\"\nversion = \"1.0.1\"\nedition = \"2024\"\n",
        ),
        ("dup1/src/lib.rs", COUNTER),
        (
            "dup2/Cargo.toml",
            "[package]\nname = \"dup\"\nversion = \"2.5.0\"\nedition = \"2024\"\n",
        ),
        (
            "dup2/src/lib.rs",
            "#[derive(Default)] pub struct Two(std::sync::Mutex<u32>); impl Two { pub fn inc(&self) {} }",
        ),
    ]);
    let error = select(&selection(directory.path(), Some("dup"))).unwrap_err();
    let SelectionError::SeveralMatch(_, names) = &error else {
        panic!("{error}")
    };
    assert_eq!(names[..], ["dup@1.0.1", "dup@2.5.0"]);
    // Both write their documentation to one file; each run must read its own.
    for (spec, path) in [
        ("dup@1", "dup::Counter"),
        ("dup@2.5", "dup::Two"),
        ("dup@1.0.1", "dup::Counter"),
    ] {
        let package = select(&selection(directory.path(), Some(spec))).unwrap();
        let options = options();
        let catalog = discover(&package, &options).unwrap();
        assert_eq!(catalog.subjects[0].path, path, "{spec}");
    }
}

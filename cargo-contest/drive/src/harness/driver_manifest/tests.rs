use super::*;
use crate::harness::DriverOf;
use contest_build::workspace::selection::NamedCrate;
use std::path::PathBuf;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn package(source: PackageSource) -> SubjectPackage {
    SubjectPackage {
        name: "some-queue".into(),
        version: "1.2.3".into(),
        source,
        features: vec!["default".into(), "std".into()],
        workspace_root: PathBuf::from("/user"),
        lock_file: Some(PathBuf::from("/user/Cargo.lock")),
        directory: PathBuf::from("/user/some-queue"),
        critical_section: None,
        internal: None,
        driver_of: DriverOf::AllTypes,
        tokio: None,
        named: Vec::new(),
        others: Vec::new(),
        providers: Vec::new(),
        target_directory: PathBuf::from("/user/target"),
    }
}

#[test]
fn a_driver_provides_critical_sections_if_they_are_in_the_graph() {
    let with = SubjectPackage {
        critical_section: Some("1.2.0".into()),
        ..package(PackageSource::Path("/user/some-queue".into()))
    };
    let manifest: Table = driver_manifest(&with, "").parse().unwrap();
    let provider = &manifest["dependencies"]["critical-section"];
    assert_eq!(provider["version"].as_str(), Some("=1.2.0"));
    assert_eq!(provider["features"][0].as_str(), Some("std"));
    let lock = "version = 4\n\n[[package]]\nname = \"some-queue\"\nversion = \"1.2.3\"\n";
    let lock = driver_lock_file(&with, lock);
    assert!(lock.contains("critical-section 1.2.0"), "{lock}");
}

#[test]
fn a_driver_depends_on_the_tokio_of_the_graph_if_its_code_needs_a_runtime() {
    let with = SubjectPackage {
        tokio: Some(Tokio {
            version: "1.40.0".into(),
            source: PackageSource::Registry(CRATES_IO.into()),
            time: false,
            workers: true,
            library: None,
        }),
        ..package(PackageSource::Path("/user/some-queue".into()))
    };
    let manifest: Table = driver_manifest(&with, "").parse().unwrap();
    let tokio = &manifest["dependencies"]["tokio"];
    assert_eq!(tokio["version"].as_str(), Some("=1.40.0"));
    assert_eq!(tokio["default-features"].as_bool(), Some(false));
    let features = tokio["features"].as_array().unwrap();
    let features: Vec<&str> = features.iter().filter_map(Value::as_str).collect();
    assert_eq!(features, ["rt", "rt-multi-thread"]);
    let lock = "version = 4\n\n[[package]]\nname = \"some-queue\"\nversion = \"1.2.3\"\n";
    let lock = driver_lock_file(&with, lock);
    assert!(
        lock.contains(&format!("tokio 1.40.0 ({CRATES_IO})")),
        "{lock}"
    );
    // The package under test may be tokio; then it is in the manifest already, as it was resolved.
    let itself = SubjectPackage {
        name: "tokio".into(),
        ..with
    };
    let manifest: Table = driver_manifest(&itself, "").parse().unwrap();
    assert!(manifest["dependencies"]["tokio"].get("path").is_some());
}

fn manifest(source: PackageSource, root: &str) -> Table {
    driver_manifest(&package(source), root).parse().unwrap()
}

fn dependency_on(source: PackageSource) -> Table {
    manifest(source, "")["dependencies"]["some-queue"]
        .as_table()
        .unwrap()
        .clone()
}

#[test]
fn a_registry_package_is_pinned_to_its_version_and_features() {
    let dependency = dependency_on(PackageSource::Registry(CRATES_IO.into()));
    assert_eq!(dependency["version"].as_str(), Some("=1.2.3"));
    assert_eq!(dependency["default-features"].as_bool(), Some(false));
    assert_eq!(dependency["features"].as_array().unwrap().len(), 2);
    assert!(!dependency.contains_key("registry-index"));
}

#[test]
fn another_registry_is_named_by_its_index() {
    for (source, index) in [
        (
            "registry+https://r.example/index",
            "https://r.example/index",
        ),
        ("sparse+https://r.example/", "sparse+https://r.example/"),
    ] {
        let dependency = dependency_on(PackageSource::Registry(source.into()));
        assert_eq!(dependency["registry-index"].as_str(), Some(index));
    }
}

#[test]
fn a_repository_keeps_the_reference_the_user_wrote() {
    let source = PackageSource::Git("git+https://h.example/q?branch=a%2Fb#0123".into());
    let dependency = dependency_on(source);
    assert_eq!(dependency["git"].as_str(), Some("https://h.example/q"));
    assert_eq!(dependency["branch"].as_str(), Some("a/b"));
    assert!(!dependency.contains_key("rev"));
}

#[test]
fn profiles_and_patches_are_the_users_with_absolute_paths() {
    let root = r#"
        [workspace]
        members = ["a"]
        resolver = "2"
        [profile.dev]
        opt-level = 0
        [profile.dev.package.other]
        opt-level = "s"
        [patch.crates-io]
        other = { path = "vendor/other" }
    "#;
    let manifest = manifest(PackageSource::Path("/user/a".into()), root);
    let dev = &manifest["profile"]["dev"];
    assert_eq!(dev["opt-level"].as_integer(), Some(0));
    assert_eq!(dev["package"]["other"]["opt-level"].as_str(), Some("s"));
    let patch = manifest["patch"]["crates-io"]["other"]["path"].as_str();
    assert_eq!(patch, Some("/user/vendor/other"));
    assert_eq!(manifest["workspace"]["resolver"].as_str(), Some("2"));
    assert!(
        !manifest["workspace"]
            .as_table()
            .unwrap()
            .contains_key("members")
    );
}

#[test]
fn code_under_test_is_optimised_unless_the_user_says_how() {
    let level = |root: &str| {
        let manifest = manifest(PackageSource::Path("/user/a".into()), root);
        let dev = manifest["profile"]["dev"].as_table().unwrap().clone();
        (dev["opt-level"].clone(), dev.len())
    };
    // Debug assertions and overflow checks are those of the profile.
    assert_eq!(level(""), (Value::Integer(1), 1));
    assert_eq!(
        level("[profile.release]\nlto = true"),
        (Value::Integer(1), 1)
    );
    let packages = "[profile.dev]\ndebug = 1\n[profile.dev.package.a]\nopt-level = 3";
    assert_eq!(level(packages), (Value::Integer(1), 3));
    let own = "[profile.dev]\nopt-level = \"z\"";
    assert_eq!(level(own), (Value::String("z".into()), 1));
}

#[test]
fn the_resolver_follows_the_edition_of_the_root_package() {
    for (root, expected) in [
        ("[package]\nedition = \"2018\"", "1"),
        ("[package]\nedition = \"2021\"", "2"),
        ("[package]\nedition = \"2024\"", "3"),
        (
            "[package]\nedition.workspace = true\n[workspace.package]\nedition = \"2021\"",
            "2",
        ),
        ("[workspace]\nmembers = []", "1"),
        (
            "[workspace]\nresolver = \"3\"\n[package]\nedition = \"2018\"",
            "3",
        ),
    ] {
        assert_eq!(resolver(&root.parse().unwrap()), expected, "{root}");
    }
}

#[test]
fn the_lock_file_gets_the_driver_as_one_more_package() {
    let lock = format!(
        "version = 4\n\n[[package]]\nname = \"some-queue\"\nversion = \"1.2.3\"\nsource = \"{CRATES_IO}\"\n"
    );
    let package = package(PackageSource::Registry(CRATES_IO.into()));
    let lock: Table = driver_lock_file(&package, &lock).parse().unwrap();
    let entries = lock["package"].as_array().unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(
        entries[1]["name"].as_str(),
        Some("contest-driver-some-queue")
    );
    assert_eq!(
        entries[1]["dependencies"][0].as_str().unwrap(),
        format!("some-queue 1.2.3 ({CRATES_IO})")
    );
}

#[test]
fn a_lock_file_without_the_package_is_left_to_cargo() {
    let lock = "version = 4\n\n[[package]]\nname = \"other\"\nversion = \"1.0.0\"\n";
    let package = package(PackageSource::Registry(CRATES_IO.into()));
    assert_eq!(driver_lock_file(&package, lock), lock);
}

#[test]
fn a_driver_names_what_its_package_names() {
    let named = |path: &str, library: &str| NamedCrate {
        path: path.into(),
        library: library.into(),
        name: "futures-core".into(),
        version: "0.3.31".into(),
        source: PackageSource::Registry(CRATES_IO.into()),
        features: vec!["alloc".into()],
        uses: Vec::new(),
        is_beside: false,
    };
    let package = SubjectPackage {
        named: vec![
            named("futures_core", "futures_core"),
            named("core_of_futures", "futures_core"),
        ],
        ..package(PackageSource::Path("/user/some-queue".into()))
    };
    let manifest: Table = driver_manifest(&package, "").parse().unwrap();
    let traits = &manifest["dependencies"]["futures-core"];
    assert_eq!(traits["version"].as_str(), Some("=0.3.31"));
    assert_eq!(traits["default-features"].as_bool(), Some(false));
    assert_eq!(traits["features"][0].as_str(), Some("alloc"));
    let renamed = &manifest["dependencies"]["core_of_futures"];
    assert_eq!(renamed["package"].as_str(), Some("futures-core"));
}

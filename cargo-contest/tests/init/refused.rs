//! What cannot be done: one clear error, and nothing changed.

use super::support::Crate;

#[track_caller]
fn refused(manifest: &str, arguments: &[&str], says: &[&str]) {
    let it = Crate::new(manifest);
    let before = it.files();
    let run = it.init(&[&["--yes"], arguments].concat()).status(2);
    for text in says {
        assert!(run.stderr.contains(text), "{text}\n{}", run.stderr);
    }
    assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    assert!(run.stdout.is_empty(), "it went on: {}", run.stdout);
    assert_eq!(it.files(), before);
}

#[test]
fn the_old_resolver_would_turn_the_feature_on_in_releases() {
    for (edition, table) in [
        ("edition = \"2021\"\nresolver = \"1\"\n", "[package]"),
        (
            "edition = \"2021\"\n[workspace]\nresolver = \"1\"\n",
            "[workspace]",
        ),
    ] {
        refused(
            &format!("[package]\nname = \"p\"\nversion = \"0.1.0\"\n{edition}"),
            &[],
            &["resolver", "`resolver = \"2\"`", table],
        );
    }
}

#[test]
fn an_old_edition_gets_the_new_resolver() {
    for edition in ["edition = \"2018\"\n", ""] {
        let it = Crate::new(&format!(
            "[package]\nname = \"p\"\nversion = \"0.1.0\"\n{edition}"
        ));
        let run = it.initialised(&[]);
        assert!(it.read("Cargo.toml").contains("resolver = \"2\"\n"));
        assert!(run.stdout.contains("a release too"), "{}", run.stdout);
    }
}

#[test]
fn an_old_edition_with_the_new_resolver_is_fine() {
    let it = Crate::new(
        "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2018\"\nresolver = \"2\"\n",
    );
    it.initialised(&[]);
}

#[test]
fn an_optional_dependency_is_no_basis_for_a_test() {
    refused(
        "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\ncontest-runtime = { version = \"0.1\", optional = true }\n",
        &[],
        &["`contest-runtime` is optional"],
    );
}

#[test]
fn a_path_without_a_checkout_is_reported() {
    refused(
        "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        &["--path", "src"],
        &["--path src", "no package `contest-runtime`"],
    );
}

#[test]
fn a_manifest_that_cargo_does_not_read_is_reported_in_cargos_words() {
    refused(
        "[package]\nname = \"p\"\nversion = 1\n",
        &[],
        &["Cargo.toml"],
    );
}

#[test]
fn names_that_are_all_taken_are_reported() {
    refused(
        "[package]\nname = \"contest\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\ncontest_rt = { package = \"x\", version = \"1\" }\n",
        &[],
        &["both taken"],
    );
}

#[test]
fn a_manifest_that_cannot_be_written_is_reported_and_the_rest_restored() {
    let it = Crate::new("[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    // A file where the directory of the example should be.
    it.write("tests", "");
    let before = it.files();
    let run = it.init(&["--yes"]).status(70);
    assert!(run.stderr.contains("nothing was changed"), "{}", run.stderr);
    assert_eq!(it.files(), before);
}

#[test]
fn the_feature_in_every_build_is_warned_of() {
    let it = Crate::new(
        "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\ncontest-runtime = { version = \"0.1\", features = [\"explore\"] }\n",
    );
    let run = it.initialised(&[]);
    assert!(run.stdout.contains("on in every build"), "{}", run.stdout);
}

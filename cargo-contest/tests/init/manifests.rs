//! One package: what is inserted where, and what stays.

use std::process::Command;

use super::support::{Crate, OWN_CHECKOUT, both};

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[test]
fn a_new_crate_gets_the_dependency_twice_and_an_example() {
    let it = Crate::new(
        "[package]\nname = \"fresh\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n",
    );
    let run = it.initialised(&[]);
    assert_eq!(
        it.read("Cargo.toml"),
        format!(
            "[package]\nname = \"fresh\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\ncontest-runtime = \"{VERSION}\"\n\n\
             [dev-dependencies]\ncontest-runtime = {{ version = \"{VERSION}\", features = [\"explore\"] }}\n"
        )
    );
    assert_eq!(it.runtime("fresh"), both(None));
    assert!(it.read("tests/contest_example.rs").contains("#[test]"));
    assert!(
        run.stdout.contains("cargo test --test contest_example"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("crates.io"),
        "where it comes from is not said: {}",
        run.stdout
    );
}

#[test]
fn comments_order_and_formatting_stay() {
    let manifest = r#"# A crate.
[package]
name    =   "kept" # aligned by hand
version = "0.1.0"
edition = "2021"
authors = [
    "A <a@example.org>", # one
    "B <b@example.org>",
]

# Nothing from the network.
[dependencies]
# async
anyhow = { version = '1', default-features = false }   # quoted so on purpose
zeroize = "1"

[profile.release]
lto = true # last line without a newline"#;
    let it = Crate::new(manifest);
    it.initialised(&[]);
    let after = it.read("Cargo.toml");
    let rest: Vec<&str> = after
        .lines()
        .filter(|line| !line.contains("contest-runtime"))
        .collect();
    for line in manifest.lines() {
        assert!(rest.contains(&line), "lost or changed: {line}\n{after}");
    }
    let place = |text: &str| after.find(text).unwrap();
    assert!(
        place("anyhow") < place("contest-runtime") && place("contest-runtime") < place("zeroize"),
        "a sorted table is sorted no more\n{after}"
    );
    assert!(
        place("# async") < place("anyhow"),
        "a comment lost its line\n{after}"
    );
    assert_eq!(it.runtime("kept"), both(None));
}

#[test]
fn a_table_that_is_not_sorted_is_added_to_at_its_end() {
    let it = Crate::new(
        "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nserde = \"1\"\nanyhow = \"1\"\n",
    );
    it.initialised(&[]);
    let after = it.read("Cargo.toml");
    assert!(
        after.contains("serde = \"1\"\nanyhow = \"1\"\ncontest-runtime"),
        "{after}"
    );
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_stay() {
    let it = Crate::new(
        "\u{feff}[package]\r\nname = \"p\"\r\nversion = \"0.1.0\"\r\nedition = \"2021\"\r\n",
    );
    it.initialised(&[]);
    let after = it.read("Cargo.toml");
    assert!(after.starts_with('\u{feff}'));
    assert_eq!(
        after.matches('\n').count(),
        after.matches("\r\n").count(),
        "{after:?}"
    );
    assert_eq!(it.runtime("p"), both(None));
}

#[test]
fn tables_of_one_dependency_and_dotted_and_inline_ones_are_understood() {
    for dependencies in [
        "[dependencies.contest-runtime]\nversion = \"0.1.0\"\n",
        "[dependencies]\ncontest-runtime.version = \"0.1.0\"\n",
        "[dependencies]\ncontest-runtime = { version = \"0.1.0\" }\n",
    ] {
        let it = Crate::new(&format!(
            "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{dependencies}"
        ));
        it.initialised(&[]);
        assert_eq!(it.runtime("p"), both(None), "{dependencies}");
        assert!(
            it.read("Cargo.toml").contains(dependencies),
            "{dependencies}"
        );
    }
    let inline = Crate::new(
        "dependencies = { anyhow = \"1\" }\n[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    inline.initialised(&[]);
    assert_eq!(inline.runtime("p"), both(None));
}

#[test]
fn a_renamed_dependency_keeps_its_name_and_the_example_uses_it() {
    let it = Crate::new(
        "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nracing = { package = \"contest-runtime\", version = \"0.1.0\" }\n",
    );
    it.initialised(&[]);
    assert_eq!(it.runtime("p"), both(Some("racing")));
    let example = it.read("tests/contest_example.rs");
    assert!(example.contains("racing::"), "{example}");
    assert!(!example.contains("contest::"), "{example}");
}

#[test]
fn a_crate_that_is_called_as_the_library_gets_it_renamed() {
    let named_so =
        Crate::new("[package]\nname = \"contest\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    named_so.initialised(&[]);
    assert_eq!(named_so.runtime("contest"), both(Some("contest_rt")));
    let uses_one = Crate::new(
        "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dev-dependencies]\ncontest = { path = \"../x\" }\n",
    );
    let run = uses_one.init(&["--dry-run"]).status(0);
    assert!(
        run.stdout
            .contains("+contest_rt = { package = \"contest-runtime\""),
        "{}",
        run.stdout
    );
}

#[test]
fn a_feature_list_that_is_there_is_added_to() {
    let it = Crate::new(
        "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dev-dependencies]\ncontest-runtime = { version = \"0.1\", features = [\"driver\"] }\n",
    );
    it.initialised(&[]);
    let after = it.read("Cargo.toml");
    assert!(
        after.contains("features = [\"driver\", \"explore\"]"),
        "{after}"
    );
    assert!(
        after.contains("contest-runtime = { version = \"0.1\" }"),
        "not the same source\n{after}"
    );
}

#[test]
fn without_autotests_the_example_is_named_in_the_manifest() {
    let it = Crate::new(
        "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\nautotests = false\n",
    );
    it.initialised(&[]);
    assert!(
        it.read("Cargo.toml").contains(
            "[[test]]\nname = \"contest_example\"\npath = \"tests/contest_example.rs\"\n"
        )
    );
}

#[test]
fn a_checkout_is_named_relative_to_the_manifest() {
    let it = Crate::new("[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    it.write(
        "vendor/contest/contest-runtime/Cargo.toml",
        "[package]\nname = \"contest-runtime\"\nversion = \"0.0.9\"\n",
    );
    let run = it
        .init(&["--dry-run", "--path", "vendor/contest"])
        .status(0);
    assert!(
        run.stdout
            .contains("+contest-runtime = { path = \"vendor/contest/contest-runtime\" }"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("version 0.0.9"),
        "another version is not reported: {}",
        run.stdout
    );
}

#[test]
fn a_tool_that_was_built_from_a_checkout_writes_a_manifest_that_resolves() {
    let it = Crate::new("[package]\nname = \"own\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    let run = it.initialised(&[OWN_CHECKOUT]);
    assert!(
        run.stdout.contains("from which this tool was built"),
        "{}",
        run.stdout
    );
    // Not `metadata`, which wants the packages of other platforms too.
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["generate-lockfile", "--offline"]);
    cargo.current_dir(it.scratch.path());
    let output = cargo.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

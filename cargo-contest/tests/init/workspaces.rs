//! Members, and what they inherit.

use super::support::{Crate, both};

fn workspace(root: &str, member: &str) -> Crate {
    let it = Crate {
        scratch: tempfile::tempdir().unwrap(),
    };
    it.write("Cargo.toml", root);
    it.write("a/Cargo.toml", member);
    it.write("a/src/lib.rs", "");
    it.write(
        "b/Cargo.toml",
        "[package]\nname = \"b\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    it.write("b/src/lib.rs", "");
    it
}

const ROOT: &str = "[workspace]\nmembers = [\"a\", \"b\"]\nresolver = \"2\"\n\n[workspace.package]\nedition = \"2021\"\n\n[workspace.dependencies]\nanyhow = \"1\" # errors\n";

#[test]
fn a_member_that_inherits_inherits_this_one_too() {
    let it = workspace(
        ROOT,
        "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition.workspace = true\n[dependencies]\nanyhow.workspace = true\n",
    );
    it.initialised(&["-p", "a"]);
    let root = it.read("Cargo.toml");
    assert!(
        root.contains("anyhow = \"1\" # errors\ncontest-runtime = \""),
        "{root}"
    );
    let member = it.read("a/Cargo.toml");
    assert!(
        member.contains("contest-runtime = { workspace = true }"),
        "{member}"
    );
    assert!(
        member.contains("contest-runtime = { workspace = true, features = [\"explore\"] }"),
        "{member}"
    );
    assert_eq!(it.runtime("a"), both(None));
    assert_eq!(it.runtime("b"), []);
    assert!(it.has("a/tests/contest_example.rs"));
}

#[test]
fn a_member_that_inherits_nothing_is_edited_alone() {
    let it = workspace(
        ROOT,
        "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    let run = it.initialised(&["-p", "a"]);
    assert_eq!(it.read("Cargo.toml"), ROOT);
    assert_eq!(it.runtime("a"), both(None));
    assert!(
        run.stdout
            .contains("cargo test -p a --test contest_example"),
        "{}",
        run.stdout
    );
}

#[test]
fn what_the_workspace_calls_it_is_what_a_member_calls_it() {
    let root = format!("{ROOT}races = {{ package = \"contest-runtime\", version = \"0.1\" }}\n");
    let it = workspace(
        &root,
        "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    it.initialised(&["-p", "a"]);
    assert_eq!(it.read("Cargo.toml"), root);
    assert_eq!(it.runtime("a"), both(Some("races")));
    assert!(it.read("a/tests/contest_example.rs").contains("races::"));
}

#[test]
fn in_a_members_directory_that_member_is_meant() {
    let it = workspace(
        ROOT,
        "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    it.init(&["--yes", "--manifest-path", "b/Cargo.toml"])
        .status(0);
    assert_eq!(it.runtime("b"), both(None));
    assert_eq!(it.runtime("a"), []);
}

#[test]
fn a_root_package_with_members_is_edited_in_one_file() {
    let it = Crate::new(
        "[workspace]\nmembers = [\"a\"]\n[workspace.dependencies]\nanyhow = \"1\"\n[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\nanyhow = { workspace = true }\n",
    );
    it.write(
        "a/Cargo.toml",
        "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    it.write("a/src/lib.rs", "");
    it.initialised(&[]);
    assert_eq!(it.runtime("p"), both(None));
    assert_eq!(it.runtime("a"), []);
}

#[test]
fn in_a_virtual_workspace_a_package_must_be_chosen_and_be_a_member() {
    let it = workspace(
        ROOT,
        "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    let run = it.init(&["--yes"]).status(2);
    assert!(
        run.stderr.contains("choose a package with -p: a, b"),
        "{}",
        run.stderr
    );
    let run = it.init(&["--yes", "-p", "serde"]).status(2);
    assert!(
        run.stderr.contains("`serde` is no member"),
        "{}",
        run.stderr
    );
}

//! The example that `init` writes, in a crate that takes the runtime from a checkout.

use super::checkout;
use super::support::Crate;

#[test]
#[ignore = "it builds a crate with the runtime, which takes a minute: run every week"]
fn the_example_passes_in_a_crate_that_takes_the_runtime_from_a_checkout() {
    let it = Crate::new(
        "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lints.rust]\nwarnings = \"deny\"\nmissing_docs = \"deny\"\nunsafe_code = \"forbid\"\n",
    );
    it.write("src/lib.rs", "//! Nothing yet.\n");
    it.initialised(&["--path", checkout().to_str().unwrap()]);
    it.cargo(&["build"]).status(0);
    let run = it.cargo(&["test", "--test", "contest_example"]).status(0);
    assert!(
        run.stdout.contains("test result: ok. 2 passed"),
        "{}",
        run.stdout
    );
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn the_examples_bug_is_found_as_its_comment_says() {
    let it = Crate::new(
        "[package]\nname = \"q\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\ncontest = { path = \"x\" }\n",
    );
    it.write(
        "x/Cargo.toml",
        "[package]\nname = \"contest\"\nversion = \"0.1.0\"\n",
    );
    it.write("x/src/lib.rs", "");
    it.initialised(&["--path", checkout().to_str().unwrap()]);
    let example = it.read("tests/contest_example.rs");
    assert!(example.contains("#[contest_rt::shared]"), "{example}");
    let total = example.split("pub fn total").nth(1).unwrap();
    let swapped = total
        .replacen("let giro = self.giro.lock().unwrap();", "\n", 1)
        .replacen(
            "let savings = self.savings.lock().unwrap();",
            "let savings = self.savings.lock().unwrap(); let giro = self.giro.lock().unwrap();",
            1,
        );
    it.write(
        "tests/contest_example.rs",
        &example.replace(total, &swapped),
    );
    let run = it.cargo(&["test", "--test", "contest_example"]);
    assert_eq!(run.status, 101, "{}", run.stdout);
    let found = run.stdout.matches("contest found").count();
    assert_eq!(found, 2, "{}\n{}", run.stdout, run.stderr);
}

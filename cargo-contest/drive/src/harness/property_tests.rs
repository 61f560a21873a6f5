//! Property tests run with few cases: each execution runs all of them again.

use std::ffi::OsString;

use cargo_metadata::Artifact;

use contest_catalog::skipped::Skipped;

/// Cases of one execution.
const CASES: &str = "8";

/// A library of property tests, and the variable that says how many cases a test has.
struct Library {
    name: &'static str,
    cases: &'static str,
    /// Other variables: failures are not shrunk, for that runs the case hundreds of times, and are not written to the
    /// source tree.
    others: &'static [(&'static str, &'static str)],
}

const LIBRARIES: [Library; 2] = [
    Library {
        name: "proptest",
        cases: "PROPTEST_CASES",
        others: &[
            ("PROPTEST_MAX_SHRINK_ITERS", "0"),
            ("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true"),
        ],
    },
    Library {
        name: "quickcheck",
        cases: "QUICKCHECK_TESTS",
        others: &[],
    },
];

/// Variables of test executables, as far as the user has not set them.
#[must_use]
pub fn variables() -> Vec<(String, OsString)> {
    let all = LIBRARIES
        .iter()
        .flat_map(|it| it.others.iter().copied().chain([(it.cases, CASES)]));
    all.filter(|(name, _)| std::env::var_os(name).is_none())
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect()
}

/// What is not run of the tests that these artifacts belong to.
pub(super) fn left_out(artifacts: &[Artifact]) -> Vec<Skipped> {
    let names = artifacts.iter().map(|it| it.target.name.as_str());
    left_out_by(&names.collect::<Vec<_>>(), |name| {
        std::env::var_os(name).is_some()
    })
}

fn left_out_by(crates: &[&str], is_set: impl Fn(&str) -> bool) -> Vec<Skipped> {
    let used = LIBRARIES
        .iter()
        .filter(|it| crates.contains(&it.name) && !is_set(it.cases));
    used.map(|it| {
        let why = format!(
            "each execution has {CASES} of them; {} sets another number",
            it.cases
        );
        Skipped::new(format!("cases of {} tests", it.name), why)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_there_are_few_cases_is_said_where_the_library_is_used_and_nothing_else_is_set() {
        let crates = ["rand", "proptest", "ring"];
        let said = left_out_by(&crates, |_| false);
        assert_eq!(said.len(), 1);
        assert_eq!(said[0].item, "cases of proptest tests");
        assert!(said[0].why.contains("PROPTEST_CASES"), "{}", said[0].why);
        assert!(left_out_by(&crates, |name| name == "PROPTEST_CASES").is_empty());
        assert!(left_out_by(&["rand"], |_| false).is_empty());
    }
}

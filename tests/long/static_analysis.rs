//! Static summaries against what runs (`--check-analysis`): a test per subject is in `faulty` and `correct`; here is
//! that a check can fail and that it holds for published crates.

use crate::support::Subject;

/// A crate whose lock is its own: what the summaries say about locks of other crates must not be said of it.
#[test]
fn a_lock_that_the_package_implements_is_no_reason_to_leave_pairs_out() {
    let copy = Subject::copy("correct/spin_lock");
    let (compared, _) = copy.check_analysis_of(&["--budget", "500ms"]);
    assert!(compared > 0);
}

/// Published crates: queues, cells, locks, channels. The first is run in every test run.
const CRATES: [(&str, &str); 5] = [
    ("concurrent-queue", "2.5.0"),
    ("crossbeam-queue", "0.3.14"),
    ("once_cell", "1.21.4"),
    ("spin", "0.9.9"),
    ("flume", "0.12.0"),
];
/// Facts that each of them has at least: more than a test of the comparison alone would need.
const FACTS: u64 = 5;

/// Compares runs of these crates with their summaries, prints how many facts there were for each.
fn check(crates: &[(&str, &str)], budget: &str) {
    let copy = Subject::empty();
    copy.write("src/lib.rs", "");
    let mut manifest =
        "[package]\nname = \"uses\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\n"
            .to_string();
    for (name, version) in crates {
        manifest.push_str(&format!("{name} = \"={version}\"\n"));
    }
    copy.write("Cargo.toml", &manifest);
    for (name, _) in crates {
        let (compared, exact) = copy.check_analysis_of(&["-p", name, "--budget", budget]);
        println!("{name}: {compared} facts of {exact} operations with exact summaries");
        assert!(compared >= FACTS, "{name}: {compared}");
    }
}

#[test]
fn exact_summaries_of_a_published_crate_have_all_that_runs() {
    check(&CRATES[..1], "1s");
}

#[test]
#[ignore = "fetches crates from the registry and takes minutes"]
fn exact_summaries_of_published_crates_have_all_that_runs() {
    check(&CRATES, "5s");
}

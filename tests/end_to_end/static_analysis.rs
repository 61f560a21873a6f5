//! Static summaries against what runs (`--check-analysis`): a test per subject is in `faulty` and `correct`; here is that a check can fail
//! and that it holds for published crates.

use crate::support::Subject;

/// A crate whose lock is its own: what the summaries say about locks of other crates must not be said of it.
#[test]
fn a_lock_that_the_package_implements_is_no_reason_to_leave_pairs_out() {
    let copy = Subject::copy("correct/spin_lock");
    let (compared, _) = copy.check_analysis_of(&["--budget", "500ms"]);
    assert!(compared > 0);
}

/// Eight published crates: locks, queues, maps, cells, pools.
const CRATES: [(&str, &str); 8] = [
    ("arc-swap", "1.9.3"),
    ("atomic-waker", "1.1.2"),
    ("concurrent-queue", "2.5.0"),
    ("crossbeam-queue", "0.3.14"),
    ("dashmap", "6.2.1"),
    ("event-listener", "5.4.2"),
    ("spin", "0.9.9"),
    ("thread_local", "1.1.10"),
];

#[test]
#[ignore = "fetches crates from the registry and takes minutes"]
fn exact_summaries_of_published_crates_have_all_that_runs() {
    let copy = Subject::empty();
    copy.write("src/lib.rs", "");
    let mut manifest =
        "[package]\nname = \"uses\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\n"
            .to_string();
    for (name, version) in CRATES {
        manifest.push_str(&format!("{name} = \"={version}\"\n"));
    }
    copy.write("Cargo.toml", &manifest);
    let mut all = (0, 0);
    for (name, _) in CRATES {
        let (compared, exact) = copy.check_analysis_of(&["-p", name, "--budget", "5s"]);
        println!("{name}: {compared} facts of {exact} exact summaries");
        all = (all.0 + compared, all.1 + exact);
    }
    assert!(all.0 > 50, "{all:?}");
}

use std::collections::BTreeMap;
use std::time::Duration;

use contest_data::finding::FindingKind;
use contest_data::totals::{ALWAYS_PANICS, KNOWN_BUG, NOT_FINISHED, SubjectTotals};

use super::*;
use crate::causes::Causes;
use crate::run_summary::{Analysed, RunSummary};
use crate::sample::{deadlock, step};
use contest_catalog::skipped::Skipped;

fn check(actual: &str, expected: &str) {
    let plain = anstream::adapter::strip_str(actual).to_string();
    assert_eq!(
        plain,
        expected.trim_start_matches('\n'),
        "\nactual:\n{plain}"
    );
}

#[test]
fn a_finding_reads_like_a_diagnostic() {
    check(
        &finding(
            &deadlock(),
            Some("target/contest/emitted/bank/contest_accounts_deadlock_1.rs"),
            "cargo contest replay",
            120,
            &SourceFiles::default(),
        ),
        "
error[deadlock]: threads 1 and 2 wait for each other for ever
 --> src/lib.rs:11:28
 ::: src/lib.rs:21:29
 ::: src/lib.rs:10:26
 ::: src/lib.rs:20:26
  |
  | // bank::Accounts, 2 threads
  | let a = Accounts::new();
  | thread 1: a.transfer(1);
  | thread 2: a.audit();
  |
  = note: thread 1 in a.transfer(1) waits for Mutex#2, held by thread 2 since src/lib.rs:20:26
  = note: thread 2 in a.audit() waits for Mutex#1, held by thread 1 since src/lib.rs:10:26

| thread 1             | thread 2         |
| -------------------- | ---------------- |
| a.transfer(1) <hung> | a.audit() <hung> |

The interleaving that shows it:
| thread 1       | thread 2       |
| -------------- | -------------- |
| a.transfer(1)  |                |
|   lock Mutex#1 |                | src/lib.rs:10:26
|   switch       |                |
|                | a.audit()      |
|                |   lock Mutex#2 | src/lib.rs:20:26
|                |   lock Mutex#1 | src/lib.rs:21:29
|                |   <hung>       |
|                |   switch       |
|   lock Mutex#2 |                | src/lib.rs:11:28
|   <hung>       |                |

  = note: found after 3 executions of this test, 12 ms of exploration
  = note: a test of it is in target/contest/emitted/bank/contest_accounts_deadlock_1.rs
  = help: replay it with `cargo contest replay c1:AbCd`
",
    );
}

#[test]
fn a_finding_in_brief_ends_with_the_next_command() {
    let sources = SourceFiles::default();
    let brief = |emitted, follows| {
        let replay = "cargo contest replay";
        brief(&deadlock(), emitted, replay, 120, follows, &sources)
    };
    check(
        &brief(None, true),
        "
error[deadlock]: threads 1 and 2 wait for each other for ever
 --> src/lib.rs:11:28
 ::: src/lib.rs:21:29
 ::: src/lib.rs:10:26
  |
  | // bank::Accounts, 2 threads
  | let a = Accounts::new();
  | thread 1: a.transfer(1);
  | thread 2: a.audit();
  |
  = note: thread 1 in a.transfer(1) waits for Mutex#2, held by thread 2 since src/lib.rs:20:26
  = note: thread 2 in a.audit() waits for Mutex#1, held by thread 1 since src/lib.rs:10:26

| thread 1             | thread 2         |
| -------------------- | ---------------- |
| a.transfer(1) <hung> | a.audit() <hung> |

  = help: replay it with `cargo contest replay c1:AbCd`
",
    );
    let text = brief(Some("target/contest/emitted/deadlock_1.rs"), false);
    let text = anstream::adapter::strip_str(&text).to_string();
    let end = "  = help: -v shows its interleaving, and so does a replay\n  = help: replay it by its test, with \
               `cargo contest replay target/contest/emitted/deadlock_1.rs`\n";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn a_finding_in_brief_has_few_lines_whatever_it_contains() {
    let long = Finding {
        message: "one\n".repeat(40),
        details: vec!["two\nlines".to_owned(); 40],
        prefix: vec!["a.push(1);".to_owned(); 40],
        threads: vec![vec!["a.pop()".to_owned(); 40]; 3],
        locations: (0..40).map(|line| format!("src/lib.rs:{line}:1")).collect(),
        ..deadlock()
    };
    let text = brief(
        &long,
        Some("x.rs"),
        "cargo contest replay",
        120,
        false,
        &SourceFiles::default(),
    );
    let text = anstream::adapter::strip_str(&text).to_string();
    assert!(text.lines().count() <= brief::MOST_LINES, "{text}");
    for part in [
        "thread 3: a.pop()",
        "more lines; -v shows all",
        "| thread 3",
        "`cargo contest replay x.rs`",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_finding_in_brief_has_the_first_calls_and_its_notes() {
    let prefix = [
        "let a = Accounts::new();",
        "a.open(1)",
        "a.open(2)",
        "a.close(1)",
        "a.open(3)",
        "a.close(2)",
    ];
    let finding = Finding {
        prefix: prefix.map(str::to_owned).to_vec(),
        details: vec!["a note".to_owned(); 5],
        locations: (0..5).map(|line| format!("src/lib.rs:{line}:1")).collect(),
        ..deadlock()
    };
    let sources = SourceFiles::default();
    let text = brief(
        &finding,
        Some("x.rs"),
        "cargo contest replay",
        120,
        true,
        &sources,
    );
    for part in prefix {
        assert!(text.contains(part), "{part}: {text}");
    }
}

const ENDING: Ending<'static> = Ending {
    list: "cargo contest list",
    test: "cargo contest test",
    alone_shown: 0,
    verbose: false,
};

fn explored() -> RunSummary {
    RunSummary {
        package: "bank 0.1.0".to_string(),
        subjects: vec![SubjectTotals {
            name: "bank::Accounts".to_string(),
            operations: 5,
            never_concurrent: vec![("expire".to_string(), 4)],
            pairs: (9, 10),
            tests: 12,
            exhausted: 9,
            cut: vec![("budget".to_string(), 2), ("step limit".to_string(), 1)],
            left_out: vec![("nondeterministic".to_string(), 1)],
            executions: 12_345,
            steps: 1_234_567,
            decisions: 99,
            ..SubjectTotals::default()
        }],
        operations_left_out: 1,
        elapsed: Duration::from_millis(2_040),
        ..RunSummary::default()
    }
}

#[test]
fn a_clean_run_says_what_was_explored_and_claims_no_more() {
    let text = summary(&explored(), &ENDING);
    check(
        &text,
        "
bank 0.1.0: 1 type, 5 operations, 12,345 executions in 2.0 s
  tests       12: 9 in every interleaving, 3 cut (2 budget, 1 step limit), 1 left out (1 nondeterministic)
  not tested  1 operation; `cargo contest list` says why
  not run     1 of 5 operations beside another call (expire), 1 of 10 pairs of operations beside each other
  next        `cargo contest test` explores the package's own tests
nothing found in 12 tests, 9 of them in every interleaving; what was not run was not checked
",
    );
    assert!(!text.to_lowercase().contains("no bugs"));
    check(
        &result(&explored()),
        "
bank 0.1.0: nothing found in 12 tests, 9 of them in every interleaving; what was not run was not checked
",
    );
}

#[test]
fn statistics_are_shown_on_request_and_what_says_nothing_new_with_them() {
    let mut run = explored();
    let skipped = [
        (KNOWN_BUG.to_string(), 7),
        ("allowed: panic".to_string(), 2),
    ];
    run.subjects[0].skipped = skipped.to_vec();
    let shown = |verbose| {
        let ending = Ending { verbose, ..ENDING };
        anstream::adapter::strip_str(&summary(&run, &ending)).to_string()
    };
    let (brief, whole) = (shown(false), shown(true));
    let allowed = "  unreported  2 results (2 allowed: panic)\n";
    assert!(brief.contains(allowed), "{brief}");
    assert!(whole.contains("9 results (7 shows a bug"), "{whole}");
    for statistics in ["1,234,567, 99 decisions", "9 of 10 pairs of operations ran"] {
        assert!(!brief.contains(statistics), "{brief}");
        assert!(whole.contains(statistics), "{whole}");
    }
}

#[test]
fn what_is_next_depends_on_what_was_found_and_what_was_not_run() {
    let next = |run: &RunSummary| {
        let text = anstream::adapter::strip_str(&summary(run, &ENDING)).to_string();
        let mut lines = text.lines().map(str::to_owned);
        lines.find(|it| it.starts_with("  next ")).unwrap()
    };
    let mut run = explored();
    run.subjects[0].cut.push((NOT_FINISHED.to_owned(), 3));
    assert!(next(&run).contains("a longer `--budget`"));
    run.subjects[0].decisions = 0;
    assert!(next(&run).contains("`cargo contest list` says what can be tested"));
    let panics = format!("calls `submit`, {ALWAYS_PANICS}");
    run.subjects[0].left_out.push((panics, 9));
    assert!(next(&run).contains("`[package.metadata.contest]` says which arguments work"));
    run.findings = BTreeMap::from([(FindingKind::Deadlock, 1)]);
    assert!(next(&run).contains("`cargo contest explain deadlock`"));
}

#[test]
fn what_only_real_threads_showed_is_in_the_last_line() {
    let mut run = explored();
    let why = "looked like a bug on real threads, in 1 of 3 runs, and was found under no schedule: a panic";
    run.subjects[0].skipped.push((why.to_string(), 1));
    let text = anstream::adapter::strip_str(&summary(&run, &ENDING)).to_string();
    let last = "was not checked; 1 test looked like a bug on real threads, and under no schedule\n";
    assert!(text.ends_with(last), "{text}");
}

#[test]
fn what_static_analysis_saves_is_counted_and_so_is_its_failure() {
    let mut run = explored();
    run.subjects[0].pairs_pruned = 1;
    run.analysed.operations = 4;
    run.analysed.exact = 3;
    let ending = Ending {
        verbose: true,
        ..ENDING
    };
    let text = anstream::adapter::strip_str(&summary(&run, &ending)).to_string();
    let line = "  analysed    3 of 4 operations exactly; 1 pair without tests of their own: the two cannot disturb each other\n";
    assert!(text.contains(line), "{text}");
    run.analysed = Analysed {
        left_out: vec![Skipped::new("static analysis", "it took too long")],
        ..Analysed::default()
    };
    let line = "  analysed    nothing, so no pair is left out: static analysis: it took too long\n";
    for ending in [ENDING, ending] {
        let text = anstream::adapter::strip_str(&summary(&run, &ending)).to_string();
        assert_eq!(text.matches(line).count(), 1, "{text}");
    }
}

#[test]
fn a_run_that_tested_nothing_says_so_with_the_reason() {
    let mut summary_of_nothing = explored();
    summary_of_nothing.subjects[0].decisions = 0;
    let text = summary(&summary_of_nothing, &ENDING);
    assert!(text.contains("nothing was tested"), "{text}");
    assert!(text.contains("no instrumented operation"), "{text}");
}

#[test]
fn crates_without_instrumentation_are_named() {
    let mut run = explored();
    run.uninstrumented = vec![Skipped::new("libc 0.2", "declares its own `std`")];
    run.findings = BTreeMap::from([(FindingKind::Deadlock, 1), (FindingKind::Panic, 2)]);
    let shown = |run: &RunSummary| anstream::adapter::strip_str(&summary(run, &ENDING)).to_string();
    let text = shown(&run);
    assert!(
        text.contains("    libc 0.2: declares its own `std`\n"),
        "{text}"
    );
    assert!(
        text.ends_with("3 findings: 1 deadlock, 2 panic\n"),
        "{text}"
    );
    run.causes = Causes::of_all(&[deadlock(), deadlock(), Finding::new(FindingKind::Panic, "")]);
    let text = shown(&run);
    assert!(
        text.ends_with("3 findings of 2 causes: 1 deadlock, 2 panic\n"),
        "{text}"
    );
}

#[test]
fn a_replay_without_the_bug_shows_the_first_step_that_differs() {
    let text = replayed(
        &Replayed {
            finding: None,
            ending: "finished".to_string(),
            interleaving: vec![step(1, None, "lock Mutex#1", "src/lib.rs:10:26", "")],
            diverged: Some("decision 2: recorded lock, now unlock".to_string()),
        },
        120,
        false,
        &SourceFiles::default(),
    );
    check(
        &text,
        "
the bug did not show again: finished
  = warning: the code no longer does what the token recorded: decision 2: recorded lock, now unlock; this says nothing about other interleavings

The interleaving:
| thread 1     |
| ------------ |
| lock Mutex#1 | src/lib.rs:10:26
",
    );
}

#[test]
fn places_are_shown_with_their_lines_of_the_source_each_line_once() {
    let scratch = tempfile::tempdir().unwrap();
    std::fs::create_dir(scratch.path().join("src")).unwrap();
    let code = "fn f() {\n    let a = self.left.lock(); // \u{202e}\n}\n";
    std::fs::write(scratch.path().join("src/lib.rs"), code).unwrap();
    let sources = SourceFiles::new(&[scratch.path()], None);
    let bug = Finding {
        locations: ["src/lib.rs:2:5", "src/lib.rs:2:13", "src/lib.rs:9:1"]
            .map(str::to_owned)
            .to_vec(),
        interleaving: Vec::new(),
        ..deadlock()
    };
    let text = finding(&bug, None, "cargo contest replay", 120, &sources);
    let plain = anstream::adapter::strip_str(&text).to_string();
    let expected = " --> src/lib.rs:2:5
    2 | let a = self.left.lock(); // \\u{202e}
 ::: src/lib.rs:2:13
 ::: src/lib.rs:9:1
  |
";
    assert!(plain.contains(expected), "{plain}");
}

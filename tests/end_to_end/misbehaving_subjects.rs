//! Subjects that misbehave without any concurrency: nothing is lost, and nothing is reported as a concurrency finding.

use crate::support::{Run, Subject};

fn explored(subject: &str) -> Run {
    let copy = Subject::copy(subject);
    copy.contest(&["--message-format", "json", "--budget", "2s"])
}

/// The subject's harmless operation was run concurrently although another one misbehaves.
#[track_caller]
fn still_explored(run: &Run) {
    let summary = run.summary();
    assert_eq!(summary["findings"], 0, "{}", run.stdout);
    assert!(summary["tests"].as_u64().unwrap() > 0, "{summary}");
    assert!(
        summary["coverage"]["decisions"].as_u64().unwrap() > 0,
        "{summary}"
    );
}

#[test]
fn megabytes_of_output_are_discarded_and_stop_nothing() {
    let run = explored("unsupported/prints_megabytes").status(0);
    still_explored(&run);
    assert!(run.stdout.len() + run.stderr.len() < 100_000);
    assert!(!run.text().contains("out out"));
}

#[test]
fn a_panic_in_drop_is_no_concurrency_finding() {
    let run = explored("unsupported/panics_in_drop");
    assert!(run.status == 0 || run.status == 4, "{}", run.text());
    assert_eq!(run.kinds(), Vec::<String>::new());
    let summary = run.summary();
    let said = !run.with_reason("alone").is_empty()
        || summary["coverage"]["tests_skipped"] != serde_json::json!([]);
    assert!(said, "{}", run.stdout);
}

#[test]
fn a_call_that_exits_the_process_is_reported_alone_and_the_rest_is_explored() {
    let run = explored("unsupported/exits_process").status(0);
    still_explored(&run);
    let alone = run.with_reason("alone");
    let mut calls: Vec<String> = alone.iter().map(|it| it["calls"].to_string()).collect();
    calls.sort();
    // What ends the process by being made is no matter of the calls on it.
    let made = r#"["let a = Counter::new();","a.leave()"]"#;
    assert_eq!(calls, [made, r#"["let a = Counter::starting_at(1);"]"#]);
}

#[test]
fn a_call_that_reads_standard_input_reads_nothing() {
    let run = explored("unsupported/reads_stdin").status(0);
    still_explored(&run);
}

#[test]
fn threads_that_are_never_joined_are_no_deadlock() {
    let run = explored("unsupported/forgets_thread").status(0);
    still_explored(&run);
}

#[test]
fn a_call_that_overflows_the_stack_is_reported_alone_and_the_rest_is_explored() {
    let run = explored("unsupported/recurses_forever").status(0);
    still_explored(&run);
    let alone = run.with_reason("alone");
    assert!(
        alone
            .iter()
            .any(|line| line["calls"].to_string().contains("down(")),
        "{}",
        run.stdout
    );
}

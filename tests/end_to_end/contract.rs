//! The JSON contract and the command line as scripts use them.

use crate::support::{Subject, run, tool};

#[test]
fn json_lines_have_every_field_of_the_contract() {
    let copy = Subject::copy("faulty/abba");
    let before = copy.tree();
    let run = copy
        .contest(&["--message-format", "json", "--fail-fast"])
        .status(1);
    assert_eq!(before, copy.tree(), "the source tree was touched");

    let subject = &run.with_reason("subject")[0];
    assert_eq!(subject["type"], "faulty_abba::Accounts");
    assert!(subject["operations"].as_u64().unwrap() >= 3, "{subject}");
    assert!(subject["left_out"].is_array());

    let finding = &run.with_reason("finding")[0];
    assert_eq!(finding["kind"], "deadlock");
    assert_eq!(finding["type"], "faulty_abba::Accounts");
    assert!(finding["message"].is_string());
    assert!(
        finding["prefix"][0]
            .as_str()
            .unwrap()
            .contains("Accounts::"),
        "{finding}"
    );
    assert_eq!(finding["threads"].as_array().unwrap().len(), 2);
    assert!(
        finding["interleaving"].as_array().unwrap().len() >= 4,
        "{finding}"
    );
    for step in finding["interleaving"].as_array().unwrap() {
        assert!(
            step["thread"].is_u64() && step["event"].is_string() && step["location"].is_string(),
            "{step}"
        );
    }
    assert!(!finding["schedule"].as_str().unwrap().is_empty());
    assert!(finding["executions"].as_u64().unwrap() > 0);
    assert!(finding["elapsed_ms"].is_u64());
    let emitted = finding["emitted"].as_str().unwrap();
    assert!(
        std::path::Path::new(emitted).is_file() || copy.directory.join(emitted).is_file(),
        "{emitted}"
    );

    let summary = run.summary();
    for count in [
        "types",
        "operations",
        "tests",
        "executions",
        "findings",
        "elapsed_ms",
    ] {
        assert!(summary[count].is_u64(), "{count}: {summary}");
    }
    assert!(summary["coverage"].is_object());
    assert!(
        run.stderr.contains("error[deadlock]"),
        "readable text is on standard error:\n{}",
        run.stderr
    );
}

#[test]
fn people_read_a_diagnostic_with_a_table_and_a_way_to_replay() {
    let run = Subject::copy("faulty/abba")
        .contest(&["--budget", "2s", "--fail-fast", "--no-emit"])
        .status(1);
    for part in [
        "error[deadlock]: ",
        " --> ",
        "src/lib.rs:",
        "| thread 1",
        "| thread 2",
        "<hung>",
        "replay it with `cargo contest replay ",
        "pairs of operations beside each other",
        "`cargo contest explain deadlock`",
    ] {
        assert!(
            run.stdout.contains(part),
            "{part} is not in\n{}",
            run.stdout
        );
    }
    assert!(
        !run.stdout.contains('\u{1b}'),
        "colours without a terminal:\n{}",
        run.stdout
    );
}

#[test]
fn a_campaign_of_two_processes_that_ends_at_a_finding_counts_what_they_did() {
    let run = Subject::copy("faulty/abba")
        .contest(&[
            "--message-format",
            "json",
            "--fail-fast",
            "--jobs",
            "2",
            "--no-emit",
        ])
        .status(1);
    let finding = run.with_reason("finding").remove(0);
    let summary = run.summary();
    assert!(summary["tests"].as_u64() > Some(0), "{summary}");
    assert!(
        summary["executions"].as_u64() >= finding["executions"].as_u64(),
        "{finding}\n{summary}"
    );
}

#[test]
fn the_same_seed_finds_the_same() {
    let copy = Subject::copy("faulty/set_and_inc");
    let arguments = [
        "--message-format",
        "json",
        "--budget",
        "3s",
        "--seed",
        "5",
        "--no-emit",
        "--fail-fast",
    ];
    let schedule = |run: &crate::support::Run| run.with_reason("finding")[0]["schedule"].clone();
    let first = copy.contest(&arguments).status(1);
    let second = copy.contest(&arguments).status(1);
    assert_eq!(schedule(&first), schedule(&second));
}

#[test]
fn two_processes_run_the_same_tests_as_one() {
    let copy = Subject::copy("correct/set_and_inc");
    let totals = |jobs: &str| {
        let size = ["--threads", "2", "--calls", "1", "--budget", "120s"];
        let run = copy
            .contest(&[&["--message-format", "json", "--jobs", jobs], &size[..]].concat())
            .status(0);
        let summary = run.with_reason("summary").remove(0);
        ["tests", "ladder"].map(|key| summary[key].clone())
    };
    let alone = totals("1");
    assert!(alone[0].as_u64().unwrap_or(0) > 100, "{alone:?}");
    assert_eq!(alone, totals("2"));
}

#[test]
fn two_processes_side_by_side_report_a_bug_once() {
    let run = Subject::copy("faulty/set_and_inc")
        .contest(&[
            "--message-format",
            "json",
            "--budget",
            "2s",
            "--jobs",
            "2",
            "--no-emit",
        ])
        .status(1);
    let mut fingerprints: Vec<String> = run
        .with_reason("finding")
        .iter()
        .map(|line| line["fingerprint"].to_string())
        .collect();
    let all = fingerprints.len();
    fingerprints.sort();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), all, "{fingerprints:?}");
    assert!(all >= 1);
}

#[test]
fn an_allowed_kind_is_not_reported() {
    let copy = Subject::copy("faulty/abba");
    let run = copy
        .contest(&[
            "--message-format",
            "json",
            "--budget",
            "1s",
            "--allow",
            "deadlock",
        ])
        .status(0);
    assert_eq!(run.kinds(), Vec::<String>::new());
}

#[test]
fn settings_of_the_manifest_are_followed_and_the_command_line_wins() {
    let copy = Subject::copy("faulty/abba");
    let manifest = copy.read("Cargo.toml");
    copy.write(
        "Cargo.toml",
        &format!(
            "{manifest}\n[package.metadata.contest]\nallow = [\"deadlock\"]\nbudget = \"500ms\"\n"
        ),
    );
    copy.contest(&[]).status(0);
    copy.contest(&["--deny", "deadlock", "--fail-fast"])
        .status(1);
}

#[test]
fn a_quiet_run_shows_findings_and_one_line_and_statistics_are_for_those_who_ask() {
    let clean = Subject::copy("correct/set_and_inc");
    let run = |arguments: &[&str]| {
        let bounds = ["--budget", "2s", "--threads", "2", "--calls", "1"];
        clean.contest(&[&bounds[..], arguments].concat()).status(0)
    };
    let quiet = run(&["-q"]).stdout;
    assert_eq!(quiet.lines().count(), 1, "{quiet}");
    assert!(quiet.contains("nothing found in "), "{quiet}");
    let (brief, whole) = (run(&[]).stdout, run(&["-v"]).stdout);
    for row in ["tests", "stated", "next"] {
        assert!(brief.contains(&format!("\n  {row} ")), "{row}: {brief}");
    }
    for row in ["steps", "covered", "ladder"] {
        assert!(!brief.contains(&format!("\n  {row} ")), "{row}: {brief}");
        assert!(whole.contains(&format!("\n  {row} ")), "{row}: {whole}");
    }
    let faulty = Subject::copy("faulty/abba");
    let found = faulty
        .contest(&["-q", "--fail-fast", "--no-emit"])
        .status(1);
    assert!(
        found.stdout.starts_with("error[deadlock]"),
        "{}",
        found.stdout
    );
    let last = found.stdout.lines().last().unwrap();
    assert!(last.ends_with("1 finding: 1 deadlock"), "{last}");
}

#[test]
fn a_type_filter_selects_and_list_names_operations() {
    let copy = Subject::copy("correct/rwlock_map");
    let run = copy
        .contest(&["list", "--message-format", "json", "Directory"])
        .status(0);
    let subject = &run.with_reason("subject")[0];
    let calls = subject["calls"].to_string();
    for call in ["a.insert(", "a.remove(", "a.get(", "a.len()"] {
        assert!(calls.contains(call), "{call} is not in {calls}");
    }
}

#[test]
fn help_and_version_do_not_need_a_crate() {
    let copy = Subject::empty();
    let help = copy.contest(&["--help"]).status(0);
    for option in [
        "--budget",
        "--seed",
        "--message-format",
        "--emit",
        "--html",
        "--trace",
        "explain",
        "list",
        "replay",
        "Exit status",
    ] {
        assert!(
            help.stdout.contains(option),
            "{option} is not in\n{}",
            help.stdout
        );
    }
    copy.contest(&["--version"]).status(0);
    // Without cargo's `contest` in front.
    let mut direct = tool();
    direct.arg("--version").current_dir(&copy.directory);
    run(direct).status(0);
}

#[test]
fn junit_and_sarif_reports_hold_the_findings() {
    let copy = Subject::copy("faulty/abba");
    copy.contest(&[
        "--budget",
        "1s",
        "--fail-fast",
        "--no-emit",
        "--junit",
        "out/junit.xml",
        "--sarif",
        "out/contest.sarif",
    ])
    .status(1);
    let junit = copy.read("out/junit.xml");
    assert!(junit.contains("type=\"deadlock\""), "{junit}");
    let sarif: serde_json::Value = serde_json::from_str(&copy.read("out/contest.sarif")).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "deadlock");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/lib.rs");
}

//! The classes in the tables of the papers: AutoConTest (Table 1), PCR (Table 3), DepCon+ (Table I). Each is there with
//! its fault, which is found at its place, and mended, where nothing is found.

use std::time::Duration;

use serde_json::Value;

use crate::support::Subject;

/// A type, the kind of its fault, a call that shows it, and the file that the finding names.
type Fault = (&'static str, &'static str, &'static str, &'static str);

/// Explores all types of a subject until each of these faults is among the findings.
#[track_caller]
fn shows(subject: &str, faults: &[Fault]) -> Subject {
    let copy = Subject::copy(subject);
    shows_in(&copy, &[], faults);
    copy
}

#[track_caller]
fn shows_in(copy: &Subject, types: &[&str], faults: &[Fault]) {
    let options = ["--message-format", "json", "--no-emit"];
    let run = copy.contest_until(
        &[&options[..], types].concat(),
        Duration::ZERO,
        |findings| faults.iter().all(|fault| is_found(findings, fault)),
    );
    // With warnings only, the run is no more than interrupted.
    if faults.iter().any(|fault| fault.1 != "torn-read") {
        assert_eq!(run.status, 1, "{}", run.stderr);
    }
    let findings = run.with_reason("finding");
    for fault in faults {
        assert!(is_found(&findings, fault), "{fault:?}: {}", run.stderr);
    }
}

fn is_found(findings: &[Value], (of, kind, call, file): &Fault) -> bool {
    findings.iter().any(|finding| {
        let name = finding["type"].as_str().unwrap_or_default();
        name.rsplit("::").next() == Some(of)
            && finding["kind"] == *kind
            && finding["threads"].to_string().contains(call)
            && finding["locations"].to_string().contains(file)
    })
}

/// Explores all types of a subject and checks that nothing is found.
#[track_caller]
fn clean(subject: &str, budget: &str, types: u64) -> Subject {
    let copy = Subject::copy(subject);
    let run = copy
        .contest(&["--message-format", "json", "--budget", budget, "--no-emit"])
        .status(0);
    let summary = run.summary();
    assert_eq!(summary["findings"], 0);
    assert_eq!(summary["types"], types);
    assert!(summary["executions"].as_u64().unwrap() > 0);
    copy
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn collections_show_their_faults() {
    let copy = shows(
        "faulty/collections",
        &[
            ("Stack", "panic", "a.first_element()", "src/slots.rs"),
            ("AsMap", "panic", "a.contains_value(", "src/as_map.rs"),
            ("DoubleIntIndex", "panic", "a.l", "src/double_int_index.rs"),
            ("EnumeratedTable", "panic", "a.", "src/enumerated_table.rs"),
            ("NestedTable", "deadlock", "a.", "src/nested_table.rs"),
        ],
    );
    // The wrong results of its fault come first, the panic some thousand tests later.
    let vector = [("Vector", "panic", "a.last_index_of", "src/slots.rs")];
    shows_in(&copy, &["Vector"], &vector);
    // An entry moves from one segment to another one: one call before, one beside two.
    let map = (
        "ConcurrentHashMap",
        "torn-read",
        "a.contains",
        "src/concurrent_hash_map.rs",
    );
    shows_in(&copy, &["ConcurrentHashMap"], &[map]);
}

#[test]
#[ignore = "one of eight ports of the literature's classes, which take minutes together: run every week"]
fn appenders_show_their_faults() {
    shows(
        "faulty/log4j",
        &[
            (
                "AppenderAttachable",
                "panic",
                "a.",
                "src/appender_attachable.rs",
            ),
            (
                "NullAppender",
                "panic",
                "a.add_filter(",
                "src/null_appender.rs",
            ),
            (
                "WriterAppender",
                "panic",
                "append(",
                "src/writer_appender.rs",
            ),
        ],
    )
    .check_analysis();
}

#[test]
#[ignore = "one of eight ports of the literature's classes, which take minutes together: run every week"]
fn charts_show_their_faults() {
    shows(
        "faulty/jfreechart",
        &[
            ("Day", "non-linearizable", "a.peg(", "src/day.rs"),
            ("PeriodAxis", "non-linearizable", "a.", "src/period_axis.rs"),
            ("TimeSeries", "panic", "a.", "src/time_series.rs"),
            ("XyPlot", "panic", "a.draw()", "src/xy_plot.rs"),
        ],
    );
}

#[test]
#[ignore = "one of eight ports of the literature's classes, which take minutes together: run every week"]
fn services_show_their_faults() {
    shows(
        "faulty/services",
        &[
            (
                "SharedPoolDataSource",
                "panic",
                "a.close()",
                "src/shared_pool.rs",
            ),
            ("InputBuffer", "panic", "a.read", "src/input_buffer.rs"),
            ("Request", "non-linearizable", "a.", "src/request.rs"),
            (
                "PerUserPoolDataSource",
                "non-linearizable",
                "a.set_per_user",
                "src/per_user_pool.rs",
            ),
            (
                "XStream",
                "non-linearizable",
                "a.register_converter(",
                "src/xstream.rs",
            ),
        ],
    );
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn mended_collections_are_clean() {
    clean("correct/collections", "7s", 7);
}

#[test]
#[ignore = "one of eight ports of the literature's classes, which take minutes together: run every week"]
fn mended_appenders_are_clean() {
    clean("correct/log4j", "3s", 3).check_analysis();
}

#[test]
#[ignore = "one of eight ports of the literature's classes, which take minutes together: run every week"]
fn mended_charts_are_clean() {
    clean("correct/jfreechart", "4s", 4);
}

#[test]
#[ignore = "one of eight ports of the literature's classes, which take minutes together: run every week"]
fn mended_services_are_clean() {
    clean("correct/services", "5s", 5);
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn mended_classics_are_clean() {
    clean("correct/classics", "6s", 6).check_analysis();
}

#[test]
fn a_stream_that_is_closed_under_its_monitor_is_clean() {
    clean("correct/buffered_input_stream", "1s", 1).check_analysis();
}

#[test]
fn two_objects_locked_in_the_order_of_their_addresses_are_clean() {
    clean("correct/hashtable", "1s", 1).check_analysis();
    clean("correct/string_buffer", "1s", 1).check_analysis();
    clean("correct/synchronized_map", "1s", 1).check_analysis();
}

#[test]
fn the_running_example_with_a_lock_in_both_modes_is_clean() {
    clean("correct/running_example", "1s", 1).check_analysis();
}

#[test]
fn summaries_of_collections_allow_what_executions_show() {
    Subject::copy("faulty/collections").check_analysis_of(&["--budget", "2s"]);
}

#[test]
#[ignore = "what a macro of the crate expands to has another place in exact summaries than in executions; a lock of an object that a call makes for itself counts as a second one"]
fn summaries_of_services_and_charts_allow_what_executions_show() {
    Subject::copy("correct/services").check_analysis_of(&["--budget", "2s"]);
    Subject::copy("correct/jfreechart").check_analysis_of(&["--budget", "2s"]);
}

/// A writer that waits for readers comes in a step of its own: forced in its place is the write.
#[test]
fn an_order_around_a_contended_writer_is_forced_by_pta() {
    let copy = Subject::copy("faulty/classics");
    let test = "let a = Logger::new(); a.set_filter(1); a.log(1, \"a\") | a.clear_filter()";
    let run = copy.contest(&["try", test, "--strategy", "pta"]).status(1);
    assert!(run.stdout.contains("there is a filter"), "{}", run.text());
}

/// AutoConTest as published finds these in the first test that it makes, as the paper says (its section 5.1).
#[test]
fn the_first_test_of_autocontest_as_published_shows_the_fault() {
    let copy = Subject::copy("faulty/classics");
    for (of, file) in [
        ("IntRange", "src/int_range.rs"),
        ("NumberAxis", "src/number_axis.rs"),
        ("Logger", "src/logger.rs"),
        ("Vector", "src/vector.rs"),
    ] {
        let how = [
            "--generator",
            "autocontest",
            "--strategy",
            "pta",
            "--fail-fast",
        ];
        let only = ["--allow", "non-linearizable", "--allow", "torn-read"];
        let what = [
            "run",
            of,
            "--jobs",
            "1",
            "--no-emit",
            "--message-format",
            "json",
        ];
        let run = copy.contest(&[&what[..], &how, &only].concat()).status(1);
        assert_eq!(run.summary()["tests"], 1, "{of}");
        let findings = run.with_reason("finding");
        let places = findings[0]["locations"].to_string();
        assert!(
            findings[0]["kind"] == "panic" && places.contains(file),
            "{places}"
        );
    }
}

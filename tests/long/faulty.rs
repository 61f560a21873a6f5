//! Each faulty subject: its bug is found, as the kind its README says, and nothing else is.

use std::time::Duration;

use serde_json::Value;

use crate::support::{Run, Subject};

/// What a run may take to find something on a busy machine.
const AT_MOST: &str = "30s";
/// How much longer a run goes on where nothing else may be found.
const LONGER: Duration = Duration::from_secs(1);

/// Explores until what has been found is enough, and for as long as `then` after that.
#[track_caller]
fn explored(copy: &Subject, then: Duration, enough: impl Fn(&[Value]) -> bool) -> Run {
    let options = ["--message-format", "json", "--budget", AT_MOST, "--no-emit"];
    copy.contest_until(&options, then, enough).status(1)
}

/// Explores a subject and checks that it has findings of this kind only, in these calls.
#[track_caller]
fn check(subject: &str, kind: &str, calls: &[&str]) {
    found(subject, kind, calls).check_analysis();
}

/// The same without the static analysis.
#[track_caller]
fn found(subject: &str, kind: &str, calls: &[&str]) -> Subject {
    let copy = Subject::copy(subject);
    let run = explored(&copy, LONGER, |findings| !findings.is_empty());
    assert_eq!(run.kinds(), [kind], "{}", run.stderr);
    let findings = run.with_reason("finding");
    let text = findings[0]["threads"].to_string();
    for call in calls {
        assert!(text.contains(call), "{call} is not in {text}");
    }
    let location = findings[0]["locations"][0].as_str().unwrap_or_default();
    assert!(location.contains("src/lib.rs:"), "{location}");
    // The declaration of a type, which a finding has that knows no better, is without a column.
    assert_eq!(location.split(':').count(), 3, "{location}");
    assert!(run.summary()["executions"].as_u64().unwrap() > 0);
    assert!(findings[0]["elapsed_ms"].as_u64().unwrap() > 0);
    copy
}

#[test]
fn opposite_lock_orders_deadlock() {
    check("faulty/abba", "deadlock", &["a.spend(", "a.save("]);
}

#[test]
fn a_notification_without_the_lock_is_lost() {
    check("faulty/lost_wakeup", "deadlock", &["a.pass()", "a.open()"]);
}

#[test]
fn a_store_in_the_middle_of_a_locked_increment_is_lost() {
    check(
        "faulty/set_and_inc",
        "non-linearizable",
        &["a.set(", "a.inc()"],
    );
}

#[test]
fn the_running_example_of_autocontest_needs_a_call_first() {
    check("faulty/running_example", "non-linearizable", &["a.add("]);
}

#[test]
fn two_threads_get_two_numbers_for_one_key() {
    check("faulty/check_then_act", "non-linearizable", &["a.number("]);
}

#[test]
fn two_polite_sides_spin_for_ever() {
    check(
        "faulty/spin_without_progress",
        "livelock",
        &["a.cross_from_left()", "a.cross_from_right()"],
    );
}

#[test]
fn a_lock_in_inline_assembly_that_two_threads_take_at_once_is_found() {
    let copy = Subject::copy("faulty/assembly_lock");
    let run = explored(&copy, LONGER, |findings| !findings.is_empty());
    let findings = run.with_reason("finding");
    assert_eq!(findings[0]["kind"], "data-race", "{}", run.stderr);
    // What comes of the race has the same cause.
    for finding in &findings {
        assert_eq!(finding["cause"], findings[0]["cause"], "{finding}");
        assert_eq!(
            finding["threads"].to_string(),
            r#"[["a.add()"],["a.add()"]]"#
        );
    }
    copy.check_analysis();
}

#[test]
fn functions_over_a_static_that_is_locked_twice_do_not_register_at_once() {
    check("faulty/free_functions", "non-linearizable", &["register("]);
}

#[test]
fn values_that_are_made_and_dropped_free_what_another_one_has_just_found() {
    let copy = Subject::copy("faulty/interned_names");
    let of_memory = ["use-after-free", "double-free"];
    let is_found = |findings: &[Value]| {
        findings.iter().any(|it| {
            of_memory.contains(&it["kind"].as_str().unwrap())
                && it["threads"].to_string().contains("drop(Name::new(")
        })
    };
    let run = explored(&copy, Duration::ZERO, is_found);
    assert!(is_found(&run.with_reason("finding")), "{}", run.stderr);
    copy.check_analysis();
}

#[test]
fn a_check_outside_the_lock_panics_inside_it() {
    check("faulty/panic_in_section", "panic", &["a.take()"]);
}

#[test]
fn an_abort_that_needs_two_threads_is_found_and_the_campaign_goes_on() {
    check("faulty/abort", "abort", &["a.visit()"]);
}

#[test]
fn a_stack_overflow_that_needs_two_threads_is_found() {
    check("faulty/stack_overflow", "abort", &["a.visit()"]);
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn a_loop_without_visible_operations_is_found() {
    // Each run waits twice for a process that is silent, so there is only one.
    found("faulty/endless_loop", "livelock", &["a.visit()"]);
}

/// The classes of DepCon+ show the bug they are known for; other outcomes of the same code may show too.
#[track_caller]
fn shows(subject: &str, bugs: &[(&str, &[&str])]) {
    let copy = Subject::copy(subject);
    let is_found = |findings: &[Value], (kind, calls): &(&str, &[&str])| {
        findings.iter().any(|finding| {
            let text = finding["threads"].to_string();
            finding["kind"] == *kind && calls.iter().all(|call| text.contains(call))
        })
    };
    let run = explored(&copy, Duration::ZERO, |findings| {
        bugs.iter().all(|bug| is_found(findings, bug))
    });
    copy.check_analysis();
    for bug in bugs {
        assert!(
            is_found(&run.with_reason("finding"), bug),
            "{bug:?}: {}",
            run.stderr
        );
    }
}

#[test]
fn a_stream_that_is_closed_without_the_monitor_panics_its_reader() {
    shows("faulty/buffered_input_stream", &[("panic", &["a.close()"])]);
}

#[test]
fn tables_that_are_compared_with_each_other_deadlock() {
    shows(
        "faulty/hashtable",
        &[("deadlock", &["a.equals(b)", "b.equals(a)"])],
    );
}

#[test]
fn maps_that_take_each_other_over_deadlock() {
    shows(
        "faulty/synchronized_map",
        &[("deadlock", &["a.put_all(b)", "b.put_all(a)"])],
    );
}

#[test]
fn texts_that_append_each_other_deadlock_and_panic_when_one_gets_shorter() {
    shows(
        "faulty/string_buffer",
        &[
            ("deadlock", &["a.append(b)", "b.append(a)"]),
            ("panic", &["append(", "delete("]),
        ],
    );
}

/// Every class has its bug; other outcomes of the same bug may show too.
#[test]
fn the_classes_of_the_literature_show_their_bugs() {
    let copy = Subject::copy("faulty/classics");
    let bugs = [
        ("IntRange", "panic", "a.text()"),
        ("Vector", "panic", "a.last"),
        ("NumberAxis", "torn-read", "a.set_range("),
        ("Logger", "panic", "a.log("),
        ("XySeries", "panic", "a.update("),
        ("FileAppender", "panic", "a.append("),
    ];
    let is_found = |findings: &[Value], (class, kind, call): (&str, &str, &str)| {
        findings.iter().any(|finding| {
            let of_class = finding["type"]
                .as_str()
                .is_some_and(|name| name.ends_with(class));
            of_class && finding["kind"] == kind && finding["threads"].to_string().contains(call)
        })
    };
    let run = explored(&copy, Duration::ZERO, |findings| {
        bugs.iter().all(|bug| is_found(findings, *bug))
    });
    copy.check_analysis_of(&["--budget", "1s"]);
    for bug in bugs {
        assert!(
            is_found(&run.with_reason("finding"), bug),
            "{bug:?}: {}",
            run.stderr
        );
    }
}

//! Each correct subject: something was explored, and nothing was found.

use crate::support::Subject;

#[track_caller]
fn check(subject: &str) {
    is_clean(subject).check_analysis();
}

#[track_caller]
fn is_clean(subject: &str) -> Subject {
    let copy = Subject::copy(subject);
    let run = copy
        .contest(&["--message-format", "json", "--budget", "1s"])
        .status(0);
    let summary = run.summary();
    assert_eq!(summary["findings"], 0);
    for count in ["types", "operations", "tests", "executions"] {
        assert!(summary[count].as_u64().unwrap() > 0, "{count}: {summary}");
    }
    assert!(
        summary["coverage"]["decisions"].as_u64().unwrap() > 0,
        "{summary}"
    );
    assert!(
        !run.stderr.to_lowercase().contains("no bugs"),
        "{}",
        run.stderr
    );
    copy
}

#[test]
fn a_counter_that_locks_everywhere_is_clean() {
    check("correct/set_and_inc");
}

#[test]
fn a_binary_that_reserves_in_one_step_is_clean() {
    check("correct/command_line");
}

#[test]
fn a_bank_over_a_storage_beside_it_is_clean() {
    check("correct/workspace");
}

#[test]
fn a_counter_by_a_foreign_trait_is_clean() {
    check("correct/foreign_trait");
}

#[test]
fn guards_that_only_their_users_can_take_in_the_wrong_order_are_clean() {
    // Of a lock of its argument, a summary says nothing: the argument is new in each call.
    is_clean("correct/knots");
}

#[test]
fn closures_that_only_their_users_can_make_hang_are_clean() {
    is_clean("correct/callbacks");
}

#[test]
fn closures_and_values_that_must_be_send_are_clean() {
    is_clean("correct/captured_without_bound");
}

#[test]
fn locks_in_one_order_are_clean() {
    check("correct/ordered_locks");
}

#[test]
fn a_notification_under_the_lock_is_clean_although_waiting_alone_blocks() {
    check("correct/kept_wakeup");
}

#[test]
fn a_cache_under_one_lock_is_clean() {
    check("correct/check_and_act");
}

#[test]
fn two_calls_that_only_together_would_have_to_be_atomic_are_clean() {
    check("correct/invalid_composition");
}

#[test]
fn a_spin_lock_is_clean() {
    check("correct/spin_lock");
}

#[test]
fn a_lock_in_inline_assembly_is_clean() {
    check("correct/assembly_lock");
}

#[test]
fn functions_over_a_static_under_one_lock_are_clean() {
    check("correct/free_functions");
}

#[test]
fn values_that_are_made_and_dropped_under_the_lock_of_their_table_are_clean() {
    check("correct/interned_names");
}

#[test]
fn a_check_inside_the_lock_is_clean() {
    check("correct/check_in_section");
}

#[test]
fn a_ring_whose_calls_differ_by_fields_only_is_clean() {
    check("correct/one_lock");
}

#[test]
fn a_generic_bounded_queue_is_clean() {
    check("correct/bounded_queue");
}

#[test]
fn a_map_behind_a_reader_writer_lock_is_clean() {
    check("correct/rwlock_map");
}

#[test]
fn thread_locals_that_each_thread_has_for_itself_are_clean() {
    check("correct/own_locals");
}

#[test]
fn a_handle_that_counts_its_copies_is_clean() {
    check("correct/counted_handle");
}

#[test]
fn a_count_that_its_documentation_calls_approximate_is_clean_and_listed() {
    let copy = Subject::copy("correct/approximate_count");
    let run = copy
        .contest(&["--message-format", "json", "--budget", "5s"])
        .status(0);
    let summary = run.summary();
    assert_eq!(summary["findings"], 0);
    let approximate = summary["approximate_operations"].as_array().unwrap();
    let mut names: Vec<_> = approximate.iter().map(|it| &it["operation"]).collect();
    names.sort_by_key(|it| it.as_str());
    assert_eq!(names, ["capacity", "entry_count"], "{summary}");
    // The two processes make the same tests, though the padding of the cache is what was on the stack before.
    assert!(!run.stderr.contains("ran twice"), "{}", run.stderr);
    assert!(
        run.stderr.contains("  approximate entry_count of "),
        "{}",
        run.stderr
    );
    let listed = copy.contest(&["list"]).status(0);
    assert!(
        listed
            .stdout
            .contains("a.entry_count()  (approximate, says its documentation"),
        "{}",
        listed.stdout
    );
}

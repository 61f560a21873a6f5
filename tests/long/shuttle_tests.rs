//! shuttle's own tests as tests of `std`: the files as they were published, with other imports. Each check runs once,
//! as a plain test does, and `cargo contest test` explores it.
//!
//! The crate `shuttle` that they import is [`std_as_shuttle.rs`](shuttle_tests/std_as_shuttle.rs). `#[should_panic]`
//! goes, because what is found is not always a panic; lines about shuttle's own clocks, numbers of tasks and atomics
//! of 128 bits go too.
//! Files about shuttle itself (strategies, replay, labels, tags, its semaphore) have nothing to say about `std`.

use std::collections::BTreeSet;
use std::fs;

use crate::ported::{assert_only_these_panic, names_of_panicking, tests_of};
use crate::support::Subject;

/// Modules and their files.
const FILES: [(&str, &[&str]); 3] = [
    (
        "basic",
        &[
            "atomic",
            "barrier",
            "condvar",
            "lazy_static",
            "mpsc",
            "mutex",
            "once",
            "rwlock",
            "thread",
        ],
    ),
    ("demo", &["async_match_deadlock", "bounded_buffer"]),
    (
        "future",
        &["basic", "channel", "countdown_timer", "streams", "waker"],
    ),
];

/// Tests of what only shuttle has.
const SHUTTLES_OWN: [&str; 3] = [
    "destroyed_last_key",
    "slot_created_by_a_subscriber_while_it_is_created",
    "regression_86",
];

/// Tests whose outcome says nothing about `std`, or is another one there, by reason.
const OTHERS: [(&str, &[&str]); 8] = [
    (
        "collects what all executions have seen, and expects all of it after the check",
        &[
            "abort_at_second_await_point",
            "abort_before_first_poll",
            "abort_drop_can_access_thread_local",
            "abort_handle_clone",
            "abort_runs_inner_future_drop",
            "abort_via_abort_handle",
            "abort_while_joined",
            "barrier_test_nondeterministic_leader_1",
            "barrier_test_nondeterministic_leader_2",
            "barrier_test_nondeterministic_leader_4",
            "basic_dfs",
            "basic_pct",
            "basic_static_dfs",
            "basic_static_pct",
            "compare_exchange",
            "compare_exchange_weak",
            "concurrent_lock_try_lock",
            "concurrent_try_increment",
            "concurrent_write_try_write_try_read",
            "double_abort_is_idempotent",
            "drop_main_thread",
            "drop_shuttle_future",
            "drop_shuttle_yield_future",
            "fetch_not",
            "fetch_ptr_add",
            "fetch_update_retries",
            "load_store_reordering",
            "mpsc_stream_permutations_bounded_4",
            "mpsc_stream_permutations_unbounded_4",
            "mpsc_try_recv_iter_rendezvous",
            "mpsc_try_recv_iter_sync",
            "mpsc_try_recv_permutations_drop",
            "mpsc_try_recv_permutations_no_drop",
            "mpsc_try_send_permutations_drop",
            "mpsc_try_send_permutations_drop_rendezvous",
            "mpsc_try_send_permutations_no_drop_rendezvous",
            "multiple",
            "mutex_dfs",
            "mutex_random",
            "mutex_rwlock_interaction",
            "mutex_unfair",
            "reader_concurrency",
            "store_load_reordering",
            "store_store_reordering",
            "thread_double_unpark",
            "thread_yield_point",
            "try_recv_send_rendezvous",
            "try_update",
            "try_update_retries",
            "unlock_yields",
            "update_retries",
            "wake_during_blocked_poll",
        ],
    ),
    (
        "the main thread's locals live as long as the test",
        &["drop", "drop_init"],
    ),
    (
        "a test of std ends with its main thread, whatever its other threads do",
        &["async_atomic", "notify_one_deadlock"],
    ),
    (
        "std lets a thread read twice, and gives panics to who joins",
        &[
            "double_read",
            "double_try_read",
            "mpsc_oneshot_single_thread_recv_chan_close",
            "read_try_read",
        ],
    ),
    (
        "spurious wake-ups of `park` are explored in models only, and on request",
        &["thread_park_spuriously_wakeup"],
    ),
    (
        "Relaxed atomics are sequentially consistent under shuttle only",
        &["relaxed_orderings_work"],
    ),
    (
        "random numbers are the same in each execution, and no deadlock comes with these",
        &["test_bounded_buffer_find_deadlock_configuration"],
    ),
    (
        "the port's task may drop its receiver before the message is sent",
        &["abort_woken_task_does_not_run"],
    ),
];

/// Tests that start more than the 128 threads that an execution has.
const MANY_THREADS: [&str; 3] = [
    "basic::lazy_static::shared_static",
    "basic::mpsc::mpsc_many_senders_with_blocking",
    "basic::once::shared_static",
];

#[test]
#[ignore = "it builds shuttle's own tests, which takes minutes: run every week"]
fn what_shuttle_finds_in_its_tests_is_found_and_nothing_else() {
    let published = Subject::empty();
    published.write(
        "Cargo.toml",
        "[package]\nname = \"published\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\n\
         shuttle = \"=0.9.9\"\n[workspace]\n",
    );
    published.write("src/lib.rs", "");
    let tests = tests_of("shuttle", &published.directory);

    let copy = Subject::empty();
    copy.write(
        "Cargo.toml",
        "[package]\nname = \"ported\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dev-dependencies]\nfutures = \"0.3\"\n\
         rand = \"0.8\"\nshuttle = { path = \"shuttle\" }\ntracing = \"0.1\"\n[workspace]\n",
    );
    copy.write("src/lib.rs", "");
    copy.write(
        "shuttle/Cargo.toml",
        "[package]\nname = \"shuttle\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[dependencies]\n\
         std_lazy_static = { package = \"lazy_static\", version = \"1\" }\n\
         std_rand = { package = \"rand\", version = \"0.8\" }\n",
    );
    copy.write(
        "shuttle/src/lib.rs",
        include_str!("shuttle_tests/std_as_shuttle.rs"),
    );
    let mut panics = BTreeSet::new();
    let mut modules = "#![allow(unused)]\n".to_owned();
    for (module, files) in FILES {
        modules += &format!("mod {module} {{\n");
        for file in files {
            let text = fs::read_to_string(tests.join(module).join(format!("{file}.rs"))).unwrap();
            panics.extend(names_of_panicking(&text));
            copy.write(&format!("tests/{module}/{file}.rs"), &ported(&text));
            modules += &format!("    mod {file};\n");
        }
        modules += "}\n";
    }
    copy.write("tests/ported.rs", &modules);
    let run = copy
        .contest(&[
            "test",
            "--tests",
            "--test-budget",
            "500ms",
            "--message-format",
            "json",
            "--",
            "--include-ignored",
        ])
        .status(1);
    assert_eq!(run.with_reason("test").len(), 286, "{}", run.stderr);
    assert_eq!(run.tests_that("not-run"), MANY_THREADS);
    assert_only_these_panic(&run, &panics, &OTHERS);
}

fn ported(text: &str) -> String {
    let mut text = text.to_owned();
    for name in SHUTTLES_OWN {
        text = without(&text, name);
    }
    let lines = text.lines().filter(|line| {
        !line.contains("#[should_panic")
            && !line.contains("assert_eq!(me(), ")
            && !line.contains("128, Atomic")
            && line.trim() != "use test_log::test;"
    });
    lines
        .map(|line| {
            let clocks = "use crate::basic::clocks::{check_clock, me};";
            line.replace(clocks, "fn check_clock(_: impl Fn(usize, u32) -> bool) {}") + "\n"
        })
        .collect()
}

/// The text without the function `name`, from the empty line before its comment.
fn without(text: &str, name: &str) -> String {
    let head = format!("fn {name}(");
    let Some(line) = text.lines().find(|it| it.trim_start().starts_with(&head)) else {
        return text.to_owned();
    };
    let end = format!("\n{}}}\n", &line[..line.len() - line.trim_start().len()]);
    let at = text.find(line).unwrap();
    let start = text[..at].rfind("\n\n").unwrap() + 1;
    let after = at + text[at..].find(&end).unwrap() + end.len();
    format!("{}{}", &text[..start], &text[after..])
}

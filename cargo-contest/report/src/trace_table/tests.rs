use super::*;
use crate::sample::{deadlock, step};

fn check(actual: &str, expected: &str) {
    let expected: String = expected
        .trim_start_matches('\n')
        .lines()
        .map(|line| format!("{}\n", line.trim_start()))
        .collect();
    let expected = expected.trim_end();
    assert_eq!(
        actual.trim_end(),
        expected,
        "\nactual:\n{actual}\nexpected:\n{expected}\n"
    );
}

#[test]
fn the_short_table_has_calls_with_what_came_back() {
    check(
        &calls_table(&deadlock(), 120),
        "
        | thread 1             | thread 2         |
        | -------------------- | ---------------- |
        | a.transfer(1) <hung> | a.audit() <hung> |
        ",
    );
}

#[test]
fn calls_are_nested_and_a_thread_left_inside_one_shows_a_switch() {
    let finding = deadlock();
    check(
        &interleaving_table(&finding.interleaving, &finding.threads, 120),
        "
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
        ",
    );
}

#[test]
fn the_main_thread_is_set_apart_by_rules() {
    let threads = vec![vec!["a.inc()".to_string()], vec!["a.inc()".to_string()]];
    let steps = [
        step(1, Some(0), "count.load() -> 0", "src/lib.rs:9:20", ""),
        step(2, Some(0), "count.load() -> 0", "src/lib.rs:9:20", ""),
        step(
            2,
            Some(0),
            "count.store(1)",
            "src/lib.rs:10:20",
            "returned ()",
        ),
        step(
            1,
            Some(0),
            "count.store(1)",
            "src/lib.rs:10:20",
            "returned ()",
        ),
        step(0, None, "a.get() -> 1", "src/lib.rs:14:9", ""),
    ];
    check(
        &interleaving_table(&steps, &threads, 120),
        "
        | main thread  | thread 1            | thread 2            |
        | ------------ | ------------------- | ------------------- |
        |              | a.inc()             |                     |
        |              |   count.load() -> 0 |                     | src/lib.rs:9:20
        |              |   switch            |                     |
        |              |                     | a.inc()             |
        |              |                     |   count.load() -> 0 | src/lib.rs:9:20
        |              |                     |   count.store(1)    | src/lib.rs:10:20
        |              |                     |   returned ()       |
        |              |   count.store(1)    |                     | src/lib.rs:10:20
        |              |   returned ()       |                     |
        | ------------ | ------------------- | ------------------- |
        | a.get() -> 1 |                     |                     | src/lib.rs:14:9
        ",
    );
}

#[test]
fn the_prefix_is_left_away_and_a_row_that_is_the_call_itself_opens_it() {
    let threads = vec![vec!["a.wait()".to_string()]];
    let steps = [
        step(0, Some(0), "let a = Gate::new();", "", ""),
        step(0, Some(1), "a.open()", "", "returned ()"),
        step(1, Some(0), "a.wait()", "", ""),
        step(1, Some(0), "flag.load() -> false", "src/lib.rs:5:9", ""),
        step(1, Some(0), "yield", "src/lib.rs:6:9", ""),
        step(1, Some(0), "… 19 times", "src/lib.rs:5:9", ""),
        step(1, Some(0), "yield", "src/lib.rs:6:9", "<hung>"),
    ];
    check(
        &interleaving_table(&steps, &threads, 120),
        "
        | thread 1               |
        | ---------------------- |
        | a.wait()               |
        |   flag.load() -> false | src/lib.rs:5:9
        |   yield                | src/lib.rs:6:9
        |   … 19 times           |
        |   yield                | src/lib.rs:6:9
        |   <hung>               |
        ",
    );
}

#[test]
fn a_narrow_terminal_wraps_cells_and_loses_nothing() {
    let threads = vec![
        vec!["a.insert(\"a long key\", \"a longer value\")".to_string()],
        vec!["a.remove(\"a long key\")".to_string()],
    ];
    let steps = [
        step(
            1,
            Some(0),
            "lock Mutex#1",
            "src/lib.rs:5:9",
            "returned None",
        ),
        step(
            2,
            Some(0),
            "lock Mutex#1",
            "src/lib.rs:9:9",
            "returned None",
        ),
    ];
    let table = interleaving_table(&steps, &threads, 60);
    check(
        &table,
        "
        | thread 1            | thread 2            |
        | ------------------- | ------------------- |
        | a.insert(\"a long    |                     |
        |   key\", \"a longer   |                     |
        |   value\")           |                     |
        |   lock Mutex#1      |                     | src/lib.rs:5:9
        |   returned None     |                     |
        |                     | a.remove(\"a long    |
        |                     |   key\")             |
        |                     |   lock Mutex#1      | src/lib.rs:9:9
        |                     |   returned None     |
        ",
    );
    assert!(
        table.lines().all(|line| line.chars().count() <= 60),
        "{table}"
    );
}

#[test]
fn a_call_that_ends_without_any_step_is_shown() {
    let threads = vec![vec!["a.get()".to_string()], vec!["a.set(1)".to_string()]];
    let steps = [
        step(1, Some(0), "", "", "returned 0"),
        step(2, Some(0), "lock Mutex#1", "src/lib.rs:9:9", "panicked"),
    ];
    check(
        &interleaving_table(&steps, &threads, 120),
        "
        | thread 1     | thread 2       |
        | ------------ | -------------- |
        | a.get()      |                |
        |   returned 0 |                |
        |              | a.set(1)       |
        |              |   lock Mutex#1 | src/lib.rs:9:9
        |              |   panicked     |
        ",
    );
}

#[test]
fn threads_that_the_subject_starts_have_columns_too() {
    let steps = [
        step(
            1,
            Some(0),
            "spawn thread 3",
            "src/lib.rs:4:9",
            "returned ()",
        ),
        step(3, None, "lock Mutex#1", "src/lib.rs:5:9", ""),
    ];
    let threads = vec![vec!["a.start()".to_string()], vec!["a.get()".to_string()]];
    let table = interleaving_table(&steps, &threads, 120);
    assert!(
        table.starts_with("| thread 1         | thread 3"),
        "{table}"
    );
}

//! Findings are kept in a file and run first.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;
use std::time::Duration;

use crate::subjects::{Exact, Lossy};

fn fails(file: &Path, budget: Duration) -> String {
    let file = file.to_owned();
    let check = move || {
        contest::check::<Lossy>()
            .budget(budget)
            .regressions(file)
            .run()
    };
    *catch_unwind(check)
        .expect_err("a lost update")
        .downcast::<String>()
        .expect("a text")
}

#[test]
fn a_finding_is_kept_once_and_found_again_without_searching() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("lossy.contest-regressions");
    let first = fails(&file, Duration::from_secs(5));
    assert!(first.contains("It is kept in"), "{first}");
    let kept = fs::read_to_string(&file).unwrap();
    assert_eq!(
        kept.lines().filter(|line| !line.starts_with('#')).count(),
        1
    );
    assert!(
        kept.contains("# Lossy: non-linearizable: a.add() | a.add()"),
        "{kept}"
    );
    // Without any time to search.
    let again = fails(&file, Duration::ZERO);
    assert!(again.contains("It was found before"), "{again}");
    assert_eq!(fs::read_to_string(&file).unwrap(), kept);
}

#[test]
fn a_finding_outlives_the_version_it_was_found_in() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("lossy.contest-regressions");
    drop(fails(&file, Duration::from_secs(5)));
    let text = fs::read_to_string(&file).unwrap();
    let token = text.lines().last().unwrap().split(' ').next().unwrap();
    let mut token = contest_data::token::Token::decode(token).unwrap();
    token.package.1 = "0.0.1".to_owned();
    fs::write(&file, format!("{}\n", token.encode())).unwrap();
    assert!(fails(&file, Duration::ZERO).contains("contest found a bug in `Lossy`"));
}

#[test]
fn findings_of_other_types_and_damaged_lines_do_not_stop_a_check() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("both.contest-regressions");
    drop(fails(&file, Duration::from_secs(5)));
    let kept = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{kept}contest1-damaged\n# a comment\n\n")).unwrap();
    contest::check::<Exact>()
        .budget(Duration::from_millis(100))
        .regressions(&file)
        .run();
}

#[test]
fn a_schedule_that_no_longer_fits_is_searched_again_within_a_budget_of_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("lossy.contest-regressions");
    drop(fails(&file, Duration::from_secs(5)));
    let text = fs::read_to_string(&file).unwrap();
    let token = text.lines().last().unwrap().split(' ').next().unwrap();
    let mut token = contest_data::token::Token::decode(token).unwrap();
    // As if its decisions had been about other operations.
    token.schedule.decisions.truncate(1);
    token.schedule.checks.truncate(1);
    token.schedule.checks[0] = token.schedule.checks[0].wrapping_add(1);
    fs::write(&file, format!("{}\n", token.encode())).unwrap();
    let found = fails(&file, Duration::ZERO);
    assert!(
        found.contains("does not fit the code any more") && found.contains("and one fails"),
        "{found}"
    );
}

#[test]
fn a_file_that_cannot_be_written_is_said() {
    let text = fails(
        Path::new("/nonexistent/directory/x.contest-regressions"),
        Duration::from_secs(5),
    );
    assert!(
        text.contains("It could not be kept for the next run"),
        "{text}"
    );
}

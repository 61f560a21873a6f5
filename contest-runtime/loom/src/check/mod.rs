//! Generated tests of an annotated type under loom: pairs of operations first, then random tests of up to two calls in
//! each of two threads.
//!
//! A test is held against the same calls one after another, in all orders that keep each thread's own: a panic, a
//! deadlock, a data race that no such order shows is a finding, and so are results that no order gives. Compared is
//! what needs no destructor (a guard or an iterator holds things until it is dropped, so that calls of others may come
//! between), what observers return in the end, and the state that `#[contest::shared]` knows. Tests of which an
//! order fails or blocks are left out, and counted.

mod one_test;
mod tests;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::captured_panic::Captured;
use super::search::{Bounds, Stopped, search};
use contest_data::finding::{Finding, FindingKind};
use contest_data::settings::Settings;
use contest_data::subject::Subject;
use contest_data::test::{ConcurrentTest, call_text};
use contest_data::totals::SubjectTotals;
use one_test::{concurrently, one_after_another};

use one_test::note_held;

/// Most executions of one test.
const EXECUTIONS: u64 = 5_000;
/// Most time of one test.
const TIME: Duration = Duration::from_millis(500);
/// Tests that are made after the pairs, at most.
const RANDOM: usize = 500;

/// Runs tests until the budget is used up, one fails, or there are no more.
pub fn campaign(subject: &'static Subject, settings: &Settings) -> (Vec<Finding>, SubjectTotals) {
    contest_engine::observe::on_hold(note_held);
    let begin = Instant::now();
    let pairs = tests::pairs(subject);
    let mut totals = SubjectTotals {
        name: subject.name.to_owned(),
        operations: subject.operations.len() as u64,
        pairs: (0, pairs.len() as u64),
        ..SubjectTotals::default()
    };
    let mut used = BTreeSet::new();
    let random = tests::random(subject, settings.seed).take(RANDOM);
    let of_pairs = pairs.len();
    for (number, test) in pairs.into_iter().chain(random).enumerate() {
        let Some(left) = settings.budget.checked_sub(begin.elapsed()) else {
            count(
                &mut totals.cut,
                "the budget was used up before all tests were made",
            );
            break;
        };
        let orders = match one_after_another(subject, &test) {
            Ok((orders, executions)) => {
                totals.executions += executions;
                orders
            }
            Err(why) => {
                count(&mut totals.left_out, why);
                continue;
            }
        };
        totals.tests += 1;
        totals.pairs.0 += u64::from(number < of_pairs);
        used.extend(test.threads.iter().flatten().map(|call| call.operation));
        let bounds = Bounds {
            executions: Some(EXECUTIONS),
            time: Some(left.min(TIME)),
            ..Bounds::default()
        };
        let (executions, stopped) = search(bounds, &|| {
            concurrently(subject, &test, settings.strict, &orders)
        });
        totals.executions += executions;
        match stopped {
            Stopped::Complete => totals.exhausted += 1,
            Stopped::Preemptions(_) => count(&mut totals.cut, "at most 3 preemptions"),
            Stopped::Bound(what) => {
                count(&mut totals.cut, &format!("{what} of one test is used up"))
            }
            Stopped::Failed(panic) => {
                let finding = finding(subject, test, panic, executions);
                let Some(finding) = finding else {
                    count(&mut totals.cut, "a limit of loom");
                    continue;
                };
                // Wrong results have no place of their own.
                let places = match &finding.locations[..] {
                    [] => finding.places(),
                    own => own.to_vec(),
                };
                let mut allowed = settings.allow.iter();
                if let Some(allowed) = allowed.find(|it| it.covers(finding.kind, &places)) {
                    count(&mut totals.skipped, &format!("allowed: {allowed}"));
                    continue;
                }
                totals.findings = 1;
                totals.never_concurrent = unused(subject, &used);
                return (vec![finding], totals);
            }
        }
    }
    totals.never_concurrent = unused(subject, &used);
    (Vec::new(), totals)
}

/// The operations that are not among these: name and number.
fn unused(subject: &Subject, used: &BTreeSet<u16>) -> Vec<(String, u64)> {
    let operations = (0..).zip(subject.operations);
    let unused = operations.filter(|(number, _)| !used.contains(number));
    unused
        .map(|(number, it)| (it.name.to_owned(), number.into()))
        .collect()
}

fn count(counts: &mut Vec<(String, u64)>, what: &str) {
    match counts.iter_mut().find(|(known, _)| known == what) {
        Some((_, number)) => *number += 1,
        None => counts.push((what.to_owned(), 1)),
    }
}

/// `None` if it is no bug of the code, but something that loom cannot run.
fn finding(
    subject: &'static Subject,
    test: ConcurrentTest,
    panic: Captured,
    executions: u64,
) -> Option<Finding> {
    let mut finding = panic.finding(executions);
    if matches!(finding.kind, FindingKind::Limit | FindingKind::Unsupported) {
        return None;
    }
    // What the main thread does before and after the others says nothing new.
    finding.interleaving.retain(|step| step.thread > 0);
    let threads = call_text::threads(subject, &test);
    Some(Finding {
        fingerprint: format!("loom {} {} {threads:?}", finding.kind, finding.message),
        subject: subject.name.to_owned(),
        prefix: call_text::prefix(subject, &test),
        threads,
        test,
        ..finding
    })
}

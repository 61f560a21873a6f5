//! The pairs of tests of one executable that meet, one after another.

use std::rc::Rc;
use std::time::Instant;

use super::OwnTest;
use super::exploration::explore;
use super::pairs::{Arrangement, Meeting, contacts, pair, pairs};
use super::run::OwnTestListener;
use super::shown::Running;
use crate::campaign::test_runner::TestRunner;
use contest_data::finding::{Allowed, Finding, Level};
use contest_data::own_tests::{OwnTestSettings, Together};

/// Of the time for one test, a pair in one arrangement has one of so many parts.
const SHARE: u32 = 3;
/// Executions of a pair that cannot be planned.
const SAMPLED: u64 = 400;

/// Pairs of tests that meet in something that outlives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// Those that were run beside each other and one after the other.
    pub run: u64,
    /// Those of them that fail.
    pub failed: u64,
    /// Those that were not, for want of time.
    pub left: u64,
}

/// Runs tests that meet together, until `end` at most.
pub(super) fn run_pairs(
    tests: &[Rc<OwnTest>],
    settings: &OwnTestSettings,
    together: &Together,
    end: Instant,
    runner: &mut TestRunner<'_>,
    listener: &mut dyn OwnTestListener,
) -> Result<Pairs, String> {
    let (found, left) = pairs(tests, |number, test| {
        if together.left_out.contains(&test.name) || Instant::now() >= end {
            return None;
        }
        listener.begins(number as u64, &test.name);
        contacts(&mut Running::of(test, runner))
    });
    let mut totals = Pairs {
        left: left as u64,
        ..Pairs::default()
    };
    for (number, meeting) in (tests.len() as u64..).zip(found) {
        if Instant::now() >= end {
            totals.left += 1;
            continue;
        }
        totals.run += 1;
        let findings = run_pair(&meeting, number, settings, together, end, runner, listener)?;
        let is_error = findings.iter().any(|it| it.level == Level::Error);
        totals.failed += u64::from(is_error);
        findings.into_iter().for_each(|it| listener.finding(it));
    }
    Ok(totals)
}

/// Runs two tests in each arrangement, until one shows that they do not pass together.
fn run_pair(
    meeting: &Meeting<'_>,
    number: u64,
    settings: &OwnTestSettings,
    together: &Together,
    end: Instant,
    runner: &mut TestRunner<'_>,
    listener: &mut dyn OwnTestListener,
) -> Result<Vec<Finding>, String> {
    // Variables are read and set under a lock in `std` that no strategy sees, so none can plan around it.
    let sampled = OwnTestSettings {
        strategy: "random".to_owned(),
        executions: SAMPLED,
        ..settings.clone()
    };
    let [one, other] = meeting.tests;
    let arranged = [
        (Arrangement::InOrder, one, other),
        (Arrangement::InOrder, other, one),
        (Arrangement::Beside, one, other),
    ];
    let arrangements = if settings.is_in_turn() { 1 } else { 3 };
    for (arrangement, one, other) in arranged.into_iter().take(arrangements) {
        let both = pair(arrangement, one, other);
        listener.begins(number, &both.name);
        let left = end.saturating_duration_since(Instant::now());
        let time = (settings.test_budget() / SHARE).min(left);
        let planned = match meeting.is_over_variables() {
            true => &sampled,
            false => settings,
        };
        let mut findings = explore(&both, planned, false, true, time, runner)?.findings;
        let is_known = |it: &String| together.known.contains(it);
        findings.retain(|finding| !finding.locations.iter().any(is_known));
        for finding in &mut findings {
            meeting.describe(finding, arrangement, [&one.name, &other.name]);
            if is_among(&settings.warn, finding) {
                finding.level = Level::Warning;
            }
        }
        findings.retain(|finding| !is_among(&settings.allow, finding));
        if !findings.is_empty() {
            return Ok(findings);
        }
    }
    Ok(Vec::new())
}

/// True if the finding is one of these.
fn is_among(these: &[Allowed], finding: &Finding) -> bool {
    (these.iter()).any(|it| it.covers(finding.kind, &finding.locations))
}

//! The pairs of tests of one executable that meet, one after another.

use std::rc::Rc;
use std::time::Instant;

use super::OwnTest;
use super::alone::Alone;
use super::contacts::{Contacts, contacts};
use super::exploration::{Allotted, Purpose, explore};
use super::outcome::{Outcome, is_definite};
use super::pairs::{Arrangement, BECAUSE, Meeting, may_help, pair, pairs};
use super::run::OwnTestListener;
use super::shown::{Running, Shown};
use crate::campaign::test_runner::TestRunner;
use crate::judge::of_model;
use contest_data::finding::{Allowed, Finding, FindingKind, Level};
use contest_data::own_tests::{OwnTestSettings, OwnVerdict, Together};
use contest_data::token::Token;
use contest_data::trace::Schedule;

/// Of the time for one test, a pair in one arrangement has one of so many parts.
const SHARE: u32 = 3;
/// A test that fails by itself is run after so many others at most.
const MOST_HELPERS: usize = 40;
/// Executions of a pair that cannot be planned, beside each other and in order.
const SAMPLED: [u64; 2] = [400, 20];
/// Executions of a pair that meets in what dependencies keep for themselves: most have made sure that it does no harm.
const FOREIGN: [u64; 2] = [12, 2];

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
    let mut used = Vec::new();
    for (number, test) in (0..).zip(tests) {
        let out = together.left_out.contains(&test.name) || test.ignored.is_some();
        used.push(if out || Instant::now() >= end {
            None
        } else {
            listener.begins(number, &test.name);
            contacts(&mut Running::of(test, runner), true)
        });
    }
    helped(tests, &used, settings, together, end, runner, listener);
    let (found, left) = pairs(
        tests,
        |number, _| used[number].take(),
        |place, contact| place.name(contact, runner),
    );
    let mut totals = Pairs {
        left: left as u64,
        ..Pairs::default()
    };
    let mut known = together.known.clone();
    for (number, meeting) in (tests.len() as u64..).zip(found) {
        if Instant::now() >= end {
            totals.left += 1;
            continue;
        }
        totals.run += 1;
        let mut of_pair = PairRun {
            number,
            settings,
            known: &mut known,
            end,
        };
        let findings = of_pair.run(&meeting, runner, listener)?;
        let is_error = findings.iter().any(|it| it.level == Level::Error);
        totals.failed += u64::from(is_error);
        findings.into_iter().for_each(|it| listener.finding(it));
    }
    Ok(totals)
}

/// Tests that fail by themselves are run after each that changes what they look at.
fn helped(
    tests: &[Rc<OwnTest>],
    used: &[Option<Contacts>],
    settings: &OwnTestSettings,
    together: &Together,
    end: Instant,
    runner: &mut TestRunner<'_>,
    listener: &mut dyn OwnTestListener,
) {
    let is_failing = |test: &&Rc<OwnTest>| together.failing.contains(&test.name);
    for failing in tests.iter().filter(is_failing) {
        let Some(needs) = contacts(&mut Running::of(failing, runner), false) else {
            continue;
        };
        let others = (used.iter().enumerate()).filter_map(|(at, it)| Some((at, it.as_ref()?)));
        for (helper, place) in may_help(&needs, others).into_iter().take(MOST_HELPERS) {
            let helper = &tests[helper];
            let both = pair(Arrangement::InOrder, helper, failing);
            if Instant::now() >= end || !passes(&both, runner) || passes(failing, runner) {
                continue;
            }
            let mut running = Running::of(failing, runner);
            running.replay(&Schedule::default());
            let Some(shown) = running.shown() else {
                continue;
            };
            let shares = place.name(&needs[place], runner);
            let finding = needs_another(failing, helper, &shares, shown, settings);
            if !is_among(&settings.allow, &finding) {
                listener.finding(finding);
            }
            break;
        }
    }
}

fn needs_another(
    failing: &OwnTest,
    helper: &OwnTest,
    shares: &str,
    shown: Shown,
    settings: &OwnTestSettings,
) -> Finding {
    let mut finding = of_model::finding(shown.failure, &shown.record, &shown.names, 1);
    finding.kind = FindingKind::Interference;
    finding.message = format!(
        "`{}` fails by itself and passes after `{}`, because they share {shares}: {}",
        failing.name, helper.name, finding.message
    );
    finding.subject.clone_from(&failing.name);
    finding.own_test = Some(failing.name.clone());
    if is_among(&settings.warn, &finding) {
        finding.level = Level::Warning;
    }
    let (package, executable) = (&settings.package, &settings.executable);
    let schedule = &shown.record.schedule;
    let token = Token::of_own_test(package, finding.kind, executable, &failing.name, schedule);
    finding.schedule = token.encode();
    finding.fingerprint = format!("{} {} {}", finding.kind, failing.name, helper.name);
    finding
}

/// How a pair is run.
struct PairRun<'a> {
    number: u64,
    settings: &'a OwnTestSettings,
    /// Places of findings in one test by itself.
    known: &'a mut Vec<String>,
    end: Instant,
}

impl PairRun<'_> {
    /// Runs two tests in each arrangement, until one shows that they do not pass together.
    fn run(
        &mut self,
        meeting: &Meeting<'_>,
        runner: &mut TestRunner<'_>,
        listener: &mut dyn OwnTestListener,
    ) -> Result<Vec<Finding>, String> {
        let settings = self.settings;
        let [one, other] = meeting.tests;
        let arranged = [
            (Arrangement::InOrder, one, other),
            (Arrangement::InOrder, other, one),
            (Arrangement::Beside, one, other),
        ];
        let arrangements = if settings.is_in_turn() { 1 } else { 3 };
        for (arrangement, one, other) in arranged.into_iter().take(arrangements) {
            let both = pair(arrangement, one, other);
            listener.begins(self.number, &both.name);
            let left = self.end.saturating_duration_since(Instant::now());
            let share = match meeting.is_outside && arrangement == Arrangement::Beside {
                true => 1,
                false => SHARE,
            };
            let time = (settings.test_budget() / share).min(left);
            let planned = match (meeting.is_outside, meeting.is_foreign) {
                (false, false) => settings,
                (_, foreign) => &sampled(settings, arrangement, foreign),
            };
            let allotted = Allotted {
                time,
                end: self.end,
                is_scarce: false,
            };
            let pair = explore(&both, planned, false, Purpose::Pair, allotted, runner)?;
            let mut findings = pair.findings;
            self.without_known(&mut findings);
            let shown = (&both, [one, other], &findings[..]);
            if !findings.is_empty() && !self.needs_both(shown, runner, listener)? {
                self.without_known(&mut findings);
                findings.retain(|finding| is_definite(finding.kind));
            }
            keep_one(&mut findings);
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

    fn without_known(&self, findings: &mut Vec<Finding>) {
        let is_known = |it: &String| self.known.contains(it);
        findings.retain(|finding| !finding.locations.iter().any(is_known));
    }

    /// True if none of the tests fails so by itself: each is explored once more, first in the order that its threads
    /// had in the pair and then as long as it takes for a delay at each place, and passes. What that finds is
    /// reported. What the machine has changed meanwhile, as a port that is taken, shows there as well.
    fn needs_both(
        &mut self,
        (both, tests, findings): (&OwnTest, [&Rc<OwnTest>; 2], &[Finding]),
        runner: &mut TestRunner<'_>,
        listener: &mut dyn OwnTestListener,
    ) -> Result<bool, String> {
        let is_late = findings.iter().any(|it| it.kind == FindingKind::Timing);
        let time = 2 * self.settings.test_budget();
        let mut needs_both = true;
        let mut running = Running::of(both, runner);
        let shown = findings.iter().filter(|it| !is_definite(it.kind));
        let tokens = shown.filter_map(|it| Token::decode(&it.schedule).ok());
        let orders = tokens.map(|token| {
            running.replay(&token.schedule);
            let record = running.runner.record();
            [0, 1].map(|number| Alone::of(record, number))
        });
        let orders: Vec<[Option<Alone>; 2]> = orders.collect();
        for (number, test) in tests.into_iter().enumerate() {
            let orders: Vec<Alone> = (orders.iter())
                .filter_map(|it| it[number].clone())
                .collect();
            let allotted = Allotted {
                time,
                end: self.end,
                is_scarce: false,
            };
            let purpose = Purpose::OfPair(&orders);
            let alone = explore(test, self.settings, false, purpose, allotted, runner)?;
            let passes = alone.result.verdict == OwnVerdict::Ok;
            needs_both &= passes && (alone.all_delays || !is_late);
            let mut new = alone.findings;
            self.without_known(&mut new);
            let is_new = !new.is_empty();
            for finding in new {
                self.known.extend(finding.locations.iter().cloned());
                listener.finding(finding);
            }
            // It passed before.
            let fails = [OwnVerdict::FailsSometimes, OwnVerdict::Failed];
            if is_new && fails.contains(&alone.result.verdict) {
                listener.done(alone.result);
            }
        }
        Ok(needs_both)
    }
}

/// Keeps what is undefined, and of the ways in which the two do not pass the one that says most.
fn keep_one(findings: &mut Vec<Finding>) {
    let says = |finding: &Finding| !finding.message.contains(BECAUSE);
    let mut others = (findings.iter()).filter(|finding| !is_definite(finding.kind));
    let best = others.clone().find(|it| says(it)).or_else(|| others.next());
    let best = best.map(|finding| finding.fingerprint.clone());
    findings.retain(|it| is_definite(it.kind) || best.as_ref() == Some(&it.fingerprint));
}

/// True if the test passes where no thread is stopped.
fn passes(test: &OwnTest, runner: &mut TestRunner<'_>) -> bool {
    let mut running = Running::of(test, runner);
    running.replay(&Schedule::default());
    running.outcome() == Outcome::Passes
}

/// How tests are run that meet outside memory: the kernel answers, and variables are read and set under a lock in
/// `std`, so no strategy sees enough to plan.
fn sampled(settings: &OwnTestSettings, arrangement: Arrangement, foreign: bool) -> OwnTestSettings {
    let [beside, in_order] = if foreign { FOREIGN } else { SAMPLED };
    OwnTestSettings {
        strategy: "random".to_owned(),
        executions: match arrangement {
            Arrangement::Beside => beside,
            Arrangement::InOrder => in_order,
        },
        ..settings.clone()
    }
}

/// True if the finding is one of these.
fn is_among(these: &[Allowed], finding: &Finding) -> bool {
    (these.iter()).any(|it| it.covers(finding.kind, &finding.locations))
}

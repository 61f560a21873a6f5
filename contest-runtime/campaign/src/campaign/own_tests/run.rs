//! The tests of one executable, one after another.

use std::rc::Rc;
use std::time::{Duration, Instant};

use super::OwnTest;
use super::exploration::{Allotted, Purpose, explore};
use super::together::{Pairs, run_pairs};
use crate::campaign::test_runner::TestRunner;
use contest_data::finding::Finding;
use contest_data::gap::{Cut, Gap};
use contest_data::limits::Limits;
use contest_data::own_tests::{OwnResult, OwnTestSettings, OwnVerdict};
use contest_engine::memory::Isolation;

/// Receives what comes of the tests, while they run.
pub trait OwnTestListener {
    /// This test, with its number, is about to run.
    fn begins(&mut self, number: u64, name: &str);
    /// A finding of the test that runs.
    fn finding(&mut self, finding: Finding);
    /// It is done.
    fn done(&mut self, result: OwnResult);
}

/// Why a test is not run for which no time was left at all.
const OVER: &str = "the time for all tests was over long before it: `--budget` gives more";

/// Runs the tests that the settings want. When the time for all is used up, the others are run once, as far as there is
/// time for that.
///
/// # Errors
/// The name of the strategy, if there is none of this name.
pub fn run(
    tests: Vec<OwnTest>,
    settings: &OwnTestSettings,
    limits: Limits,
    isolation: &mut dyn Isolation,
    listener: &mut dyn OwnTestListener,
) -> Result<Pairs, String> {
    let tests: Vec<Rc<OwnTest>> = tests.into_iter().map(Rc::new).collect();
    let whole;
    let settings = match tests.len() {
        1 if settings.one_has_all => {
            whole = OwnTestSettings {
                test_budget_ms: settings.budget_ms,
                ..settings.clone()
            };
            &whole
        }
        _ => settings,
    };
    let begun = Instant::now();
    let end = begun + settings.budget();
    let mut runner = TestRunner::new(limits, isolation);
    if let Some(together) = &settings.together {
        return run_pairs(&tests, settings, together, end, &mut runner, listener);
    }
    let own = || (0..).zip(&tests).filter(|it| settings.takes(it.0));
    let mut waiting = settings.tests_after;
    waiting += own().filter(|(_, test)| test.ignored.is_none()).count() as u64;
    for (number, test) in own() {
        if let Some(reason) = test.ignored {
            listener.done(OwnResult::without_execution(
                &test.name,
                OwnVerdict::Ignored,
                reason,
            ));
            continue;
        }
        if begun.elapsed() >= Duration::from_millis(settings.overtime_ms) {
            listener.done(OwnResult::without_execution(
                &test.name,
                OwnVerdict::NotRun,
                OVER,
            ));
            continue;
        }
        listener.begins(number, &test.name);
        let left = end.saturating_duration_since(Instant::now());
        let time = settings.test_budget().min(part(left, waiting)).min(left);
        waiting -= 1;
        let samples = settings.sampled.contains(&number);
        let allotted = Allotted {
            time,
            end,
            is_scarce: time < settings.test_budget(),
        };
        let explored = explore(
            test,
            settings,
            samples,
            Purpose::Test,
            allotted,
            &mut runner,
        )?;
        for finding in explored.findings {
            listener.finding(finding);
        }
        let mut result = explored.result;
        let cut = result.verdict == OwnVerdict::Ok && !result.complete;
        if time < settings.test_budget() && cut && result.gaps.contains(&Gap::Cut(Cut::Time)) {
            result.gaps.remove(&Gap::Cut(Cut::Time));
            result.gaps.add(Gap::Cut(Cut::AllTime));
            result.why = result.gaps.to_string();
        }
        listener.done(result);
    }
    Ok(Pairs::default())
}

/// Most time for the next of so many tests: about twice its equal part, for many need less. If none does, it decreases
/// from test to test.
fn part(left: Duration, waiting: u64) -> Duration {
    let parts = u32::try_from(waiting.max(1)).unwrap_or(u32::MAX - 1) + 1;
    2 * left / parts
}

#[cfg(test)]
mod tests {
    use super::super::ExpectedPanic;
    use super::*;
    use contest_engine::execution::MainName;
    use contest_engine::memory::NoIsolation;

    #[derive(Default)]
    struct Results(Vec<OwnResult>);

    impl OwnTestListener for Results {
        fn begins(&mut self, _number: u64, _name: &str) {}

        fn finding(&mut self, finding: Finding) {
            panic!("{}", finding.message);
        }

        fn done(&mut self, result: OwnResult) {
            self.0.push(result);
        }
    }

    /// What comes of five tests.
    fn results(settings: &OwnTestSettings) -> Vec<OwnResult> {
        let test = |number: u32| OwnTest {
            name: number.to_string(),
            ignored: None,
            panics: ExpectedPanic::No,
            thread: MainName::Main,
            declared: String::new(),
            run: Box::new(|| Ok(())),
        };
        let tests: Vec<OwnTest> = (0..5).map(test).collect();
        let mut results = Results::default();
        let limits = Limits::default();
        run(tests, settings, limits, &mut NoIsolation, &mut results).unwrap();
        results.0
    }

    #[test]
    fn a_short_budget_has_time_for_the_last_of_many_slow_tests() {
        let mut left = Duration::from_secs(20);
        for waiting in (1..=100).rev() {
            let time = part(left, waiting);
            assert!(time >= Duration::from_millis(3), "{waiting}: {time:?}");
            left -= time;
        }
        assert_eq!(part(Duration::from_secs(20), 1), Duration::from_secs(20));
    }

    #[test]
    fn parts_have_every_test_once() {
        let mut names: Vec<String> = Vec::new();
        for part in 0..2 {
            let settings = OwnTestSettings {
                shard: (part, 2),
                first: 1,
                ..OwnTestSettings::default()
            };
            names.extend(results(&settings).into_iter().map(|it| it.name));
        }
        assert_eq!(names, ["2", "4", "1", "3"]);
    }

    #[test]
    fn what_is_left_is_run_once_and_after_the_overtime_not_at_all() {
        let mut settings = OwnTestSettings {
            budget_ms: 0,
            ..OwnTestSettings::default()
        };
        let run = |it: &OwnResult| it.verdict == OwnVerdict::Ok && it.executions == 1;
        assert!(results(&settings).iter().all(run));
        settings.overtime_ms = 0;
        let not_run = |it: &OwnResult| it.verdict == OwnVerdict::NotRun && it.why == OVER;
        let all = results(&settings);
        assert!(all.len() == 5 && all.iter().all(not_run), "{all:?}");
    }
}

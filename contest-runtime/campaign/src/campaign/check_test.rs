//! One test from its serial orders to its findings.

use std::time::{Duration, Instant};

use super::alone::failing_alone;
use super::confirm::{Confirmed, confirm};
use super::exploration::Exploration;
use super::prepared_test::{Preparation, PreparedTest, Trimmed, prepare};
use super::pulse::Pulse;
use super::subject_run::SubjectRun;
use super::test_runner::TestRunner;
use contest_data::settings::{Activity, Package, Settings};
use contest_data::test::ConcurrentTest;
use contest_data::test::call_text;
use contest_data::totals::{Alone, FailureAlone, Progress};
use contest_data::trace::Outcome;
use contest_search::explore::{Budget, Explorer};

/// Why a race is not reported although nothing is seen that orders it.
const UNSEEN_ORDER: &str = "data race not reported: its calls run assembly or functions of other languages, and what these order is not seen";

/// All that checking a test needs.
pub(super) struct Checker<'c, 'i, 'l> {
    pub runner: &'c mut TestRunner<'i>,
    pub pulse: &'c mut Pulse<'l>,
    pub package: Package,
    pub settings: &'c Settings,
    /// Of the exploration.
    pub seed: u64,
}

impl Checker<'_, '_, '_> {
    /// Checks one test; true if a finding was reported.
    pub(super) fn check(
        &mut self,
        run: &mut SubjectRun,
        test: ConcurrentTest,
        budget: Budget,
        progress: &mut dyn FnMut() -> Progress,
    ) -> bool {
        self.measure(run, |checker, run| {
            let Some(prepared) = checker.prepare(run, test) else {
                return false;
            };
            run.cover(&prepared.test.test);
            let visit = checker.explore(run, &prepared, budget, progress);
            run.contended += u64::from(visit.contended);
            match visit.end {
                End::Exhausted => run.exhausted += 1,
                End::Nondeterministic(first) => {
                    run.skipped.add(&format!("nondeterministic: {first}"));
                }
                End::Cut(reason) => {
                    run.cut.add(&reason);
                    run.visit_again(prepared.test.test, reason);
                }
                End::Stopped(reason) => run.cut.add(reason),
            }
            visit.reported
        })
    }

    /// Checks a test that was cut for this reason once more; true if a finding was reported.
    pub(super) fn check_again(
        &mut self,
        run: &mut SubjectRun,
        (test, reason): (ConcurrentTest, String),
        budget: Budget,
        progress: &mut dyn FnMut() -> Progress,
    ) -> bool {
        self.measure(run, |checker, run| {
            let Some(prepared) = checker.prepare(run, test) else {
                return false;
            };
            let visit = checker.explore(run, &prepared, budget, progress);
            if visit.end == End::Exhausted {
                run.exhausted += 1;
                run.cut.remove(&reason);
            }
            visit.reported
        })
    }

    fn measure(
        &mut self,
        run: &mut SubjectRun,
        visit: impl FnOnce(&mut Self, &mut SubjectRun) -> bool,
    ) -> bool {
        let began = Instant::now();
        let before = self.runner.cost;
        let reported = visit(self, run);
        let cost = self.runner.cost;
        run.cost.executions += cost.executions - before.executions;
        run.cost.steps += cost.steps - before.steps;
        run.cost.decisions += cost.decisions - before.decisions;
        run.cost.watched += cost.watched - before.watched;
        run.cost.unobserved += cost.unobserved - before.unobserved;
        run.spent += began.elapsed();
        reported
    }

    /// Runs the serial orders; `None`, counted, if the test is not fit to be explored.
    fn prepare(&mut self, run: &mut SubjectRun, test: ConcurrentTest) -> Option<Box<PreparedTest>> {
        self.pulse.listener.activity(Activity::Serial);
        let (preparation, trimmed) = prepare(self.runner, run.runnable(test), self.settings.strict);
        run.leave_out(&trimmed);
        self.report_broken_invariants(run, &trimmed, &preparation);
        self.pulse.listener.activity(Activity::Exploring);
        match preparation {
            Preparation::Ready(prepared) => {
                self.note_alone(run, &prepared);
                Some(prepared)
            }
            Preparation::LeftOut(reason, prepared) => {
                run.skipped.add(&reason);
                self.note_alone(run, &prepared);
                None
            }
        }
    }

    /// An invariant that breaks one call after another is reported, and not checked again.
    fn report_broken_invariants(
        &mut self,
        run: &mut SubjectRun,
        trimmed: &Trimmed,
        preparation: &Preparation,
    ) {
        let (Preparation::Ready(prepared) | Preparation::LeftOut(_, prepared)) = preparation;
        for (operation, why) in &trimmed.observers {
            let invariant = &run.subject.operations[usize::from(*operation)];
            let how = FailureAlone::BreaksInvariant;
            if invariant.contract.invariant && run.report_alone(Some(*operation), how) {
                let test = &prepared.test.test;
                let mut calls = call_text::prefix(run.subject, test);
                let lanes = test.threads.iter().flatten();
                calls.extend(lanes.map(|call| call_text::call(run.subject, call)));
                self.pulse.listener.alone(Alone {
                    subject: run.subject.name.to_owned(),
                    calls,
                    what: how,
                    detail: format!("`{}` {why}", invariant.name),
                });
            }
        }
    }

    fn explore(
        &mut self,
        run: &mut SubjectRun,
        prepared: &PreparedTest,
        budget: Budget,
        progress: &mut dyn FnMut() -> Progress,
    ) -> Visit {
        let Settings {
            strategy,
            atomic_sets,
            ..
        } = self.settings;
        let seed = self.seed;
        let explorer = || {
            Explorer::grouped(strategy, seed, budget, atomic_sets)
                .expect("the strategy was looked up before the campaign began")
        };
        let mut exploration = Exploration::new(prepared, &explorer);
        exploration.allow_only(&self.settings.allow);
        if !self.settings.watch_all && prepared.test.subject.probe().is_none() {
            exploration.watch_share();
        }
        let mut reported = false;
        let mut unsettled = 0_u32;
        loop {
            let mut tick = || self.pulse.tick(progress);
            let Some(shown) =
                exploration.next_suspect(self.runner, Some(&mut run.coverage), &mut tick)
            else {
                break;
            };
            let (kind, locations) = (shown.suspicion.kind, &shown.suspicion.locations);
            let mut allowed = self.settings.allow.iter();
            if let Some(allowed) = allowed.find(|allowed| allowed.covers(kind, locations)) {
                run.skipped.add(&format!("allowed: {allowed}"));
                continue;
            }
            let unseen = &self.settings.unseen_order;
            if shown.suspicion.rests_on_order
                && unseen.iter().any(|it| it.concerns(&prepared.test.test))
            {
                run.skipped.add(UNSEEN_ORDER);
                continue;
            }
            if run.bugs.recognises(&shown.suspicion, &prepared.test.test) {
                run.bugs.repeat();
                continue;
            }
            self.pulse.listener.activity(Activity::Minimising);
            let confirmed = confirm(
                self.runner,
                run,
                prepared,
                &shown,
                self.package,
                self.settings.strict,
            );
            self.pulse.listener.activity(Activity::Exploring);
            match confirmed {
                Confirmed::Known => run.bugs.repeat(),
                Confirmed::NotAgain => {
                    run.skipped
                        .add("looked like a bug and did not show again under the same schedule");
                    unsettled += 1;
                }
                Confirmed::Unsteady => {
                    run.skipped
                        .add("looked like a bug, but the calls do not always do the same");
                    unsettled += 1;
                }
                Confirmed::New(mut finding) => {
                    finding.executions = exploration.executions();
                    finding.elapsed_ms = self.pulse.elapsed().as_millis() as u64;
                    self.pulse.listener.finding(*finding);
                    reported = true;
                    if self.settings.fail_fast {
                        break;
                    }
                }
            }
            // Other outcomes of the same test are most likely the same bug: other tests look for others.
            if reported || unsettled >= 3 {
                break;
            }
        }
        for (reason, count) in &exploration.notes {
            for _ in 0..*count {
                run.skipped.add(&format!("outcome not reported: {reason}"));
            }
        }
        run.requirements.add_all(&exploration.explorer().counts());
        let contended = exploration.sees_contended();
        let end = if let Some(first) = exploration.nondeterministic.take() {
            End::Nondeterministic(first)
        } else if exploration.exhausted() {
            End::Exhausted
        } else if reported {
            End::Stopped("stopped at a finding")
        } else if let Some(reason) = exploration.cut() {
            End::Cut(reason)
        } else {
            End::Stopped("end of the campaign's time")
        };
        Visit {
            reported,
            contended,
            end,
        }
    }

    /// Tells operations that fail alone, once for each way to fail.
    fn note_alone(&mut self, run: &mut SubjectRun, prepared: &PreparedTest) {
        for serial in &prepared.outcomes.runs {
            for (name, call) in serial.history.lane_calls() {
                if matches!(call.outcome, Outcome::Returned(_))
                    && let Some(operation) = prepared.operation(name)
                {
                    run.note_returned(operation);
                }
            }
        }
        for fails in failing_alone(prepared) {
            if let Some(operation) = fails.operation
                && fails.alone.what == FailureAlone::Panics
            {
                run.note_failure(operation);
            }
            if run.report_alone(fails.operation, fails.alone.what) {
                self.pulse.listener.alone(fails.alone);
            }
        }
    }
}

/// What became of one exploration of a test.
#[derive(Debug)]
struct Visit {
    /// A finding was reported.
    reported: bool,
    /// Accesses of contended memory were scheduling points.
    contended: bool,
    end: End,
}

#[derive(Debug, PartialEq, Eq)]
enum End {
    Exhausted,
    Nondeterministic(String),
    /// By the budget of the test.
    Cut(String),
    /// By something else.
    Stopped(&'static str),
}

/// Most executions of one test.
const EXECUTIONS: u64 = 2_000;
/// Most time of one test.
const MOST: Duration = Duration::from_secs(2);
/// Least time of one test.
const LEAST: Duration = Duration::from_millis(20);

/// Executions that a test gets even if they are slow.
const SURE: u64 = 60;
/// What a second visit may cost, in first ones.
const SECOND: u32 = 8;

/// What one test may cost: all pairs shall have their turn within half of the subject's share.
pub(super) fn budget(share: Duration, run: &SubjectRun) -> Budget {
    let tests = if run.source.in_first_round() {
        (run.source.pairs() - run.source.pruned()) * 2
    } else {
        50
    };
    let time = share / u32::try_from(tests.max(1)).unwrap_or(u32::MAX);
    Budget {
        executions: EXECUTIONS,
        time: time.clamp(LEAST, MOST),
        minimum: SURE,
    }
}

/// What a second visit may cost.
pub(super) fn longer(budget: Budget) -> Budget {
    Budget {
        executions: budget.executions * u64::from(SECOND),
        time: (budget.time * SECOND).min(MOST),
        minimum: 0,
    }
}

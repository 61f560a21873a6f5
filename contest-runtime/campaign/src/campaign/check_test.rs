//! One test from its serial orders to its findings, in visits: each runs some executions, then the exploration pauses.

use std::time::{Duration, Instant};

use super::alone::failing_alone;
use super::confirm::{Confirmed, confirm};
use super::described::Described;
use super::exploration::Exploration;
use super::explored::Explored;
use super::pool::Paused;
use super::prepared_test::{Preparation, PreparedTest, Trimmed, prepare_unsettled};
use super::pulse::Pulse;
use super::sampled::sample;
use super::subject_counts::End;
use super::subject_run::{SubjectRun, VisitKind};
use super::test_runner::TestRunner;
use super::two_states;
use crate::judge::{Verdict, error_in, race};
use contest_data::finding::{FindingKind, Level};
use contest_data::names::STRESS;
use contest_data::rng::Rng;
use contest_data::settings::{Activity, ModelChoice, Package, Settings};
use contest_data::subject::StandInMode;
use contest_data::test::call_text;
use contest_data::test::{CallName, ConcurrentTest, MainCall};
use contest_data::totals::{Alone, FailureAlone, Progress};
use contest_data::trace::{Action, Outcome};
use contest_search::explore::Explorer;

/// Why a race is not reported although nothing is seen that orders it.
const UNSEEN_ORDER: &str = "data race not reported: its calls run assembly or functions of other languages, and what these order is not seen";

/// Most executions of one test.
const MOST_EXECUTIONS: u64 = 1 << 15;
/// Most time of one visit. Only visits to tests whose executions are slow end by it; with these, the order of visits
/// depends on time.
const LONGEST_VISIT: Duration = Duration::from_millis(500);
/// Executions of one test that looked like a bug and did not do so again, after which it is left.
const MOST_UNSETTLED: u32 = 3;

/// All that checking a test needs.
pub(super) struct Checker<'c, 'i, 'l> {
    pub runner: &'c mut TestRunner<'i>,
    pub pulse: &'c mut Pulse<'l>,
    pub package: Package,
    pub settings: &'c Settings,
    /// Cost of minimising and confirming. It has limits of time, so turns do not depend on it.
    pub confirming: u64,
    /// A finding was reported that is more than a warning.
    pub found_error: bool,
}

/// What an exploration is for.
pub(super) struct Goal<'g> {
    /// Its executions; those of the visit if `None`.
    pub executions: Option<u64>,
    /// It pauses after this time.
    pub longest: Duration,
    /// Kinds of bugs that are reported.
    pub wanted: &'g dyn Fn(FindingKind) -> bool,
    /// A known bug ends it.
    pub ends_at_known: bool,
    /// A further line of what is reported.
    pub detail: Option<String>,
}

impl Goal<'_> {
    /// Whatever a visit finds.
    pub(super) const ANY: Self = Goal {
        executions: None,
        longest: LONGEST_VISIT,
        wanted: &|_| true,
        ends_at_known: false,
        detail: None,
    };
}

impl Checker<'_, '_, '_> {
    /// Prepares a test and pays it the first visit; true if a finding was reported.
    pub(super) fn begin(
        &mut self,
        run: &mut SubjectRun,
        number: u64,
        test: ConcurrentTest,
        progress: &mut dyn FnMut() -> Progress,
    ) -> bool {
        self.measure(run, VisitKind::First, |checker, run| {
            if two_states::applies(checker.settings, &test) {
                return checker.explore_in_two_states(run, number, test, progress);
            }
            let Some(prepared) = checker.prepare(run, test, false) else {
                checker.pulse.listener.over(number, false);
                return false;
            };
            run.cover(&prepared.test.test);
            let test = unvisited(checker.settings, number, prepared);
            checker.visit(run, test, progress)
        })
    }

    /// Goes on with a paused test; true if a finding was reported.
    pub(super) fn go_on(
        &mut self,
        run: &mut SubjectRun,
        paused: Paused,
        progress: &mut dyn FnMut() -> Progress,
    ) -> bool {
        self.measure(run, VisitKind::Later, |checker, run| {
            let mut paused = paused;
            if paused.is_taken_up {
                let test = paused.prepared.test.test.clone();
                let Some(prepared) = checker.prepare(run, test, true) else {
                    checker.pulse.listener.over(paused.number, false);
                    return false;
                };
                paused.prepared = prepared;
            }
            checker.visit(run, paused, progress)
        })
    }

    fn measure(
        &mut self,
        run: &mut SubjectRun,
        kind: VisitKind,
        visit: impl FnOnce(&mut Self, &mut SubjectRun) -> bool,
    ) -> bool {
        let began = Instant::now();
        let before = self.runner.cost;
        self.confirming = 0;
        let reported = visit(self, run);
        let cost = self.runner.cost.since(before);
        run.cost += cost;
        run.charge(kind, cost.in_steps().saturating_sub(self.confirming));
        run.spent += began.elapsed();
        reported
    }

    /// Runs the serial orders; `None`, counted, if the test is not fit to be explored. `covered`: its rung counts it as
    /// begun.
    fn prepare(
        &mut self,
        run: &mut SubjectRun,
        test: ConcurrentTest,
        covered: bool,
    ) -> Option<Box<PreparedTest>> {
        self.pulse.listener.activity(Activity::Serial);
        let test = run.runnable(test);
        let (preparation, trimmed) = prepare_unsettled(self.runner, test, self.settings.strict);
        run.leave_out(&trimmed);
        self.report_broken_invariants(run, &trimmed, &preparation);
        self.pulse.listener.activity(Activity::Exploring);
        match preparation {
            Preparation::Ready(prepared) => {
                run.failing.note_made(&prepared.test.test, None);
                self.note_alone(run, &prepared);
                Some(prepared)
            }
            Preparation::LeftOut(reason, prepared) => {
                if let Some((CallName::Main(number), Outcome::Panicked(..))) =
                    prepared.outcomes.failing_prefix()
                    && let MainCall::Object(index) = prepared.shape.main_call(number)
                {
                    run.failing.note_made(&prepared.test.test, Some(index));
                }
                if covered {
                    run.give_up_test(&prepared.test.test, &reason);
                } else {
                    run.leave_out_test(&prepared.test.test, &reason);
                }
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
        for (call, why) in &trimmed.observers {
            let invariant = &run.subject.operations[usize::from(call.operation)];
            let how = FailureAlone::BreaksInvariant;
            if invariant.contract.invariant && run.failing.report_alone(Some(call.operation), how) {
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

    /// Explores a test until its quota is used up, or runs it on threads of the system, and counts it if it is over.
    fn visit(
        &mut self,
        run: &mut SubjectRun,
        mut paused: Paused,
        progress: &mut dyn FnMut() -> Progress,
    ) -> bool {
        let (reported, cut) = if self.settings.strategy == STRESS.0 {
            let (reported, cut) = self.stress(run, &mut paused, progress);
            (reported, Some(cut))
        } else {
            (self.explore(run, &mut paused, &Goal::ANY, progress), None)
        };
        if paused.exploration.exhausted() && paused.gaps().is_empty() {
            paused.by_address = run.addresses.matter(self.runner, &paused.prepared);
        }
        let exploration = &mut paused.exploration;
        run.note_unreported(exploration);
        let end = if let Some(first) = exploration.nondeterministic.take() {
            End::Nondeterministic(first)
        } else if let Some(cut) = cut {
            End::Cut(cut)
        } else if exploration.exhausted() {
            End::Over
        } else if reported {
            End::Cut("stopped at a finding".to_owned())
        } else if paused.unsettled >= MOST_UNSETTLED {
            End::Cut("stopped: what looked like a bug did not show again".to_owned())
        } else if paused.exploration.is_over() {
            End::Cut(paused.exploration.gaps().to_string())
        } else {
            run.pause(paused);
            return reported;
        };
        run.retire(&paused, &end);
        let exhausted = end == End::Over && paused.gaps().is_empty();
        if exhausted && self.settings.samples > 0 {
            sample(
                self.runner,
                &paused,
                self.package,
                self.settings.samples,
                &mut run.sampled,
            );
        }
        self.pulse.listener.over(paused.number, exhausted);
        reported
    }

    /// Runs executions of the test; true if a finding was reported.
    pub(super) fn explore(
        &mut self,
        run: &mut SubjectRun,
        paused: &mut Paused,
        goal: &Goal<'_>,
        progress: &mut dyn FnMut() -> Progress,
    ) -> bool {
        let quota = goal.executions.unwrap_or(paused.executions());
        paused.is_taken_up = false;
        let Paused {
            prepared,
            exploration,
            seed,
            ..
        } = paused;
        let (settings, seed) = (self.settings, *seed);
        let make = || explorer(settings, seed);
        let began = Instant::now();
        let before = exploration.executions_since();
        loop {
            let mut tick = |executions: u64| {
                // An exploration that began anew has its whole quota.
                let done = executions.checked_sub(before).unwrap_or(executions);
                let slow = done > 0 && began.elapsed() > goal.longest * settings.patience();
                done < quota && !slow && self.pulse.tick(progress)
            };
            let explored = Explored {
                prepared,
                make: &make,
                allowed: Some(&settings.allow),
            };
            let Some(mut shown) =
                exploration.next_suspect(explored, self.runner, Some(&mut run.coverage), &mut tick)
            else {
                return false;
            };
            if !(goal.wanted)(shown.suspicion.kind) {
                continue;
            }
            // Serial orders are run a second time only where something is wrong by the first one.
            if !race::is_about_memory(shown.suspicion.kind) && prepared.settle(self.runner) {
                let judge = prepared.judge();
                let verdict = judge.judge(&shown.record, &shown.history, self.runner);
                match verdict {
                    Verdict::Suspect(again) if again.kind != shown.suspicion.kind => {
                        shown.suspicion = *again;
                    }
                    Verdict::Suspect(_) => {}
                    _ => continue,
                }
            }
            let test = &prepared.test.test;
            if run.bugs.is_torn_anyway(&shown.suspicion, test) {
                run.bugs.repeat();
                paused.showed_known = true;
                continue;
            }
            let described = Described::of(prepared, &shown);
            if let Some(allowed) = described.surely_allowed_by(&settings.allow) {
                run.counts.skipped.add(&format!("allowed: {allowed}"));
                paused.showed_allowed = true;
                continue;
            }
            let unseen = &settings.unseen_order;
            let events = &shown.record.events;
            if shown.suspicion.rests_on_order
                && (unseen.iter().any(|it| it.concerns(&prepared.test.test))
                    || events.iter().any(|it| it.action == Action::Assembly))
            {
                run.counts.skipped.add(UNSEEN_ORDER);
                continue;
            }
            // Beside a read that is known to be torn there may be anything else.
            let only_reads = shown.suspicion.kind == FindingKind::TornRead;
            if run.bugs.recognises(&shown.suspicion, &prepared.test.test) {
                run.bugs.repeat();
                paused.showed_known = true;
                if goal.ends_at_known && !only_reads {
                    return false;
                }
                continue;
            }
            self.pulse.listener.activity(Activity::Minimising);
            let cost = self.runner.cost;
            match prepared.try_suspicion(self.runner, &shown) {
                Ok(suspicion) => shown.suspicion = suspicion,
                Err(reason) => {
                    self.confirming += self.runner.cost.since(cost).in_steps();
                    self.pulse.listener.activity(Activity::Exploring);
                    run.counts
                        .skipped
                        .add(&format!("outcome not reported: {reason}"));
                    continue;
                }
            }
            let confirmed = confirm(self.runner, run, prepared, &shown, self.package, settings);
            self.confirming += self.runner.cost.since(cost).in_steps();
            self.pulse.listener.activity(Activity::Exploring);
            match confirmed {
                Confirmed::Known => {
                    run.bugs.repeat();
                    paused.showed_known = true;
                    if goal.ends_at_known && !only_reads {
                        return false;
                    }
                }
                Confirmed::Allowed(allowed) => {
                    run.counts.skipped.add(&format!("allowed: {allowed}"));
                    paused.showed_allowed = true;
                }
                Confirmed::NotAgain => {
                    run.counts
                        .skipped
                        .add("looked like a bug and did not show again under the same schedule");
                    paused.unsettled += 1;
                }
                Confirmed::Late => {
                    run.counts
                        .skipped
                        .add("waited for many timers of background threads, and then returned");
                    paused.unsettled += 1;
                }
                Confirmed::Unsteady => {
                    run.counts
                        .skipped
                        .add("looked like a bug, but the calls do not always do the same");
                    paused.unsettled += 1;
                }
                Confirmed::New(mut finding, bug) => {
                    finding.details.extend(goal.detail.clone());
                    finding.executions = exploration.executions();
                    finding.elapsed_ms = self.pulse.elapsed().as_millis() as u64;
                    self.found_error |= finding.level == Level::Error;
                    self.pulse.listener.finding(*finding, bug);
                    if only_reads {
                        paused.showed_known = true;
                        continue;
                    }
                    // Other outcomes of the same test are most likely the same bug: other tests look for others.
                    return true;
                }
            }
            if paused.unsettled >= MOST_UNSETTLED {
                return false;
            }
        }
    }

    /// Reports operations that fail alone, once for each way to fail.
    pub(super) fn note_alone(&mut self, run: &mut SubjectRun, prepared: &PreparedTest) {
        for serial in &prepared.outcomes.runs {
            for (name, call) in serial.history.lane_calls() {
                if matches!(call.outcome, Outcome::Returned(_))
                    && let Some(operation) = prepared.operation(name)
                {
                    run.failing
                        .note_returned(operation, error_in(&call.outcome));
                }
            }
        }
        // A call that fills a dependency is not the user's. What an operation does alone after it is not reported.
        let filled = prepared.has_objects_in(StandInMode::Filled);
        for fails in failing_alone(prepared) {
            if let Some(operation) = fails.operation
                && fails.alone.what == FailureAlone::Panics
            {
                run.failing.note_failure(operation, &prepared.test.test);
            }
            if !filled
                && run.failing.is_unreported(fails.operation, fails.alone.what)
                && fails.is_a_fact(self.runner, prepared)
                && run.failing.report_alone(fails.operation, fails.alone.what)
            {
                let alone = fails.named(self.runner, prepared);
                self.pulse.listener.alone(alone);
            }
        }
    }
}

/// A test before its first visit in this run.
pub(super) fn unvisited(settings: &Settings, number: u64, prepared: Box<PreparedTest>) -> Paused {
    let seed = seed_of(settings.seed, number);
    let mut exploration = Exploration::new(explorer(settings, seed));
    if !settings.watch_all && prepared.test.subject.probe().is_none() {
        exploration.watch_share();
    }
    if settings.samples > 0 {
        exploration.keep_results();
    }
    Paused::new(number, seed, prepared, exploration)
}

/// The strategies of one test; with `stress` those that look for what real threads have shown.
pub(super) fn explorer(settings: &Settings, seed: u64) -> Explorer {
    let name = match settings.strategy.as_str() {
        name if name == STRESS.0 => "auto",
        name => name,
    };
    let explorer = match settings.memory_model {
        ModelChoice::Rc11 => Explorer::weak_in_turns(name, seed, MOST_EXECUTIONS),
        _ => Explorer::in_turns(name, seed, MOST_EXECUTIONS, &settings.atomic_sets),
    }
    .expect("the strategy was looked up before the campaign began");
    match settings.memory_model {
        ModelChoice::Auto if name == "auto" => explorer.then_weak(seed, MOST_EXECUTIONS),
        _ => explorer,
    }
}

/// The seed of the test with this number: tests must not all be explored in the same way.
pub(super) fn seed_of(seed: u64, number: u64) -> u64 {
    Rng::new(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).bits()
}

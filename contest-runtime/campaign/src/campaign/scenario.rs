//! One given test: all its outcomes with their counts, and which of them are bugs.

use std::time::{Duration, Instant};

use super::addresses;
use super::contention::Contention;
use super::described::{Described, finding};
use super::draws::Draws;
use super::observers::Observers;
use super::one_execution::{cause_by_draw, replay};
use super::outcome_key::outcome_key;
use super::prepared_test::{Preparation, PreparedTest, prepare};
use super::reproducer::{Reproducer, Target, reproduction};
use super::shown::Shown;
use super::test_runner::{Exploring, TestRunner};
use crate::generate::DependencyTable;
use crate::judge::{History, Suspicion, Verdict, race};
use crate::minimise::drop_switches;
use contest_data::finding::Finding;
use contest_data::fold_hash::FoldMap;
use contest_data::gap::{Gap, Gaps};
use contest_data::limits::{Limits, MemoryModel};
use contest_data::scenario::{Scenario, ScenarioOutcome, ScenarioReport};
use contest_data::settings::Package;
use contest_data::subject::Subject;
use contest_data::trace::{Ending, Outcome, Schedule};
use contest_engine::memory::Isolation;
use contest_search::explore::{Budget, Explorer};

/// Time for making one finding smaller.
const MINIMISING: Duration = Duration::from_secs(2);
/// What is said of an outcome with which nothing is wrong.
const LINEARIZABLE: &str = "linearizable";

/// Explores the scenario; findings go to `sink` when it is over.
///
/// # Errors
/// If there is no such strategy or type: in words.
pub fn explore(
    package: Package,
    subjects: &'static [Subject],
    scenario: &Scenario,
    limits: Limits,
    isolation: &mut dyn Isolation,
    sink: &mut dyn FnMut(Finding),
) -> Result<ScenarioReport, String> {
    let begun = Instant::now();
    let subject = subjects.get(usize::from(scenario.test.subject));
    let subject = subject.ok_or("there is no such type")?;
    let mut runner = TestRunner::new(limits, isolation);
    runner.set_orderings(&scenario.orderings);
    let looks = match scenario.observe {
        true => Observers::new(subject, DependencyTable::default()),
        false => Observers::none(subject),
    };
    let test = looks.runnable(scenario.test.clone());
    let mut report = ScenarioReport::default();
    let (Preparation::Ready(mut prepared) | Preparation::LeftOut(_, mut prepared)) =
        match prepare(&mut runner, test, scenario.strict).0 {
            Preparation::LeftOut(why, prepared) => {
                report.why = why.clone();
                Preparation::LeftOut(why, prepared)
            }
            ready @ Preparation::Ready(_) => ready,
        };
    let mut all = Outcomes {
        prepared: &mut prepared,
        seen: FoldMap::default(),
        found: Vec::new(),
        report: &mut report,
        unjudged: Gaps::NONE,
        draws: Draws::default(),
        begun,
    };
    let mut gaps = all.explore(scenario, &mut runner)?;
    all.report.draws = all.draws.count();
    let found = std::mem::take(&mut all.found);
    if !prepared.outcomes.complete {
        gaps.add(Gap::SerialOrders);
    }
    if gaps.is_empty() && addresses::matter(&mut runner, &prepared) {
        gaps.add(Gap::Addresses);
    }
    report.complete = gaps.is_empty() && report.why.is_empty();
    if report.why.is_empty() {
        report.why = gaps.to_string();
    }
    report.gaps = gaps;
    report.places = runner.atomic_places();
    for (shown, executions, elapsed) in found {
        let finding = smallest(&mut runner, &prepared, &shown, package, scenario.strict);
        if let Some(mut finding) = finding {
            finding.executions = executions;
            finding.elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
            sink(finding);
        }
    }
    Ok(report)
}

struct Outcomes<'a> {
    prepared: &'a mut PreparedTest,
    /// What executions showed, with the outcome that it is.
    seen: FoldMap<u64, usize>,
    /// Different bugs, with the executions and the time until each.
    found: Vec<(Shown, u64, Duration)>,
    report: &'a mut ScenarioReport,
    /// Outcomes that were not judged.
    unjudged: Gaps,
    /// The draws of random numbers that were run.
    draws: Draws,
    begun: Instant,
}

impl Outcomes<'_> {
    /// Runs executions; returns why not every interleaving was run and judged, if so.
    fn explore(
        &mut self,
        scenario: &Scenario,
        runner: &mut TestRunner<'_>,
    ) -> Result<Gaps, String> {
        let mut contention = Contention::default();
        let end = self.begun + Duration::from_millis(scenario.budget_ms);
        let mut gaps = Gaps::NONE;
        loop {
            let budget = Budget {
                executions: scenario.executions,
                time: end.saturating_duration_since(Instant::now()),
                minimum: 1,
            };
            let explorer = match scenario.memory_model {
                MemoryModel::Sc => Explorer::new(&scenario.strategy, scenario.seed, budget),
                MemoryModel::Rc11 => Explorer::weak(&scenario.strategy, scenario.seed, budget),
            };
            let explorer = explorer.map_err(|name| format!("there is no strategy `{name}`"))?;
            let mut explorer = explorer.with(self.draws.leeway());
            self.draws.begin_anew();
            let mut contended: Option<Schedule> = None;
            loop {
                let mut run = Exploring {
                    watch: true,
                    visible: contention.visible(),
                    ..Exploring::of(runner, &self.prepared.test)
                };
                let Some(record) = explorer.next(&mut run) else {
                    break;
                };
                self.draws.note(record.drawn);
                self.report.read_clock |= record.readings > 0;
                if !record.contended.is_empty() {
                    contended.get_or_insert_with(|| record.schedule.clone());
                }
                if record.ending != Ending::Abandoned {
                    self.report.executions += 1;
                    self.take_in(runner);
                }
            }
            if let Some(schedule) = contended
                && contention.grow(runner, &self.prepared.test, schedule)
            {
                continue;
            }
            self.report.only_sc |= explorer.is_only_sc();
            gaps.join(&explorer.gaps_of_draw());
            gaps.join(&contention.gaps());
            if explorer.exhausted() && self.draws.go_on() {
                continue;
            }
            gaps.join(&self.unjudged);
            self.draws.gap().into_iter().for_each(|gap| gaps.add(gap));
            return Ok(gaps);
        }
    }

    /// Counts the last execution, and judges it if none like it was.
    fn take_in(&mut self, runner: &mut TestRunner<'_>) {
        let slot = runner.slot();
        let record = runner.record();
        let key = outcome_key(record, &slot);
        self.draws.show(key);
        if let Some(&known) = self.seen.get(&key) {
            self.report.outcomes[known].executions += 1;
            return;
        }
        let history = History::of(record, &self.prepared.shape, &slot);
        let (judgement, is_bug) = self.judge(&history, runner);
        let results = results(&history);
        let mut known = self.report.outcomes.iter();
        // Callers may see the same where something hangs after their calls.
        let known = known.position(|it| it.results == results && it.is_bug == is_bug);
        let place = known.unwrap_or(self.report.outcomes.len());
        if known.is_none() {
            self.report.outcomes.push(ScenarioOutcome {
                results,
                executions: 0,
                judgement: LINEARIZABLE.to_owned(),
                is_bug,
            });
        }
        let outcome = &mut self.report.outcomes[place];
        outcome.executions += 1;
        if judgement != LINEARIZABLE && !(is_bug && known.is_some()) {
            outcome.judgement = judgement;
        }
        self.seen.insert(key, place);
    }

    /// Judges the last execution, and keeps a new bug that it shows. In words, and whether it is one.
    fn judge(&mut self, history: &History, runner: &mut TestRunner<'_>) -> (String, bool) {
        let record = runner.record().clone();
        let judge = self.prepared.judge();
        let faults = 0..history.faults.len();
        let mut suspicions: Vec<Suspicion> = faults
            .filter_map(|number| race::suspicion(&judge, &record, history, number))
            .collect();
        let mut judgement = LINEARIZABLE.to_owned();
        if suspicions.is_empty() {
            match judge.judge(&record, history, runner) {
                Verdict::Pass => {}
                Verdict::Suspect(suspicion) => suspicions.push(*suspicion),
                Verdict::Excused(why) => why.clone_into(&mut judgement),
                Verdict::Unjudged(why) => {
                    self.unjudged.add(Gap::Unjudged(why.to_owned()));
                    why.clone_into(&mut judgement);
                }
            }
        }
        let mut bug = None;
        for suspicion in suspicions {
            let mut shown = Shown {
                suspicion,
                record: record.clone(),
                history: history.clone(),
            };
            match self.prepared.try_suspicion(runner, &shown) {
                Ok(suspicion) => shown.suspicion = suspicion,
                Err(why) => {
                    why.clone_into(&mut judgement);
                    continue;
                }
            }
            let suspicion = &shown.suspicion;
            bug.get_or_insert(suspicion.kind);
            let target = Target::of(suspicion);
            let mut found = self.found.iter();
            if !found.any(|(it, ..)| target.matches(&it.suspicion)) {
                self.found
                    .push((shown, self.report.executions, self.begun.elapsed()));
            }
        }
        match bug {
            Some(kind) => (kind.name().to_owned(), true),
            None => (judgement, false),
        }
    }
}

/// What the callers saw.
pub(super) fn results(history: &History) -> Vec<Vec<String>> {
    let text = |outcome: &Outcome| match outcome {
        Outcome::Returned(Some(text)) => text.clone(),
        Outcome::Returned(None) => "returned".to_owned(),
        Outcome::Panicked(message, _) => format!("panicked: {message}"),
        Outcome::Pending => "never returned".to_owned(),
        Outcome::Absent => "not called".to_owned(),
    };
    let lanes = history.lanes.iter();
    lanes
        .map(|calls| calls.iter().map(|call| text(&call.outcome)).collect())
        .collect()
}

/// The bug with the fewest switches, if it shows again.
fn smallest(
    runner: &mut TestRunner<'_>,
    prepared: &PreparedTest,
    shown: &Shown,
    package: Package,
    strict: bool,
) -> Option<Finding> {
    let kind = shown.suspicion.kind;
    let noted = runner.note_allocations(kind.needs_allocations() || kind.needs_memory());
    let mut reproducer = Reproducer {
        runner,
        observers: &Observers::none(prepared.test.subject),
        strict,
        allow: &[],
        refuses_allowed: false,
        target: Target::of(&shown.suspicion),
        deadline: Instant::now() + MINIMISING,
        patience: 1,
        visible: shown.record.schedule.visible.clone(),
        at_rest: false,
        steps: shown.record.steps,
        prepared: Some(prepared.clone()),
        varies: false,
        memory_model: shown.record.schedule.memory_model,
        leeway: shown.record.schedule.leeway,
    };
    let small =
        drop_switches::drop_switches(&prepared.test.test, reproduction(shown), &mut reproducer);
    let target = Target::of(&shown.suspicion);
    runner.name_objects(true);
    runner.note_callers(true);
    let (record, history, verdict, _) = replay(runner, prepared, small.schedule, kind, &|it| {
        target.matches(it)
    });
    runner.note_callers(false);
    runner.name_objects(false);
    runner.note_allocations(noted);
    let Verdict::Suspect(mut suspicion) = verdict else {
        return None;
    };
    let cause = cause_by_draw(runner, prepared, &record, kind);
    suspicion.details.extend(cause);
    let described = Described {
        prepared,
        suspicion: &suspicion,
        record: &record,
        history: &history,
    };
    Some(finding(&described, package))
}

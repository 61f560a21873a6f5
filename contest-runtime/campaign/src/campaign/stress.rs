//! Strategy `stress`: each test runs on threads of the system, again and again (ConTeGe: Pradel and Gross, *Fully
//! Automatic and Precise Detection of Thread Safety Violations*, PLDI 2012, Section 4).
//!
//! As there, a run is wrong if it fails in a way that no serial order of the calls does. Deviations: serial orders are
//! executed under control, so all of them are known before the first run; results are compared too, not only exceptions
//! and deadlocks; and what was seen is no finding yet. It has no schedule, so the usual search looks for one of the
//! same test that shows the same kind of failure: that is reported, as every finding is. If there is none, what was
//! seen is a line of the summary.
//!
//! Runs are judged by their calls only. Which call was blocked is not known, so where some call blocks serially,
//! results are not judged; what holds something until it ends is known from serial orders.

use std::time::{Duration, Instant};

use super::check_test::{Checker, Goal};
use super::pool::Paused;
use super::prepared_test::PreparedTest;
use super::subject_run::{SubjectRun, VisitKind};
use crate::judge::{History, Verdict, race};
use contest_data::finding::FindingKind;
use contest_data::settings::Activity;
use contest_data::sorted;
use contest_data::test::call_text;
use contest_data::test::{CallName, RunnableTest, TestSlot};
use contest_data::totals::{Progress, UNSCHEDULED};
use contest_data::trace::{CallRecord, Ending, ExecutionRecord, Outcome, Panic, ThreadIndex};
use contest_engine::real_threads::{RealCall, RealEnding, RealRun, run_once};

/// Tests can be run on threads of the system.
pub(super) const IS_POSSIBLE: bool = true;

/// Runs of each test.
const RUNS: u64 = 100;
/// After this time a run hangs.
const LIMIT: Duration = Duration::from_secs(1);
/// Executions in which a schedule is looked for.
const SEARCH: u64 = 4_000;
/// Time for that.
const LONGEST_SEARCH: Duration = Duration::from_secs(3);

/// What a run showed that no serial order does.
struct Seen {
    /// `None`: its process crashed, which many kinds of bugs may lead to.
    kind: Option<FindingKind>,
    message: String,
}

impl Seen {
    /// True if a schedule that shows this kind of bug explains it: the same, or undefined behaviour.
    fn is_explained_by(&self, kind: FindingKind) -> bool {
        use FindingKind::{Deadlock, Livelock, LostWakeup};
        let hangs = |kind| matches!(kind, Deadlock | Livelock | LostWakeup);
        self.kind.is_none_or(|own| {
            let wrong = own.is_wrong_result() && kind.is_wrong_result();
            own == kind || wrong || hangs(own) && hangs(kind) || race::is_about_memory(kind)
        })
    }
}

impl Checker<'_, '_, '_> {
    /// Runs the test on threads of the system; where that looks like a bug, looks for a schedule that shows it. True if
    /// a finding was reported; and why the test is cut.
    pub(super) fn stress(
        &mut self,
        run: &mut SubjectRun,
        paused: &mut Paused,
        progress: &mut dyn FnMut() -> Progress,
    ) -> (bool, String) {
        if let Some(why) = unfit(&paused.prepared) {
            return (false, format!("not run on real threads: {why}"));
        }
        paused.prepared.settle(self.runner);
        let mut runs = 0;
        let seen = loop {
            let began = Instant::now();
            if runs == RUNS || !self.pulse.tick(progress) {
                return (false, "run on real threads, under no schedule".to_owned());
            }
            self.pulse.listener.activity(Activity::Exploring);
            self.runner.cost.executions += 1;
            runs += 1;
            let test = paused.prepared.test.undisturbed();
            let real = run_once(&test, LIMIT);
            // Steps say nothing of what it costs: a type that hangs would take the time of all others.
            run.charge(VisitKind::First, began.elapsed().as_micros() as u64);
            match real {
                Ok(real) => {
                    if let Some(seen) = self.judge_real(paused, &real) {
                        break seen;
                    }
                }
                Err(error) => return (false, format!("not run on real threads: {error}")),
            }
        };
        let wanted = |kind| seen.is_explained_by(kind);
        let goal = Goal {
            executions: Some(SEARCH),
            longest: LONGEST_SEARCH,
            wanted: &wanted,
            ends_at_known: true,
            detail: Some(format!(
                "seen first on real threads, in run {runs} of this test, without a schedule: {}",
                seen.message
            )),
        };
        let reported = self.explore(run, paused, &goal, progress);
        if !reported && !paused.showed_known && !paused.showed_allowed {
            let test = &paused.prepared.test;
            run.counts.skipped.add(&format!(
                "{UNSCHEDULED}, in 1 of {runs} runs, and was found under no schedule: {}, in {}",
                seen.message,
                call_text::threads(test.subject, &test.test)
                    .iter()
                    .map(|calls| calls.join("; "))
                    .collect::<Vec<_>>()
                    .join(" beside ")
            ));
        }
        (reported, "stopped at what real threads showed".to_owned())
    }

    fn judge_real(&mut self, paused: &mut Paused, real: &RealRun) -> Option<Seen> {
        let Paused {
            prepared,
            exploration,
            ..
        } = paused;
        let ended = |message: String| {
            let mut serial = prepared.outcomes.runs.iter();
            let serially = serial.any(|run| matches!(run.history.ending, Ending::Exit(_)));
            (!serially).then_some(Seen {
                kind: None,
                message,
            })
        };
        match real.ending {
            RealEnding::Signal(signal) => {
                return ended(format!("signal {signal} ends the process"));
            }
            RealEnding::Exited(status) => {
                return ended(format!("the process ends itself, with status {status}"));
            }
            RealEnding::Finished | RealEnding::Hung => {}
        }
        let slot = self.runner.slot();
        let record = record(real, prepared, &slot);
        let history = History::of(&record, &prepared.shape, &slot);
        match prepared.judge().judge(&record, &history, self.runner) {
            Verdict::Pass => None,
            Verdict::Excused(reason) | Verdict::Unjudged(reason) => {
                // Once for each test: its runs are mostly alike.
                exploration.notes.insert(reason, 1);
                None
            }
            Verdict::Suspect(suspicion) => Some(Seen {
                kind: Some(suspicion.kind),
                message: suspicion.message,
            }),
        }
    }
}

/// Why the test does not run on threads of the system, if so.
fn unfit(prepared: &PreparedTest) -> Option<&'static str> {
    let runs = &prepared.outcomes.runs;
    let starts_threads = |it: &History| it.background_threads > 0;
    if !prepared.test.subject.runs_on_real_threads() {
        Some("its object is a pair of ends, or has a probe")
    } else if runs.iter().any(|run| starts_threads(&run.history)) {
        Some("its object starts threads")
    } else {
        None
    }
}

/// What the run showed, as the record of an execution in which nothing is known but the calls.
fn record(real: &RealRun, prepared: &PreparedTest, slot: &TestSlot) -> ExecutionRecord {
    let RunnableTest { test, .. } = &prepared.test;
    slot.reset(test.threads.len());
    for (lane, thread) in (0..test.threads.len()).zip(1_u16..) {
        slot.set_thread(lane, thread);
    }
    let thread = |call: &RealCall| ThreadIndex(call.lane.map_or(0, |lane| u16::from(lane) + 1));
    let mut record = ExecutionRecord::empty();
    record.threads = 1 + test.threads.len() as u16;
    record.quiescent = real.ending == RealEnding::Finished;
    record.ending = match real.ending {
        RealEnding::Finished => Ending::Finished,
        _ => Ending::Deadlock(Vec::new()),
    };
    let mut panics: Vec<(u32, Panic)> = Vec::new();
    for call in &real.calls {
        if let Outcome::Panicked(message, location) = &call.outcome {
            let panic = Panic {
                thread: thread(call),
                message: message.clone(),
                location: location.clone(),
                step: call.ended,
                call: Some(call.call),
            };
            panics.push((call.ended, panic));
        }
        let name = (call.lane).map(|lane| CallName::Lane(lane.into(), call.call.into()));
        let points = name.and_then(|name| prepared.outcomes.split.get(&name));
        record.calls.push(CallRecord {
            ended: call.ended,
            outcome: call.outcome.clone(),
            blocked: prepared.outcomes.some_call_blocks(),
            held: points.is_some(),
            holds: points.copied().unwrap_or(0),
            ..CallRecord::begun(thread(call), call.call, call.began)
        });
    }
    sorted::sort_by_key(&mut panics, |(at, _)| *at);
    record
        .panics
        .extend(panics.into_iter().map(|(_, panic)| panic));
    record
}

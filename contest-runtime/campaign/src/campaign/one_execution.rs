//! One execution of a prepared test: judged, replayed, looked at again.

use super::draws;
use super::prepared_test::PreparedTest;
use super::shown::Shown;
use super::test_runner::TestRunner;
use crate::judge::{History, Suspicion, Verdict, difference, race};
use contest_data::decision::Strategy;
use contest_data::finding::FindingKind;
use contest_data::trace::{Ending, ExecutionRecord, Schedule, VisibleBytes};
use contest_search::explore::Replay;

/// Runs one execution in which this memory is visible; what the judge says of it, as far as it is about this kind of
/// bug.
pub(super) fn run_once(
    runner: &mut TestRunner<'_>,
    prepared: &PreparedTest,
    strategy: &mut dyn Strategy,
    visible: &[VisibleBytes],
    kind: FindingKind,
    wanted: &dyn Fn(&Suspicion) -> bool,
) -> (ExecutionRecord, History, Verdict) {
    let slot = runner.slot();
    strategy.begin();
    let record = runner.run(&prepared.test, strategy, visible).clone();
    strategy.end(&record);
    let history = History::of(&record, &prepared.shape, &slot);
    let judge = prepared.judge();
    let verdict = if race::is_about_memory(kind) {
        let mut races = (0..history.faults.len())
            .filter_map(|number| race::suspicion(&judge, &record, &history, number));
        match races.find(|suspicion| suspicion.kind == kind && wanted(suspicion)) {
            Some(suspicion) => Verdict::Suspect(Box::new(suspicion)),
            None => Verdict::Pass,
        }
    } else {
        judge.judge(&record, &history, runner)
    };
    (record, history, verdict)
}

/// Runs a schedule again; what the judge says of it, and where the code no longer fits.
pub(super) fn replay(
    runner: &mut TestRunner<'_>,
    prepared: &PreparedTest,
    schedule: Schedule,
    kind: FindingKind,
    wanted: &dyn Fn(&Suspicion) -> bool,
) -> (ExecutionRecord, History, Verdict, Option<String>) {
    let visible = schedule.visible.clone();
    let mut strategy = Replay::new(schedule);
    let (record, history, verdict) =
        run_once(runner, prepared, &mut strategy, &visible, kind, wanted);
    let diverged = strategy
        .divergence()
        .map(|divergence| format!("decision {}: {}", divergence.decision, divergence.what));
    (record, history, verdict, diverged)
}

/// What to say of a bug that another draw of random numbers does not show in the same interleaving.
pub(super) fn cause_by_draw(
    runner: &mut TestRunner<'_>,
    prepared: &PreparedTest,
    record: &ExecutionRecord,
    kind: FindingKind,
) -> Option<String> {
    draws::cause_by_draw(record, |schedule| {
        let (other, _, verdict, _) = replay(runner, prepared, schedule, kind, &|_| true);
        matches!(verdict, Verdict::Pass).then_some(other)
    })
}

/// A leak, or an access out of bounds, with the places where its blocks were allocated: the execution is run again,
/// which notes them.
pub(super) fn with_allocations(
    runner: &mut TestRunner<'_>,
    prepared: &PreparedTest,
    shown: Shown,
) -> Shown {
    let kind = shown.suspicion.kind;
    if !kind.needs_allocations() {
        return shown;
    }
    let noted = runner.note_allocations(true);
    let schedule = shown.record.schedule.clone();
    let place = |suspicion: &Suspicion| suspicion.locations.first().cloned();
    let same =
        |other: &Suspicion| kind == FindingKind::Leak || place(other) == place(&shown.suspicion);
    let (record, history, verdict, _) = replay(runner, prepared, schedule, kind, &same);
    runner.note_allocations(noted);
    match verdict {
        Verdict::Suspect(suspicion) if suspicion.kind == kind => Shown {
            suspicion: *suspicion,
            record,
            history,
        },
        _ => shown,
    }
}

/// Runs the last execution again with all that follows its concurrent part.
pub(super) fn observe_again(runner: &mut TestRunner<'_>, prepared: &PreparedTest) {
    let schedule = runner.record().schedule.clone();
    let visible = schedule.visible.clone();
    let mut strategy = Replay::new(schedule);
    strategy.begin();
    let record = runner.run(&prepared.test, &mut strategy, &visible);
    strategy.end(record);
}

/// The first event that differs when the same decisions are taken again.
pub(super) fn nondeterminism(
    runner: &mut TestRunner<'_>,
    prepared: &PreparedTest,
    record: &ExecutionRecord,
) -> Option<String> {
    if record.ending == Ending::Abandoned {
        return None;
    }
    let mut strategy = Replay::new(record.schedule.clone());
    strategy.begin();
    let again = runner.run(&prepared.test, &mut strategy, &record.schedule.visible);
    strategy.end(again);
    difference(record, again)
}

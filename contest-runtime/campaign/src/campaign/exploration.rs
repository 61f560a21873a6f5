//! Explores a prepared test until an execution looks like a bug. It can pause after every execution and go on later.

use super::contention::Contention;
use super::coverage_shown::Shows;
use super::draws::Draws;
use super::explored::Explored;
use super::one_execution::{nondeterminism, observe_again, with_allocations};
use super::outcome_key::{outcome_key, results_key};
use super::prepared_test::PreparedTest;
use super::shown::Shown;
use super::test_runner::{Exploring, Observe, TestRunner};
use crate::judge::{History, Verdict, race};
use contest_data::fold_hash::FoldSet;
use contest_data::gap::{Gap, Gaps};
use contest_data::sorted::SortedMap;
use contest_data::trace::{Ending, ExecutionRecord, Schedule, ThreadIndex, VisibleBytes};
use contest_engine::fault_point::{self, FaultPoint};
use contest_search::explore::Explorer;

/// Of each test, so many first executions are looked at for access patterns, ...
const ALL_MEASURED: u64 = 16;
/// ... and then one of so many: looking takes about as long as a small execution.
const MEASURED_EVERY: u64 = 32;

/// Of each test, so many first executions are watched for what they do to memory, ...
const ALL_WATCHED: u64 = 32;
/// ... and then those of exhaustive searches, and one of so many others.
const WATCHED_EVERY: u64 = 8;

/// The first outcome of a test is repeated, then the fourth, the eighth, the sixteenth, and so on: to repeat each would
/// double the cost.
const REPEATED: usize = 4;

/// An exploration under way.
#[derive(Debug)]
pub(super) struct Exploration {
    explorer: Explorer,
    /// Explores the interleavings in which background threads go first whenever they can, once one has run: results are
    /// judged where these are at rest. It has every second execution, until it is over.
    at_rest: Option<Explorer>,
    /// There was one.
    was_at_rest: bool,
    /// Only such interleavings are explored.
    only_at_rest: bool,
    /// Executions before it began anew.
    before: u64,
    /// Executions since.
    run: u64,
    /// The draws of random numbers: with another one it begins anew.
    draws: Draws,
    read_clock: bool,
    /// Why not every interleaving was run under the draws before the present one.
    gaps_before: Gaps,
    /// Under one of those, RC11 may have shown more.
    was_only_sc: bool,
    contention: Contention,
    /// An execution that showed more memory to be contended.
    contended: Option<Schedule>,
    /// An access of contended memory was one step and stands for several.
    saw_wide: bool,
    /// Only a share of the executions is watched for what they do to memory.
    watch_share: bool,
    /// The code under test does not report what it does to memory, although it could.
    misses_accesses: bool,
    /// Outcomes seen.
    seen: FoldSet<u64>,
    /// What callers saw in them, if that is kept.
    results: Option<FoldSet<u64>>,
    /// Final states whose outcome is among them.
    seen_states: FoldSet<u64>,
    /// Access patterns that its executions were the first to show.
    new_patterns: u64,
    /// Events of the longest execution.
    longest: usize,
    /// No execution is left.
    over: bool,
    /// Further bugs of the last execution.
    more: Vec<Shown>,
    /// Different outcomes that were not judged or looked wrong and were not, with the reason.
    pub notes: SortedMap<&'static str, u64>,
    /// Why an outcome was not judged, if there was one.
    unjudged: Option<&'static str>,
    /// The same decisions did not give the same events in the first execution: the first difference.
    pub nondeterministic: Option<String>,
    /// They did not in a later one.
    differed: Option<String>,
}

impl Exploration {
    pub(super) fn new(explorer: Explorer) -> Self {
        Self {
            explorer,
            at_rest: None,
            was_at_rest: false,
            only_at_rest: false,
            before: 0,
            run: 0,
            draws: Draws::default(),
            read_clock: false,
            gaps_before: Gaps::NONE,
            was_only_sc: false,
            contention: Contention::default(),
            contended: None,
            saw_wide: false,
            watch_share: false,
            misses_accesses: false,
            seen: FoldSet::default(),
            results: None,
            seen_states: FoldSet::default(),
            new_patterns: 0,
            longest: 0,
            over: false,
            more: Vec::new(),
            notes: SortedMap::new(),
            unjudged: None,
            nondeterministic: None,
            differed: None,
        }
    }

    /// Watches a share of the executions only: the first ones, those of exhaustive searches, and one of several others.
    /// An execution is the same, watched or not, so the order of the exploration does not depend on it.
    pub(super) fn watch_share(&mut self) {
        self.watch_share = true;
    }

    /// Explores only interleavings in which background threads go first whenever they can, if so.
    pub(super) fn only_at_rest(&mut self, only: bool) {
        self.only_at_rest = only;
        self.was_at_rest = only;
    }

    /// Explores nothing under another draw of random numbers.
    pub(super) fn keep_draw(&mut self) {
        self.draws.keep();
    }

    /// Keeps what callers saw.
    pub(super) fn keep_results(&mut self) {
        self.results = Some(FoldSet::default());
    }

    /// What callers saw, as [`results_key`]s, if that is kept.
    pub(super) fn results(&self) -> Option<&FoldSet<u64>> {
        self.results.as_ref()
    }

    /// Memory whose accesses are scheduling points.
    pub(super) fn visible(&self) -> &[VisibleBytes] {
        self.contention.visible()
    }

    /// Makes this memory visible from the beginning.
    pub(super) fn begin_with(&mut self, visible: &[VisibleBytes]) {
        self.contention.begin_with(visible);
    }

    pub(super) fn explorer(&self) -> &Explorer {
        &self.explorer
    }

    /// True if accesses of contended memory are scheduling points.
    pub(super) fn sees_contended(&self) -> bool {
        !self.contention.visible().is_empty()
    }

    /// Executions so far.
    pub(super) fn executions(&self) -> u64 {
        self.before + self.run
    }

    /// Executions since it last began anew.
    pub(super) fn executions_since(&self) -> u64 {
        self.run
    }

    /// Different outcomes so far.
    pub(super) fn outcomes(&self) -> u64 {
        self.seen.len() as u64
    }

    /// Access patterns that no execution of the subject had shown before.
    pub(super) fn new_patterns(&self) -> u64 {
        self.new_patterns
    }

    /// Events of the longest execution.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// True if no execution is left.
    pub(super) fn is_over(&self) -> bool {
        self.over && self.contended.is_none()
    }

    /// About how many executions are left until every interleaving was explored; `None` if that is not in sight, or
    /// nothing has been explored since it last began anew.
    pub(super) fn rest(&self) -> Option<f64> {
        (self.run > 0).then(|| self.explorer.rest()).flatten()
    }

    /// True once no execution is left that would show more. Every interleaving was run and judged only if there are no
    /// [`gaps`](Self::gaps).
    pub(super) fn exhausted(&self) -> bool {
        self.explorer.exhausted() && self.of_contention().is_empty()
    }

    /// True if all that it showed holds under sequential consistency, and may not hold under RC11.
    pub(super) fn is_only_sc(&self) -> bool {
        self.was_only_sc || self.explorer.is_only_sc()
    }

    /// True once no sequentially consistent execution is left under any draw of random numbers that is to be run.
    pub(super) fn is_explored(&self) -> bool {
        self.is_explored_under_draw() && self.draws.is_last_counted()
    }

    fn is_explored_under_draw(&self) -> bool {
        self.explorer.is_explored() && self.of_contention().is_empty()
    }

    /// Why it may not be said that every interleaving was run and judged.
    pub(super) fn gaps(&self) -> Gaps {
        let mut gaps = self.explorer.gaps_of_draw();
        gaps.join(&self.gaps_before);
        gaps.join(&self.of_contention());
        if let Some(random) = self.draws.gap() {
            gaps.add(random);
        }
        if let Some(first) = self.nondeterministic.as_ref().or(self.differed.as_ref()) {
            gaps.add(Gap::Nondeterministic(first.clone()));
        }
        if let Some(reason) = self.unjudged {
            gaps.add(Gap::Unjudged(reason.to_owned()));
        }
        if self.misses_accesses {
            gaps.add(Gap::Unwatched("the code does not report them".to_owned()));
        }
        gaps
    }

    /// Draws of random numbers that were run; 0 if none were drawn.
    pub(super) fn draws(&self) -> u64 {
        self.draws.count()
    }

    /// True if the clock was read.
    pub(super) fn read_clock(&self) -> bool {
        self.read_clock
    }

    fn of_contention(&self) -> Gaps {
        let mut gaps = self.contention.gaps();
        if self.contended.is_some() {
            gaps.add(Gap::Contended);
        }
        if self.saw_wide {
            gaps.add(Gap::WideAccess);
        }
        gaps
    }

    /// Goes on until the next outcome that looks like a bug; `None` when the exploration is over or pauses. `tick` is
    /// called before each execution with the number of those since it last began anew, and pauses the exploration by
    /// returning false. `coverage` collects what the executions cover.
    pub(super) fn next_suspect(
        &mut self,
        explored: Explored<'_>,
        runner: &mut TestRunner<'_>,
        mut coverage: Option<&mut Shows>,
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> Option<Shown> {
        while self.more.is_empty() && self.nondeterministic.is_none() {
            self.restart_if_contended(explored, runner);
            // RC11 has its turn when all draws had theirs.
            if self.explorer.is_left_to_weak() && self.goes_on_with_next_draw(explored) {
                continue;
            }
            if !tick(self.run) {
                return None;
            }
            let prepared = explored.prepared;
            let Some(record) = self.observe_record(prepared, runner, coverage.as_deref_mut())
            else {
                if self.goes_on_with_next_draw(explored) {
                    continue;
                }
                return None;
            };
            if !self.was_at_rest && runner.record().background_steps {
                self.was_at_rest = true;
                self.at_rest = Some(self.made(explored));
            }
            let Some(record) = record else {
                continue;
            };
            if self.seen.len() == 1 {
                self.nondeterministic = nondeterminism(runner, prepared, &record);
                if self.nondeterministic.is_some() {
                    return None;
                }
            } else if self.seen.len() >= REPEATED && self.seen.len().is_power_of_two() {
                // The exploration goes on: what it finds is replayed in any case.
                let differs = nondeterminism(runner, prepared, &record);
                self.differed = self.differed.take().or(differs);
            }
            self.judge_record(explored, runner, record);
        }
        self.more.pop()
    }

    /// Begins anew if an execution showed more memory to be contended.
    fn restart_if_contended(&mut self, explored: Explored<'_>, runner: &mut TestRunner<'_>) {
        if let Some(schedule) = self.contended.take()
            && (self.contention).grow(runner, &explored.prepared.test, schedule)
        {
            self.before += std::mem::take(&mut self.run);
            self.draws.begin_anew();
            self.begin_anew(explored);
        }
    }

    /// Goes on under another draw of random numbers if everything was explored under this one, and some are drawn.
    fn goes_on_with_next_draw(&mut self, explored: Explored<'_>) -> bool {
        if self.contended.is_some() || !self.is_explored_under_draw() {
            return false;
        }
        let gaps = self.explorer.gaps_of_draw();
        let goes_on = self.draws.go_on();
        if goes_on {
            self.gaps_before.join(&gaps);
            self.was_only_sc |= self.explorer.is_only_sc();
            self.before += std::mem::take(&mut self.run);
            self.begin_anew(explored);
        }
        goes_on
    }

    fn begin_anew(&mut self, explored: Explored<'_>) {
        self.explorer = self.made(explored);
        self.at_rest = self.at_rest.is_some().then(|| self.made(explored));
        self.over = false;
    }

    /// An exploration from the beginning, under the present draw of random numbers.
    fn made(&self, explored: Explored<'_>) -> Explorer {
        (explored.make)().with(self.draws.leeway())
    }

    /// Runs the next execution and notes what it covers and contends for. Its record, if no execution before had this
    /// outcome; `None` if there is no execution left.
    fn observe_record(
        &mut self,
        prepared: &PreparedTest,
        runner: &mut TestRunner<'_>,
        coverage: Option<&mut Shows>,
    ) -> Option<Option<ExecutionRecord>> {
        let slot = runner.slot();
        let next = self.run + 1;
        let measured = next <= ALL_MEASURED || next.is_multiple_of(MEASURED_EVERY);
        let share = next <= ALL_WATCHED || next.is_multiple_of(WATCHED_EVERY);
        let watch = share || !self.watch_share;
        self.misses_accesses = runner.misses_accesses();
        let at_rest = (self.at_rest.as_mut()).filter(|_| next.is_multiple_of(2));
        let mut run = Exploring {
            background_first: self.only_at_rest || at_rest.is_some(),
            runner,
            watch,
            symbolise: measured && coverage.is_some(),
            test: &prepared.test,
            visible: self.contention.visible(),
            // What operations do is recorded of observers too.
            observe: match &coverage {
                Some(Shows {
                    behaviour: Some(_), ..
                }) => Observe::Always,
                _ => Observe::IfNew,
            },
        };
        let record = match at_rest {
            Some(explorer) => match explorer.next(&mut run) {
                Some(record) => record,
                None => {
                    self.at_rest = None;
                    return Some(None);
                }
            },
            None => match self.explorer.next(&mut run) {
                Some(record) => record,
                None => {
                    self.over = true;
                    return None;
                }
            },
        };
        self.run += 1;
        self.draws.note(record.drawn);
        self.read_clock |= record.readings > 0;
        self.longest = self.longest.max(record.events.len());
        self.saw_wide |= record.visible.iter().any(|access| {
            let event = record.events.get(access.event as usize);
            access.wide && event.is_some_and(|event| event.thread != ThreadIndex::MAIN)
        });
        if !record.contended.is_empty() {
            self.contended = Some(record.schedule.clone());
        }
        if let Some(coverage) = coverage {
            let by = measured.then(|| self.explorer.strategy());
            self.new_patterns += coverage.observe(prepared, &slot, record, by);
        }
        let (reached, unobserved) = runner.reached();
        if let Some(state) = reached
            && (unobserved || runner.record().ending == Ending::Finished)
            && !self.seen_states.insert(state)
            && unobserved
        {
            return Some(None);
        }
        if unobserved {
            // Only a serial order, or another exploration of this test, has shown what follows.
            observe_again(runner, prepared);
        }
        let record = runner.record();
        let outcome = outcome_key(record, &slot);
        self.draws.show(outcome);
        let is_new = self.seen.insert(outcome);
        if let (true, Some(results)) = (is_new, &mut self.results) {
            results.insert(results_key(record, &slot));
        }
        Some(is_new.then(|| record.clone()))
    }

    /// Judges what an execution did, beside its memory faults: those may be known, or allowed. What looks like a bug
    /// goes to `self.more`, the faults to be reported first.
    fn judge_record(
        &mut self,
        explored: Explored<'_>,
        runner: &mut TestRunner<'_>,
        record: ExecutionRecord,
    ) {
        fault_point::pass(FaultPoint::Judging);
        let prepared = explored.prepared;
        let history = History::of(&record, &prepared.shape, &runner.slot());
        let judge = prepared.judge();
        let mut undefined = false;
        for number in (0..history.faults.len()).rev() {
            if let Some(suspicion) = race::suspicion(&judge, &record, &history, number) {
                undefined |= !explored.allows(&suspicion);
                let shown = Shown {
                    suspicion,
                    record: record.clone(),
                    history: history.clone(),
                };
                self.more.push(with_allocations(runner, prepared, shown));
            }
        }
        let undefined = undefined && !record.schedule.visible.is_empty();
        if undefined || prepared.test.subject.probe().is_some() {
            return;
        }
        match judge.judge(&record, &history, runner) {
            Verdict::Pass => {}
            Verdict::Excused(reason) => *self.notes.get_or_default(reason) += 1,
            Verdict::Unjudged(reason) => {
                *self.notes.get_or_default(reason) += 1;
                self.unjudged = Some(reason);
            }
            Verdict::Suspect(suspicion) => {
                let shown = Shown {
                    suspicion: *suspicion,
                    record,
                    history,
                };
                self.more
                    .insert(0, with_allocations(runner, prepared, shown));
            }
        }
    }
}

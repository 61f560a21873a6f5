//! Explores one test of the crate.

mod conclusion;
mod delays;
mod likelihood;
mod other_draws;

use std::time::{Duration, Instant};

use self::conclusion::described;
use self::other_draws::{ALL, OF_KEYS, SHARE, is_single};
use super::OwnTest;
use super::alone::Alone;
use super::outcome::{Outcome, is_definite};
use super::shown::{Running, Shown};
use super::under_rc11::UnderRc11;
use crate::campaign::contention::Contention;
use crate::campaign::draws::{Draws, trace_of};
use crate::campaign::test_runner::TestRunner;
use crate::judge::{difference, of_model};
use contest_data::delay::Delay;
use contest_data::finding::{Allowed, Finding, FindingKind};
use contest_data::gap::{Cut, Gap, Gaps};
use contest_data::limits::OUT_OF_TIME;
use contest_data::own_tests::{OwnResult, OwnTestSettings};
use contest_data::sorted::SortedSet;
use contest_data::trace::{Ending, Schedule};
use contest_engine::memory::Turn;
use contest_search::explore::{Budget, Explorer, RunOnce};

/// Most findings of one test.
const MOST_FINDINGS: usize = 4;
/// A test that has failed so often and never passed fails always.
const FAILURES_IN_A_ROW: u64 = 200;
/// A test whose executions are slow has time for so many of them, ...
const SLOW_EXECUTIONS: u32 = 20;
/// ... but not more than this.
const SLOW_TIME: Duration = Duration::from_secs(5);
/// Executions after which an exploration begins anew with what was contended in them; it may never come to its end.
const GROW_AFTER: u64 = 32;
/// Executions of a test that does not do the same again under the same decisions.
const NONDETERMINISTIC_EXECUTIONS: u64 = 20;
/// Executions of a test that changes what is outside the process, for each second that it has; and of a pair of tests.
const OUTSIDE_EXECUTIONS: u64 = 200;
/// A test that has more time than this is to be explored as deeply as its time allows.
const PLENTY: Duration = Duration::from_secs(2);
/// Executions with more steps are sampled: what it takes to plan others systematically grows faster than they do, and
/// is not interrupted when the time is over.
const SYSTEMATIC_STEPS: u32 = 2_000;
/// What is used where an exploration of that size is not.
const SAMPLING: &str = "portfolio";

/// What came of a test.
pub(super) struct Explored {
    pub(super) result: OwnResult,
    pub(super) findings: Vec<Finding>,
    /// A thread was late at each place at which that may make a difference.
    pub(super) all_delays: bool,
}

/// Why a test is explored.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose<'o> {
    /// For itself.
    Test,
    /// It is a pair of tests that is known to pass in some order.
    Pair,
    /// A pair of which it is one fails, with its threads in these orders.
    OfPair(&'o [Alone]),
}

/// How long a test may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allotted {
    /// Unless its executions are slow.
    pub(super) time: Duration,
    /// When the time of all tests is over.
    pub(super) end: Instant,
    /// It is less than a test usually has: others wait.
    pub(super) is_scarce: bool,
}

/// Explores the test; it is run once at least. `samples`: it is not to be planned systematically.
///
/// # Errors
/// The name of the strategy, if there is none of this name.
pub(super) fn explore(
    test: &OwnTest,
    settings: &OwnTestSettings,
    samples: bool,
    purpose: Purpose<'_>,
    allotted: Allotted,
    runner: &mut TestRunner<'_>,
) -> Result<Explored, String> {
    let begun = Instant::now();
    let mut exploration = Exploration {
        settings,
        samples,
        running: Running::of(test, runner),
        begun,
        until: begun + allotted.time,
        end: allotted.end,
        is_scarce: allotted.is_scarce,
        contention: Contention::default(),
        contended: None,
        threads: 0,
        purpose,
        passed: u64::from(matches!(purpose, Purpose::Pair) || settings.passes_as_it_is),
        failed: 0,
        failures: Vec::new(),
        allowed: SortedSet::new(),
        cut: None,
        unconfirmed: None,
        most: settings.executions,
        nondeterministic: None,
        outside: None,
        weak: UnderRc11::new(settings),
        over: None,
        unwatched: None,
        draws: Draws::default(),
        delays: 0,
        places: Vec::new(),
        brief: Vec::new(),
        all_delays: true,
        clean: 0,
        leaky: None,
    };
    let gaps = exploration.explore()?;
    let explored = exploration.conclude(gaps);
    runner.watch(true);
    runner.take_turns(Turn::Any);
    Ok(explored)
}

struct Exploration<'a, 'i> {
    settings: &'a OwnTestSettings,
    samples: bool,
    running: Running<'a, 'i>,
    begun: Instant,
    until: Instant,
    /// When the time of all tests is over.
    end: Instant,
    /// Others wait for time.
    is_scarce: bool,
    contention: Contention,
    /// An execution that showed more memory to be contended.
    contended: Option<Schedule>,
    threads: u16,
    purpose: Purpose<'a>,
    passed: u64,
    failed: u64,
    /// Different failures, each with the executions and the time until it showed.
    failures: Vec<(Shown, u64, Duration)>,
    /// What failed and is allowed.
    allowed: SortedSet<Allowed>,
    /// Why an execution was cut, if one was.
    cut: Option<String>,
    /// A failure that did not come again under the same schedule.
    unconfirmed: Option<String>,
    /// Most executions.
    most: u64,
    nondeterministic: Option<String>,
    /// What executions did outside the process.
    outside: Option<String>,
    weak: UnderRc11,
    /// Why the exploration was stopped, if it was.
    over: Option<String>,
    /// Why memory accesses are not watched, if they are not.
    unwatched: Option<String>,
    /// The draws of random numbers that were run.
    draws: Draws,
    /// Places at which a thread was held up.
    delays: u64,
    /// All places at which one may be.
    places: Vec<Delay>,
    /// Delays that end just after the wait of another thread.
    brief: Vec<Delay>,
    /// Each of them was tried.
    all_delays: bool,
    /// Executions that left no memory without an owner.
    clean: u64,
    /// The first one that did.
    leaky: Option<Schedule>,
}

impl Exploration<'_, '_> {
    /// Runs executions until there are none left, the time is over or enough is known; returns why not every
    /// interleaving was run, if so.
    fn explore(&mut self) -> Result<Gaps, String> {
        // The first one without a preemption: it says how large the test is.
        let mut diverged = self.run_first();
        if let Ending::Unsupported(text) = &self.running.runner.record().ending
            && text.starts_with(OUT_OF_TIME)
            && self.running.runner.reports_accesses()
        {
            self.unwatched = Some(format!("with that, {text}"));
            self.running.runner.watch(false);
            diverged = self.running.replay(&Schedule::default());
        }
        self.take_in();
        if self.settings.slow_has_more && self.cut.is_none() {
            let some = (self.begun.elapsed() * SLOW_EXECUTIONS).min(SLOW_TIME);
            self.until = self.until.max((self.begun + some).min(self.end));
        }
        let first = self.running.runner.record().clone();
        self.run_as_in_pairs();
        let mut is_single = is_single(&first) && diverged.is_none();
        if is_single && !self.draws.are_drawn() {
            self.run_delays(&first);
            return Ok(self.cut_executions(first.gaps.clone()));
        }
        if !self.is_over() {
            self.running.replay(&first.schedule);
            self.nondeterministic = difference(&first, self.running.runner.record());
            if self.nondeterministic.is_some() {
                self.most = NONDETERMINISTIC_EXECUTIONS;
            }
        }
        if self.draws.are_drawn() {
            is_single &= self.run_other_draws(&first, SHARE);
            if is_single {
                self.run_delays(&first);
                let may_fail = self.draws.are_numbers() && !self.is_scarce;
                let goes_deep = may_fail || self.has_plenty_of_time();
                let part = if goes_deep { ALL } else { OF_KEYS };
                if self.run_other_draws(&first, part) {
                    self.draws.are_single_executions();
                }
                return Ok(self.cut_executions(first.gaps.clone()));
            }
        }
        self.run_delays(&first);
        let large = self.samples || first.steps > SYSTEMATIC_STEPS;
        let mut gaps = Gaps::NONE;
        loop {
            let (of_draw, exhausted) = self.explore_draw(large)?;
            gaps.join(&of_draw);
            if !exhausted || self.over.is_some() || !self.draws.go_on() || self.is_over() {
                return Ok(gaps);
            }
        }
    }

    /// Runs the threads in the orders in which they failed beside another test.
    fn run_as_in_pairs(&mut self) {
        if let Purpose::OfPair(orders) = self.purpose {
            for order in orders {
                if !self.is_over() {
                    self.running.run_once(&mut order.clone());
                    self.judge();
                }
            }
        }
    }

    /// Runs the execution that stops no thread; alone among those of other processes, if it could meet them.
    fn run_first(&mut self) -> Option<String> {
        if self.settings.shard.1 <= 1 {
            return self.running.replay(&Schedule::default());
        }
        self.running.runner.take_turns(Turn::Unknown);
        let diverged = self.running.replay(&Schedule::default());
        if !self.running.runner.meets_others() {
            self.running.runner.take_turns(Turn::Any);
            return diverged;
        }
        self.running.executions = 0;
        self.running.runner.take_turns(Turn::Alone);
        self.running.replay(&Schedule::default())
    }

    /// Explores everything under the present draw of random numbers; returns why not every interleaving was run, if so,
    /// and whether nothing is left that would be explored.
    fn explore_draw(&mut self, large: bool) -> Result<(Gaps, bool), String> {
        loop {
            self.draws.begin_anew();
            let mut explorer = self.explorer(large)?.with(self.draws.leeway());
            let mut over = self.is_over();
            let (mut left, mut grown) = (GROW_AFTER, false);
            while !over && !grown && explorer.next(&mut self.running).is_some() {
                self.take_in();
                over = self.is_over();
                left = left.saturating_sub(1);
                if left == 0
                    && self.may_begin_anew()
                    && let Some(schedule) = self.contended.take()
                {
                    grown = self.grow(schedule);
                    left = u64::MAX;
                }
            }
            self.weak.note(&explorer);
            if grown && !over {
                continue;
            }
            if over {
                let why = self.why_over();
                self.over = Some(why.to_string());
                if !explorer.is_left_to_weak() {
                    let mut gaps = self.cut_executions(explorer.gaps_of_draw());
                    // What was cut is said more exactly.
                    gaps.remove(&Gap::Cut(Cut::Unfinished));
                    gaps.add(Gap::Cut(why));
                    return Ok((gaps, false));
                }
            }
            let visible = std::mem::take(&mut self.contended);
            if let Some(schedule) = visible
                && self.grow(schedule)
            {
                continue;
            }
            let mut gaps = self.cut_executions(explorer.gaps_of_draw());
            gaps.join(&self.contention.gaps());
            return Ok((gaps, explorer.exhausted()));
        }
    }

    /// True in the second eighth of the time: before it, the exploration may come to its end, with all that RC11
    /// allows; after it, what would be run again costs more than what is new.
    fn may_begin_anew(&self) -> bool {
        let eighth = self.time() / 8;
        (eighth..2 * eighth).contains(&self.begun.elapsed())
    }

    /// These, and why an execution was cut, if one was.
    fn cut_executions(&self, mut gaps: Gaps) -> Gaps {
        if let Some(why) = &self.cut {
            gaps.add(Gap::Cut(Cut::Execution(why.clone())));
        }
        gaps
    }

    fn explorer(&self, large: bool) -> Result<Explorer, String> {
        let name = match self.settings.strategy.as_str() {
            "auto" if large => SAMPLING,
            name => name,
        };
        let budget = Budget {
            executions: self.most,
            time: self.until.saturating_duration_since(Instant::now()),
            minimum: 0,
        };
        self.weak.explorer(name, self.settings.seed, budget)
    }

    /// All the time that this test has.
    fn time(&self) -> Duration {
        self.until.saturating_duration_since(self.begun)
    }

    fn has_plenty_of_time(&self) -> bool {
        self.time() > PLENTY
    }

    fn is_over(&self) -> bool {
        self.running.executions >= self.most
            || Instant::now() >= self.until
            || self.failures.len() >= MOST_FINDINGS
            || self.passed == 0 && self.failed >= FAILURES_IN_A_ROW
    }

    fn why_over(&self) -> Cut {
        if self.failures.len() >= MOST_FINDINGS {
            return Cut::Finding;
        }
        if self.running.executions >= self.most {
            return Cut::Executions(self.running.executions);
        }
        Cut::Time
    }

    /// Memory that the execution with this schedule contends for is visible from here on; false if it was.
    fn grow(&mut self, schedule: Schedule) -> bool {
        if !self.contention.may_grow() {
            return false;
        }
        let noted = self.running.runner.note_allocations(true);
        self.running.replay(&schedule);
        let contended = self.running.runner.record().contended.clone();
        self.running.runner.note_allocations(noted);
        let grown = self.contention.add_all(&contended);
        self.running.visible = self.contention.visible().to_vec();
        grown
    }

    /// Takes in the last execution, which is one of the present draw of random numbers.
    fn take_in(&mut self) {
        let record = self.running.runner.record();
        self.draws.note(record.drawn);
        if record.ending != Ending::Abandoned {
            self.draws.show(trace_of(record));
        }
        self.judge();
    }

    /// Counts and judges the last execution.
    fn judge(&mut self) {
        let descriptors = self.running.runner.has_opened_descriptors();
        let outside = self.running.runner.outside();
        if self.outside.is_none() && !outside.is_empty() {
            let seconds = match self.purpose {
                Purpose::Test => self.time().as_secs().max(1),
                Purpose::Pair | Purpose::OfPair(_) => 1,
            };
            self.most = self.most.min(OUTSIDE_EXECUTIONS * seconds);
            self.outside = Some(outside.join(" and "));
        }
        let record = self.running.runner.record();
        self.weak.see(record, descriptors);
        self.threads = self.threads.max(record.threads);
        if !record.contended.is_empty() && self.contended.is_none() {
            self.contended = Some(record.schedule.clone());
        }
        match self.running.outcome() {
            Outcome::Abandoned => {}
            Outcome::Passes => {
                self.passed += 1;
                if !record.unowned.is_empty() {
                    let schedule = || record.schedule.clone();
                    self.leaky.get_or_insert_with(schedule);
                } else if record.quiescent {
                    self.clean += 1;
                }
            }
            Outcome::Cut(why) => self.cut = Some(why),
            Outcome::Fails(failure) => {
                // After undefined behaviour an execution is no witness of anything else.
                self.failed += u64::from(!is_definite(failure.kind));
                let mut known = self.failures.iter();
                let known = known.position(|(it, ..)| is_same_bug(&it.failure, &failure));
                let is_worse = |known: usize| {
                    let known = &self.failures[known].0.record.schedule;
                    known.leeway.delay.is_some() && record.schedule.leeway.delay.is_none()
                };
                match known {
                    // What shows without a delay is no matter of timing.
                    Some(known) if is_worse(known) => {
                        self.failures.remove(known);
                        self.confirm();
                    }
                    Some(_) => {}
                    None if self.allows(failure.kind, &failure.locations) => {}
                    None => self.confirm(),
                }
            }
        }
    }

    /// True for a failure that is allowed; the result says so.
    fn allows(&mut self, kind: FindingKind, locations: &[String]) -> bool {
        let mut allow = self.settings.allow.iter();
        let Some(allowed) = allow.find(|it| it.covers(kind, locations)) else {
            return false;
        };
        self.allowed.insert(allowed.clone());
        true
    }

    /// Keeps the last execution, which fails, if it does so again.
    fn confirm(&mut self) {
        let Some(shown) = self.running.shown() else {
            return;
        };
        let executions = self.running.executions;
        let schedule = &shown.record.schedule;
        // With the place of an allocation it would be another failure.
        if shown.failure.kind.needs_allocations() {
            self.running.replay(schedule);
        } else {
            self.running.replay_named(schedule);
        }
        match self.running.shown() {
            Some(again) if again.failure.is_like(&shown.failure) => {
                self.failures
                    .push((again, executions, self.begun.elapsed()));
            }
            _ => self.unconfirmed = Some(described(&shown.failure)),
        }
    }
}

/// True if both are the same; of a race it does not matter which access comes first.
fn is_same_bug(a: &of_model::Failure, b: &of_model::Failure) -> bool {
    let places = |it: &of_model::Failure| it.locations.iter().cloned().collect::<SortedSet<_>>();
    a.is_like(b) || a.kind == b.kind && a.kind.needs_memory() && places(a) == places(b)
}

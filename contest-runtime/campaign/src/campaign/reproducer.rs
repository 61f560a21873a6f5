//! Looks for one bug in other tests and with fewer preemptions, for the minimiser.

use std::time::{Duration, Instant};

use super::described::Described;
use super::exploration::Exploration;
use super::explored::Explored;
use super::observers::Observers;
use super::one_execution::run_once;
use super::prepared_test::{Preparation, PreparedTest, prepare};
use super::shown::Shown;
use super::test_runner::TestRunner;
use crate::generate::lets_go;
use crate::judge::{Suspicion, Verdict};
use crate::minimise::{Reproduce, Reproduction};
use contest_data::finding::{Allowed, FindingKind};
use contest_data::limits::{Leeway, MemoryModel};
use contest_data::test::ConcurrentTest;
use contest_data::trace::VisibleBytes;
use contest_search::explore::{
    Budget, Explorer, Focused, Switch, Switches, switches_of, values_of,
};

/// Most executions of one search in a smaller test, and time for it.
const ATTEMPT: (u64, Duration) = (2_000, Duration::from_secs(1));
/// The same for one search with a bound on preemptions.
const BOUNDED: (u64, Duration) = (4_000, Duration::from_secs(2));
/// Visible operations of one search in sum, if its executions are as long as the one that was found; ...
const STEPS: u64 = 60_000;
/// ... so many executions are always tried.
const FEWEST: u64 = 50;

/// What one search may cost, after an execution of so many steps was found: executions of a thousand steps, as those of
/// executors, take a hundred times as long as most.
fn budget(most: u64, time: Duration, steps: u32) -> Budget {
    Budget {
        executions: (STEPS / u64::from(steps.max(1))).clamp(FEWEST, most),
        time,
        minimum: 0,
    }
}

/// The bug that is looked for.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub kind: FindingKind,
    locations: Vec<String>,
    /// It shows at all of these, not only at one.
    at_all: bool,
}

impl Target {
    pub(super) fn of(suspicion: &Suspicion) -> Self {
        Self {
            kind: suspicion.kind,
            locations: suspicion.locations.clone(),
            at_all: false,
        }
    }

    /// The same bug, surely: at all of its places. `None` if it has none.
    pub(super) fn at_all_places(&self) -> Option<Self> {
        (!self.locations.is_empty()).then(|| Self {
            at_all: true,
            ..self.clone()
        })
    }

    /// True if it is that bug. What showed beside a cancelled call may need no cancellation: that is then what it is.
    pub(super) fn matches(&self, suspicion: &Suspicion) -> bool {
        let uncancelled = matches!(
            suspicion.kind,
            FindingKind::Deadlock
                | FindingKind::Livelock
                | FindingKind::NonLinearizable
                | FindingKind::TornRead
        );
        let same =
            suspicion.kind == self.kind || self.kind == FindingKind::Cancellation && uncancelled;
        let mut places = self.locations.iter();
        let is_there = |place: &String| suspicion.locations.contains(place);
        same && (self.locations.is_empty()
            || match self.at_all {
                true => places.all(is_there),
                false => places.any(is_there),
            })
    }
}

/// Reproduces one bug.
pub(super) struct Reproducer<'a, 'i> {
    pub runner: &'a mut TestRunner<'i>,
    pub observers: &'a Observers,
    pub strict: bool,
    /// What is not reported.
    pub allow: &'a [Allowed],
    /// What is allowed is another bug, as long as it is of the same kind.
    pub refuses_allowed: bool,
    pub target: Target,
    pub deadline: Instant,
    /// By how much a search may take longer than by default, see
    /// [`Settings::patience`](contest_data::settings::Settings::patience).
    pub patience: u32,
    /// Memory that was visible where the bug was seen last.
    pub visible: Vec<VisibleBytes>,
    /// What atomic operations could read there.
    pub memory_model: MemoryModel,
    /// What could happen there beyond the ordinary.
    pub leeway: Leeway,
    /// Background threads go first whenever they can, as they did there.
    pub at_rest: bool,
    /// Visible operations of the execution that was found.
    pub steps: u32,
    /// The test that was prepared last.
    pub prepared: Option<PreparedTest>,
    /// What serial orders show depends on more than the order: tests are prepared under variations too.
    pub varies: bool,
}

impl Reproducer<'_, '_> {
    fn prepare(&mut self, test: &ConcurrentTest) -> Option<PreparedTest> {
        match self.prepared.take() {
            Some(prepared) if prepared.test.test == *test => return Some(prepared),
            _ => {}
        }
        let test = self.observers.runnable(test.clone());
        if !lets_go(test.subject, &test.test) {
            return None;
        }
        match prepare(self.runner, test, self.strict).0 {
            Preparation::Ready(mut prepared) => {
                if self.varies {
                    prepared.vary_all(self.runner);
                }
                Some(*prepared)
            }
            Preparation::LeftOut(..) => None,
        }
    }

    fn refuses(&self, prepared: &PreparedTest, shown: &Shown) -> bool {
        self.refuses_allowed
            && shown.suspicion.kind == self.target.kind
            && (Described::of(prepared, shown).allowed_by(self.allow)).is_some()
    }

    /// Looks for the bug in at most so many executions, those with background threads at rest included.
    fn find(
        &mut self,
        prepared: &PreparedTest,
        explorer: &dyn Fn() -> Explorer,
        most: u64,
    ) -> Option<Shown> {
        let explored = Explored {
            prepared,
            make: explorer,
            allowed: None,
        };
        let mut exploration = Exploration::new(explorer());
        exploration.begin_with(&self.visible);
        exploration.only_at_rest(self.at_rest);
        exploration.keep_draw();
        loop {
            let shown =
                exploration.next_suspect(explored, self.runner, None, &mut |run| run < most)?;
            if self.target.matches(&shown.suspicion) && !self.refuses(prepared, &shown) {
                return Some(shown);
            }
        }
    }
}

impl Reproduce for Reproducer<'_, '_> {
    fn reproduce(
        &mut self,
        test: &ConcurrentTest,
        preemptions: Option<u32>,
    ) -> Option<Reproduction> {
        let prepared = self.prepare(test)?;
        let (model, leeway) = (self.memory_model, self.leeway);
        let budget = |(most, time): (u64, Duration)| budget(most, time * self.patience, self.steps);
        let (bounded, attempt) = (budget(BOUNDED), budget(ATTEMPT));
        let explorer = || match preemptions {
            Some(bound) => Explorer::bounded(bound, bounded, model).with(leeway),
            None => match model {
                MemoryModel::Sc => Explorer::unplanned(0, attempt).with(leeway),
                MemoryModel::Rc11 => {
                    Explorer::weak("auto", 0, attempt).expect("there is a strategy `auto`")
                }
            },
        };
        let most = preemptions.map_or(attempt.executions, |_| u64::MAX);
        let shown = self.find(&prepared, &explorer, most);
        self.prepared = Some(prepared);
        if let Some(shown) = &shown {
            self.visible.clone_from(&shown.record.schedule.visible);
        }
        shown.map(|shown| reproduction(&shown))
    }

    fn rerun(
        &mut self,
        test: &ConcurrentTest,
        switches: &[Switch],
        values: &[u16],
    ) -> Option<Reproduction> {
        let prepared = self.prepare(test)?;
        let mut strategy = Switches::new(switches, values, self.memory_model).with(self.leeway);
        let strategy = Focused::new(&mut strategy, self.runner.slot());
        let mut strategy = strategy.background_first(self.at_rest);
        let target = &self.target;
        let (record, history, verdict) = run_once(
            self.runner,
            &prepared,
            &mut strategy,
            &self.visible,
            target.kind,
            &|suspicion| target.matches(suspicion),
        );
        let found = match verdict {
            Verdict::Suspect(suspicion) if self.target.matches(&suspicion) => {
                let shown = Shown {
                    suspicion: *suspicion,
                    record,
                    history,
                };
                let refused = self.refuses(&prepared, &shown);
                (!refused).then(|| reproduction(&shown))
            }
            _ => None,
        };
        self.prepared = Some(prepared);
        found
    }

    fn goes_on(&self) -> bool {
        Instant::now() < self.deadline
    }
}

/// The execution as the minimiser sees it.
pub(super) fn reproduction(shown: &Shown) -> Reproduction {
    Reproduction {
        schedule: shown.record.schedule.clone(),
        preemptions: shown.record.preemptions,
        steps: shown.record.steps,
        switches: switches_of(&shown.record),
        values: values_of(&shown.record),
    }
}

//! The libraries and how each explores.

use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_engine::execution::{Engine, active};
use contest_search::explore::{Dfs, Dpor, Graphs, Pct, Random};

use crate::programs::{self, Program};

/// A library with a way to explore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    OursRandom,
    OursRaces,
    OursClocks,
    OursPct,
    OursDpor,
    OursDfs,
    OursGraphs,
    Loom,
    LoomBound2,
    ShuttleRandom,
    ShuttlePct,
    ShuttleDfs,
    Threads,
}

/// All of them, with their names.
pub(crate) const MODES: [(Mode, &str); 13] = [
    (Mode::OursRandom, "ours random"),
    (Mode::OursRaces, "ours random, races watched"),
    (
        Mode::OursClocks,
        "ours random, races watched, clocks computed",
    ),
    (Mode::OursPct, "ours pct"),
    (Mode::OursDpor, "ours dpor"),
    (Mode::OursDfs, "ours dfs"),
    (Mode::OursGraphs, "ours rc11, every graph"),
    (Mode::Loom, "loom"),
    (Mode::LoomBound2, "loom, bound 2"),
    (Mode::ShuttleRandom, "shuttle random"),
    (Mode::ShuttlePct, "shuttle pct"),
    (Mode::ShuttleDfs, "shuttle dfs"),
    (Mode::Threads, "threads of the system"),
];

/// Ordering constraints that PCT aims at.
const PCT_DEPTH: usize = 3;
/// Executions after which an exhaustive mode is cut.
pub(crate) const MOST: u64 = 200_000;
const SEED: u64 = 1;

impl Mode {
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        MODES
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(mode, _)| *mode)
    }

    /// Its executions come to an end by themselves.
    pub(crate) fn exhausts(self) -> bool {
        matches!(
            self,
            Self::OursDpor
                | Self::OursDfs
                | Self::OursGraphs
                | Self::Loom
                | Self::LoomBound2
                | Self::ShuttleDfs
        )
    }

    /// The program of this name, as this mode's library runs it.
    pub(crate) fn program(self, name: &str) -> Option<Program> {
        let all = match self {
            Self::OursRandom
            | Self::OursRaces
            | Self::OursClocks
            | Self::OursPct
            | Self::OursDpor
            | Self::OursDfs
            | Self::OursGraphs => programs::ours::ALL,
            Self::Loom | Self::LoomBound2 => programs::loom::ALL,
            Self::ShuttleRandom | Self::ShuttlePct | Self::ShuttleDfs => programs::shuttle::ALL,
            Self::Threads => programs::threads::ALL,
        };
        all.into_iter().find(|program| program.name == name)
    }

    /// Program l with another length.
    pub(crate) fn increments(self) -> fn(usize) {
        match self {
            Self::OursRandom
            | Self::OursRaces
            | Self::OursClocks
            | Self::OursPct
            | Self::OursDpor
            | Self::OursDfs
            | Self::OursGraphs => programs::ours::lost_updates_of,
            Self::Loom | Self::LoomBound2 => programs::loom::lost_updates_of,
            Self::ShuttleRandom | Self::ShuttlePct | Self::ShuttleDfs => {
                programs::shuttle::lost_updates_of
            }
            Self::Threads => programs::threads::lost_updates_of,
        }
    }
}

/// What is made once and used for many explorations.
pub(crate) struct Bench {
    engine: Engine,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let limits = Limits {
            steps: 1_000_000,
            ..Limits::default()
        };
        Self {
            engine: Engine::new(limits),
        }
    }

    /// `executions` executions of `body`, or one exploration to its end if that comes before.
    pub(crate) fn explore(
        &mut self,
        mode: Mode,
        executions: u64,
        body: impl Fn() + Send + Sync + Copy + 'static,
    ) {
        let count = usize::try_from(executions).unwrap_or(usize::MAX);
        match mode {
            Mode::OursRandom => self.ours(&mut Random::new(SEED, executions), executions, body),
            Mode::OursRaces => {
                self.ours(&mut Random::new(SEED, executions), executions, move || {
                    watch_from_here();
                    body();
                })
            }
            Mode::OursClocks => {
                self.ours(&mut Random::new(SEED, executions), executions, move || {
                    watch_from_here();
                    body();
                    // All that is noted is held against the other accesses.
                    watch_from_here();
                })
            }
            Mode::OursPct => {
                let depth = PCT_DEPTH as u32;
                self.ours(&mut Pct::new(SEED, depth, executions), executions, body);
            }
            Mode::OursDpor => self.ours(&mut Dpor::new(), executions, body),
            Mode::OursDfs => self.ours(&mut Dfs::new(None), executions, body),
            Mode::OursGraphs => self.ours(&mut Graphs::new(), executions, body),
            Mode::Loom | Mode::LoomBound2 => {
                let mut model = loom::model::Builder::new();
                model.preemption_bound = (mode == Mode::LoomBound2).then_some(2);
                model.max_branches = 1_000_000;
                model.max_permutations = Some(count);
                // How often it looks at the line above.
                model.checkpoint_interval = count;
                model.check(body);
            }
            Mode::ShuttleRandom => shuttle::check_random(body, count),
            Mode::ShuttlePct => shuttle::check_pct(body, count, PCT_DEPTH),
            Mode::ShuttleDfs => shuttle::check_dfs(body, Some(count)),
            Mode::Threads => (0..executions).for_each(|_| body()),
        }
    }

    fn ours(&mut self, strategy: &mut dyn Strategy, executions: u64, body: impl Fn() + Copy) {
        for _ in 0..executions {
            if !strategy.begin() {
                return;
            }
            let record = self.engine.run(strategy, body);
            strategy.end(record);
        }
    }
}

/// A plain access: from the first one on, every access is held against the others.
fn watch_from_here() {
    let byte = 0_u8;
    active()
        .expect("inside an execution")
        .plain_write((&raw const byte).addr(), 1);
}

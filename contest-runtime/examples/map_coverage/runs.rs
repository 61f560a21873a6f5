//! Runs a subject under a strategy.

use std::time::{Duration, Instant};

use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_data::trace::{Ending, ExecutionRecord};
use contest_engine::execution::Engine;
use contest_search::coverage::{Contents, MapCoverage};
use contest_search::explore::{Dpor, Pct, Pos, Random, Urw};
use contest_search::research::{MapTest, Mcr, Pcr, PcrSettings};

use crate::subjects::Subject;

/// The strategies in the order of the columns.
pub const STRATEGIES: [&str; 9] = [
    "pcr", "mcr", "maptest", "random", "pct", "pos", "urw", "surw", "dpor",
];

/// A strategy with its counters.
pub enum Chosen {
    Pcr(Box<Pcr>),
    Mcr(Box<Mcr>),
    MapTest(Box<MapTest>),
    Other(Box<dyn Strategy>),
}

impl Chosen {
    fn new(name: &str, seed: u64, executions: u64) -> Self {
        let settings = PcrSettings {
            contents: Contents::Ignored,
            ..PcrSettings::default()
        };
        match name {
            "pcr" => Self::Pcr(Box::new(Pcr::with_settings(seed, executions, settings))),
            "mcr" => Self::Mcr(Box::new(Mcr::new(seed, executions))),
            "maptest" => {
                let maptest = MapTest::with_contents(seed, executions, Contents::Ignored);
                Self::MapTest(Box::new(maptest))
            }
            "random" => Self::Other(Box::new(Random::new(seed, executions))),
            "pct" => Self::Other(Box::new(Pct::new(seed, 3, executions))),
            "pos" => Self::Other(Box::new(Pos::new(seed, executions))),
            "urw" => Self::Other(Box::new(Urw::new(seed, executions))),
            "surw" => Self::Other(Box::new(Urw::selective(seed, executions))),
            _ => Self::Other(Box::new(Dpor::new())),
        }
    }

    fn strategy(&mut self) -> &mut dyn Strategy {
        match self {
            Self::Pcr(strategy) => &mut **strategy,
            Self::Mcr(strategy) => &mut **strategy,
            Self::MapTest(strategy) => &mut **strategy,
            Self::Other(strategy) => &mut **strategy,
        }
    }

    /// Constraint systems solved so far.
    fn constraints(&self) -> u64 {
        match self {
            Self::Pcr(pcr) => pcr.counts().questions.queries,
            Self::Mcr(mcr) => mcr.counts().queries,
            _ => 0,
        }
    }
}

/// What one run showed.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Executions up to the first failure; `None` if there was none.
    pub first: Option<u64>,
    pub executions: u64,
    pub failures: u64,
    pub constraints: u64,
    pub time: Duration,
    /// Planned executions that could not be followed.
    pub diverged: u64,
    /// Patterns aimed at and hit (MAPTest).
    pub intended: (u64, u64),
    /// The strategy ended by itself.
    pub ended: bool,
}

fn failed(record: &ExecutionRecord) -> bool {
    !record.panics.is_empty() || matches!(record.ending, Ending::Deadlock(_))
}

/// When a run ends.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// Or so many executions, or so much time.
    FirstFailure {
        executions: u64,
        time: Duration,
    },
    Time(Duration),
    Executions(u64),
}

/// Runs the subject; `see` gets every record and the time so far.
pub fn run(
    subject: &Subject,
    strategy: &str,
    seed: u64,
    until: Until,
    mut see: impl FnMut(&ExecutionRecord, Duration),
) -> Run {
    let most = match until {
        Until::FirstFailure { executions, .. } | Until::Executions(executions) => executions,
        Until::Time(_) => u64::MAX,
    };
    let mut engine = Engine::new(Limits::default());
    let mut chosen = Chosen::new(strategy, seed, most);
    let mut run = Run::default();
    let start = Instant::now();
    loop {
        let late = match until {
            Until::FirstFailure { time, .. } | Until::Time(time) => start.elapsed() >= time,
            Until::Executions(_) => false,
        };
        if run.executions >= most || late {
            break;
        }
        if !chosen.strategy().begin() {
            run.ended = true;
            break;
        }
        let record = engine.run(chosen.strategy(), subject.test);
        run.executions += 1;
        see(record, start.elapsed());
        if failed(record) {
            run.failures += 1;
            run.first.get_or_insert(run.executions);
            if matches!(until, Until::FirstFailure { .. }) {
                break;
            }
        }
        chosen.strategy().end(record);
    }
    run.time = start.elapsed();
    run.constraints = chosen.constraints();
    match &chosen {
        Chosen::Pcr(pcr) => {
            let counts = pcr.counts();
            run.diverged = counts.different + counts.blocked + counts.tentative_diverged;
        }
        Chosen::Mcr(mcr) => run.diverged = mcr.diverged(),
        Chosen::MapTest(maptest) => run.intended = maptest.intended(),
        Chosen::Other(_) => {}
    }
    run
}

/// Patterns covered after each of so many executions.
pub fn coverage(
    subject: &Subject,
    strategy: &str,
    seed: u64,
    executions: u64,
) -> (MapCoverage, Vec<u64>) {
    let mut coverage = MapCoverage::new(Contents::Ignored);
    let mut curve = Vec::new();
    let mut covered = 0;
    run(
        subject,
        strategy,
        seed,
        Until::Executions(executions),
        |record, _| {
            covered += coverage.observe(record);
            curve.push(covered);
        },
    );
    (coverage, curve)
}

//! What a question to the solver costs, by the size of the trace.

use std::sync::Arc;
use std::time::{Duration, Instant};

use contest::sync::Mutex;
use contest::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use contest::thread;
use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_data::rng::Rng;
use contest_engine::execution::Engine;
use contest_search::coverage::{Contents, MapCoverage, SiteTable};
use contest_search::explore::Random;
use contest_search::research::predict::{
    Batsat, FilterRules, Prediction, SatSolver, Staircase, TraceModel, construct,
};

use crate::runs::{Run, Until, run};
use crate::subjects::SUBJECTS;

/// What the threads of a trace do.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Six variables, two locks, loads, stores and additions.
    Mixed,
    /// Loads and stores of one variable, each of another value.
    OneVariable,
    /// Loads and stores of one variable, two values in all.
    TwoValues,
    /// Additions to one variable.
    Counter,
    /// Sections of one lock with a load and a store.
    OneLock,
    /// Compare-exchanges of one variable.
    Exchanges,
}

type Shared = (Vec<AtomicUsize>, [Mutex<()>; 2]);

fn accesses(kind: Kind, seed: u64, steps: u32, shared: &Shared) {
    let mut rng = Rng::new(seed);
    let mut done = 0;
    let first = &shared.0[0];
    while done < steps {
        match kind {
            Kind::Mixed => {
                let variable = &shared.0[rng.below(6) as usize];
                match rng.below(10) {
                    0..=4 => {
                        variable.load(Relaxed);
                    }
                    5..=7 => variable.store(rng.below(4) as usize, Relaxed),
                    8 => {
                        variable.fetch_add(1, Relaxed);
                    }
                    _ => {
                        let _guard = shared.1[rng.below(2) as usize].lock();
                        variable.load(Relaxed);
                        done += 2;
                    }
                }
            }
            Kind::OneVariable if rng.below(2) == 0 => {
                first.store((1_000 * seed + u64::from(done)) as usize, Relaxed);
            }
            Kind::TwoValues if rng.below(2) == 0 => first.store(rng.below(2) as usize, Relaxed),
            Kind::OneVariable | Kind::TwoValues => {
                first.load(Relaxed);
            }
            Kind::Counter => {
                first.fetch_add(1, Relaxed);
            }
            Kind::OneLock => {
                let _guard = shared.1[0].lock();
                let value = first.load(Relaxed);
                first.store(value % 3 + 1, Relaxed);
                done += 3;
            }
            Kind::Exchanges => {
                let (old, new) = (rng.below(2) as usize, rng.below(3) as usize);
                let _ = first.compare_exchange(old, new, Relaxed, Relaxed);
            }
        }
        done += 1;
    }
}

/// Prints the table.
pub fn table() {
    println!(
        "\nSolving: patterns of a trace of a random walk, at most 300 questions each; worst of {TRACES} traces; times are the shortest of {ROUNDS} rounds, without what other processes took"
    );
    println!(
        "{:14}{:>8}{:>8}{:>9}{:>10}{:>10}{:>7}{:>12}{:>12}{:>11}{:>9}",
        "",
        "threads",
        "events",
        "clauses",
        "build ms",
        "questions",
        "yes",
        "mean ms",
        "worst ms",
        "conflicts",
        "gave up"
    );
    for (threads, per_thread) in [(2, 25), (2, 50), (2, 250), (3, 20), (3, 40), (3, 66)] {
        for kind in [
            Kind::Mixed,
            Kind::OneVariable,
            Kind::TwoValues,
            Kind::Counter,
            Kind::OneLock,
            Kind::Exchanges,
        ] {
            row(kind, threads, per_thread);
        }
    }
}

/// Traces of a row.
const TRACES: u64 = 3;
/// Rounds of the same queries, of which the shortest time counts: the work is the same, and other work on the machine
/// is not ours.
const ROUNDS: u32 = 5;

/// What the system's count of a thread's time may lag behind.
const TICK: Duration = Duration::from_millis(4);

/// CPU time of this thread, if the system reports it.
fn processor_time() -> Option<Duration> {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = statistics.split(' ').next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

fn row(kind: Kind, threads: u64, per_thread: u32) {
    let (mut worst, mut sum, mut queries, mut yes, mut gave_up) = (0.0f64, 0.0, 0, 0, 0);
    let (mut events, mut clauses, mut build, mut conflicts) = (0, 0, 0.0f64, 0);
    for seed in 1..=TRACES {
        let mut strategy = Random::new(seed, 1);
        strategy.begin();
        let mut engine = Engine::new(Limits::default());
        let record = engine.run(&mut strategy, || {
            let variables = (0..6).map(|_| AtomicUsize::new(0)).collect();
            let shared = Arc::new((variables, [Mutex::new(()), Mutex::new(())]));
            let handles: Vec<_> = (0..threads)
                .map(|thread| {
                    let shared = Arc::clone(&shared);
                    thread::spawn(move || accesses(kind, 7 * seed + thread, per_thread, &shared))
                })
                .collect();
            for handle in handles {
                let _ = handle.join();
            }
        });
        let mut sites = SiteTable::default();
        let model = TraceModel::new(record, &mut sites, Contents::Ignored, 0, 100_000);
        events = events.max(model.steps.len());
        // All that rule 4 and 6 leave out as well: the hardest are among them.
        let rules = FilterRules {
            new_state: false,
            new_writer: false,
            ..FilterRules::default()
        };
        let mut candidates = construct(&model, rules, &|_| false).candidates;
        let stride = candidates.len().div_ceil(300).max(1);
        candidates = candidates.into_iter().step_by(stride).collect();
        let model = Arc::new(model);
        let mut times = vec![f64::MAX; candidates.len()];
        let mut build_time = f64::MAX;
        for round in 0..ROUNDS {
            let start = Instant::now();
            let mut staircase = Staircase::<Batsat>::new(Arc::clone(&model));
            build_time = build_time.min(start.elapsed().as_secs_f64() * 1e3);
            for (candidate, time) in candidates.iter().zip(&mut times) {
                let before = staircase.solver().conflicts();
                let (processor, start) = (processor_time(), Instant::now());
                let answer = staircase.query(&candidate.goal(), 20_000);
                let wall = start.elapsed();
                let busy = processor
                    .zip(processor_time())
                    .map(|(from, to)| to - from + TICK);
                let spent = busy.map_or(wall, |busy| wall.min(busy));
                *time = time.min(spent.as_secs_f64() * 1e3);
                if round == 0 {
                    conflicts = conflicts.max(staircase.solver().conflicts() - before);
                    yes += u32::from(matches!(answer, Prediction::Possible(_)));
                    gave_up += u32::from(answer == Prediction::Unknown);
                }
            }
            clauses = clauses.max(staircase.solver().clauses());
        }
        build = build.max(build_time);
        sum += times.iter().sum::<f64>();
        worst = times.iter().copied().fold(worst, f64::max);
        queries += candidates.len();
    }
    println!(
        "{:14}{threads:>8}{events:>8}{clauses:>9}{build:>10.2}{queries:>10}{yes:>7}{:>12.3}{worst:>12.2}{conflicts:>11}{gave_up:>9}",
        format!("{kind:?}"),
        sum / queries.max(1) as f64,
    );
}

/// Prints what looking at executions costs.
pub fn looking() {
    println!(
        "\nMicroseconds per execution of a random walk, without and with MAP-coverage of every execution"
    );
    for subject in &SUBJECTS {
        let executions = 3_000;
        let plain = run(
            subject,
            "random",
            1,
            Until::Executions(executions),
            |_, _| (),
        );
        let mut coverage = MapCoverage::new(Contents::Ignored);
        let looked = run(
            subject,
            "random",
            1,
            Until::Executions(executions),
            |record, _| {
                coverage.observe(record);
            },
        );
        let each = |run: &Run| run.time.as_secs_f64() * 1e6 / executions as f64;
        println!(
            "{:24}{:>10.2}{:>10.2}",
            subject.name,
            each(&plain),
            each(&looked)
        );
    }
}

//! What a question to the solver costs, by the size of the trace.

use std::sync::Arc;
use std::time::Instant;

use contest::coverage::{Contents, MapCoverage, SiteTable};
use contest::execution::{Engine, Limits, Strategy};
use contest::explore::Random;
use contest::explore::rng::Rng;
use contest::predict::{Batsat, FilterRules, Outlook, SatSolver, Staircase, TraceModel, construct};
use contest::sync::Mutex;
use contest::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use contest::thread;

use crate::runs::{Run, Until, run};
use crate::subjects::SUBJECTS;

/// Six variables, two locks, loads, stores and additions at eight places each.
fn accesses(seed: u64, steps: u32, shared: &(Vec<AtomicUsize>, [Mutex<()>; 2])) {
    let mut rng = Rng::new(seed);
    let mut done = 0;
    while done < steps {
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
        done += 1;
    }
}

/// Prints the table.
pub fn table() {
    println!("\nSolving: patterns of a random trace, at most 300 questions");
    println!(
        "{:>8}{:>8}{:>9}{:>10}{:>10}{:>7}{:>12}{:>12}{:>9}",
        "threads",
        "events",
        "clauses",
        "build ms",
        "questions",
        "yes",
        "mean ms",
        "worst ms",
        "gave up"
    );
    for (threads, per_thread) in [
        (2, 10),
        (2, 25),
        (2, 50),
        (2, 100),
        (2, 250),
        (3, 20),
        (3, 40),
        (3, 66),
    ] {
        let mut strategy = Random::new(7, 1);
        strategy.begin();
        let mut engine = Engine::new(Limits::default());
        let record = engine.run(&mut strategy, || {
            let variables = (0..6).map(|_| AtomicUsize::new(0)).collect();
            let shared = Arc::new((variables, [Mutex::new(()), Mutex::new(())]));
            let handles: Vec<_> = (0..threads)
                .map(|thread| {
                    let shared = Arc::clone(&shared);
                    thread::spawn(move || accesses(thread, per_thread, &shared))
                })
                .collect();
            for handle in handles {
                let _ = handle.join();
            }
        });
        let mut sites = SiteTable::default();
        let model = TraceModel::new(record, &mut sites, Contents::Ignored, 0, 100_000);
        let events = model.steps.len();
        let rules = FilterRules::default();
        let mut candidates = construct(&model, rules, &|_| false).candidates;
        let stride = candidates.len().div_ceil(300).max(1);
        candidates = candidates.into_iter().step_by(stride).collect();
        let start = Instant::now();
        let mut staircase = Staircase::<Batsat>::new(Arc::new(model));
        let build = start.elapsed();
        let (mut worst, mut sum, mut yes, mut gave_up) = (0.0f64, 0.0, 0, 0);
        for candidate in &candidates {
            let start = Instant::now();
            let answer = staircase.ask(&candidate.wish(), 20_000);
            let time = start.elapsed().as_secs_f64() * 1e3;
            worst = worst.max(time);
            sum += time;
            yes += u32::from(matches!(answer, Outlook::Possible(_)));
            gave_up += u32::from(answer == Outlook::Unknown);
        }
        println!(
            "{threads:>8}{events:>8}{:>9}{:>10.2}{:>10}{yes:>7}{:>12.3}{worst:>12.2}{gave_up:>9}",
            staircase.solver().clauses(),
            build.as_secs_f64() * 1e3,
            candidates.len(),
            sum / candidates.len().max(1) as f64,
        );
    }
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

//! The tables.

use std::time::Duration;

use crate::runs::{Run, STRATEGIES, Until, run};
use crate::subjects::{SUBJECTS, Subject};

/// Seeds for the tests of the paper, which take well under a millisecond.
const SEEDS: u64 = 100;
/// Seeds for the large ones.
const LARGE_SEEDS: u64 = 10;
/// Executions after which a run without a failure ends.
const MOST: u64 = 1_000;
/// The same for time.
const TIME: Duration = Duration::from_secs(1);

/// The runs of a subject by the name of the strategy.
pub struct Runs(Vec<Vec<Vec<Run>>>);

impl Runs {
    /// Runs every subject under every strategy.
    pub fn all() -> Self {
        let of = |subject: &Subject| {
            STRATEGIES
                .iter()
                .map(|name| first_failure(subject, name))
                .collect()
        };
        Self(SUBJECTS.iter().map(of).collect())
    }

    fn of(&self, subject: usize, strategy: &str) -> &[Run] {
        let column = STRATEGIES.iter().position(|name| *name == strategy);
        &self.0[subject][column.unwrap_or(0)]
    }
}

fn first_failure(subject: &Subject, strategy: &str) -> Vec<Run> {
    let until = Until::FirstFailure {
        executions: MOST,
        time: TIME,
    };
    let seeds = if strategy == "dpor" {
        1
    } else {
        seeds(subject)
    };
    (1..=seeds)
        .map(|seed| run(subject, strategy, seed, until, |_, _| ()))
        .collect()
}

fn seeds(subject: &Subject) -> u64 {
    if subject.published.is_some() {
        SEEDS
    } else {
        LARGE_SEEDS
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn schedules(runs: &[Run]) -> Vec<f64> {
    runs.iter()
        .map(|run| run.first.unwrap_or(run.executions) as f64)
        .collect()
}

fn milliseconds(runs: &[Run]) -> f64 {
    median(
        runs.iter()
            .map(|run| run.time.as_secs_f64() * 1e3)
            .collect(),
    )
}

/// Median, range, and how often nothing was found.
fn cell(runs: &[Run]) -> String {
    let all = schedules(runs);
    let (low, high) = all
        .iter()
        .fold((f64::MAX, 0.0), |(low, high): (f64, f64), &value| {
            (low.min(value), high.max(value))
        });
    let missed = runs.iter().filter(|run| run.first.is_none()).count();
    let more = if missed == runs.len() { ">" } else { "" };
    let text = format!("{more}{} ({low}-{high})", median(all));
    if missed > 0 && missed < runs.len() {
        format!("{text} -{missed}")
    } else {
        text
    }
}

/// Executions to the first failure under all strategies.
pub fn first_failures(runs: &Runs) {
    println!(
        "Executions to the first failure: median (range) of {SEEDS} seeds, {LARGE_SEEDS} for large tests; at most {MOST} and one second; -n: n seeds found nothing; dpor has no seed"
    );
    print!("{:24}", "");
    STRATEGIES.iter().for_each(|name| print!("{name:>20}"));
    println!();
    for (index, subject) in SUBJECTS.iter().enumerate() {
        print!("{:24}", subject.name);
        for name in STRATEGIES {
            print!("{:>20}", cell(runs.of(index, name)));
        }
        println!();
    }
    println!("\nMilliseconds to the first failure, median");
    for (index, subject) in SUBJECTS.iter().enumerate() {
        print!("{:24}", subject.name);
        for name in STRATEGIES {
            print!("{:>20.2}", milliseconds(runs.of(index, name)));
        }
        println!();
    }
}

/// PCR beside MAPTest. The paper's figures are of its Java programs and machine.
pub fn table_4(runs: &Runs) {
    println!(
        "\nTable 4: PCR and MAPTest; hit = share of executions in which MAPTest's intended pattern came; generated = executions less the first, which the paper seems not to count; means of {SEEDS} seeds, {LARGE_SEEDS} for large tests, times medians"
    );
    println!(
        "{:5}{:24}{:>6}{:>8}{:>10}{:>9}{:>9}{:>10}{:>9}{:>10}{:>9} | paper: {:>6}{:>9}",
        "id",
        "",
        "hit",
        "PCR",
        "generated",
        "success",
        "ms",
        "MAPTest",
        "success",
        "ms",
        "fewer %",
        "PCR",
        "MAPTest"
    );
    for (index, subject) in SUBJECTS.iter().enumerate() {
        let (pcr, maptest) = (runs.of(index, "pcr"), runs.of(index, "maptest"));
        let intended = run(subject, "maptest", 99, Until::Executions(50), |_, _| ()).intended;
        let (p, m) = (
            mean(schedules(pcr).into_iter()),
            mean(schedules(maptest).into_iter()),
        );
        let success =
            |runs: &[Run]| 100 * runs.iter().filter(|run| run.first.is_some()).count() / runs.len();
        let paper = subject.published.map_or(String::new(), |paper| {
            format!("{:>6.1}{:>9.1}", paper.pcr, paper.maptest)
        });
        println!(
            "{:5}{:24}{:>6.2}{p:>8.2}{:>10.2}{:>8}%{:>9.2}{m:>10.1}{:>8}%{:>10.2}{:>9.1} |        {paper}",
            subject.published.map_or("", |paper| paper.id),
            subject.name,
            intended.1 as f64 / intended.0.max(1) as f64,
            p - 1.0,
            success(pcr),
            milliseconds(pcr),
            success(maptest),
            milliseconds(maptest),
            100.0 * if m > p { (m - p) / m } else { -(p - m) / p },
        );
    }
}

/// Failing executions in equal time.
pub fn table_5() {
    let time = Duration::from_millis(30);
    println!(
        "\nTable 5: failing executions found in {} ms (the paper: 10 s), mean of {LARGE_SEEDS} seeds; in brackets: of how many executions",
        time.as_millis()
    );
    println!(
        "{:5}{:24}{:>22}{:>22}{:>22}",
        "id", "", "PCR", "MAPTest", "random"
    );
    for subject in &SUBJECTS {
        print!(
            "{:5}{:24}",
            subject.published.map_or("", |paper| paper.id),
            subject.name
        );
        for strategy in ["pcr", "maptest", "random"] {
            let runs: Vec<Run> = (1..=LARGE_SEEDS)
                .map(|seed| run(subject, strategy, seed, Until::Time(time), |_, _| ()))
                .collect();
            let failures = mean(runs.iter().map(|run| run.failures as f64));
            let executions = mean(runs.iter().map(|run| run.executions as f64));
            print!("{:>22}", format!("{failures:.1} ({executions:.0})"));
        }
        println!();
    }
}

/// PCR beside MCR.
pub fn table_6(runs: &Runs) {
    println!(
        "\nTable 6: PCR and MCR; constraints = systems solved; means of {SEEDS} seeds, {LARGE_SEEDS} for large tests, times medians"
    );
    println!(
        "{:5}{:24}{:>8}{:>13}{:>8}{:>9}{:>8}{:>13}{:>8}{:>9} | paper: {:>6}{:>6}",
        "id",
        "",
        "PCR",
        "constraints",
        "ms",
        "diverged",
        "MCR",
        "constraints",
        "ms",
        "diverged",
        "PCR",
        "MCR"
    );
    for (index, subject) in SUBJECTS.iter().enumerate() {
        print!(
            "{:5}{:24}",
            subject.published.map_or("", |paper| paper.id),
            subject.name
        );
        for strategy in ["pcr", "mcr"] {
            let runs = runs.of(index, strategy);
            print!(
                "{:>8.2}{:>13.1}{:>8.2}{:>9.1}",
                mean(schedules(runs).into_iter()),
                mean(runs.iter().map(|run| run.constraints as f64)),
                milliseconds(runs),
                mean(runs.iter().map(|run| run.diverged as f64)),
            );
        }
        let paper = subject.published.map_or(String::new(), |paper| {
            format!("{:>6.1}{:>6.1}", paper.pcr, paper.mcr)
        });
        println!(" |        {paper}");
    }
}

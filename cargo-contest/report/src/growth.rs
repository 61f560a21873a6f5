//! How a campaign grows, and what is left of the smallest shape of tests that is not done: before, while and after it
//! runs.

use std::time::Duration;

use contest_data::ladder::Rung;
use contest_data::totals::{Progress, SubjectTotals};
use serde_json::{Value, json};

use super::figures::{count, counted, seconds};
use super::run_summary::RunSummary;
use contest_catalog::growth::{Growth, Left};
use contest_catalog::run_budget::RunBudget;

/// Shapes that are named before an exploration.
const NAMED: usize = 3;
/// Longer than this is no estimate.
const LONGEST: Duration = Duration::from_secs(1_000 * 3_600);

/// What an exploration has before it: `exploring for 60.0 s: 6 tests of 2 threads, 1 call each; …`.
pub(super) fn ahead(budget: RunBudget, shapes: &[(Rung, u64, bool)]) -> String {
    let named: Vec<String> = (shapes.iter().take(NAMED))
        .map(|(rung, tests, exact)| {
            let about = if *exact { "" } else { "at most " };
            format!("{about}{} of {rung}", counted(*tests, "test"))
        })
        .collect();
    let more = match shapes.len() {
        0 => "tests of no fixed shape",
        1..=NAMED => "",
        _ => "; and larger ones",
    };
    let named = named.join("; ");
    let cost = match budget {
        RunBudget::Time(time) => seconds(time),
        RunBudget::Steps(steps) => format!("{} steps", count(steps)),
    };
    format!("exploring for {cost}: {named}{more}\n")
}

pub(super) fn ahead_json(package: &str, budget: RunBudget, shapes: &[(Rung, u64, bool)]) -> String {
    let shapes = shapes.iter().map(|(rung, tests, exact)| {
        json!({"shape": rung.to_string(), "tests": tests, "tests_exact": exact})
    });
    let (key, cost) = match budget {
        RunBudget::Time(time) => ("budget_ms", milliseconds(time)),
        RunBudget::Steps(steps) => ("budget_steps", steps),
    };
    json!({"reason": "exploring", "package": package, key: cost,
           "shapes": shapes.collect::<Vec<_>>()})
    .to_string()
}

/// `2 threads, 1 + 2 calls: 12 of 27 tests not finished, about 8 s at this pace`.
pub(super) fn left(left: &Left) -> String {
    let bound = if left.exact { "" } else { "at most " };
    format!(
        "{}: {} of {bound}{} not finished{}",
        left.rung,
        count(left.left),
        counted(left.tests, "test"),
        left.time
            .map_or_else(String::new, |time| format!(", {}", about(time))),
    )
}

/// Where a campaign stands, for machines.
pub(super) fn progress_json(
    package: &str,
    progress: &Progress,
    elapsed: Duration,
    left: Option<&Left>,
) -> String {
    let sum = |count: fn(&SubjectTotals) -> u64| -> u64 {
        progress.totals.subjects.iter().map(count).sum()
    };
    json!({
        "reason": "progress",
        "package": package,
        "type": progress.subject,
        "elapsed_ms": milliseconds(elapsed),
        "tests": sum(|it| it.tests),
        "executions": sum(|it| it.executions),
        "findings": sum(|it| it.findings),
        "access_patterns": sum(|it| it.coverage.covered),
        "pairs_run": sum(|it| it.pairs.0),
        "left": left_json(left),
    })
    .to_string()
}

/// What is left at the end of a run, a line for each package.
pub(super) fn human(summary: &RunSummary) -> String {
    let several = summary.growth.len() > 1;
    let lines = summary.growth.iter().filter_map(|(package, growth)| {
        let text = left(&growth.left()?);
        let of = if several {
            format!("{package}: ")
        } else {
            String::new()
        };
        Some(format!("  left        {of}{text}\n"))
    });
    lines.collect()
}

/// The same with how the campaign grew.
pub(super) fn json(summary: &RunSummary) -> Value {
    let all = summary.growth.iter().map(|(package, growth)| {
        let points = growth.points().iter().map(|point| {
            json!({"ms": milliseconds(point.elapsed), "executions": point.executions,
                   "access_patterns": point.patterns, "pairs_run": point.pairs})
        });
        json!({"package": package, "left": left_json(growth.left().as_ref()),
               "points": points.collect::<Vec<_>>()})
    });
    all.collect::<Vec<_>>().into()
}

fn left_json(left: Option<&Left>) -> Value {
    left.map_or(Value::Null, |it| {
        json!({"shape": it.rung.to_string(), "tests": it.tests, "tests_exact": it.exact, "left": it.left,
               "ms": it.time.map(milliseconds)})
    })
}

/// How a count grew.
pub(super) struct Curve {
    /// What is counted: `access patterns`.
    pub(super) name: &'static str,
    /// Milliseconds, and the count by then.
    pub(super) points: Vec<(u64, u64)>,
}

/// What is drawn of a campaign.
pub(super) fn curves(growth: &Growth) -> Vec<Curve> {
    let curve = |name, value: fn(&contest_catalog::growth::Point) -> u64| {
        let points = growth.points().iter();
        let points = points.map(|it| (milliseconds(it.elapsed), value(it)));
        Curve {
            name,
            points: points.collect(),
        }
    };
    vec![
        curve("access patterns", |it| it.patterns),
        curve("pairs of operations", |it| it.pairs),
    ]
}

/// `about 40 s`, `about 3 min`, `about 5 h`.
fn about(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if time > LONGEST {
        "more than 1,000 h at this pace".to_owned()
    } else if seconds < 90.0 {
        format!("about {seconds:.0} s at this pace")
    } else if seconds < 5_400.0 {
        format!("about {:.0} min at this pace", seconds / 60.0)
    } else {
        format!("about {:.0} h at this pace", seconds / 3_600.0)
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rung(lanes: &[u8]) -> Rung {
        Rung {
            lanes: lanes.to_vec(),
            ..Rung::default()
        }
    }

    #[test]
    fn what_is_ahead_names_the_smallest_shapes() {
        let shapes = [(rung(&[1, 1]), 6, true), (rung(&[1, 2]), 27, false)];
        assert_eq!(
            ahead(RunBudget::Time(Duration::from_secs(5)), &shapes),
            "exploring for 5.0 s: 6 tests of 2 threads, 1 call each; at most 27 tests of 2 threads, 1 + 2 calls\n"
        );
        let many = vec![(rung(&[1, 1]), 1, true); 4];
        let work = ahead(RunBudget::Steps(5_000_000), &many);
        assert!(
            work.starts_with("exploring for 5,000,000 steps: "),
            "{work}"
        );
        assert!(work.ends_with("; and larger ones\n"), "{work}");
    }

    #[test]
    fn what_is_left_has_a_time_in_the_unit_that_fits() {
        let of = |seconds| Left {
            rung: rung(&[1, 2]),
            tests: 27,
            exact: true,
            left: 12,
            time: Some(Duration::from_secs(seconds)),
        };
        assert_eq!(
            left(&of(8)),
            "2 threads, 1 + 2 calls: 12 of 27 tests not finished, about 8 s at this pace"
        );
        assert!(left(&of(600)).ends_with("about 10 min at this pace"));
        assert!(left(&of(7_300)).ends_with("about 2 h at this pace"));
        let unknown = Left {
            time: None,
            ..of(1)
        };
        assert!(left(&unknown).ends_with("12 of 27 tests not finished"));
    }
}

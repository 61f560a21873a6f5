//! Strategies by name, and several as one.

use contest_data::decision::{Choice, DecisionPoint, Strategy};
use contest_data::gap::{Cut, Gap};
use contest_data::names::STRATEGIES;
use contest_data::trace::ExecutionRecord;
use contest_search::explore::{Budget, Ended, Portfolio, named};

use crate::program::{Op, Program, explore};

/// 36 traces.
fn small() -> Program {
    vec![vec![Op::Read(0), Op::Write(0, 1)]; 3]
}

/// Far more traces than any budget here.
fn large() -> Program {
    vec![vec![Op::Add(0); 12]; 3]
}

#[test]
fn every_strategy_runs_by_its_name_within_its_budget() {
    for (name, _) in STRATEGIES {
        let mut strategy = named(name, 3, Budget::executions(40)).unwrap();
        let executions = explore(&large(), &mut strategy, |_| ());
        // `auto` gives half as many again to PCR and the portfolio.
        let expected = if name == "auto" { 60 } else { 40 };
        if name.starts_with("pta") || name.starts_with("switch-") {
            // What it predicts may be little, and so may the places be.
            assert!((1..=expected).contains(&executions), "{name}");
        } else {
            assert_eq!(executions, expected, "{name}");
        }
        assert!(!strategy.exhausted(), "{name}");
        assert!(!strategy.missing().is_empty(), "{name}");
    }
    assert_eq!(named("luck", 1, Budget::executions(1)).unwrap_err(), "luck");
}

#[test]
fn auto_stops_after_dpor_where_that_explores_everything() {
    let mut strategy = named("auto", 3, Budget::executions(1_000)).unwrap();
    assert_eq!(explore(&small(), &mut strategy, |_| ()), 36);
    assert!(strategy.exhausted());
    assert!(strategy.missing().is_empty());
    assert_eq!(strategy.traces().unwrap().traces, 36);
    let parts = strategy.parts();
    assert_eq!((parts[0].name, parts[0].executions), ("dpor", 36));
    assert_eq!(parts[0].ended, Some(Ended::Exhausted));
    for part in &parts[1..] {
        assert_eq!(part.executions, 0);
        assert_eq!(part.ended, Some(Ended::NotNeeded));
    }
}

#[test]
fn auto_continues_with_the_portfolio_and_reports_the_share_of_each_part() {
    let mut strategy = named("auto", 3, Budget::executions(200)).unwrap();
    explore(&large(), &mut strategy, |_| ());
    let parts: Vec<_> = strategy
        .parts()
        .into_iter()
        .map(|part| (part.name, part.executions))
        .collect();
    assert_eq!(
        parts,
        [
            ("dpor", 200),
            ("pcr", 20),
            ("surw", 21),
            ("urw", 13),
            ("pct", 13),
            ("patient", 13),
            ("dfs", 20)
        ]
    );
    assert!(
        matches!(
            strategy.missing().iter().next(),
            Some(Gap::Cut(Cut::Executions(_)))
        ),
        "{}",
        strategy.missing()
    );
}

#[test]
fn auto_goes_on_with_the_others_first_where_dpor_most_likely_does_not_fit_and_comes_back() {
    let program = vec![vec![Op::Add(0); 40]; 4];
    let mut strategy = named("auto", 3, Budget::executions(2_000)).unwrap();
    let mut dpor_at_500 = 0;
    let mut executions = 0;
    explore(
        &program,
        &mut Counted(&mut strategy, |strategy: &Portfolio| {
            executions += 1;
            if executions == 500 {
                dpor_at_500 = strategy.parts()[0].executions;
            }
        }),
        |_| (),
    );
    let parts = strategy.parts();
    assert_eq!(dpor_at_500, 64);
    assert_eq!((parts[0].executions, parts[1].executions), (2_000, 200));
    assert_eq!(executions, 3_000);
    assert!(
        matches!(
            strategy.missing().iter().next(),
            Some(Gap::Cut(Cut::Executions(_)))
        ),
        "{}",
        strategy.missing()
    );
}

/// Looks at a portfolio before each execution.
struct Counted<'a, F>(&'a mut Portfolio, F);

impl<F: FnMut(&Portfolio)> Strategy for Counted<'_, F> {
    fn begin(&mut self) -> bool {
        let more = self.0.begin();
        if more {
            (self.1)(self.0);
        }
        more
    }
    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        self.0.thread(point)
    }
    fn value(&mut self, alternatives: u16) -> u16 {
        self.0.value(alternatives)
    }
    fn seed(&mut self) -> u64 {
        self.0.seed()
    }
    fn end(&mut self, record: &ExecutionRecord) {
        self.0.end(record);
    }
}

#[test]
fn what_dpor_leaves_when_its_estimate_is_far_beyond_the_budget_goes_to_the_others() {
    let round = [Op::Read(0), Op::Write(0, 1), Op::Read(1), Op::Write(1, 1)];
    let program: Program = vec![[round, round].concat(); 5];
    let mut strategy = named("auto", 3, Budget::executions(100)).unwrap();
    let executions = explore(&program, &mut strategy, |_| ());
    let parts = strategy.parts();
    assert_eq!(parts[0].ended, Some(Ended::TooLarge), "{parts:?}");
    assert!(parts[0].executions < 100, "{parts:?}");
    assert_eq!(executions, 150);
    assert_eq!(parts[1].executions, 10 + (100 - parts[0].executions) / 5);
    assert_eq!(strategy.missing(), Gap::Cut(Cut::TooLarge).into());
}

#[test]
fn a_part_that_has_nothing_left_leaves_its_turns_to_the_others() {
    let mut strategy = named("portfolio", 3, Budget::executions(5_000)).unwrap();
    explore(&vec![vec![Op::Add(0)]; 2], &mut strategy, |_| ());
    let parts = strategy.parts();
    assert_eq!(parts.iter().map(|part| part.executions).sum::<u64>(), 5_000);
    let dfs = parts.iter().find(|part| part.name == "dfs").unwrap();
    assert_eq!(dfs.ended, Some(Ended::Exhausted));
    // Two preemptions at most prove nothing.
    assert!(!strategy.exhausted());
}

#[test]
fn the_same_seed_gives_the_same_executions() {
    let schedules = || {
        let mut strategy = named("portfolio", 9, Budget::executions(60)).unwrap();
        let mut all = Vec::new();
        explore(&large(), &mut strategy, |record| {
            all.push(record.schedule.clone());
        });
        all
    };
    assert_eq!(schedules(), schedules());
}

//! What an execution covers, against the definition written out as loops over all accesses.

use std::collections::BTreeSet;

use contest_data::rng::Rng;
use contest_data::trace::ExecutionRecord;
use contest_search::coverage::{Contents, MapCoverage, Pattern, PatternKey, Role};

use crate::traces::{Line, random_lines, record};

fn does(line: &Line, role: Role) -> bool {
    match role {
        Role::Read => line.1 != 'W',
        Role::Write => line.1 != 'R',
    }
}

/// Conflicting accesses of one variable by two threads, no other write of it between.
fn is_pair(lines: &[Line], first: usize, second: usize) -> bool {
    let (a, b) = (&lines[first], &lines[second]);
    first < second
        && a.0 != b.0
        && a.2 == b.2
        && lines[first + 1..second]
            .iter()
            .all(|line| line.2 != a.2 || line.1 == 'R')
}

/// No access of these variables by this thread strictly between.
fn adjacent(lines: &[Line], first: usize, second: usize, variables: [u32; 2]) -> bool {
    let (from, to) = (first.min(second), first.max(second));
    lines[from + 1..to]
        .iter()
        .all(|line| line.0 != lines[first].0 || !variables.contains(&line.2))
}

fn by_definition(lines: &[Line]) -> BTreeSet<(u8, Vec<&'static str>)> {
    let mut covered = BTreeSet::new();
    let n = lines.len();
    for pattern in Pattern::all() {
        let steps = pattern.steps();
        let fits = |chosen: &[usize]| {
            let thread = |number: u8| {
                let step = steps.iter().position(|step| step.1 == number).unwrap();
                lines[chosen[step]].0
            };
            let variable = |number: u8| {
                let step = steps.iter().position(|step| step.2 == number);
                step.map(|step| lines[chosen[step]].2)
            };
            thread(1) != thread(2)
                && variable(0) != variable(1)
                && chosen.iter().zip(steps).all(|(&index, step)| {
                    does(&lines[index], step.0)
                        && lines[index].0 == thread(step.1)
                        && Some(lines[index].2) == variable(step.2)
                })
        };
        let mut take = |chosen: &[usize]| {
            let names = chosen.iter().map(|&index| lines[index].5).collect();
            covered.insert((pattern.number(), names));
        };
        for i in 0..n {
            for j in i + 1..n {
                if steps.len() == 2 && fits(&[i, j]) && is_pair(lines, i, j) {
                    take(&[i, j]);
                }
                if steps.len() == 3 {
                    for k in j + 1..n {
                        let variable = lines[i].2;
                        if fits(&[i, j, k]) && adjacent(lines, i, k, [variable; 2]) {
                            take(&[i, j, k]);
                        }
                    }
                }
                if steps.len() == 4 {
                    for k in j + 1..n {
                        for l in k + 1..n {
                            let chosen = [i, j, k, l];
                            if !fits(&chosen) {
                                continue;
                            }
                            let of = |key: &dyn Fn(&(Role, u8, u8)) -> bool| {
                                let mut found = (0..4).filter(|&step| key(&steps[step]));
                                [found.next().unwrap(), found.next().unwrap()]
                                    .map(|step| chosen[step])
                            };
                            let x = of(&|step| step.2 == 0);
                            let y = of(&|step| step.2 == 1);
                            let one = of(&|step| step.1 == 1);
                            let two = of(&|step| step.1 == 2);
                            let variables = [lines[x[0]].2, lines[y[0]].2];
                            if is_pair(lines, x[0], x[1])
                                && is_pair(lines, y[0], y[1])
                                && adjacent(lines, one[0], one[1], variables)
                                && adjacent(lines, two[0], two[1], variables)
                            {
                                take(&chosen);
                            }
                        }
                    }
                }
            }
        }
    }
    covered
}

fn covered(coverage: &MapCoverage) -> BTreeSet<(u8, Vec<&'static str>)> {
    let name = |key: PatternKey| {
        let sites = key.sites();
        sites
            .iter()
            .map(|&site| coverage.sites().get(site).name)
            .collect()
    };
    coverage
        .patterns()
        .map(|key| (key.pattern().number(), name(key)))
        .collect()
}

#[test]
fn covered_patterns_are_those_of_the_definition() {
    let mut rng = Rng::new(5);
    let mut seen = BTreeSet::new();
    for round in 0..400 {
        let threads = 2 + (round % 2) as u16;
        let lines = random_lines(&mut rng, threads, 4 + round % 17, 1 + round % 4);
        let mut coverage = MapCoverage::new(Contents::Counted);
        coverage.observe(&record(&lines));
        let expected = by_definition(&lines);
        assert_eq!(covered(&coverage), expected, "{lines:?}");
        seen.extend(expected.into_iter().map(|(number, _)| number));
        assert!(
            coverage.counts().covered <= coverage.counts().bound,
            "{lines:?}"
        );
    }
    assert_eq!(seen.len(), 17);
}

#[test]
fn coverage_grows_with_executions_and_repeats_add_nothing() {
    let mut rng = Rng::new(6);
    let mut coverage = MapCoverage::new(Contents::Counted);
    let mut last = 0;
    for _ in 0..100 {
        let execution = record(&random_lines(&mut rng, 2, 12, 2));
        let new = coverage.observe(&execution);
        assert_eq!(coverage.observe(&execution), 0);
        let counts = coverage.counts();
        assert_eq!(counts.covered, last + new);
        assert_eq!(counts.by_pattern.iter().sum::<u64>(), counts.covered);
        assert!(counts.atomic_set_popl <= counts.atomic_set && counts.atomic_set <= counts.covered);
        last = counts.covered;
    }
    let curve = coverage.curve();
    assert!(
        curve
            .windows(2)
            .all(|pair| pair[0].executions < pair[1].executions
                && pair[0].milliseconds <= pair[1].milliseconds
                && pair[0].covered < pair[1].covered)
    );
    assert_eq!(curve.last().unwrap().covered, last);
    // In the counts the curve is short and ends where coverage stands.
    let shown = coverage.counts().curve;
    assert!(shown.len() <= 33);
    let end = shown.last().unwrap();
    assert_eq!((end.executions, end.covered), (200, last));
}

#[test]
fn coverage_is_counted_by_strategy_and_skipped_executions_are_counted() {
    let mut rng = Rng::new(8);
    let mut coverage = MapCoverage::new(Contents::Counted);
    let executions: Vec<_> = (0..30)
        .map(|_| record(&random_lines(&mut rng, 2, 12, 2)))
        .collect();
    for (number, execution) in executions.iter().enumerate() {
        coverage.observe_by(execution, if number < 20 { "one" } else { "two" });
        coverage.pass();
    }
    let shown = |executions: &[ExecutionRecord]| {
        let mut coverage = MapCoverage::new(Contents::Counted);
        executions.iter().for_each(|execution| {
            coverage.observe(execution);
        });
        coverage.counts().covered
    };
    let counts = coverage.counts();
    let expected = [
        ("one".to_owned(), shown(&executions[..20])),
        ("two".to_owned(), shown(&executions[20..])),
    ];
    assert_eq!(counts.by_strategy, expected);
    assert_eq!(counts.covered, shown(&executions));
    assert!(counts.covered < expected[0].1 + expected[1].1);
    assert_eq!((counts.executions, counts.all_executions), (30, 60));
    assert_eq!(counts.by_pattern.iter().sum::<u64>(), counts.covered);
    assert_eq!(counts.by_atomic_set.iter().sum::<u64>(), counts.atomic_set);
}

#[test]
fn the_bound_is_the_printed_formula_with_both_orders_of_variables() {
    // x: two reads, one write; y: one of each.
    let lines: [Line; 5] = [
        (1, 'R', 0, 0, 0, "a"),
        (1, 'R', 0, 0, 0, "b"),
        (2, 'W', 0, 0, 1, "c"),
        (1, 'R', 1, 0, 0, "d"),
        (2, 'W', 1, 0, 1, "e"),
    ];
    let mut coverage = MapCoverage::new(Contents::Counted);
    coverage.observe(&record(&lines));
    let counts = coverage.counts();
    let single = (4 + 1 + 4 + 6 + 1) + (2 + 1 + 1 + 3 + 1);
    assert_eq!(counts.printed_bound, single + 3 + 6 * 2);
    assert_eq!(counts.bound, single + 2 * (3 + 6 * 2));
    assert_eq!((counts.sites, counts.variables), (5, 2));
}

#[test]
fn a_million_rounds_of_one_pattern_are_few_patterns_in_little_time() {
    let lines: Vec<Line> = (0..1_000_000)
        .map(|round| match round % 4 {
            0 => (1, 'R', 0, 0, 0, "a"),
            1 => (2, 'W', 0, 0, 1, "b"),
            2 => (1, 'R', 1, 0, 0, "c"),
            _ => (2, 'U', 1, 0, 1, "d"),
        })
        .collect();
    let execution = record(&lines);
    let mut coverage = MapCoverage::new(Contents::Counted);
    let start = std::time::Instant::now();
    coverage.observe(&execution);
    assert!(start.elapsed().as_secs() < 20);
    assert!(coverage.counts().covered < 40);
}
